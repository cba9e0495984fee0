// Many values made few enough to draw: distribution curves, values over time, counts over time.
import { percentile, sortedValues } from '../metrics/statistics';

export interface Points {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** Curves are drawn from at most so many points; the eye sees no more in a chart of 400 pixels. */
const CURVE_POINTS = 240;
const SCATTER_POINTS = 1500;

/**
 * Empirical distribution: for each value, the percentage of values that are not above it. Exact up to 240 values, beyond
 * that at evenly spaced ranks, always with the smallest and the largest value.
 */
export function ecdf(values: Iterable<number>): Points {
  return ecdfOf(sortedValues(values));
}

/** The same of values in ascending order; each times a factor. */
export function ecdfOf(sorted: Float64Array, factor = 1): Points {
  const n = sorted.length;
  const x: number[] = [];
  const y: number[] = [];
  const steps = Math.min(n, CURVE_POINTS);
  for (let step = 0; step < steps; step++) {
    const rank = steps === 1 ? n - 1 : Math.round((step * (n - 1)) / (steps - 1));
    x.push(sorted[rank]! * factor);
    y.push((100 * (rank + 1)) / n);
  }
  return { x, y };
}

/** Percentiles for a table: "p50" -> value. Empty when there are no values. */
export function percentilesOf(values: Iterable<number>, percents: readonly number[]): readonly number[] {
  const sorted = sortedValues(values);
  return sorted.length === 0 ? [] : percents.map((percent) => percentile(sorted, percent));
}

/** Every k-th point, plus the largest of each stretch that was skipped: outliers stay visible. */
export function thinned(points: Points): Points {
  const n = points.x.length;
  if (n <= SCATTER_POINTS) return points;
  const stride = Math.ceil((2 * n) / SCATTER_POINTS);
  const x: number[] = [];
  const y: number[] = [];
  for (let from = 0; from < n; from += stride) {
    let top = from;
    for (let i = from; i < Math.min(n, from + stride); i++) if (points.y[i]! > points.y[top]!) top = i;
    for (const index of top === from ? [from] : [from, top]) {
      x.push(points.x[index]!);
      y.push(points.y[index]!);
    }
  }
  return { x, y };
}

export interface TimeBin {
  readonly from: number;
  readonly to: number;
  readonly values: readonly number[];
}

/** Equal stretches of time, about 40 of them, each at least one second and a round number of seconds. */
export function timeBins(points: Points, fromSeconds: number, toSeconds: number): readonly TimeBin[] {
  const width = roundWidth((toSeconds - fromSeconds) / 40);
  const start = Math.floor(fromSeconds / width) * width;
  const count = Math.max(1, Math.ceil((toSeconds - start) / width - 1e-9));
  const values: number[][] = Array.from({ length: count }, () => []);
  points.x.forEach((x, index) => {
    const bin = Math.min(count - 1, Math.max(0, Math.floor((x - start) / width)));
    values[bin]!.push(points.y[index]!);
  });
  return values.map((list, index) => ({
    from: start + index * width,
    to: start + (index + 1) * width,
    values: list,
  }));
}

/** The middle of each bin against the median of its values; null where a bin is empty, so that the line breaks there. */
export function medianLine(bins: readonly TimeBin[]): { readonly x: number[]; readonly y: (number | null)[] } {
  return {
    x: bins.map((bin) => (bin.from + bin.to) / 2),
    y: bins.map((bin) => (bin.values.length === 0 ? null : percentile(sortedValues(bin.values), 50))),
  };
}

function roundWidth(seconds: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(seconds, 1e-9)));
  const step = [1, 2, 5, 10].find((candidate) => candidate * power >= seconds) ?? 10;
  return Math.max(1, step * power);
}
