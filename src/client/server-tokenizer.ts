// The server's own tokenizer, where it has one: POST /tokenize of vLLM and SGLang, of TGI, and of llama.cpp's server.
import type { Client } from './types';

export interface ServerTokenizer {
  /** Whose route it is, e.g. `vLLM`. */
  readonly dialect: string;
  /** Tokens of a text, with the special tokens around a prompt or without; undefined when the server did not say. Never rejects. */
  count(text: string, special: boolean): Promise<number | undefined>;
}

const ROUTE = '/tokenize';

interface Dialect {
  readonly name: string;
  readonly body: (text: string, special: boolean, model: string) => Record<string, unknown>;
  readonly read: (answer: unknown, special: boolean) => number | undefined;
}

/** Each is known by the shape of its answer: the others refuse its body, or answer with another shape. */
const DIALECTS: readonly Dialect[] = [
  {
    name: 'vLLM',
    body: (prompt, special, model) => ({ model, prompt, add_special_tokens: special }),
    read: (answer) => countIn(isObject(answer) ? answer['count'] : undefined),
  },
  {
    name: 'TGI',
    body: (inputs, special) => ({ inputs, add_special_tokens: special }),
    // It may add special tokens all the same; they stand for no part of the text.
    read: (answer, special) =>
      Array.isArray(answer)
        ? (answer as readonly unknown[]).filter((token) => special || isOfText(token)).length
        : undefined,
  },
  {
    name: 'llama.cpp',
    body: (content, special) => ({ content, add_special: special }),
    read: (answer) => {
      const tokens = isObject(answer) ? answer['tokens'] : undefined;
      return Array.isArray(tokens) ? tokens.length : undefined;
    },
  },
];

/** Tries each dialect with one word, which is a token at least: llama.cpp's server finds none in a body it does not know. */
export async function findServerTokenizer(
  client: Pick<Client, 'ask'>,
  model: string,
): Promise<ServerTokenizer | undefined> {
  for (const { name, body, read } of DIALECTS) {
    let isSilent = false;
    const count: ServerTokenizer['count'] = async (text, special) => {
      if (text === '' && !special) return 0;
      const answer = await client.ask(ROUTE, JSON.stringify(body(text, special, model)));
      isSilent = answer === undefined;
      return answer === undefined ? undefined : read(parse(answer), special);
    };
    if (((await count('word', false)) ?? 0) > 0) return { dialect: name, count };
    // One that leaves a question unanswered would be waited for once for each dialect.
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- set while the answer was waited for
    if (isSilent) return undefined;
  }
  return undefined;
}

function isOfText(token: unknown): boolean {
  return !isObject(token) || token['start'] !== token['stop'] || token['start'] === undefined;
}

function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
