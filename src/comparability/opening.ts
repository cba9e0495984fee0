// Does a stage start cold? Its first requests against the rest, and against any later stretch as long as theirs.
import { rounded } from '../figures';
import { dependenceOf } from '../metrics/dependence';
import { mean, percentile, sortedValues } from '../metrics/statistics';
import { openingWave, type OpeningWave } from '../metrics/steady-state';
import { twoSidedStudent } from '../metrics/student';
import { mannKendall, mannWhitney } from '../metrics/two-samples';
import { successesOf, type MeasuredStage } from './side';
import { timeSeriesOf } from './warmup-detection';

/** Median of the first requests over the median of the rest, and how surely the first are slower. */
export interface ColdStart {
  readonly ratio: number;
  readonly p: number;
  readonly first: number;
  readonly metric: 'TTFT' | 'latency';
  /** Of the whole stage over time: Mann-Kendall's z, negative while it gets faster. */
  readonly trend: number;
  /** First requests that are slower than any later stretch as long as theirs. */
  readonly wave?: OpeningWave;
}

export const COLD_RATIO = 1.5;
export const COLD_P = 1e-4;
const TREND_POINTS = 400;
const FEWEST_REQUESTS = 60;

/** Several questions are asked of one start: it is looked at once. */
const KNOWN = new WeakMap<MeasuredStage, { readonly start: ColdStart | undefined }>();

/** Undefined where there are too few answers, or none with times, to see a start by. */
export function coldStartOf(stage: MeasuredStage): ColdStart | undefined {
  const known = KNOWN.get(stage) ?? { start: startOf(stage) };
  KNOWN.set(stage, known);
  return known.start;
}

function startOf(stage: MeasuredStage): ColdStart | undefined {
  const successes = successesOf([stage]);
  if (!successes || successes.length < FEWEST_REQUESTS) return undefined;
  const { values: times, metric } = timeSeriesOf(successes);
  if (times.length < FEWEST_REQUESTS) return undefined;
  const first = Math.min(50, Math.max(10, Math.round(times.length / 10)));
  const head = times.subarray(0, first);
  const rest = times.subarray(first);
  const warm = percentile(sortedValues(rest), 50);
  if (!(warm > 0)) return undefined;
  const wave = openingWave(times);
  return {
    ratio: percentile(sortedValues(head), 50) / warm,
    p: chanceOf(head, rest),
    first,
    metric,
    trend: mannKendall(thin(times)).statistic,
    ...(wave ? { wave } : {}),
  };
}

/**
 * Mann-Whitney takes requests for independent; in a queue they are worth fewer, and few know their own spread badly. Each part is taken
 * around its own level.
 */
function chanceOf(head: Float64Array, rest: Float64Array): number {
  const [first, later] = [mean(head), mean(rest)];
  const residuals = Float64Array.from([...head.map((value) => value - first), ...rest.map((value) => value - later)]);
  const effective = Math.min(residuals.length, dependenceOf(residuals).effective);
  const z = mannWhitney(head, rest).statistic * Math.sqrt(effective / residuals.length);
  return twoSidedStudent(z, Math.max(1, effective / 4 - 2));
}

/** Every k-th value: the trend test looks at all pairs. */
function thin(values: Float64Array): Float64Array {
  const step = Math.ceil(values.length / TREND_POINTS);
  return values.filter((_, i) => i % step === 0);
}

export function isCold(cold: ColdStart | undefined): boolean {
  return cold !== undefined && (cold.wave !== undefined || (cold.ratio >= COLD_RATIO && cold.p < COLD_P));
}

/** Requests of a cold start; 0 where there is none. */
export function coldRequests(cold: ColdStart | undefined): number {
  return cold && isCold(cold) ? (cold.wave?.requests ?? cold.first) : 0;
}

/** "12 requests have 9.8 times the mean TTFT". */
export function coldWords({ wave, first, ratio, metric }: ColdStart): string {
  return wave
    ? `${wave.requests} requests have ${rounded(wave.ratio, 3)} times the mean ${metric}`
    : `${first} requests have ${rounded(ratio, 3)} times the median ${metric}`;
}
