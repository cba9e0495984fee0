// Intervals of two sides whose requests are pairs: blocks of pairs are drawn, and both sides' statistics come from the same draw.
import {
  blockLength,
  countsOf,
  differencesOf,
  drawAverages,
  requestMeans,
  resample,
  residuals,
  seriesOfOne,
  studentFor,
  trackOf,
  type BootstrapOptions,
  type Quantity,
  type Series,
} from './bootstrap';
import { dependenceOf, independentOf } from './dependence';
import { mean, sortedValues, standardDeviation } from './statistics';

export interface ResampledTogether {
  /** Of each quantity, resampled values; entry r of both sides is the same draw where `together` holds. */
  readonly a: readonly Float64Array[];
  readonly b: readonly Float64Array[];
  /** Independent pairs that a difference rests on; where sides were drawn apart, of the side that has fewer. */
  readonly effective: number;
  /** Of the requests' means (Pearson); undefined where one side does not vary. */
  readonly correlation: number | undefined;
  /** Whether pairs were drawn: where requests of both sides do not resemble each other beyond chance, nothing would cancel. */
  readonly together: boolean;
}

/** Of both sides' draws: seeds of their own where they are drawn apart, and sorted values where the caller has them. */
export interface TogetherOptions extends BootstrapOptions {
  readonly seedB?: number;
  readonly sortedB?: Float64Array;
}

/** Under this the interval would shrink by less than a sixth. */
const LEAST_CORRELATION = 0.3;
/** Of two series that have nothing in common the correlation is within so many standard errors (Bartlett 1935). */
const CHANCE_ERRORS = 2;

/**
 * The circular block bootstrap of `resample`, with request i of A and request i of B drawn together: what they share cancels in the
 * difference. Spread and dependence are those of the difference, and both sides are widened by one factor, else the widening of what
 * they share would come back as a difference. Where they share nothing, the sides are drawn apart: each knows its own dependence better
 * than their difference does.
 * @param a,b as many requests, the same ones in the same order
 */
export function resampleTogether(
  a: Series,
  b: Series,
  quantities: readonly Quantity[],
  options: TogetherOptions = {},
): ResampledTogether {
  const { resamples = 2000, seed = 1, seedB = seed + 1, sorted, sortedB } = options;
  const both = pairMeans(a, b);
  const correlation = correlationOf(both.a, both.b);
  const least = Math.min(independentOf(requestMeans(a)), independentOf(requestMeans(b)));
  const chance = Math.tanh(CHANCE_ERRORS / Math.sqrt(Math.max(1, least - 3)));
  if (!((correlation ?? 1) > Math.max(LEAST_CORRELATION, chance))) {
    const x = resample(a, quantities, { resamples, seed, ...(sorted ? { sorted } : {}) });
    const y = resample(b, quantities, { resamples, seed: seedB, ...(sortedB ? { sorted: sortedB } : {}) });
    return { a: x.draws, b: y.draws, effective: least, correlation, together: false };
  }
  const requests = a.offsets.length - 1;
  const tracksA = quantities.map((quantity) => trackOf(a, sorted ?? sortedValues(a.values), quantity));
  const tracksB = quantities.map((quantity) => trackOf(b, sortedB ?? sortedValues(b.values), quantity));
  const [countsA, countsB] = [countsOf(a), countsOf(b)];
  const whole = independentOf(requestMeans(differenceSeries(both)));
  const length = blockLength(requests, Math.min(least, whole));
  const averages = drawAverages([countsA, countsB], [...tracksA, ...tracksB], length, { resamples, seed });
  const drawsA: Float64Array[] = [];
  const drawsB: Float64Array[] = [];
  quantities.forEach((quantity, q) => {
    const [x, y] = [tracksA[q]!, tracksB[q]!];
    const [rawA, rawB] = [averages[q]!, averages[quantities.length + q]!];
    const slopeA = slopeOf(x, rawA) / Math.max(1, a.values.length);
    const slopeB = slopeOf(y, rawB) / Math.max(1, b.values.length);
    const [ownA, ownB] = [residuals(x.sums, countsA, x.observed), residuals(y.sums, countsB, y.observed)];
    const joint = ownB.map((value, i) => slopeB * value - slopeA * ownA[i]!);
    const { sumVariance, effective } = dependenceOf(joint);
    const drawn = standardDeviation(differencesOf(rawA.map(x.finish), rawB.map(y.finish)));
    const student = studentFor(quantity, effective, whole, requests);
    const widen = drawn > 0 ? (student * Math.max(drawn, Math.sqrt(sumVariance))) / drawn : 1;
    drawsA.push(rawA.map((value) => x.finish(x.observed + widen * (value - x.observed))));
    drawsB.push(rawB.map((value) => y.finish(y.observed + widen * (value - y.observed))));
  });
  return { a: drawsA, b: drawsB, effective: whole, correlation, together: true };
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

/** Pearson's, of as many values; undefined where one side does not vary. */
export function correlationOf(a: Float64Array, b: Float64Array): number | undefined {
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
