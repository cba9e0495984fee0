// Intervals by resampling blocks of requests: neighbours in time share queues, so single requests are not independent.
import { mean, percentile } from './statistics';

/** One value per request, or several (the token gaps of an answer), in the order the requests were sent. */
export interface Series {
  /** All values; those of request i are `values[offsets[i] .. offsets[i + 1])`. */
  readonly values: Float64Array;
  readonly offsets: Uint32Array;
}

/** A mean, or a percentile 0..100. */
export type Quantity = { readonly kind: 'mean' } | { readonly kind: 'percentile'; readonly percent: number };

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface BootstrapOptions {
  readonly resamples?: number;
  readonly seed?: number;
  /** The series' values in ascending order, when the caller has them already. */
  readonly sorted?: Float64Array;
}

const DEFAULT_RESAMPLES = 2000;

/** Requests below which resampling says little about anything. */
export const MINIMUM_REQUESTS = 10;

/** Groups values by request; requests without a value stay, as they took part. */
export function seriesOf(perRequest: readonly (readonly number[])[]): Series {
  const offsets = new Uint32Array(perRequest.length + 1);
  let total = 0;
  perRequest.forEach((values, i) => {
    total += values.length;
    offsets[i + 1] = total;
  });
  const values = new Float64Array(total);
  let at = 0;
  for (const own of perRequest) for (const value of own) values[at++] = value;
  return { values, offsets };
}

/**
 * Resampled values of each quantity, `resamples` of them, under a circular moving-block bootstrap of the requests
 * (Politis and Romano 1992): blocks of neighbouring requests are drawn with replacement until as many requests are
 * there as were sent. All quantities see the same draws.
 *
 * A mean is the ratio of resampled sums and counts. A percentile q follows Bahadur's representation: a resample in which
 * a share F* of the values lies at or under the observed q corresponds to the observed percentile at 2p - F* (Woodruff's
 * interval with a resampled share). It costs two table look-ups a block, whatever the number of values.
 */
export function bootstrap(
  series: Series,
  quantities: readonly Quantity[],
  options: BootstrapOptions = {},
): Float64Array[] {
  const { resamples = DEFAULT_RESAMPLES, seed = 1 } = options;
  const requests = series.offsets.length - 1;
  const sorted = options.sorted ?? Float64Array.from(series.values).sort();
  const tracks = quantities.map((quantity) => trackOf(series, sorted, quantity));
  const length = blockLength(series);
  const draws = Math.ceil(requests / length);
  const random = uniformIntegers(seed, requests);
  const counts = prefixSums(requests, (i) => series.offsets[i + 1]! - series.offsets[i]!);
  const widen = fewBlocksFactor(requests / length);
  const sums = new Float64Array(tracks.length);
  const out = tracks.map(() => new Float64Array(resamples));
  for (let r = 0; r < resamples; r++) {
    sums.fill(0);
    let count = 0;
    let left = requests;
    for (let d = 0; d < draws; d++) {
      const from = random();
      const to = from + Math.min(length, left);
      left -= to - from;
      count += counts[to]! - counts[from]!;
      for (let t = 0; t < tracks.length; t++) sums[t]! += tracks[t]!.prefix[to]! - tracks[t]!.prefix[from]!;
    }
    for (let t = 0; t < tracks.length; t++) {
      const { observed, finish } = tracks[t]!;
      out[t]![r] = count > 0 ? finish(observed + widen * (sums[t]! / count - observed)) : NaN;
    }
  }
  return out;
}

interface Track {
  /** Prefix sums over two turns of the circle, so that a block may run over the end. */
  readonly prefix: Float64Array;
  /** What the resampled average is an average of, in the sample itself. */
  readonly observed: number;
  readonly finish: (average: number) => number;
}

/**
 * Resampling k blocks sees a spread that is too small by sqrt((k - 1) / k), and knows it only as well as k blocks can:
 * Student's t over the normal, by Hill's expansion t = z (1 + (z^2 + 1) / 4v). 1 for many blocks, 1.2 for ten.
 */
function fewBlocksFactor(blocks: number): number {
  const freedom = Math.max(1, blocks - 1);
  return Math.sqrt(blocks / freedom) * (1 + (1.96 ** 2 + 1) / (4 * freedom));
}

function trackOf(series: Series, sorted: Float64Array, quantity: Quantity): Track {
  const { values, offsets } = series;
  const requests = offsets.length - 1;
  if (quantity.kind === 'mean') {
    const prefix = prefixSums(requests, (i) => {
      let total = 0;
      for (let k = offsets[i]!; k < offsets[i + 1]!; k++) total += values[k]!;
      return total;
    });
    const observed = prefix[requests]! / values.length;
    return { prefix, observed, finish: (average) => average };
  }
  const p = quantity.percent / 100;
  const at = percentile(sorted, quantity.percent);
  const prefix = prefixSums(requests, (i) => {
    let under = 0;
    for (let k = offsets[i]!; k < offsets[i + 1]!; k++) if (values[k]! <= at) under++;
    return under;
  });
  const share = shareAtOrUnder(sorted, at);
  return {
    prefix,
    observed: share,
    finish: (average) => percentile(sorted, 100 * Math.min(1, Math.max(0, p - (average - share)))),
  };
}

function shareAtOrUnder(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low / sorted.length;
}

function prefixSums(requests: number, of: (request: number) => number): Float64Array {
  const prefix = new Float64Array(2 * requests + 1);
  for (let i = 0; i < 2 * requests; i++) prefix[i + 1] = prefix[i]! + of(i % requests);
  return prefix;
}

/** More blocks than this make an interval slower, not better. */
const MOST_BLOCKS = 1000;

/**
 * Block length for the requests' means by the rule of Politis and White (2004), as corrected by Patton, Politis and White
 * (2009), for the circular bootstrap; never under n^(1/3) and never over a quarter of the series.
 */
export function blockLength(series: Series): number {
  const n = series.offsets.length - 1;
  const floor = Math.max(Math.ceil(Math.cbrt(n)), Math.ceil(n / MOST_BLOCKS));
  const within = (length: number): number => Math.max(1, Math.min(Math.max(floor, length), Math.ceil(n / 4)));
  const covariances = significantAutocovariances(requestMeans(series));
  const variance = covariances[0] ?? 0;
  if (!(variance > 0)) return within(floor);
  const reach = covariances.length - 1;
  let g = 0;
  let spectrum = variance;
  for (let lag = 1; lag <= reach; lag++) {
    const weight = Math.min(1, 2 * (1 - lag / reach));
    g += 2 * weight * lag * covariances[lag]!;
    spectrum += 2 * weight * covariances[lag]!;
  }
  const best = spectrum > 0 ? Math.cbrt(((2 * g * g) / ((4 / 3) * spectrum * spectrum)) * n) : 0;
  return within(Math.round(best));
}

function requestMeans({ values, offsets }: Series): Float64Array {
  const means: number[] = [];
  for (let i = 0; i + 1 < offsets.length; i++) {
    const from = offsets[i]!;
    const to = offsets[i + 1]!;
    if (to === from) continue;
    let total = 0;
    for (let k = from; k < to; k++) total += values[k]!;
    means.push(total / (to - from));
  }
  return Float64Array.from(means);
}

/** From lag 0 to twice the last lag that stands out, found where five lags in a row do not; lags are computed as needed. */
function significantAutocovariances(values: Float64Array): number[] {
  const n = values.length;
  if (n < 2) return [];
  const center = mean(values);
  const at = (lag: number): number => {
    let total = 0;
    for (let i = 0; i + lag < n; i++) total += (values[i]! - center) * (values[i + lag]! - center);
    return total / n;
  };
  const covariances = [at(0)];
  const most = Math.min(n - 1, Math.ceil(Math.sqrt(n)) + 25);
  const limit = 2 * Math.sqrt(Math.log10(n) / n) * covariances[0]!;
  const runLength = Math.max(5, Math.ceil(Math.sqrt(Math.log10(n))));
  let last = 0;
  for (let lag = 1; lag <= most && lag - last <= runLength; lag++) {
    covariances.push(at(lag));
    if (Math.abs(covariances[lag]!) > limit) last = lag;
  }
  const reach = Math.min(2 * Math.max(last, 1), most);
  while (covariances.length <= reach) covariances.push(at(covariances.length));
  return covariances.slice(0, reach + 1);
}

/** Central interval of resampled values. */
export function intervalOf(resampled: Float64Array, level = 0.95): Interval {
  const sorted = Float64Array.from(resampled).sort();
  const tail = (1 - level) / 2;
  return { low: percentile(sorted, 100 * tail), high: percentile(sorted, 100 * (1 - tail)) };
}

/** Central interval of b - a, pairing independent resamples of the two sides. */
export function differenceInterval(a: Float64Array, b: Float64Array, level = 0.95): Interval {
  const n = Math.min(a.length, b.length);
  const differences = new Float64Array(n);
  for (let i = 0; i < n; i++) differences[i] = b[i]! - a[i]!;
  return intervalOf(differences, level);
}

/** Uniform integers in [0, below) from xoshiro128** (Blackman and Vigna 2018), seeded through splitmix32. */
export function uniformIntegers(seed: number, below: number): () => number {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return (z ^ (z >>> 16)) >>> 0;
  };
  let s0 = next();
  let s1 = next();
  let s2 = next();
  let s3 = next();
  return () => {
    const product = Math.imul(s1, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const t = s1 << 9;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= t;
    s3 = (s3 << 11) | (s3 >>> 21);
    // A 32-bit draw scaled: the bias is below 2^-32 x below, far under the resolution of any interval.
    return Math.floor((result / 4294967296) * below);
  };
}
