// The metrics of one request, each defined once: reports, comparisons and views all ask here.
import type { RequestRecord } from './record';

/** What the formulas need of a request: a record of ours has it, and so has a row of any tool's file. A moment may be NaN: not recorded. */
export interface MeasuredRequest {
  readonly scheduledSeconds: number;
  readonly sentSeconds?: number | undefined;
  readonly attemptedSeconds?: number | undefined;
  readonly firstTokenSeconds?: number | undefined;
  readonly lastTokenSeconds?: number | undefined;
  readonly endSeconds?: number | undefined;
  readonly chunkSeconds: { readonly length: number };
  readonly usage?:
    { readonly promptTokens?: number | undefined; readonly completionTokens?: number | undefined } | undefined;
  readonly clientPromptTokens?: number | undefined;
  readonly clientOutputTokens?: number | undefined;
}

/**
 * Who is believed for a token count. `mixed`: the server where it counted, the client's tokenizer elsewhere. `server-tokenizer`: the
 * server sent no usage and its tokenizer was asked afterwards; those counts stand where the client's would.
 */
export type CountSource = 'server-usage' | 'client-tokenizer' | 'server-tokenizer' | 'mixed' | 'not-counted';

/** Whether ITL gaps are between tokens (zero inside a chunk) or between chunks. */
export type ItlBasis = 'tokens' | 'chunks';

/** True for a request the server answered in full. */
export function isSuccess(record: RequestRecord): boolean {
  return record.outcome.kind === 'ok';
}

/** When it was sent; for a request that never reached a socket, when that was tried (inference-perf's `start_time`). */
export function startSeconds(record: MeasuredRequest): number | undefined {
  return record.sentSeconds ?? record.attemptedSeconds;
}

/** Sent minus scheduled: the lateness that latencies leave out. */
export function scheduleDelaySeconds(record: MeasuredRequest): number | undefined {
  return difference(startSeconds(record), record.scheduledSeconds);
}

/** A moment of the request minus the moment it was due. */
export function sinceScheduled(record: MeasuredRequest, moment: number | undefined): number | undefined {
  return difference(moment, record.scheduledSeconds);
}

/** When it was due; where a tool did not record that, when it was sent. */
export function dueSeconds(record: RequestRecord): number {
  return Number.isNaN(record.scheduledSeconds) ? (startSeconds(record) ?? NaN) : record.scheduledSeconds;
}

/** End of the answer minus sent, as inference-perf's `request_latency`. */
export function latencySeconds(record: MeasuredRequest): number | undefined {
  return difference(record.endSeconds, startSeconds(record));
}

/** First non-empty delta on any channel minus sent. Undefined when not streamed. */
export function ttftSeconds(record: MeasuredRequest): number | undefined {
  return difference(record.firstTokenSeconds, record.sentSeconds);
}

/**
 * First non-empty delta of the content channel minus sent: what a person waits for. Undefined when not streamed, and for an answer
 * that never came to content.
 */
export function ttfcSeconds(record: Pick<RequestRecord, 'firstContentSeconds' | 'sentSeconds'>): number | undefined {
  return difference(record.firstContentSeconds, record.sentSeconds);
}

/** Whether something came before the content, or in its place: TTFT is then no time that a person sees. */
export function hidesTokens({ firstTokenSeconds, firstContentSeconds, usage }: RequestRecord): boolean {
  return (
    firstTokenSeconds !== undefined && (firstContentSeconds !== firstTokenSeconds || (usage?.reasoningTokens ?? 0) > 0)
  );
}

/** From the last token to the end of the stream, of an answer; undefined where either is not known. */
export function tailSeconds({ outcome, endSeconds, lastTokenSeconds }: RequestRecord): number | undefined {
  if (outcome.kind !== 'ok' || endSeconds === undefined || lastTokenSeconds === undefined) return undefined;
  return endSeconds - lastTokenSeconds;
}

/** The server's own word that an answer was ended by its length: OpenAI's and the Messages API's, of any case. */
export function endedAtLimit(finishReason: string | undefined): boolean {
  return finishReason !== undefined && /^(?:length|max_tokens|max_output_tokens)$/i.test(finishReason);
}

/** Tokens of the answer; undefined when that source did not count. */
export function outputTokens(record: MeasuredRequest, source: CountSource): number | undefined {
  return counted(record.usage?.completionTokens, record.clientOutputTokens, source);
}

/**
 * Re-tokenizing an answer merges tokens, on some texts a third of them: a client's count this close to max_tokens is a full answer,
 * one under half of it is none, and between the two it does not say.
 */
const CLIENT_FULL = 0.9;
const CLIENT_SHORT = 0.5;

/** @param isServers whether the server counted, whose tokens are those of the limit */
export function isFull(tokens: number | undefined, limit: number, isServers: boolean): boolean | undefined {
  if (tokens === undefined) return undefined;
  if (tokens >= (isServers ? limit : CLIENT_FULL * limit)) return true;
  return isServers || tokens < CLIENT_SHORT * limit ? false : undefined;
}

/** Whether an answer's tokens reach max_tokens, by the server's count or else the client's; undefined where that is not known. */
export function fillsLimit(record: RequestRecord): boolean | undefined {
  if (record.maxTokens === undefined) return undefined;
  const server = outputTokens(record, 'server-usage');
  return isFull(server ?? outputTokens(record, 'client-tokenizer'), record.maxTokens, server !== undefined);
}

/** Tokens of the prompt; undefined when that source did not count. */
export function inputTokens(record: MeasuredRequest, source: CountSource): number | undefined {
  return counted(record.usage?.promptTokens, record.clientPromptTokens, source);
}

function counted(server: number | undefined, client: number | undefined, source: CountSource): number | undefined {
  switch (source) {
    case 'server-usage':
      return server;
    case 'client-tokenizer':
    case 'server-tokenizer':
      return client;
    case 'mixed':
      return server ?? client;
    case 'not-counted':
      return undefined;
  }
}

/** (last token - first token) / (n - 1). Undefined when not streamed or for fewer than two tokens. */
export function tpotSeconds(record: MeasuredRequest, source: CountSource): number | undefined {
  const span = difference(record.lastTokenSeconds, record.firstTokenSeconds);
  const tokens = outputTokens(record, source);
  // One chunk carries several tokens at one moment: there is no decode time to see.
  if (span === undefined || tokens === undefined || tokens < 2 || record.chunkSeconds.length < 2) return undefined;
  return span / (tokens - 1);
}

/** Latency over output tokens. Undefined for an empty answer (inference-perf puts 0.0 there, which pulls its mean down). */
export function ntpotSeconds(record: MeasuredRequest, source: CountSource): number | undefined {
  const latency = latencySeconds(record);
  const tokens = outputTokens(record, source);
  return latency === undefined || tokens === undefined || tokens === 0 ? undefined : latency / tokens;
}

/** Chunks the answer came in; undefined when not streamed, or when that was not counted. */
export function chunkCountOf({ chunkSeconds, chunkCount }: RequestRecord): number | undefined {
  const count = chunkCount ?? chunkSeconds.length;
  return count > 0 ? count : undefined;
}

/** `tokens` when every streamed success knows how many tokens each chunk carried. */
export function itlBasisOf(records: Iterable<RequestRecord>): ItlBasis {
  let streamed = 0;
  for (const record of records) {
    if (!isSuccess(record) || record.chunkSeconds.length === 0) continue;
    if (record.chunkTokens?.length !== record.chunkSeconds.length) return 'chunks';
    streamed++;
  }
  return streamed > 0 ? 'tokens' : 'chunks';
}

/**
 * Gaps between consecutive tokens, in order. A chunk of k tokens gives k - 1 zeros, as inference-perf does with a
 * tokenizer; on the basis of chunks, gaps between arrivals. Chunks that tokenize to nothing vanish.
 * Empty when not streamed, or when `tokens` is asked of a record without `chunkTokens`.
 */
export function itlGapsSeconds(record: RequestRecord, basis: ItlBasis): number[] {
  const gaps: number[] = [];
  const times = record.chunkSeconds;
  if (record.chunkCount !== undefined || (basis === 'tokens' && record.chunkTokens === undefined)) return gaps;
  let previous: number | undefined;
  for (let i = 0; i < times.length; i++) {
    const tokens = basis === 'tokens' ? (record.chunkTokens![i] ?? 0) : 1;
    if (tokens === 0) continue;
    if (previous !== undefined) gaps.push(times[i]! - previous);
    for (let k = 1; k < tokens; k++) gaps.push(0);
    previous = times[i]!;
  }
  return gaps;
}

/** Gaps between arrivals; an arrival that is known to carry no token is none. */
export function chunkGapsSeconds({ chunkSeconds, chunkTokens, chunkCount }: RequestRecord): number[] {
  if (chunkCount !== undefined) return [];
  const arrivals = chunkTokens ? chunkSeconds.filter((_, i) => chunkTokens[i] !== 0) : chunkSeconds;
  return arrivals.slice(1).map((time, i) => time - arrivals[i]!);
}

/** The same gaps into a column at a place; where the next value goes. The column has room for one per token or chunk. */
export function writeItlGaps(record: RequestRecord, basis: ItlBasis, into: Float64Array, at: number): number {
  const { chunkSeconds: times, chunkTokens } = record;
  if (record.chunkCount !== undefined || (basis === 'tokens' && chunkTokens === undefined)) return at;
  let previous = NaN;
  for (let i = 0; i < times.length; i++) {
    const tokens = basis === 'tokens' ? (chunkTokens![i] ?? 0) : 1;
    if (tokens === 0) continue;
    const time = times[i]!;
    if (!Number.isNaN(previous)) into[at++] = time - previous;
    for (let k = 1; k < tokens; k++) into[at++] = 0;
    previous = time;
  }
  return at;
}

/** A moment that a tool did not record is NaN, and so is no difference. */
function difference(later: number | undefined, earlier: number | undefined): number | undefined {
  const value = later === undefined || earlier === undefined ? NaN : later - earlier;
  return Number.isNaN(value) ? undefined : value;
}
