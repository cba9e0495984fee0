// How many independent requests is a series worth? Neighbours in time share queues, so fewer than it has.
import { sortFinite } from './statistics';

export interface Dependence {
  /** Variance of the series' sum, dependence between neighbours included. */
  readonly sumVariance: number;
  /** Requests that would be worth as much if they were independent; the length itself when neighbours are. */
  readonly effective: number;
}

/** Beyond this many, values are summed in batches first: the variance of the sum stays, the work does not. */
const MOST_POINTS = 2048;

/**
 * From the residuals of one quantity, in sending order, with mean 0. The long-run variance is Geyer's initial monotone
 * sequence estimator (1992): autocovariances are summed in pairs while the pairs stay positive and do not grow. What each of them
 * misses because the values were taken around their own mean is added.
 */
export function dependenceOf(residuals: Float64Array): Dependence {
  const n = residuals.length;
  let plain = 0;
  for (let i = 0; i < n; i++) plain += residuals[i]! ** 2;
  if (n < 4 || !(plain > 0)) return { sumVariance: plain, effective: n };
  const points = batched(residuals);
  const sumVariance = Math.max(plain, points.length * longRunVariance(points));
  return { sumVariance, effective: (n * plain) / sumVariance };
}

/** How many independent requests a series is worth as a whole: of the values' ranks, which a few large values do not rule. */
export function independentOf(values: Float64Array): number {
  return dependenceOf(centredRanks(values)).effective;
}

/**
 * Twice the rank of each value around the middle; equal values share theirs. Sorting carries each value's place along in its last
 * binary digits, so that values closer than about 1 in 10^10 count as equal: clocks are coarser.
 */
function centredRanks(values: Float64Array): Float64Array {
  const n = values.length;
  const keys = values.slice();
  // Little-endian, as every machine that runs Node is: the lower word comes first.
  const words = new Uint32Array(keys.buffer);
  const places = 2 ** Math.ceil(Math.log2(Math.max(2, n))) - 1;
  for (let i = 0; i < n; i++) words[2 * i] = (words[2 * i]! & ~places) | i;
  sortFinite(keys);
  const ranks = new Float64Array(n);
  const isTie = (i: number, j: number): boolean =>
    words[2 * i + 1] === words[2 * j + 1] && ((words[2 * i]! ^ words[2 * j]!) & ~places) === 0;
  for (let from = 0; from < n;) {
    let to = from + 1;
    while (to < n && isTie(from, to)) to++;
    for (let i = from; i < to; i++) ranks[words[2 * i]! & places] = from + to - n;
    from = to;
  }
  return ranks;
}

function batched(values: Float64Array): Float64Array {
  const size = Math.ceil(values.length / MOST_POINTS);
  if (size === 1) return values;
  const sums = new Float64Array(Math.ceil(values.length / size));
  for (let i = 0; i < values.length; i++) sums[Math.floor(i / size)]! += values[i]!;
  return sums;
}

function longRunVariance(values: Float64Array): number {
  const n = values.length;
  const known: number[] = [];
  const at = (lag: number): number => {
    while (known.length <= lag) {
      let total = 0;
      for (let i = 0; i + known.length < n; i++) total += values[i]! * values[i + known.length]!;
      known.push(total / n);
    }
    return known[lag]!;
  };
  const summed = (missed: number): number => {
    let total = -at(0) - missed;
    let previous = Infinity;
    for (let lag = 0; lag + 1 < n / 2; lag += 2) {
      const pair = Math.min(previous, at(lag) + at(lag + 1) + 2 * missed);
      if (pair <= 0) break;
      total += 2 * pair;
      previous = pair;
    }
    return Math.max(total, 0);
  };
  // Around a mean of their own, values miss of each autocovariance the variance of that mean.
  return summed(summed(0) / n);
}
