// What the charts of a run draw, taken from its requests in one pass: walking a hundred thousand requests costs more than drawing them.
import type { RequestRecord } from '../../metrics/record';
import {
  inputTokens,
  isSuccess,
  latencySeconds,
  outputTokens,
  tpotSeconds,
  ttftSeconds,
  writeItlGaps,
  type ItlBasis,
} from '../../metrics/request-metrics';
import { placeRanks, ranksOfPercents } from '../../metrics/ranks';
import { sortFinite } from '../../metrics/statistics';
import { curveRanks } from '../report/curves';
import type { Run } from '../../readers/run';
import { countingOf, type Latency } from '../../readers/scopes';

export type Drawn = Exclude<Latency, 'chunk_gap' | 'ttfc'>;
export type Length = 'output' | 'prompt';

/** One entry for each success, in the order of the records; NaN where that was not measured or not counted. */
export interface RequestColumns {
  readonly stage: Int32Array;
  readonly sentSeconds: Float64Array;
  /** Of ITL the mean of a request's gaps. */
  readonly seconds: Readonly<Record<Drawn, Float64Array>>;
  readonly tokens: Readonly<Record<Length, Float64Array>>;
  /** Every gap between tokens, request after request, and where each request's begin. */
  readonly gaps: Float64Array;
  readonly gapOffsets: Uint32Array;
  /** Gaps of a stage whose ranks are in their places already. */
  readonly placed: Map<number, Float64Array>;
}

export function columnsOf(run: Run): RequestColumns {
  const counting = countingOf(run);
  const records = run.records ?? [];
  const stage = new Int32Array(records.length);
  const gapOffsets = new Uint32Array(records.length + 1);
  const column = (): Float64Array => new Float64Array(records.length);
  const [sentSeconds, ttft, tpot, e2e, itl] = [column(), column(), column(), column(), column()];
  const [output, prompt] = [column(), column()];
  let gaps = new Float64Array(expectedRoom(records, counting.itl));
  let n = 0;
  let at = 0;
  // One look at each request: what is asked of it lies together in memory, and the next request does not.
  for (const record of records) {
    if (!isSuccess(record)) continue;
    stage[n] = record.stage;
    sentSeconds[n] = record.sentSeconds ?? NaN;
    ttft[n] = ttftSeconds(record) ?? NaN;
    tpot[n] = tpotSeconds(record, counting.output) ?? NaN;
    e2e[n] = latencySeconds(record) ?? NaN;
    output[n] = outputTokens(record, counting.output) ?? NaN;
    prompt[n] = inputTokens(record, counting.input) ?? NaN;
    const from = at;
    gaps = withRoom(gaps, at, roomFor(record, counting.itl));
    at = writeItlGaps(record, counting.itl, gaps, at);
    let total = 0;
    for (let i = from; i < at; i++) total += gaps[i]!;
    // No gap, no mean: 0 / 0 is NaN.
    itl[n] = total / (at - from);
    n++;
    gapOffsets[n] = at;
  }
  const cut = (whole: Float64Array): Float64Array => whole.subarray(0, n);
  return {
    stage: stage.subarray(0, n),
    sentSeconds: cut(sentSeconds),
    seconds: { ttft: cut(ttft), tpot: cut(tpot), e2e: cut(e2e), token_gap: cut(itl) },
    tokens: { output: cut(output), prompt: cut(prompt) },
    gaps: gaps.subarray(0, at),
    gapOffsets,
    placed: new Map(),
  };
}

const LOOKED_AT = 100;

/** A little more than the gaps of all requests, by those of some: a column that grows is copied. */
function expectedRoom(records: readonly RequestRecord[], basis: ItlBasis): number {
  const step = Math.max(1, Math.floor(records.length / LOOKED_AT));
  let [room, n] = [0, 0];
  for (let i = 0; i < records.length; i += step, n++) room += roomFor(records[i]!, basis);
  return Math.ceil((1.1 * room * records.length) / Math.max(1, n));
}

/** Gaps that a request has at most. */
function roomFor({ chunkSeconds, chunkTokens }: RequestRecord, basis: ItlBasis): number {
  if (basis === 'chunks' || !chunkTokens) return chunkSeconds.length;
  let room = 0;
  for (let i = 0; i < chunkTokens.length; i++) room += chunkTokens[i]!;
  return room;
}

function withRoom(values: Float64Array<ArrayBuffer>, used: number, more: number): Float64Array<ArrayBuffer> {
  if (used + more <= values.length) return values;
  const larger = new Float64Array(Math.max(used + more, 2 * values.length));
  larger.set(values.subarray(0, used));
  return larger;
}

/**
 * Values of the successes of a stage where they stand in ascending order. Of ITL every gap: there are millions of them, so only the
 * ranks of the curve and of these percentiles are put in their places.
 */
export function sortedSeconds(
  columns: RequestColumns,
  stage: number,
  latency: Drawn,
  percents: readonly number[],
): Float64Array {
  if (latency === 'token_gap') return placedGaps(columns, stage, percents);
  return sortFinite(measured(columns, columns.seconds[latency], (own) => own === stage));
}

export function sortedTokens(columns: RequestColumns, stages: ReadonlySet<number>, length: Length): Float64Array {
  return sortFinite(measured(columns, columns.tokens[length], (own) => stages.has(own)));
}

function measured({ stage }: RequestColumns, column: Float64Array, isOf: (stage: number) => boolean): Float64Array {
  const values = new Float64Array(column.length);
  let n = 0;
  for (let i = 0; i < column.length; i++) {
    const value = column[i]!;
    if (!Number.isNaN(value) && isOf(stage[i]!)) values[n++] = value;
  }
  return values.subarray(0, n);
}

function placedGaps(columns: RequestColumns, stage: number, percents: readonly number[]): Float64Array {
  const known = columns.placed.get(stage);
  if (known) return known;
  const gaps = gapsOf(columns, stage);
  const placed = placeRanks(gaps, [...curveRanks(gaps.length), ...ranksOfPercents(gaps.length, percents)]);
  columns.placed.set(stage, placed);
  return placed;
}

/** The gaps of a stage: when there is no other the column itself, which is used up by it. */
function gapsOf({ stage, gaps, gapOffsets }: RequestColumns, wanted: number): Float64Array {
  if (stage.every((own) => own === wanted)) return gaps;
  const values = new Float64Array(gaps.length);
  let n = 0;
  for (let i = 0; i < stage.length;) {
    // Neighbours of one stage are copied in one piece.
    const from = i;
    while (i < stage.length && stage[i] === wanted) i++;
    values.set(gaps.subarray(gapOffsets[from], gapOffsets[i]), n);
    n += gapOffsets[i]! - gapOffsets[from]!;
    while (i < stage.length && stage[i] !== wanted) i++;
  }
  return values.subarray(0, n);
}

/** When each request was sent and how long it took in milliseconds, where both were measured. */
export function overTime(
  { sentSeconds, seconds }: RequestColumns,
  latency: Drawn,
): { readonly x: Float64Array; readonly y: Float64Array } {
  const column = seconds[latency];
  const x = new Float64Array(column.length);
  const y = new Float64Array(column.length);
  let n = 0;
  for (let i = 0; i < column.length; i++) {
    if (Number.isNaN(column[i]!) || Number.isNaN(sentSeconds[i]!)) continue;
    x[n] = sentSeconds[i]!;
    y[n++] = column[i]! * 1000;
  }
  return { x: x.subarray(0, n), y: y.subarray(0, n) };
}
