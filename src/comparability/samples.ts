// One side's samples of one quantity in one stage: the value, how many it rests on, and resamples for its interval.
import { MINIMUM_REQUESTS, resample, seriesOfOne, type Quantity, type Series } from '../metrics/bootstrap';
import type { RequestRecord } from '../metrics/record';
import { isSuccess, writeItlGaps, type ItlBasis } from '../metrics/request-metrics';
import { mean, percentile, sortedValues, sortFinite } from '../metrics/statistics';
import { minimumCountFor } from '../sample-size';
import { spanSeconds } from '../metrics/summarize';
import type { MetricSide, Statistic } from './comparison';
import { ended, reportedStatistics, type Counting, type LatencyQuantity } from './quantities';
import { quantileKey } from '../readers/readers/values';
import type { MeasuredStage } from './side';

export interface Sample {
  readonly side: MetricSide;
  /** Resampled values in the unit of `side.value`; absent with the reason. */
  readonly resampled?: Float64Array;
  readonly noInterval?: string;
  /** There is no value because the requests are too few for the statistic. */
  readonly isWithheld?: boolean;
}

/** How an interval is drawn: the seed is the side's own. */
export interface Draws {
  readonly seed: number;
  readonly resamples: number;
}

export const NO_RECORDS = 'no per-request records';

const PERCENTS: Readonly<Partial<Record<Statistic, number>>> = { p50: 50, p90: 90, p95: 95, p99: 99, 'p99.9': 99.9 };

/** One side's values of a quantity, before any resampling. */
export interface Prepared {
  /** Every statistic that was asked for; those of `wanted` lack their resamples still. */
  readonly samples: ReadonlyMap<Statistic, Sample>;
  /** Statistics that an interval may be drawn of. */
  readonly wanted: readonly Statistic[];
  /** Present where `wanted` is not empty. */
  readonly series?: Series;
  readonly sorted?: Float64Array;
}

/**
 * In seconds: the mean and each percentile that `n` supports; a percentile that it does not has the reason.
 * @param column where token gaps are written: 0, or 1 for the second of two sides that are held at once
 */
export function prepareLatency(
  stage: MeasuredStage,
  quantity: LatencyQuantity,
  statistics: readonly Statistic[],
  counting: Counting,
  column: 0 | 1 = 0,
): Prepared {
  if (!stage.records) return { samples: reportedLatency(stage, quantity, statistics), wanted: [] };
  const slowFailures = counting.failuresAreSlow === true && quantity.metric !== 'itl' && quantity.overAllSent !== true;
  const window = windowOf(stage.records);
  const scope = quantity.overAllSent ? stage.records : slowFailures ? window.scope : window.successes;
  const failures = slowFailures ? window.scope.length - window.successes.length : 0;
  const { value } = quantity;
  const series = value
    ? seriesOfOne(scope, (record) => (slowFailures && !isSuccess(record) ? NEVER_SECONDS : value(record, counting)))
    : itlSeries(scope, counting.itl, column);
  const n = series.values.length;
  if (n === 0) {
    const none = { side: { n, missing: whyNone(scope, quantity) } };
    return { samples: new Map(statistics.map((statistic) => [statistic, none])), wanted: [] };
  }
  const sorted = inOrder(series, value === undefined, column);
  const wanted = statistics.filter(
    (statistic) => supports(statistic, n) && (failures === 0 || reaches(statistic, sorted)),
  );
  const few = scope.length < MINIMUM_REQUESTS ? { noInterval: tooFewForInterval(scope.length) } : {};
  const samples = statistics.map((statistic): [Statistic, Sample] => {
    if (!wanted.includes(statistic)) {
      const isWithheld = !supports(statistic, n);
      const missing = isWithheld ? tooFew(statistic, n) : `${failures} of ${n} requests failed`;
      return [statistic, { side: { n, missing }, isWithheld }];
    }
    const percent = PERCENTS[statistic];
    const found = percent === undefined ? mean(sorted) : percentile(sorted, percent);
    return [statistic, { side: { n, value: found }, ...few }];
  });
  return { samples: new Map(samples), wanted: scope.length < MINIMUM_REQUESTS ? [] : wanted, series, sorted };
}

export function latencySamples(prepared: Prepared, draws: Draws): ReadonlyMap<Statistic, Sample> {
  const { series, sorted, wanted } = prepared;
  if (!series || !sorted || wanted.length === 0) return prepared.samples;
  const resampled = resample(series, wanted.map(quantityOf), { ...draws, sorted });
  return withDraws(prepared, wanted, resampled.draws, resampled.effective);
}

/** The samples with their resamples, or the reason why they carry no interval. */
export function withDraws(
  { samples }: Prepared,
  wanted: readonly Statistic[],
  draws: readonly Float64Array[],
  /** Independent requests there are. */
  effective: number,
): ReadonlyMap<Statistic, Sample> {
  return new Map(
    [...samples].map(([statistic, sample]): [Statistic, Sample] => {
      const at = wanted.indexOf(statistic);
      if (at < 0) return [statistic, sample];
      const enough = effective >= independentNeeded(statistic);
      return [
        statistic,
        { ...sample, ...(enough ? { resampled: draws[at]! } : { noInterval: tooDependent(statistic, effective) }) },
      ];
    }),
  );
}

/** Columns of millions are used again: each new one would make the collector look through everything that is in memory. */
const kept: [readonly Float64Array[], readonly Float64Array[]] = [[], []];

/** Three columns with room for so many values: the gaps, the gaps in order, and what sorting writes over. */
function columns(length: number, column: 0 | 1): readonly [Float64Array, Float64Array, Float64Array] {
  const own = kept[column];
  const held = own.length > 0 && own[0]!.length >= length ? own : [0, 1, 2].map(() => new Float64Array(length));
  kept[column] = held;
  return [held[0]!, held[1]!, held[2]!];
}

/** When a comparison is done its columns are no longer wanted. */
export function freeColumns(): void {
  kept[0] = [];
  kept[1] = [];
}

/** Ascending; of token gaps into a column that is used again. */
function inOrder(series: Series, isColumn: boolean, column: 0 | 1): Float64Array {
  if (!isColumn) return sortedValues(series.values);
  const n = series.values.length;
  const [, sorted, room] = columns(n, column);
  sorted.set(series.values);
  return sortFinite(sorted.subarray(0, n), room);
}

/** Token gaps of every request, written where they stay: there are millions of them. */
function itlSeries(scope: readonly RequestRecord[], basis: ItlBasis, column: 0 | 1): Series {
  const offsets = new Uint32Array(scope.length + 1);
  let room = 0;
  for (const { chunkSeconds, chunkTokens } of scope) {
    room += basis === 'tokens' ? (chunkTokens ?? []).reduce((sum, tokens) => sum + tokens, 0) : chunkSeconds.length;
  }
  const [values] = columns(room, column);
  let at = 0;
  for (let i = 0; i < scope.length; i++) {
    at = writeItlGaps(scope[i]!, basis, values, at);
    offsets[i + 1] = at;
  }
  return { values: values.subarray(0, at), offsets };
}

/** Stands for a time that never came, where failures count as slower than every answer. */
export const NEVER_SECONDS = 1e9;

/** A percentile that falls among the answers; a mean over failures is no number. */
function reaches(statistic: Statistic, sorted: Float64Array): boolean {
  const percent = PERCENTS[statistic];
  return percent !== undefined && percentile(sorted, percent) < NEVER_SECONDS / 1000;
}

export function quantityOf(statistic: Statistic): Quantity {
  const percent = PERCENTS[statistic];
  return percent === undefined ? { kind: 'mean' } : { kind: 'percentile', percent };
}

function supports(statistic: Statistic, n: number): boolean {
  const percent = PERCENTS[statistic];
  return percent === undefined || n >= minimumCountFor(percent);
}

function tooFew(statistic: Statistic, n: number): string {
  return `n = ${n} is under the ${minimumCountFor(PERCENTS[statistic] ?? 50)} that ${statistic} needs`;
}

/**
 * Independent requests from which an interval covers what it promises, by simulation (docs/decisions/012): half of what a
 * percentile needs to be bounded at all, as the estimate of dependence is rough itself.
 */
export function independentNeeded(statistic: Statistic): number {
  const percent = PERCENTS[statistic];
  return percent === undefined ? FEWEST_INDEPENDENT : Math.max(FEWEST_INDEPENDENT, minimumCountFor(percent) / 2);
}

const FEWEST_INDEPENDENT = 20;

function tooDependent(statistic: Statistic, effective: number): string {
  const needed = Math.ceil(independentNeeded(statistic));
  return `neighbours in time depend on each other, so these are worth about ${Math.max(1, Math.floor(effective))} independent requests; an interval of the ${statistic} needs ${needed}`;
}

export function tooFewForInterval(n: number): string {
  return `${n} requests are too few to resample (${MINIMUM_REQUESTS} at least)`;
}

function whyNone(scope: readonly RequestRecord[], { id, needs }: LatencyQuantity): string {
  if (scope.length === 0) return 'no request succeeded';
  const streamed = scope.some((record) => record.chunkSeconds.length > 0);
  if (!streamed && (needs === 'streaming' || needs === 'both')) return 'not streamed';
  if (id === 'ttfc') return 'no answer came to visible content';
  if (needs === 'output count' || needs === 'both') return 'output tokens were not counted';
  return 'no answer had two moments to measure between';
}

function reportedLatency(
  stage: MeasuredStage,
  quantity: LatencyQuantity,
  statistics: readonly Statistic[],
): ReadonlyMap<Statistic, Sample> {
  const { scope } = stage;
  const { total, ok } = scope?.counts ?? {};
  const size = sizeIn(scope, quantity.overAllSent ? (total ?? ok) : ok);
  const { n } = size;
  const stats = scope && reportedStatistics(scope, quantity);
  const gap = quantity.id === 'token_gap' ? scope?.unmeasured?.chunk_gap : undefined;
  const none = scope ? (scope.unmeasured?.[quantity.id] ?? gap ?? 'not in the report') : 'no report of this stage';
  return new Map(
    statistics.map((statistic): [Statistic, Sample] => {
      const percent = PERCENTS[statistic];
      const value = stats?.[percent === undefined ? 'mean' : quantileKey(percent)];
      if (value === undefined) return [statistic, { side: { ...size, missing: none } }];
      if (supports(statistic, n ?? 0)) return [statistic, { side: { ...size, value }, noInterval: NO_RECORDS }];
      const few = n === null ? `of how many answers this ${statistic} is, is not recorded` : tooFew(statistic, n);
      return [statistic, { side: { ...size, missing: few }, isWithheld: n !== null && n > 0 }];
    }),
  );
}

/** Of a report, as far as its file counts: a count that nobody wrote is not 0. */
export function sizeIn(scope: MeasuredStage['scope'], counted: number | undefined): Pick<MetricSide, 'n' | 'nMissing'> {
  if (counted !== undefined) return { n: counted };
  return { n: null, nMissing: scope ? 'the file does not say of how many requests' : 'no report of this stage' };
}

interface Window {
  /** Requests that ended, and those of them that were answered. */
  readonly scope: readonly RequestRecord[];
  readonly successes: readonly RequestRecord[];
  readonly spanSeconds: number;
}

/** Every quantity of a stage asks for the same window. */
const WINDOWS = new WeakMap<readonly RequestRecord[], Window>();

export function windowOf(records: readonly RequestRecord[]): Window {
  const known = WINDOWS.get(records);
  if (known) return known;
  const scope = ended(records);
  const window = { scope, successes: scope.filter(isSuccess), spanSeconds: spanSeconds(scope) };
  WINDOWS.set(records, window);
  return window;
}

/** Failed over ended, percent. */
export function errorRateSample(stage: MeasuredStage, draws: Draws): Sample {
  if (!stage.records) {
    const { total, ok, failed } = stage.scope?.counts ?? {};
    const size = sizeIn(stage.scope, total ?? ok);
    const { n } = size;
    if (n === null) return { side: { ...size, missing: size.nMissing ?? '' } };
    if (n === 0) return { side: { n, missing: 'no request ended' } };
    if (failed === undefined) return { side: { n, missing: 'failures are not counted in the file' } };
    return { side: { n, value: (failed / n) * 100 }, noInterval: NO_RECORDS };
  }
  const { scope, successes } = windowOf(stage.records);
  const n = scope.length;
  if (n === 0) return { side: { n, missing: 'no request ended' } };
  const failed = n - successes.length;
  const side = { n, value: (failed / n) * 100 };
  if (n < MINIMUM_REQUESTS) return { side, noInterval: tooFewForInterval(n) };
  // However requests are drawn, none of them failed.
  if (failed === 0) return { side, resampled: new Float64Array(draws.resamples) };
  const series = seriesOfOne(scope, (record) => (isSuccess(record) ? 0 : 100));
  return { side, resampled: resample(series, [{ kind: 'mean' }], draws).draws[0]! };
}
