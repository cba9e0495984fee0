// Where a tokenizer keeps its chat template and the special tokens the template names, as transformers looks for them.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

export interface ChatTemplateSource {
  /** The file the template was read from. */
  readonly file: string;
  readonly sha256: string;
  readonly text: string;
  /** bos_token and its like by name, for the template. */
  readonly specialTokens: Readonly<Record<string, string>>;
}

/** A template that cannot be used; the message says why, with the file. */
export class ChatTemplateError extends Error {}

/** Real ones have up to some 20 kB. */
const MAX_BYTES = 1024 * 1024;

/**
 * The template beside a tokenizer.json: chat_template.jinja first, then `chat_template` of tokenizer_config.json, there a text or a list
 * of named ones, of which "default" is taken (transformers 5, tokenization_utils_base.py). Throws ChatTemplateError when there is none.
 */
export function findChatTemplate(tokenizerFile: string): ChatTemplateSource {
  const folder = path.dirname(tokenizerFile);
  const configFile = path.join(folder, 'tokenizer_config.json');
  const config = jsonOf(configFile);
  const alone = path.join(folder, 'chat_template.jinja');
  const isAlone = existsSync(alone);
  const file = isAlone ? alone : configFile;
  const text = isAlone ? boundedText(alone) : chosen(config['chat_template'], configFile);
  if (text === undefined) {
    throw new ChatTemplateError(
      `the tokenizer has no chat template: there is no chat_template.jinja in ${folder}, and no chat_template in its tokenizer_config.json`,
    );
  }
  const map = jsonOf(path.join(folder, 'special_tokens_map.json'));
  return {
    file,
    sha256: createHash('sha256').update(text).digest('hex'),
    text,
    specialTokens: { ...specialTokensOf(map), ...specialTokensOf(config) },
  };
}

function chosen(template: unknown, file: string): string | undefined {
  if (typeof template === 'string' || template === undefined || template === null) return template ?? undefined;
  const named = Array.isArray(template) ? (template as ({ name?: unknown; template?: unknown } | null)[]) : [];
  const main = named.find((entry) => entry?.name === 'default')?.template;
  if (typeof main === 'string') return main;
  throw new ChatTemplateError(`${file} names several chat templates, and none of them is called "default"`);
}

/** A token is a text, or an object with its text. */
function specialTokensOf(config: Readonly<Record<string, unknown>>): Record<string, string> {
  const tokens: Record<string, string> = {};
  for (const [name, value] of Object.entries(config)) {
    if (!/^[a-z]+(_[a-z]+)*_token$/.test(name)) continue;
    const content = typeof value === 'object' && value !== null ? (value as { content?: unknown }).content : value;
    if (typeof content === 'string') tokens[name] = content;
  }
  return tokens;
}

function jsonOf(file: string): Readonly<Record<string, unknown>> {
  if (!existsSync(file)) return {};
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch (error) {
    throw new ChatTemplateError(`${file} is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

function boundedText(file: string): string {
  const { size } = statSync(file);
  if (size > MAX_BYTES) throw new ChatTemplateError(`${file} has ${size} bytes, more than a chat template may have`);
  return readFileSync(file, 'utf8');
}
