// Renders a text as one user turn of a chat template, by way of @huggingface/jinja: an interpreter, in bounds of size and time.
import vm from 'node:vm';
import { Template } from '@huggingface/jinja';
import { ChatTemplateError, type ChatTemplateSource } from './chat-template-files';

export interface ChatTemplate {
  /** The whole prompt with the template's own special tokens. Throws ChatTemplateError. */
  readonly wrap: (text: string) => string;
  /** The template puts today's date into the prompt: on another day it is another one. */
  readonly hasDate: boolean;
}

/** A turn takes less than a millisecond; a template that never ends must not hold the run for ever. */
const MAX_MILLISECONDS = 2000;
/** Characters around the text. */
const MAX_OVERHEAD = 1_000_000;

/**
 * inference-perf's way (utils/custom_tokenizer.py, apply_chat_template): one user message, with the generation prompt, as text. `tools`
 * and `documents` are None and the special tokens stand by their names, as transformers has it. Throws ChatTemplateError for a template
 * that cannot be read or refuses such a turn.
 */
export function compileChatTemplate({ file, text: source, specialTokens }: ChatTemplateSource): ChatTemplate {
  const template = bounded(file, () => new Template(source));
  const wrap = (text: string): string => {
    const rendered = bounded(file, () =>
      template.render({
        ...specialTokens,
        messages: [{ role: 'user', content: text }],
        tools: null,
        documents: null,
        add_generation_prompt: true,
      }),
    );
    if (rendered.length > text.length + MAX_OVERHEAD) {
      throw new ChatTemplateError(`the chat template of ${file} makes ${rendered.length} characters of ${text.length}`);
    }
    return rendered;
  };
  const probe = 'A text of one turn.';
  if (!wrap(probe).includes(probe)) {
    throw new ChatTemplateError(`the chat template of ${file} leaves out what the user says`);
  }
  return { wrap, hasDate: source.includes('strftime_now') };
}

let work: () => unknown = () => undefined;
const context = vm.createContext({ work: (): unknown => work() });
const script = new vm.Script('work()');

/** V8 ends what runs inside a script with a time limit, also where it left the script; nothing of the template is JavaScript. */
function bounded<T>(file: string, use: () => T): T {
  work = use;
  try {
    return script.runInContext(context, { timeout: MAX_MILLISECONDS }) as T;
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    const why =
      code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? `it did not end within ${MAX_MILLISECONDS / 1000} s` : message;
    throw new ChatTemplateError(`the chat template of ${file} cannot be rendered: ${why}`, { cause: error });
  }
}
