// How many independent requests is a series worth? Neighbours in time share queues, so fewer than it has.

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
 * sequence estimator (1992): autocovariances are summed in pairs while the pairs stay positive and do not grow.
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

function batched(values: Float64Array): Float64Array {
  const size = Math.ceil(values.length / MOST_POINTS);
  if (size === 1) return values;
  const sums = new Float64Array(Math.ceil(values.length / size));
  for (let i = 0; i < values.length; i++) sums[Math.floor(i / size)]! += values[i]!;
  return sums;
}

function longRunVariance(values: Float64Array): number {
  const n = values.length;
  const at = (lag: number): number => {
    let total = 0;
    for (let i = 0; i + lag < n; i++) total += values[i]! * values[i + lag]!;
    return total / n;
  };
  const variance = at(0);
  let total = -variance;
  let previous = Infinity;
  for (let lag = 0; lag + 1 < n / 2; lag += 2) {
    const pair = Math.min(previous, (lag === 0 ? variance : at(lag)) + at(lag + 1));
    if (pair <= 0) break;
    total += 2 * pair;
    previous = pair;
  }
  return Math.max(total, 0);
}
