// What a difference can carry: intervals within runs and between repeats, chance over many looks, what could have been seen.
import { differenceInterval } from '../metrics/bootstrap';
import { mean, standardDeviation } from '../metrics/statistics';
import { twoSidedNormal } from '../metrics/two-samples';
import { NEVER_SECONDS, type Sample } from './samples';

export const LEVEL = 0.95;
const Z = 1.96;
/** Of the normal, for a chance of 80 % to see a difference that is there. */
const POWER_Z = 0.8416;

export interface Estimate {
  readonly absolute: number;
  readonly interval?: { readonly low: number; readonly high: number; readonly method: string };
  readonly noInterval?: string;
  /** Two-sided chance of a difference so large when there is none. */
  readonly p?: number;
  /** Smallest true difference that would be seen in four of five such experiments. */
  readonly detectable?: number;
  /** Standard deviation from run to run, from repeats. */
  readonly noise?: number;
}

const WITHIN = 'circular block bootstrap over requests in sending order';
const BETWEEN = 'Student’s t over repeats, never narrower than the bootstrap within them';

/** From one run a side. */
export function within(a: Sample, b: Sample): Estimate | undefined {
  const [x, y] = [a.side.value, b.side.value];
  if (x === undefined || y === undefined) return undefined;
  const absolute = y - x;
  if (!a.resampled || !b.resampled) return { absolute, noInterval: whyNot(a, b) };
  const { low, high } = differenceInterval(a.resampled, b.resampled, LEVEL);
  const error = spread(a.resampled, b.resampled);
  if (!Number.isFinite(low) || !Number.isFinite(high)) return { absolute, noInterval: 'the resamples did not settle' };
  if (Math.max(-low, high) > NEVER_SECONDS / 1000) return { absolute, noInterval: 'failures reach into the interval' };
  return {
    absolute,
    interval: { low, high, method: WITHIN },
    ...(error > 0 ? { p: twoSidedNormal(absolute / error), detectable: (Z + POWER_Z) * error } : {}),
  };
}

function whyNot(a: Sample, b: Sample): string {
  if (a.noInterval !== undefined && a.noInterval === b.noInterval) return a.noInterval;
  return [a.noInterval && `A: ${a.noInterval}`, b.noInterval && `B: ${b.noInterval}`].filter(Boolean).join('; ');
}

function spread(a: Float64Array, b: Float64Array): number {
  const n = Math.min(a.length, b.length);
  const differences = new Float64Array(n);
  for (let i = 0; i < n; i++) differences[i] = b[i]! - a[i]!;
  return standardDeviation(differences);
}

/**
 * From repeats: each run is one observation, with one variance on both sides (few repeats know no better). Undefined when the
 * sides together have fewer than three runs with a value, or one of them has none.
 */
export function between(a: readonly Sample[], b: readonly Sample[]): Estimate | undefined {
  const valuesOf = (samples: readonly Sample[]): number[] =>
    samples.flatMap(({ side }) => (side.value === undefined ? [] : [side.value]));
  const [x, y] = [valuesOf(a), valuesOf(b)];
  const freedom = x.length + y.length - 2;
  if (x.length === 0 || y.length === 0 || freedom < 1) return undefined;
  const absolute = mean(y) - mean(x);
  const squares = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0);
  const noise = Math.sqrt((squares(x) + squares(y)) / freedom);
  const observed = noise * Math.sqrt(1 / x.length + 1 / y.length);
  // Repeats that happen to agree do not make requests surer than they are.
  const inside = insideError(a, x.length) ** 2 + insideError(b, y.length) ** 2;
  const error = Math.max(observed, Math.sqrt(inside));
  const reach = studentT(freedom) * error;
  return {
    absolute,
    interval: { low: absolute - reach, high: absolute + reach, method: BETWEEN },
    noise,
    ...(error > 0 ? { p: studentP(absolute / error, freedom), detectable: (studentT(freedom) + POWER_Z) * error } : {}),
  };
}

/** Standard error of a mean over runs, by what resampling says within each. */
function insideError(samples: readonly Sample[], runs: number): number {
  const own = samples.flatMap(({ resampled }) => (resampled ? [standardDeviation(resampled)] : []));
  return own.length === 0 ? 0 : mean(own) / Math.sqrt(runs);
}

const T_TABLE = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];

/** 97.5 % point; beyond ten degrees by Hill's expansion. */
export function studentT(freedom: number): number {
  return T_TABLE[freedom - 1] ?? Z * (1 + (Z * Z + 1) / (4 * freedom));
}

/** Two-sided p of Student's t, by Wallace's normal approximation (1959): within a percent of the truth from 3 degrees on. */
function studentP(t: number, freedom: number): number {
  if (freedom === 1) return 1 - (2 / Math.PI) * Math.atan(Math.abs(t));
  if (freedom === 2) return 1 - Math.abs(t) / Math.sqrt(2 + t * t);
  const z = ((8 * freedom + 1) / (8 * freedom + 3)) * Math.sqrt(freedom * Math.log(1 + (t * t) / freedom));
  return twoSidedNormal(z);
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
