// What a difference can carry: its interval at any level, of the difference and of the ratio alike, and chance over many looks.
import { differencesOf, intervalOf, ratiosOf, type Interval } from '../metrics/bootstrap';
import { mean, standardDeviation } from '../metrics/statistics';
import { studentQuantile, twoSidedStudent } from '../metrics/student';
import type { Row } from './metric-rows';
import { fitRuns, type Observation } from './run-fit';
import { NEVER_SECONDS, type Sample } from './samples';

export const LEVEL = 0.95;
const Z = 1.96;
/** Of the normal, for a chance of 80 % to see a difference that is there. */
const POWER_Z = 0.8416;

/** Of b - a, and of (b - a) / a where A is far enough from nothing; both leave zero out, or neither does. */
export interface Bounds extends Interval {
  readonly ratio?: Interval;
}

export interface Estimate {
  readonly absolute: number;
  readonly method?: string;
  readonly at?: (level: number) => Bounds;
  readonly noInterval?: string;
  /** Two-sided chance of a difference so large when there is none, of which `at` is the inverse; from repeats alone. */
  readonly p?: number;
  /** Smallest true difference that would be seen in four of five such experiments. */
  readonly detectable?: number;
  /** Standard deviation from run to run, from repeats. */
  readonly noise?: number;
  /** Runs a side that have the number. */
  readonly runs: { readonly a: number; readonly b: number };
  /** Change from one run to the next whatever its side, as a share of A; present where it is more than chance. */
  readonly drift?: number;
  /** The order of the runs leaves room for drift to look like a difference. */
  readonly open?: boolean;
}

const ONE_EACH = { a: 1, b: 1 };

/** From one run a side. */
export function within({ a, b, method }: Pick<Row, 'a' | 'b' | 'method'>): Estimate | undefined {
  const [x, y] = [a.side.value, b.side.value];
  if (x === undefined || y === undefined) return undefined;
  const known = { absolute: y - x, runs: ONE_EACH };
  if (!a.resampled || !b.resampled) return { ...known, noInterval: whyNot(a, b) };
  const differences = differencesOf(a.resampled, b.resampled);
  const { low, high } = intervalOf(differences, LEVEL);
  if (!Number.isFinite(low) || !Number.isFinite(high)) return { ...known, noInterval: 'the resamples did not settle' };
  if (Math.max(-low, high) > NEVER_SECONDS / 1000) return { ...known, noInterval: 'failures reach into the interval' };
  const error = standardDeviation(differences);
  const ratios = ratiosOf(a.resampled, b.resampled);
  return {
    ...known,
    method,
    at: (level) => ({
      ...intervalOf(differences, level),
      ...(ratios ? { ratio: intervalOf(ratios, level) } : {}),
    }),
    ...(error > 0 ? { detectable: (Z + POWER_Z) * error } : {}),
  };
}

function whyNot(a: Sample, b: Sample): string {
  if (a.noInterval !== undefined && a.noInterval === b.noInterval) return a.noInterval;
  return [a.noInterval && `A: ${a.noInterval}`, b.noInterval && `B: ${b.noInterval}`].filter(Boolean).join('; ');
}

/** So many runs a side know their own noise; with fewer, requests within the runs set a floor. */
const RUNS_DECIDE = 3;

/** A run's sample, and its place in the order all runs were started in. */
export interface RunSample {
  readonly sample: Sample;
  readonly position?: number;
}

/**
 * From repeats: each run is one observation. Undefined when the sides together have fewer than three runs with a value, or one of them
 * has none.
 */
export function between(a: readonly RunSample[], b: readonly RunSample[]): Estimate | undefined {
  const fit = fitRuns(observed(a), observed(b));
  if (!fit) return undefined;
  const runs = { a: observed(a).length, b: observed(b).length };
  const decided = Math.min(runs.a, runs.b) >= RUNS_DECIDE;
  const seen = fit.varianceA + fit.varianceB - 2 * fit.covariance;
  // Few repeats that happen to agree do not make requests surer than they are.
  const inside = decided ? 0 : insideVariance(a) + insideVariance(b);
  const variance = Math.max(seen, inside);
  const error = Math.sqrt(variance);
  const absolute = fit.meanB - fit.meanA;
  const grown = seen > 0 ? variance / seen : 1;
  const spread =
    seen > 0
      ? { a: fit.varianceA * grown, b: fit.varianceB * grown, covariance: fit.covariance * grown }
      : { a: insideVariance(a), b: insideVariance(b), covariance: 0 };
  return {
    absolute,
    runs,
    method: `${fit.method}${decided ? '' : ', never narrower than resampling within the runs'}`,
    at: (level) => {
      const t = studentQuantile(1 - level, fit.freedom);
      const ratio = ratioInterval(fit.meanA, fit.meanB, spread, t);
      return { low: absolute - t * error, high: absolute + t * error, ...(ratio ? { ratio } : {}) };
    },
    noise: fit.noise,
    p: error > 0 ? twoSidedStudent(absolute / error, fit.freedom) : absolute === 0 ? 1 : 0,
    ...(error > 0 ? { detectable: (studentQuantile(1 - LEVEL, fit.freedom) + POWER_Z) * error } : {}),
    ...(fit.drift === undefined ? {} : { drift: fit.drift }),
    ...(fit.open ? { open: true } : {}),
  };
}

function observed(runs: readonly RunSample[]): Observation[] {
  return runs.flatMap(({ sample: { side }, position }) =>
    side.value === undefined ? [] : [{ value: side.value, ...(position === undefined ? {} : { position }) }],
  );
}

/** Variance of a mean over runs, by what resampling says within each. */
function insideVariance(runs: readonly RunSample[]): number {
  const own = runs.flatMap(({ sample: { resampled } }) => (resampled ? [standardDeviation(resampled)] : []));
  return own.length === 0 ? 0 : mean(own) ** 2 / runs.length;
}

/**
 * Fieller (1954): the shares r for which b - (1 + r) a is no more than t errors from 0. It leaves 0 out exactly where the interval of
 * the difference does. Undefined where A itself may be 0.
 */
function ratioInterval(
  a: number,
  b: number,
  spread: { readonly a: number; readonly b: number; readonly covariance: number },
  t: number,
): Interval | undefined {
  const [va, vb, c] = [spread.a * t * t, spread.b * t * t, spread.covariance * t * t];
  const square = a * a - va;
  if (!(a > 0) || square <= 0) return undefined;
  const middle = a * b - c;
  const root = Math.sqrt(Math.max(0, middle * middle - square * (b * b - vb)));
  return { low: (middle - root) / square - 1, high: (middle + root) / square - 1 };
}

/** Runs a side from which a t interval of the difference would reach no further than `reach`; undefined beyond `most`. */
export function runsNeeded(noise: number, reach: number, level: number, most = 100): number | undefined {
  const reaches = (n: number): boolean => studentQuantile(1 - level, 2 * n - 2) * noise * Math.sqrt(2 / n) <= reach;
  if (!reaches(most)) return undefined;
  // More runs always reach closer.
  let [low, high] = [3, most];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (reaches(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Benjamini and Hochberg (1995): p-values adjusted for how many are looked at, in the order given. Latencies of one run rise and
 * fall together, and under such dependence the share of false finds stays under the level.
 */
export function adjusted(ps: readonly number[]): number[] {
  const order = ps.map((p, i) => ({ p, i })).sort((x, y) => x.p - y.p);
  const out = new Array<number>(ps.length).fill(1);
  let least = 1;
  for (let k = order.length - 1; k >= 0; k--) {
    least = Math.min(least, (order[k]!.p * order.length) / (k + 1));
    out[order[k]!.i] = least;
  }
  return out;
}

/**
 * The level at which each number's interval is shown, so that it says what its adjusted p says: the plain one, but where a number by
 * itself leaves zero out and among so many does not, that of the first number that was not found (Benjamini and Yekutieli 2005).
 */
export function levelsOf(ps: readonly number[]): number[] {
  const all = adjusted(ps);
  const found = all.filter((p) => p <= 1 - LEVEL).length;
  const strict = 1 - ((found + 1) * (1 - LEVEL)) / Math.max(1, ps.length);
  return ps.map((p, i) => (p <= 1 - LEVEL && all[i]! > 1 - LEVEL ? strict : LEVEL));
}
