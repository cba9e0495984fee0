// Intervals by resampling blocks of requests: neighbours in time share queues, so single requests are not independent.
import { dependenceOf, type Dependence } from './dependence';
import { mean, percentile, sortedValues } from './statistics';

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
  /** Of each quantity, the independent requests it rests on. */
  readonly effective: readonly number[];
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
 * Blocks that are short beside the dependence see too little of it: the spread is never left under the one that the
 * autocovariances give, and Student's t pays for how few independent requests there are. A percentile never rests on more
 * of them than the requests' means do: its tail's own clusters are too few to tell.
 */
export function resample(series: Series, quantities: readonly Quantity[], options: BootstrapOptions = {}): Resampled {
  const { resamples = DEFAULT_RESAMPLES, seed = 1 } = options;
  const requests = series.offsets.length - 1;
  const sorted = options.sorted ?? sortedValues(series.values);
  const tracks = quantities.map((quantity) => trackOf(series, sorted, quantity));
  const counts = new Float64Array(requests);
  for (let i = 0; i < requests; i++) counts[i] = series.offsets[i + 1]! - series.offsets[i]!;
  const averages = drawAverages([counts], tracks, blockLength(series), { resamples, seed });
  const total = series.values.length;
  const blocks = requests / blockLength(series);
  const dependence = tracks.map(({ sums, observed }) => dependenceOf(residuals(sums, counts, observed)));
  tracks.forEach(({ observed, finish }, t) => {
    const own = averages[t]!;
    const widen = widening(own, observed, dependence[t]!, { total, blocks });
    for (let r = 0; r < resamples; r++) own[r] = finish(observed + widen * (own[r]! - observed));
  });
  const at = quantities.findIndex(({ kind }) => kind === 'mean');
  const whole = at < 0 ? Infinity : dependence[at]!.effective;
  return { draws: averages, effective: dependence.map(({ effective }) => Math.min(whole, effective)) };
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
 * What the deviations of the draws are multiplied by. Student's t over the normal, by Hill's expansion
 * t = z (1 + (z^2 + 1) / 4v): v by the blocks there are, or by the independent requests, two to a degree, if fewer.
 */
function widening(
  draws: Float64Array,
  observed: number,
  { sumVariance, effective }: Dependence,
  { total, blocks }: { readonly total: number; readonly blocks: number },
): number {
  let squares = 0;
  for (const draw of draws) squares += (draw - observed) ** 2;
  const drawn = Math.sqrt(squares / Math.max(1, draws.length));
  // Resampling k blocks sees a spread that is too small by sqrt((k - 1) / k).
  const resampled = drawn * Math.sqrt(blocks / Math.max(1, blocks - 1));
  const known = Math.sqrt(sumVariance) / Math.max(1, total);
  return drawn > 0 ? (studentOverNormal(Math.min(blocks, effective / 2) - 1) * Math.max(resampled, known)) / drawn : 1;
}

/** t over z at 95 %, by Hill's expansion. */
export function studentOverNormal(freedom: number): number {
  return 1 + (1.96 ** 2 + 1) / (4 * Math.max(1, freedom));
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
