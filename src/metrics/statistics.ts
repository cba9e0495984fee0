// Descriptive statistics as inference-perf and numpy define them, over sorted typed arrays.
import { takesFastPaths } from '../fast-paths';
import type { Stat } from './lifecycle';
import { arePlain, radixSort } from './radix';

/** What was realised, in one row: the shape of the run manifest's distributions. */
export interface DistributionSummary {
  readonly count: number;
  readonly mean: number;
  readonly stdDev: number;
  readonly min: number;
  readonly p5: number;
  readonly p25: number;
  readonly p50: number;
  readonly p75: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** From here on sorting by digits pays. */
const MANY = 20_000;

/** A sorted copy; values that are not finite numbers are a bug of the caller and throw. */
export function sortedValues(values: Iterable<number>): Float64Array {
  return sortFinite(values instanceof Float64Array ? values.slice() : Float64Array.from(values));
}

/** In place, ascending; throws like `sortedValues`. `room` for as many values is written over, where the caller has it. */
export function sortFinite(values: Float64Array, room?: Float64Array): Float64Array {
  if (values.length >= MANY && takesFastPaths && arePlain(values)) return radixSort(values, room);
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i]!)) throw new RangeError(`a statistic was asked over ${values[i]}`);
  }
  return values.sort();
}

/**
 * Percentile by linear interpolation between closest ranks: numpy's default ("linear", Hyndman and Fan type 7).
 * @param sorted ascending, not empty
 * @param percent 0..100
 */
export function percentile(sorted: Float64Array, percent: number): number {
  if (sorted.length === 0) throw new RangeError('the percentile of nothing was asked for');
  if (!(percent >= 0 && percent <= 100)) throw new RangeError(`percentile ${percent} is outside 0..100`);
  const position = (percent / 100) * (sorted.length - 1);
  const below = Math.floor(position);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  const fraction = position - below;
  // numpy's lerp takes the nearer end as its base, which keeps the result inside [low, high] in floating point.
  return fraction < 0.5 ? low + (high - low) * fraction : high - (high - low) * (1 - fraction);
}

/** inference-perf's key for a percentile: `median` for 50, else `p` and Python's general format (99.9 -> `p99.9`). */
export function percentileKey(percent: number): string {
  return percent === 50 ? 'median' : `p${Number(percent.toPrecision(6))}`;
}

/** Arithmetic mean by pairwise summation, as numpy adds: error grows with log n, not n. NaN when empty. */
export function mean(values: ArrayLike<number>): number {
  return sum(values) / values.length;
}

/** Pairwise sum. */
export function sum(values: ArrayLike<number>): number {
  return pairwise(values, 0, values.length);
}

function pairwise(values: ArrayLike<number>, from: number, to: number): number {
  if (to - from <= 128) {
    let total = 0;
    for (let i = from; i < to; i++) total += values[i]!;
    return total;
  }
  const middle = from + ((to - from) >> 1);
  return pairwise(values, from, middle) + pairwise(values, middle, to);
}

/** Population standard deviation (numpy's `std`, ddof 0). NaN when empty. */
export function standardDeviation(values: ArrayLike<number>, around = mean(values)): number {
  let squares = 0;
  for (let i = 0; i < values.length; i++) {
    const distance = values[i]! - around;
    squares += distance * distance;
  }
  return Math.sqrt(squares / values.length);
}

/** Standard deviation over mean: 0 for even gaps, 1 for a Poisson process. Undefined for fewer than two values or a zero mean. */
export function coefficientOfVariation(values: ArrayLike<number>): number | undefined {
  if (values.length < 2) return undefined;
  const center = mean(values);
  return center === 0 ? undefined : standardDeviation(values, center) / center;
}

/** inference-perf's stat object: `mean`, `min`, `max`, then one key per percentile in the given order; null when empty. */
export function statOf(values: Iterable<number>, percentiles: readonly number[]): Stat {
  return statOfSorted(sortedValues(values), percentiles);
}

/** `statOf` for values that are ascending already. */
export function statOfSorted(sorted: Float64Array, percentiles: readonly number[]): Stat {
  if (sorted.length === 0) return null;
  const stat: Record<string, number> = { mean: mean(sorted), min: sorted[0]!, max: sorted[sorted.length - 1]! };
  for (const percent of percentiles) stat[percentileKey(percent)] = percentile(sorted, percent);
  return stat;
}

/** Undefined when there is nothing to describe. */
export function distributionOf(values: Iterable<number>): DistributionSummary | undefined {
  const sorted = sortedValues(values);
  if (sorted.length === 0) return undefined;
  const center = mean(sorted);
  return {
    count: sorted.length,
    mean: center,
    stdDev: standardDeviation(sorted, center),
    min: sorted[0]!,
    p5: percentile(sorted, 5),
    p25: percentile(sorted, 25),
    p50: percentile(sorted, 50),
    p75: percentile(sorted, 75),
    p95: percentile(sorted, 95),
    p99: percentile(sorted, 99),
    max: sorted[sorted.length - 1]!,
  };
}
