// What is put aside of an answer while the clock runs: its texts, until their tokens are counted, as one line of JSON.
import type { WireResult } from '../client/types';
import type { TurnRequest } from './turn-dispatch';

export interface AnswerNeeds {
  /** Texts are needed: there is a tokenizer to count them. `uncounted`: the server's own would count what comes without usage. */
  readonly texts: boolean | 'uncounted';
  /** Answers as received are needed: per-request reports are asked for. */
  readonly raw: boolean;
}

/** One answer that waits. */
export interface WaitingAnswer {
  readonly id: number;
  readonly chunks?: readonly string[];
  readonly text?: string;
  readonly raw?: string;
  /** What was really sent, for a turn of a conversation: nobody knew it beforehand. */
  readonly prompt?: readonly string[];
  readonly body?: string;
}

/** Undefined when nobody will ask for it, and for requests that were cancelled. */
export function answerLine(
  id: number,
  result: WireResult,
  needs: AnswerNeeds,
  sent?: Pick<TurnRequest, 'body' | 'promptTexts' | 'turn'>,
): string | undefined {
  const texts = needs.texts === 'uncounted' ? result.usage?.completionTokens === undefined : needs.texts;
  if (!texts && !needs.raw) return undefined;
  if (result.outcome.kind !== 'ok' && result.outcome.kind !== 'failed') return undefined;
  const chunks = texts ? result.chunkTexts : [];
  const streamed = chunks.length > 0;
  // What is undefined has no key in the line.
  const line: { readonly [Key in keyof WaitingAnswer]: WaitingAnswer[Key] | undefined } = {
    id,
    chunks: streamed ? chunks : undefined,
    text: texts && !streamed ? result.outputText : undefined,
    raw: needs.raw ? (result.rawBody ?? '') : undefined,
    prompt: texts && sent?.turn ? sent.promptTexts : undefined,
    body: needs.raw && sent?.turn ? String(sent.body) : undefined,
  };
  return JSON.stringify(line);
}
