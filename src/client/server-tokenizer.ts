// The server's own tokenizer, where it has one: POST /tokenize of vLLM and SGLang, of TGI, and of llama.cpp's server.
import type { Client } from './types';
import { isObject } from '../own';

export interface ServerTokenizer {
  /** Whose route it is, e.g. `vLLM`. */
  readonly dialect: string;
  /** Tokens of a text, with the special tokens around a prompt or without; undefined when the server did not say. Never rejects. */
  count(text: string, special: boolean, stop?: AbortSignal): Promise<number | undefined>;
}

/** One word is counted at once or not at all. */
export const FIND_SECONDS = 2;
/** A whole prompt or answer. */
export const COUNT_SECONDS = 5;

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

/**
 * Tries each dialect with one word, which is a token at least: llama.cpp's server finds none in a body it does not know. A server that
 * leaves the first question unanswered is asked no other one: `silent`.
 */
export async function findServerTokenizer(
  client: Pick<Client, 'ask'>,
  model: string,
  stop?: AbortSignal,
): Promise<ServerTokenizer | 'silent' | undefined> {
  for (const { name, body, read } of DIALECTS) {
    const question = (text: string, special: boolean): string => JSON.stringify(body(text, special, model));
    const answer = await client.ask(ROUTE, question('word', false), FIND_SECONDS, stop);
    if (answer === undefined) return 'silent';
    if ((read(parse(answer), false) ?? 0) === 0) continue;
    return {
      dialect: name,
      async count(text, special, whileCounting) {
        if (text === '' && !special) return 0;
        const counted = await client.ask(ROUTE, question(text, special), COUNT_SECONDS, whileCounting);
        return counted === undefined ? undefined : read(parse(counted), special);
      },
    };
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
