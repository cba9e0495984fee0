// What blocks of runs can carry: one value a block, Student's t over them, three answers, looks that were planned, Stein's two stages.
import { mean, standardDeviation as populationDeviation } from '../metrics/statistics';
import { studentQuantile, twoSidedStudent } from '../metrics/student';

/** Of the normal, for a chance of 80 % to see a difference that is there. */
const POWER_Z = 0.8416;

/** Of a sample: divided by n - 1. */
export function deviationOf(values: readonly number[]): number {
  return populationDeviation(values) * Math.sqrt(values.length / (values.length - 1));
}

/** Fewer give no interval worth its name. */
export const FEWEST_BLOCKS = 3;

/** Below so many blocks an exact test stands beside t; above, it says the same. */
const EXACT_BELOW = 6;

/** Values of the runs of one block, by side. */
export interface BlockValues {
  readonly a: readonly number[];
  readonly b: readonly number[];
}

/** B against A, one number a block; `ratio` is of logarithms, else in the metric's own unit. */
export interface BlockDifferences {
  readonly scale: 'ratio' | 'absolute';
  readonly values: readonly number[];
}

/**
 * mean(log B) - mean(log A) of each block: in A B B A a steady drift cancels. Where a value may be 0 (failures, lateness) there is no
 * logarithm, and the difference is plain. Blocks that lack the value on a side are left out.
 */
export function blockDifferences(blocks: readonly BlockValues[]): BlockDifferences {
  const whole = blocks.filter(({ a, b }) => a.length > 0 && b.length > 0);
  const ratio = whole.every(({ a, b }) => [...a, ...b].every((value) => value > 0));
  const level = (values: readonly number[]): number => mean(ratio ? values.map(Math.log) : values);
  return { scale: ratio ? 'ratio' : 'absolute', values: whole.map(({ a, b }) => level(b) - level(a)) };
}

/** What an interval rests on; with Stein's two stages the deviation is the pilot's, as the number of blocks came from it. */
export interface Spread {
  readonly mean: number;
  readonly deviation: number;
  readonly freedom: number;
  readonly blocks: number;
}

/** Undefined with fewer than two values. @param pilot so many first blocks decided how many there are */
export function spreadOf(values: readonly number[], pilot?: number): Spread | undefined {
  const basis = pilot === undefined ? values : values.slice(0, pilot);
  if (basis.length < 2) return undefined;
  return {
    mean: mean(values),
    deviation: deviationOf(basis),
    freedom: basis.length - 1,
    blocks: values.length,
  };
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export function intervalOf({ mean: middle, deviation, freedom, blocks }: Spread, alpha: number): Interval {
  const reach = (studentQuantile(alpha, freedom) * deviation) / Math.sqrt(blocks);
  return { low: middle - reach, high: middle + reach };
}

/** Two-sided chance of a mean so far from 0. */
export function chanceOf({ mean: middle, deviation, freedom, blocks }: Spread): number {
  if (deviation === 0) return middle === 0 ? 1 : 0;
  return twoSidedStudent((middle / deviation) * Math.sqrt(blocks), freedom);
}

/** Exact sign-flip test of few blocks, and the least it can reach (2^(1 - n)); undefined where t needs no help. */
export function signFlip(values: readonly number[]): { readonly p: number; readonly least: number } | undefined {
  const n = values.length;
  if (n < 2 || n >= EXACT_BELOW) return undefined;
  const seen = Math.abs(mean(values));
  let asFar = 0;
  for (let signs = 0; signs < 2 ** n; signs++) {
    const flipped = values.map((value, i) => ((signs >> i) & 1 ? -value : value));
    if (Math.abs(mean(flipped)) >= seen * (1 - 1e-12)) asFar++;
  }
  return { p: asFar / 2 ** n, least: 2 ** (1 - n) };
}

/**
 * Holm (1979): the level at which each is tested, so that an interval at that level leaves 0 out exactly where the step-down finds a
 * difference; all behind the first that is not found have its level.
 */
export function holmLevels(chances: readonly number[], alpha: number): number[] {
  const order = chances.map((p, i) => ({ p, i })).sort((x, y) => x.p - y.p);
  const levels = new Array<number>(chances.length).fill(alpha);
  let stopped: number | undefined;
  order.forEach(({ p, i }, rank) => {
    const level = stopped ?? alpha / (chances.length - rank);
    levels[i] = level;
    if (p > level) stopped = level;
  });
  return levels;
}

/** Blocks from which the interval at alpha would reach no further than `reach`; undefined beyond `most`. */
export function blocksToReach(deviation: number, reach: number, alpha: number, most = 500): number | undefined {
  const reaches = (n: number): boolean => (studentQuantile(alpha, n - 1) * deviation) / Math.sqrt(n) <= reach;
  for (let n = FEWEST_BLOCKS; n <= most; n++) if (reaches(n)) return n;
  return undefined;
}

/** Stein (1945): from a pilot, how many blocks in all give an interval of at most this half width. */
export function steinBlocks(pilot: readonly number[], halfWidth: number, alpha: number): number {
  const t = studentQuantile(alpha, pilot.length - 1);
  return Math.max(pilot.length, Math.ceil(((t * deviationOf(pilot)) / halfWidth) ** 2));
}

/** Smallest true difference that four of five such experiments see. @param deviation of one block */
export function smallestSeen(deviation: number, blocks: number, alpha: number): number {
  return ((studentQuantile(alpha, Math.max(1, blocks - 1)) + POWER_Z) * deviation) / Math.sqrt(blocks);
}

export type AnswerKind = 'different' | 'equivalent' | 'inconclusive';

export interface Judged {
  readonly kind: AnswerKind;
  /** At the level of its test. */
  readonly interval: Interval;
  readonly alpha: number;
  readonly p: number;
  readonly exact?: { readonly p: number; readonly least: number };
  /** The whole interval lies outside the margin: above, below. */
  readonly beyond?: 'above' | 'below';
  readonly withinMargin?: boolean;
  /** Of an inconclusive one: so many further blocks would settle it if noise stays; absent where hundreds would not. */
  readonly furtherBlocks?: number;
}

/** In the scale of the differences: of a ratio, logarithms. */
export interface Margin {
  readonly low: number;
  readonly high: number;
}

/** ±5 % as logarithms are not symmetric. */
export function marginOfShare(share: number): Margin {
  return { low: share < 1 ? Math.log1p(-share) : -Infinity, high: Math.log1p(share) };
}

export interface Question {
  readonly differences: BlockDifferences;
  readonly margin?: Margin | undefined;
}

/**
 * All primary metrics of one look. Different: the interval at Holm's level leaves 0 out. Equivalent: two one-sided tests (Schuirmann
 * 1987) at the look's alpha, that is the interval of twice that inside the margin; it wins over a difference that small. To call all of
 * them equivalent needs no correction (intersection-union). Entries without two blocks are undefined.
 * @param alpha of this look
 */
export function judgeLook(
  questions: readonly Question[],
  alpha: number,
  pilot?: number,
): readonly (Judged | undefined)[] {
  const spreads = questions.map(({ differences }) => spreadOf(differences.values, pilot));
  const tested = spreads.flatMap((spread, i) => (spread ? [{ spread, i }] : []));
  const levels = holmLevels(
    tested.map(({ spread }) => chanceOf(spread)),
    alpha,
  );
  const judged = new Array<Judged | undefined>(questions.length).fill(undefined);
  tested.forEach(({ spread, i }, k) => {
    judged[i] = judgeOne(spread, questions[i]!, alpha, levels[k]!);
  });
  return judged;
}

function judgeOne(spread: Spread, { differences, margin }: Question, alpha: number, level: number): Judged {
  const interval = intervalOf(spread, level);
  const inner = intervalOf(spread, 2 * alpha);
  const inside = margin !== undefined && inner.low > margin.low && inner.high < margin.high;
  const apart = interval.low > 0 || interval.high < 0;
  const exact = signFlip(differences.values);
  const shared = { interval, alpha: level, p: chanceOf(spread), ...(exact ? { exact } : {}) };
  const beyond: Judged['beyond'] | undefined =
    margin === undefined
      ? undefined
      : interval.low > margin.high
        ? 'above'
        : interval.high < margin.low
          ? 'below'
          : undefined;
  const more = { ...shared, ...(beyond ? { beyond } : {}), ...(margin ? { withinMargin: inside } : {}) };
  if (inside) return { kind: 'equivalent', ...more };
  if (apart) return { kind: 'different', ...more };
  const further = furtherBlocks(spread, margin, alpha, level);
  return { kind: 'inconclusive', ...more, ...(further === undefined ? {} : { furtherBlocks: further }) };
}

/** To the nearest answer: equivalence where the mean lies inside the margin, a difference else. */
function furtherBlocks(
  { mean: middle, deviation, blocks }: Spread,
  margin: Margin | undefined,
  alpha: number,
  level: number,
): number | undefined {
  const inside = margin !== undefined && middle > margin.low && middle < margin.high;
  const needed = inside
    ? blocksToReach(deviation, Math.min(margin.high - middle, middle - margin.low), 2 * alpha)
    : blocksToReach(deviation, Math.abs(middle), level);
  return needed === undefined ? undefined : Math.max(1, needed - blocks);
}
