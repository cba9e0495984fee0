// Are two length distributions one? Quantile by quantile, with a floor on the effect: equal means alone prove nothing.
import { percent, rounded } from '../figures';
import type { RequestRecord } from '../metrics/record';
import { distributionOf, percentile, sortedValues, type DistributionSummary } from '../metrics/statistics';
import { kolmogorovSmirnov } from '../metrics/two-samples';

/** Quantiles closer than this, as a share of the larger, cost the same work. */
const LENGTH_TOLERANCE = 0.03;
/** Tokens by which two counters may differ on one text; one counter on both sides has no such slack. */
export const LENGTH_SLACK = 2;
/** This many standard errors apart is a difference: one false alarm in 100,000 looks, and every pair of runs looks ten times. */
const SHARE_ERRORS = 4.5;
/** Where a file gives no spread, it is taken to be this share of the mean: half way from fixed lengths to exponential ones. */
const ASSUMED_SPREAD = 0.5;
/** Means apart by less than this are not worth a word. */
const SLIGHT = 0.005;
const KS_DISTANCE = 0.1;
const KS_P = 1e-4;
const QUANTILES = [5, 25, 50, 75, 95] as const;

export const LENGTH_RULE = `Quantiles p5 to p95 and the mean within ${LENGTH_TOLERANCE * 100} % (with two counters, or ${LENGTH_SLACK} tokens), or apart by no more than ${SHARE_ERRORS} standard errors; Kolmogorov-Smirnov distance up to ${KS_DISTANCE} (or p >= ${KS_P}). Equal means alone are not enough where there are quantiles. Where a file has quantiles alone, shares are taken from those that it names. A file without a spread is taken to have one of ${ASSUMED_SPREAD} times the mean.`;

/** What a file says of a length; other tools often keep the mean alone. Fields that nobody wrote are absent. */
export type LengthSummary = Partial<DistributionSummary>;

/** What is known of a length on one side: every value, or a summary. */
export interface Lengths {
  readonly values?: Float64Array;
  readonly summary: LengthSummary;
}

function lengthsOf(values: Iterable<number>): Lengths | undefined {
  const sorted = sortedValues(values);
  const summary = distributionOf(sorted);
  return summary && { values: sorted, summary };
}

export interface LengthComparison {
  /** Different beyond chance and beyond the floor. */
  readonly differs: boolean;
  /** The point estimates are apart by more than the floor, whether or not chance could do it. */
  readonly apart: boolean;
  /** Apart, and of how many requests nobody says: chance can neither be named nor excluded. */
  readonly open: boolean;
  /** Different beyond chance, but by less than the floor: worth a note. */
  readonly slight: boolean;
  /** Of the means, as a share of the larger. */
  readonly gap: number;
  /** "p5 120 against 96, p95 ..."; the quantile that is furthest apart first. */
  readonly words: string;
}

export function compareLengths(a: Lengths, b: Lengths, slack: number): LengthComparison {
  const quantiles = QUANTILES.flatMap((percent) => quantileGap(a, b, percent) ?? []);
  const means = meanGap(a, b);
  const far = quantiles.filter((gap) => isFar(gap.a, gap.b, slack));
  const sure = far.filter((gap) => gap.errors > SHARE_ERRORS);
  const meanFar = means !== undefined && isFar(means.a, means.b, slack);
  const meanErrors = means?.errors ?? 0;
  const test = a.values && b.values ? kolmogorovSmirnov(a.values, b.values) : undefined;
  const shape = test !== undefined && test.statistic > KS_DISTANCE && test.p < KS_P && far.length > 0;
  const differs = sure.length > 0 || (meanFar && meanErrors > SHARE_ERRORS) || shape;
  const apart = far.length > 0 || meanFar;
  const isCounted = a.summary.count !== undefined && b.summary.count !== undefined;
  return {
    differs,
    apart,
    open: apart && !differs && !isCounted,
    slight:
      means !== undefined &&
      !meanFar &&
      meanErrors > SHARE_ERRORS &&
      Math.abs(means.a - means.b) > SLIGHT * Math.max(means.a, means.b),
    gap: means ? relative(means) : 0,
    words: differenceWords(means, far),
  };
}

function isFar(a: number, b: number, slack: number): boolean {
  const gap = Math.abs(a - b);
  return gap > slack && gap > LENGTH_TOLERANCE * Math.max(Math.abs(a), Math.abs(b));
}

interface QuantileGap {
  readonly percent: (typeof QUANTILES)[number];
  readonly a: number;
  readonly b: number;
  readonly errors: number;
}

/** A quantile that both sides have, and by how many standard errors the shares of requests under it differ. */
function quantileGap(a: Lengths, b: Lengths, percent: QuantileGap['percent']): QuantileGap | undefined {
  const key = `p${percent}` as const;
  const [x, y] = [a.summary[key], b.summary[key]];
  if (x === undefined || y === undefined) return undefined;
  if (!a.values || !b.values) {
    return { percent, a: x, b: y, errors: summaryErrors(a.summary, b.summary, x, y, percent / 100) };
  }
  // Both halves of the gap are asked: with discrete lengths the share may be equal at one end and not at the other.
  const low = Math.min(x, y);
  const errors = Math.max(shareErrors(a.values, b.values, low), shareErrors(a.values, b.values, (x + y) / 2));
  return { percent, a: x, b: y, errors };
}

/**
 * How surely the shares of requests up to a value differ, in standard errors: the root of the likelihood ratio of one
 * share against two (Wilks), which unlike a pooled z stays honest when few requests are in the tail.
 */
function shareErrors(a: Float64Array, b: Float64Array, value: number): number {
  const [hitsA, hitsB] = [countUpTo(a, value), countUpTo(b, value)];
  const pooled = (hitsA + hitsB) / (a.length + b.length);
  const term = (hits: number, n: number, share: number): number =>
    (hits > 0 ? hits * Math.log(hits / (n * share)) : 0) +
    (hits < n ? (n - hits) * Math.log((n - hits) / (n * (1 - share))) : 0);
  return Math.sqrt(Math.max(0, 2 * (term(hitsA, a.length, pooled) + term(hitsB, b.length, pooled))));
}

function countUpTo(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of a summary: the quantiles that it names, from the least value to the largest. */
const KNOWN = [
  ['min', 0],
  ['p5', 0.05],
  ['p25', 0.25],
  ['p50', 0.5],
  ['p75', 0.75],
  ['p95', 0.95],
  ['p99', 0.99],
  ['max', 1],
] as const;

/**
 * Without the values: where A's quantile x lies under B's y, the share of B up to x is no more than that of B's lowest quantile beyond
 * x, and the share of A under y no less than that of A's highest before y. No shape is assumed: lengths come in lumps.
 */
function summaryErrors(a: LengthSummary, b: LengthSummary, x: number, y: number, p: number): number {
  const [low, high, end, other] = x < y ? [a, b, x, y] : [b, a, y, x];
  const beyond = KNOWN.find(([key]) => (high[key] ?? -Infinity) > end)?.[1] ?? p;
  const before = KNOWN.findLast(([key]) => (low[key] ?? Infinity) < other)?.[1] ?? p;
  const errors = (from: number, to: number): number => {
    const middle = (from + to) / 2;
    const each = 1 / Math.max(1, a.count ?? 1) + 1 / Math.max(1, b.count ?? 1);
    return Math.max(0, to - from) / Math.sqrt(middle * (1 - middle) * each);
  };
  return Math.max(errors(beyond, p), errors(p, before));
}

/** As recorded; else from the middle half of a normal, which spans 1.349 of it; else assumed. */
function spreadOf({ stdDev, p25, p50, p75, mean }: LengthSummary): number {
  if (stdDev !== undefined) return stdDev;
  return p25 !== undefined && p75 !== undefined ? (p75 - p25) / 1.349 : ASSUMED_SPREAD * Math.abs(mean ?? p50 ?? 0);
}

interface MeanGap {
  readonly a: number;
  readonly b: number;
  readonly errors: number;
}

/** Undefined where a side has no mean. */
function meanGap(a: Lengths, b: Lengths): MeanGap | undefined {
  const [x, y] = [a.summary.mean, b.summary.mean];
  if (x === undefined || y === undefined) return undefined;
  const variance = ({ summary }: Lengths): number => spreadOf(summary) ** 2 / Math.max(1, summary.count ?? 1);
  const error = Math.sqrt(variance(a) + variance(b));
  const gap = Math.abs(x - y);
  // Two fixed lengths have no spread: any gap beyond the floor is a difference.
  const errors = error > 0 ? gap / error : gap > 0 ? Infinity : 0;
  return { a: x, b: y, errors };
}

function differenceWords(
  means: MeanGap | undefined,
  far: readonly { percent: number; a: number; b: number }[],
): string {
  const byDistance = [...far].sort((x, y) => relative(y) - relative(x)).slice(0, 3);
  const quantiles = byDistance.map((gap) => `p${gap.percent} ${tokens(gap.a)} against ${tokens(gap.b)}`);
  return [...(means ? [`mean ${tokens(means.a)} against ${tokens(means.b)}`] : []), ...quantiles].join(', ');
}

function relative({ a, b }: { a: number; b: number }): number {
  return Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b), 1e-9);
}

/** "mean 128, p5 78, p50 127, p95 178, min 32, max 256 (n = 320)"; what is not known is left out. */
export function lengthWords({ summary }: Lengths): string {
  const { min, max, count } = summary;
  const n = count === undefined ? '' : ` (n = ${count})`;
  if (min !== undefined && min === max) return `always ${tokens(min)}${n}`;
  const named = (['mean', 'p5', 'p50', 'p95', 'min', 'max'] as const).flatMap((key) => {
    const value = summary[key];
    return value === undefined ? [] : [`${key} ${tokens(value)}`];
  });
  return `${named.join(', ')}${n}`;
}

function tokens(value: number): string {
  return rounded(value, 4);
}

/** Values of a property over records; undefined when more than one in a hundred lacks it. */
export function nearlyAll(
  records: readonly RequestRecord[],
  of: (record: RequestRecord) => number | undefined,
): Lengths | undefined {
  const values = new Float64Array(records.length);
  let n = 0;
  for (const record of records) {
    const value = of(record);
    if (value !== undefined) values[n++] = value;
  }
  return n > 0 && n >= 0.99 * records.length ? lengthsOf(values.subarray(0, n)) : undefined;
}

/** Median over records, undefined when none has the property. */
export function medianOf(values: readonly number[] | Float64Array): number | undefined {
  return values.length === 0 ? undefined : percentile(sortedValues(values), 50);
}

/** Whether the two have a mean or a quantile in common, to be held against each other. */
export function shareStatistic(a: Lengths, b: Lengths): boolean {
  const has = (key: 'mean' | 'p5' | 'p25' | 'p50' | 'p75' | 'p95'): boolean =>
    a.summary[key] !== undefined && b.summary[key] !== undefined;
  return has('mean') || has('p5') || has('p25') || has('p50') || has('p75') || has('p95');
}

/** What to say of lengths that differ beyond chance, but by less than what confounds. */
export function slightly(what: string, comparison: LengthComparison, by: string): string {
  if (!comparison.slight) return '';
  return `The ${what} differ in length beyond chance, by ${percent(comparison.gap)} of the longer mean: ${comparison.words} tokens ${by}.`;
}
