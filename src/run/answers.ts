// Counting a record's tokens from the texts that were put aside, by the client's tokenizer.
import type { TextTokenizer } from '../datagen/tokenizer';
import type { WaitingAnswer } from '../loadgen/answer-line';
import type { RequestRecord } from '../metrics/record';

/**
 * Output is counted without special tokens, over every channel of the answer (inference-perf main counts the content alone; they
 * differ for reasoning models only).
 * @param countChunks whether chunks are counted one by one, as inference-perf does when the config names a tokenizer
 */
export function countedRecord(
  planned: RequestRecord,
  answer: WaitingAnswer,
  tokenizer: TextTokenizer,
  countChunks: boolean,
): RequestRecord {
  const record = answer.prompt ? { ...planned, clientPromptTokens: promptTokens(answer.prompt, tokenizer) } : planned;
  if (record.outcome.kind !== 'ok') return record;
  if (!answer.chunks) return { ...record, clientOutputTokens: tokenizer.count(answer.text ?? '') };
  return {
    ...record,
    clientOutputTokens: tokenizer.count(answer.chunks.join('')),
    ...(countChunks ? { chunkTokens: answer.chunks.map(chunkCounter(tokenizer)) } : {}),
  };
}

/** Longer chunks hardly come twice. */
const REMEMBERED_LENGTH = 32;
const REMEMBERED = 100_000;
const counters = new WeakMap<TextTokenizer, (text: string) => number>();

/** Counts of chunks, which are words and come again and again. */
function chunkCounter(tokenizer: TextTokenizer): (text: string) => number {
  const before = counters.get(tokenizer);
  if (before) return before;
  const known = new Map<string, number>();
  const counter = (text: string): number => {
    let count = known.get(text);
    if (count === undefined) {
      count = tokenizer.count(text);
      if (text.length <= REMEMBERED_LENGTH && known.size < REMEMBERED) known.set(text, count);
    }
    return count;
  };
  counters.set(tokenizer, counter);
  return counter;
}

/** Special tokens are counted with every text, as inference-perf counts prompts (reference 4.5). */
export function promptTokens(texts: readonly string[], tokenizer: TextTokenizer): number {
  return texts.reduce((sum, text) => sum + tokenizer.count(text) + tokenizer.specialTokens, 0);
}
