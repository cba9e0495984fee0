// Intervals by resampling blocks of requests: neighbours in time share queues, so single requests are not independent.
import { dependenceOf, independentOf } from './dependence';
import { studentQuantile } from './student';
import { percentile, sortedValues, standardDeviation } from './statistics';

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

export interface Resampled {
  /** Of each quantity, the resampled values. */
  readonly draws: readonly Float64Array[];
  /** Independent requests that the series is worth. */
  readonly effective: number;
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

/** Of requests with one value each, or none. */
export function seriesOfOne<T>(requests: readonly T[], valueOf: (request: T) => number | undefined): Series {
  const offsets = new Uint32Array(requests.length + 1);
  const values = new Float64Array(requests.length);
  let total = 0;
  for (let i = 0; i < requests.length; i++) {
    const value = valueOf(requests[i]!);
    if (value !== undefined) values[total++] = value;
    offsets[i + 1] = total;
  }
  return { values: values.subarray(0, total), offsets };
}

/**
 * Resampled values of each quantity, `resamples` of them, under a circular moving-block bootstrap of the requests
 * (Politis and Romano 1992): blocks of neighbouring requests are drawn with replacement until as many requests are
 * there as were sent. All quantities see the same draws.
 *
 * A mean is the ratio of resampled sums and counts. A percentile q follows Bahadur's representation: a resample in which
 * a share F* of the values lies at or under the observed q corresponds to the observed percentile at 2p - F* (Woodruff's
 * interval with a resampled share). It costs two table look-ups a block, whatever the number of values.
 *
 * The draws give the shape. Their spread is set to the one that the autocovariances give, times Student's t for how few
 * independent requests there are: blocks see too little of a dependence that is long beside them.
 */
export function resample(series: Series, quantities: readonly Quantity[], options: BootstrapOptions = {}): Resampled {
  const { resamples = DEFAULT_RESAMPLES, seed = 1 } = options;
  const requests = series.offsets.length - 1;
  const sorted = options.sorted ?? sortedValues(series.values);
  const tracks = quantities.map((quantity) => trackOf(series, sorted, quantity));
  const counts = countsOf(series);
  const whole = independentOf(requestMeans(series));
  const averages = drawAverages([counts], tracks, blockLength(requests, whole), { resamples, seed });
  tracks.forEach(({ sums, observed, finish }, t) => {
    const own = averages[t]!;
    const dependence = dependenceOf(residuals(sums, counts, observed));
    const known = Math.sqrt(dependence.sumVariance) / Math.max(1, series.values.length);
    const student = studentFor(quantities[t]!, dependence.effective, whole, requests);
    const drawn = standardDeviation(own, observed);
    const widen = drawn > 0 ? (student * known) / drawn : 1;
    for (let r = 0; r < resamples; r++) own[r] = finish(observed + widen * (own[r]! - observed));
  });
  return { draws: averages, effective: whole };
}

export function countsOf({ offsets }: Series): Float64Array {
  return Float64Array.from({ length: offsets.length - 1 }, (_, i) => offsets[i + 1]! - offsets[i]!);
}

/** Neighbours that are drawn together anyway are summed first: so many units keep the table in a processor's cache. */
const MOST_UNITS = 4096;

/**
 * Averages of each track over blocks of requests, drawn `resamples` times; with two columns of counts, the first half of the tracks
 * belongs to the first and the second to the second, and both are taken from the same blocks.
 */
export function drawAverages(
  counts: readonly Float64Array[],
  tracks: readonly Track[],
  length: number,
  { resamples, seed }: { readonly resamples: number; readonly seed: number },
): Float64Array[] {
  const requests = counts[0]!.length;
  const unit = Math.max(1, Math.min(length, Math.ceil(requests / MOST_UNITS)));
  const units = Math.ceil(requests / unit);
  const width = tracks.length + counts.length;
  // Row i: sums over the first i units, two turns of the circle, so that a block may run over the end. Last columns: counts.
  const table = new Float64Array((2 * units + 1) * width);
  const columns = [...tracks.map(({ sums }) => sums), ...counts];
  columns.forEach((column, c) => {
    for (let u = 0; u < 2 * units; u++) {
      const from = (u % units) * unit;
      let sum = 0;
      for (let i = from; i < Math.min(requests, from + unit); i++) sum += column[i]!;
      table[(u + 1) * width + c] = table[u * width + c]! + sum;
    }
  });
  const block = Math.max(1, Math.round(length / unit));
  const draws = Math.ceil(units / block);
  const random = uniformIntegers(seed, units);
  const sums = new Float64Array(width);
  const out = tracks.map(() => new Float64Array(resamples));
  for (let r = 0; r < resamples; r++) {
    sums.fill(0);
    let left = units;
    for (let d = 0; d < draws; d++) {
      const from = random() * width;
      const taken = Math.min(block, left);
      left -= taken;
      const to = from + taken * width;
      for (let c = 0; c < width; c++) sums[c]! += table[to + c]! - table[from + c]!;
    }
    for (let t = 0; t < tracks.length; t++) {
      const count = sums[tracks.length + Math.floor((t * counts.length) / tracks.length)]!;
      // Where hardly a request has a value, a draw may hold none: it says nothing new.
      out[t]![r] = count > 0 ? sums[t]! / count : tracks[t]!.observed;
    }
  }
  return out;
}

/** Of each request: its sum minus what its count would give at the observed average. */
export function residuals(sums: Float64Array, counts: Float64Array, observed: number): Float64Array {
  const out = new Float64Array(sums.length);
  for (let i = 0; i < sums.length; i++) out[i] = sums[i]! - observed * counts[i]!;
  return out;
}

/**
 * Student's t over the normal. Of degrees of freedom there are half as many as independent requests: an estimate of their dependence
 * is rough. Of a percentile, chance lies with those beyond it, and they come in clusters: three degrees for each independent one, more
 * as neighbours depend less.
 * @param effective independent requests the quantity rests on @param whole those that the series is worth by its ranks
 */
export function studentFor(quantity: Quantity, effective: number, whole: number, requests: number): number {
  const freedom = Math.min(effective, whole) / 2 - 1;
  if (quantity.kind === 'mean') return studentOverNormal(freedom);
  const p = quantity.percent / 100;
  const clusters = whole * Math.min(p, 1 - p);
  return studentOverNormal(Math.min(freedom, (3 * clusters) / Math.max(1e-9, 1 - whole / requests)));
}

/** t over z at 95 %. */
export function studentOverNormal(freedom: number): number {
  return studentQuantile(0.05, Math.max(1, freedom)) / 1.96;
}

export interface Track {
  /** Of each request: the sum of its values, or how many of them are at or under the percentile. */
  readonly sums: Float64Array;
  /** What the resampled average is an average of, in the sample itself. */
  readonly observed: number;
  readonly finish: (average: number) => number;
}

export function trackOf(series: Series, sorted: Float64Array, quantity: Quantity): Track {
  const { values, offsets } = series;
  const requests = offsets.length - 1;
  const sums = new Float64Array(requests);
  if (quantity.kind === 'mean') {
    let total = 0;
    for (let i = 0; i < requests; i++) {
      let own = 0;
      for (let k = offsets[i]!; k < offsets[i + 1]!; k++) own += values[k]!;
      sums[i] = own;
      total += own;
    }
    return { sums, observed: total / values.length, finish: (average) => average };
  }
  const p = quantity.percent / 100;
  const at = percentile(sorted, quantity.percent);
  for (let i = 0; i < requests; i++) {
    let under = 0;
    for (let k = offsets[i]!; k < offsets[i + 1]!; k++) if (values[k]! <= at) under++;
    sums[i] = under;
  }
  const share = shareAtOrUnder(sorted, at);
  const finish = (average: number): number => percentile(sorted, 100 * Math.min(1, Math.max(0, p - (average - share))));
  return { sums, observed: share, finish };
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

/** More blocks than this make an interval slower, not better. */
const MOST_BLOCKS = 300;

/** Twice as long as independent requests lie apart; never under n^(1/3) and never over a quarter of the series. */
export function blockLength(requests: number, independent: number): number {
  const floor = Math.max(Math.ceil(Math.cbrt(requests)), Math.ceil(requests / MOST_BLOCKS));
  const wanted = Math.max(floor, Math.round((2 * requests) / Math.max(1, independent)));
  return Math.max(1, Math.min(wanted, Math.ceil(requests / 4)));
}

/** Of requests that have values. */
export function requestMeans({ values, offsets }: Series): Float64Array {
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

/** Central interval of resampled values. */
export function intervalOf(resampled: Float64Array, level = 0.95): Interval {
  const sorted = Float64Array.from(resampled).sort();
  const tail = (1 - level) / 2;
  return { low: percentile(sorted, 100 * tail), high: percentile(sorted, 100 * (1 - tail)) };
}

/** Resampled b - a, draw by draw. */
export function differencesOf(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, i) => b[i]! - value);
}

/** Resampled (b - a) / a, draw by draw; undefined where A comes near nothing, of which there is no share. */
export function ratiosOf(a: Float64Array, b: Float64Array): Float64Array | undefined {
  return a.every((value) => value > 0) ? a.map((value, i) => b[i]! / value - 1) : undefined;
}

/** Central interval of b - a, pairing resamples of the two sides draw by draw. */
export function differenceInterval(a: Float64Array, b: Float64Array, level = 0.95): Interval {
  return intervalOf(differencesOf(a, b), level);
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
