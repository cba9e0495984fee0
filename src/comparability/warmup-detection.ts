// Where does a run settle? MSER-5, the largest shift of the mean, and how much the start still differs from the rest.
import { mean, percentile, sortedValues } from '../metrics/statistics';
import { mannWhitney } from '../metrics/two-samples';
import { latencySeconds, ttftSeconds } from '../metrics/request-metrics';
import type { RequestRecord } from '../metrics/record';

export interface TimeSeries {
  readonly metric: 'TTFT' | 'latency';
  /** Seconds, in sending order. */
  readonly values: Float64Array;
  /** Of the same requests. */
  readonly records: readonly RequestRecord[];
}

export interface SuggestedCut {
  /** Requests to leave out; 0: none. */
  readonly requests: number;
  /** From the first send to the first request that is kept. */
  readonly seconds: number;
  /** Median of what is cut over the median of the rest; 1 when nothing is cut. */
  readonly ratioBefore: number;
  /** Median of the first tenth of what is kept over the median of the rest: what remains of the start after the cut. */
  readonly ratioAfter: number;
}

const BATCH = 5;
/** Under this, MSER-5 has too few batches to say anything. */
const FEWEST = 60;
/** MSER-5 cuts noise too; a cut counts only where what it cuts is slower than the rest by so much, and so surely. */
const SLOWER = 1.2;
const SURE_P = 1e-4;

/** Several questions are asked of one start: it is looked at once. */
const SERIES = new WeakMap<readonly RequestRecord[], TimeSeries>();
const CUTS = new WeakMap<TimeSeries, { readonly cut: SuggestedCut | undefined }>();

/** TTFT where every answer was streamed, else latency. */
export function timeSeriesOf(successes: readonly RequestRecord[]): TimeSeries {
  const known = SERIES.get(successes);
  if (known) return known;
  const streamed = successes.every((record) => record.firstTokenSeconds !== undefined);
  const of = streamed ? ttftSeconds : latencySeconds;
  const values = new Float64Array(successes.length);
  let n = 0;
  for (const record of successes) {
    const value = of(record);
    if (value !== undefined) values[n++] = value;
  }
  const whole = n === successes.length;
  const series: TimeSeries = {
    metric: streamed ? 'TTFT' : 'latency',
    values: values.subarray(0, n),
    records: whole ? successes : successes.filter((record) => of(record) !== undefined),
  };
  SERIES.set(successes, series);
  return series;
}

/**
 * Values to leave out by MSER-5 (White 1997): batches of five; of all cuts in the first half, the one that makes the standard
 * error of the mean of the rest smallest.
 */
export function mser5(values: ArrayLike<number>): number {
  const batches = Math.floor(values.length / BATCH);
  const means = new Float64Array(batches);
  for (let i = 0; i < batches * BATCH; i++) means[Math.floor(i / BATCH)]! += values[i]! / BATCH;
  let sum = 0;
  let squares = 0;
  let best = Infinity;
  let cut = 0;
  for (let d = batches - 1; d >= 0; d--) {
    sum += means[d]!;
    squares += means[d]! ** 2;
    const kept = batches - d;
    if (d > batches / 2 || kept < 5) continue;
    const score = (squares - (sum * sum) / kept) / (kept * kept);
    if (score <= best) {
      best = score;
      cut = d;
    }
  }
  return cut * BATCH;
}

/** Position of the largest shift of the mean (CUSUM), and the means on its two sides; undefined for short series. */
export function changePoint(
  values: ArrayLike<number>,
): { readonly at: number; readonly before: number; readonly after: number } | undefined {
  const n = values.length;
  if (n < FEWEST) return undefined;
  const center = mean(values);
  let sum = 0;
  let largest = -1;
  let at = 0;
  for (let i = 1; i < n; i++) {
    sum += values[i - 1]! - center;
    // Scaled so that every position is as likely under no change.
    const size = (sum * sum) / (i * (n - i));
    if (size > largest) [largest, at] = [size, i];
  }
  const part = (from: number, to: number): number => {
    let total = 0;
    for (let i = from; i < to; i++) total += values[i]!;
    return total / (to - from);
  };
  return { at, before: part(0, at), after: part(at, n) };
}

/** Undefined when there are too few requests to say. */
export function suggestedCut(series: TimeSeries): SuggestedCut | undefined {
  const known = CUTS.get(series) ?? { cut: findCut(series) };
  CUTS.set(series, known);
  return known.cut;
}

function findCut({ values, records }: TimeSeries): SuggestedCut | undefined {
  if (values.length < FEWEST) return undefined;
  const found = mser5(values);
  const ratioBefore = found > 0 ? median(values.subarray(0, found)) / median(values.subarray(found)) : 1;
  const sure = found > 0 && mannWhitney(values.subarray(0, found), values.subarray(found)).p < SURE_P;
  const requests = sure && ratioBefore >= SLOWER ? found : 0;
  const kept = values.subarray(requests);
  const tenth = Math.min(50, Math.max(10, Math.round(kept.length / 10)));
  return {
    requests,
    seconds: secondsBefore(records, requests),
    ratioBefore: requests > 0 ? ratioBefore : 1,
    ratioAfter: median(kept.subarray(0, tenth)) / median(kept.subarray(tenth)),
  };
}

function secondsBefore(records: readonly RequestRecord[], requests: number): number {
  const [first, kept] = [records[0]?.sentSeconds, records[requests]?.sentSeconds];
  return first === undefined || kept === undefined ? 0 : kept - first;
}

function median(values: Float64Array): number {
  return percentile(sortedValues(values), 50);
}
