// Many values made few enough to draw: distribution curves, values over time, counts over time.
import { percentile, sortedValues, sortFinite } from '../../metrics/statistics';

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
  const ranks = curveRanks(n);
  return { x: ranks.map((rank) => sorted[rank]! * factor), y: ranks.map((rank) => (100 * (rank + 1)) / n) };
}

/** Which of so many values in ascending order the curve is drawn from. */
export function curveRanks(n: number): readonly number[] {
  const steps = Math.min(n, CURVE_POINTS);
  return Array.from({ length: steps }, (_, step) => (steps === 1 ? n - 1 : Math.round((step * (n - 1)) / (steps - 1))));
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
  const { width, start, count, binOf } = binning(fromSeconds, toSeconds);
  const values: number[][] = Array.from({ length: count }, () => []);
  points.x.forEach((x, index) => values[binOf(x)]!.push(points.y[index]!));
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

/** `timeBins` and their `medianLine` of columns, which stay as they are: for many points. */
export function medianBins(
  { x, y }: { readonly x: Float64Array; readonly y: Float64Array },
  fromSeconds: number,
  toSeconds: number,
): {
  readonly bins: readonly { readonly from: number; readonly to: number }[];
  readonly x: number[];
  readonly y: (number | null)[];
} {
  const { width, start, count, binOf } = binning(fromSeconds, toSeconds);
  const own = new Uint32Array(x.length);
  const ends = new Uint32Array(count);
  for (let i = 0; i < x.length; i++) ends[(own[i] = binOf(x[i]!))]!++;
  for (let bin = 1; bin < count; bin++) ends[bin]! += ends[bin - 1]!;
  const starts = Uint32Array.from(ends, (_, bin) => (bin === 0 ? 0 : ends[bin - 1]!));
  const next = starts.slice();
  const sorted = new Float64Array(y.length);
  for (let i = 0; i < y.length; i++) sorted[next[own[i]!]!++] = y[i]!;
  const bins = Array.from(ends, (_, bin) => ({ from: start + bin * width, to: start + (bin + 1) * width }));
  return {
    bins,
    x: bins.map((bin) => (bin.from + bin.to) / 2),
    y: bins.map((_, bin) => {
      const values = sorted.subarray(starts[bin], ends[bin]);
      return values.length === 0 ? null : percentile(sortFinite(values), 50);
    }),
  };
}

function binning(fromSeconds: number, toSeconds: number) {
  const width = roundWidth((toSeconds - fromSeconds) / 40);
  const start = Math.floor(fromSeconds / width) * width;
  const count = Math.max(1, Math.ceil((toSeconds - start) / width - 1e-9));
  const binOf = (x: number): number => Math.min(count - 1, Math.max(0, Math.floor((x - start) / width)));
  return { width, start, count, binOf };
}

function roundWidth(seconds: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(seconds, 1e-9)));
  const step = [1, 2, 5, 10].find((candidate) => candidate * power >= seconds) ?? 10;
  return Math.max(1, step * power);
}
