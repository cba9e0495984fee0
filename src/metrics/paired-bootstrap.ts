// Intervals of two sides whose requests are pairs: blocks of pairs are drawn, and both sides' statistics come from the same draw.
import {
  blockLength,
  differencesOf,
  drawAverages,
  residuals,
  seriesOfOne,
  studentOverNormal,
  trackOf,
  type BootstrapOptions,
  type Quantity,
  type Series,
} from './bootstrap';
import { dependenceOf } from './dependence';
import { mean, sortedValues, standardDeviation } from './statistics';

export interface ResampledTogether {
  /** Of each quantity, resampled values; entry r of both sides is the same draw. */
  readonly a: readonly Float64Array[];
  readonly b: readonly Float64Array[];
  /** Of each quantity, independent pairs that its difference rests on. */
  readonly effective: readonly number[];
  /** Of the requests' means (Pearson); undefined where one side does not vary. */
  readonly correlation: number | undefined;
}

/**
 * The circular block bootstrap of `resample`, with request i of A and request i of B drawn together: what they share cancels in the
 * difference. Spread and dependence are those of the difference, and both sides are widened by one factor, else the widening of what
 * they share would come back as a difference.
 * @param a,b as many requests, the same ones in the same order
 */
export function resampleTogether(
  a: Series,
  b: Series,
  quantities: readonly Quantity[],
  options: BootstrapOptions & { readonly sortedB?: Float64Array } = {},
): ResampledTogether {
  const { resamples = 2000, seed = 1 } = options;
  const requests = a.offsets.length - 1;
  const tracksA = quantities.map((quantity) => trackOf(a, options.sorted ?? sortedValues(a.values), quantity));
  const tracksB = quantities.map((quantity) => trackOf(b, options.sortedB ?? sortedValues(b.values), quantity));
  const [countsA, countsB] = [countsOf(a), countsOf(b)];
  const both = pairMeans(a, b);
  // Blocks follow the difference where that depends longest, each side where it does: the longest of the three is safe for all.
  const length = Math.max(blockLength(a), blockLength(b), blockLength(differenceSeries(both)));
  const averages = drawAverages([countsA, countsB], [...tracksA, ...tracksB], length, { resamples, seed });
  const effective: number[] = [];
  const drawsA: Float64Array[] = [];
  const drawsB: Float64Array[] = [];
  quantities.forEach((_, q) => {
    const [x, y] = [tracksA[q]!, tracksB[q]!];
    const [rawA, rawB] = [averages[q]!, averages[quantities.length + q]!];
    const slopeA = slopeOf(x, rawA) / Math.max(1, a.values.length);
    const slopeB = slopeOf(y, rawB) / Math.max(1, b.values.length);
    const [ownA, ownB] = [residuals(x.sums, countsA, x.observed), residuals(y.sums, countsB, y.observed)];
    const joint = ownB.map((value, i) => slopeB * value - slopeA * ownA[i]!);
    const dependence = dependenceOf(joint);
    effective.push(dependence.effective);
    const drawn = standardDeviation(differencesOf(rawA.map(x.finish), rawB.map(y.finish)));
    const blocks = requests / length;
    const resampled = drawn * Math.sqrt(blocks / Math.max(1, blocks - 1));
    const spread = Math.max(resampled, Math.sqrt(dependence.sumVariance));
    const widen = drawn > 0 ? (studentOverNormal(Math.min(blocks, dependence.effective / 2) - 1) * spread) / drawn : 1;
    drawsA.push(rawA.map((value) => x.finish(x.observed + widen * (value - x.observed))));
    drawsB.push(rawB.map((value) => y.finish(y.observed + widen * (value - y.observed))));
  });
  return { a: drawsA, b: drawsB, effective, correlation: correlationOf(both) };
}

function countsOf({ offsets }: Series): Float64Array {
  return Float64Array.from({ length: offsets.length - 1 }, (_, i) => offsets[i + 1]! - offsets[i]!);
}

interface PairMeans {
  readonly a: Float64Array;
  readonly b: Float64Array;
}

/** Means of the requests that have values on both sides. */
function pairMeans(a: Series, b: Series): PairMeans {
  const requests = a.offsets.length - 1;
  const [x, y] = [new Float64Array(requests), new Float64Array(requests)];
  let n = 0;
  for (let i = 0; i < requests; i++) {
    const [own, other] = [meanOf(a, i), meanOf(b, i)];
    if (own === undefined || other === undefined) continue;
    x[n] = own;
    y[n++] = other;
  }
  return { a: x.subarray(0, n), b: y.subarray(0, n) };
}

function meanOf({ values, offsets }: Series, request: number): number | undefined {
  const [from, to] = [offsets[request]!, offsets[request + 1]!];
  if (to === from) return undefined;
  let total = 0;
  for (let k = from; k < to; k++) total += values[k]!;
  return total / (to - from);
}

function differenceSeries({ a, b }: PairMeans): Series {
  return seriesOfOne(Array.from(differencesOf(a, b)), (value) => value);
}

function correlationOf({ a, b }: PairMeans): number | undefined {
  if (a.length < 3) return undefined;
  const [meanA, meanB] = [mean(a), mean(b)];
  const scale = standardDeviation(a, meanA) * standardDeviation(b, meanB);
  if (!(scale > 0)) return undefined;
  return mean(a.map((value, i) => (value - meanA) * (b[i]! - meanB))) / scale;
}

/** How much the statistic moves with what is averaged, near what was observed. */
function slopeOf(
  { observed, finish }: { observed: number; finish: (average: number) => number },
  draws: Float64Array,
): number {
  const step = standardDeviation(draws, observed);
  return step > 0 ? (finish(observed + step) - finish(observed - step)) / (2 * step) : 0;
}
