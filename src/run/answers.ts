// Answers wait on the disk until the clock stops: then their tokens are counted, and per_request_lifecycle_metrics.json is written.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import type { WireResult } from '../client/types';
import type { TextTokenizer } from '../datagen/tokenizer';
import type { WorkloadRequest } from '../datagen/workload';
import type { RequestRecord } from '../metrics/record';
import type { PerRequestFile } from '../report/write-per-request';

/** One line of the waiting file. */
interface WaitingAnswer {
  readonly id: number;
  readonly chunks?: readonly string[];
  readonly text?: string;
  readonly raw?: string;
  /** What was really sent, for a turn of a conversation: nobody knew it beforehand. */
  readonly prompt?: readonly string[];
  readonly body?: string;
}

/** The part of a sent request that matters here. */
export type SentTurn = Pick<WorkloadRequest, 'body' | 'promptTexts' | 'turn'>;

/** The line to keep of an answer; undefined when nobody will ask for it. */
export function waitingLine(
  id: number,
  result: WireResult,
  needs: { readonly texts: boolean; readonly raw: boolean },
  sent?: SentTurn,
): string | undefined {
  if (!needs.texts && !needs.raw) return undefined;
  const streamed = result.chunkTexts.length > 0;
  const line: WaitingAnswer = {
    id,
    ...(needs.texts && streamed ? { chunks: result.chunkTexts } : {}),
    ...(needs.texts && !streamed ? { text: result.outputText } : {}),
    ...(needs.raw ? { raw: result.rawBody ?? '' } : {}),
    ...(needs.texts && sent?.turn ? { prompt: sent.promptTexts } : {}),
    ...(needs.raw && sent?.turn ? { body: sent.body } : {}),
  };
  return JSON.stringify(line);
}

export interface CountOptions {
  readonly file: string;
  /** By id; counted records replace the ones that were there. */
  readonly records: RequestRecord[];
  readonly tokenizer: TextTokenizer | undefined;
  /** Whether chunks are counted one by one, as inference-perf does when the config names a tokenizer. */
  readonly countChunks: boolean;
  readonly perRequest?: { readonly file: PerRequestFile; readonly bodyOf: (id: number) => string };
  readonly onProgress: (done: number) => void;
}

const SLICE_MS = 100;

/**
 * Goes through the answers in completion order. Output is counted without special tokens, over every channel of the answer
 * (inference-perf main counts the content alone; they differ for reasoning models only).
 */
export async function countAnswers(options: CountOptions): Promise<void> {
  const { records, perRequest, onProgress } = options;
  const lines = createInterface({ input: createReadStream(options.file), crlfDelay: Infinity });
  let done = 0;
  let sliceStart = performance.now();
  for await (const line of lines) {
    const answer = JSON.parse(line) as WaitingAnswer;
    const record = counted(records[answer.id]!, answer, options);
    records[answer.id] = record;
    const request = answer.body ?? perRequest?.bodyOf(answer.id) ?? '';
    await perRequest?.file.add({ record, request, response: answer.raw ?? '' });
    done++;
    if (performance.now() - sliceStart > SLICE_MS) {
      onProgress(done);
      await turn();
      sliceStart = performance.now();
    }
  }
  onProgress(done);
}

function counted(planned: RequestRecord, answer: WaitingAnswer, options: CountOptions): RequestRecord {
  const { tokenizer, countChunks } = options;
  if (!tokenizer) return planned;
  const record = answer.prompt ? { ...planned, clientPromptTokens: promptTokens(answer.prompt, tokenizer) } : planned;
  if (record.outcome.kind !== 'ok') return record;
  if (!answer.chunks) return { ...record, clientOutputTokens: tokenizer.count(answer.text ?? '') };
  return {
    ...record,
    clientOutputTokens: tokenizer.count(answer.chunks.join('')),
    ...(countChunks ? { chunkTokens: answer.chunks.map((text) => tokenizer.count(text)) } : {}),
  };
}

/** Special tokens are counted with every text, as inference-perf counts prompts (reference 4.5). */
export function promptTokens(texts: readonly string[], tokenizer: TextTokenizer): number {
  return texts.reduce((sum, text) => sum + tokenizer.count(text) + tokenizer.specialTokens, 0);
}
