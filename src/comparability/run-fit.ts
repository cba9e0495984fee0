// Repeats of two sides in the order they ran: means with their variances, blocks compared within themselves, and what drifts.
import { mean } from '../metrics/statistics';
import { twoSidedStudent } from '../metrics/student';

export interface Observation {
  readonly value: number;
  /** Place in the order of all runs; absent where it is not recorded. */
  readonly position?: number;
}

export interface RunFit {
  readonly meanA: number;
  readonly meanB: number;
  /** Of the means. */
  readonly varianceA: number;
  readonly varianceB: number;
  readonly covariance: number;
  readonly freedom: number;
  /** Standard deviation of one run. */
  readonly noise: number;
  readonly method: string;
  readonly drift?: number;
  readonly open: boolean;
}

/** Undefined with fewer than three runs, or none on a side. */
export function fitRuns(a: readonly Observation[], b: readonly Observation[]): RunFit | undefined {
  const freedom = a.length + b.length - 2;
  if (a.length === 0 || b.length === 0 || freedom < 1) return undefined;
  const [meanA, meanB] = [meanOf(a), meanOf(b)];
  const variance = (squares(a, meanA) + squares(b, meanB)) / freedom;
  const drift = driftOf(a, b);
  const balance = balanceOf(a, b);
  const shared = {
    meanA,
    meanB,
    noise: Math.sqrt(variance),
    ...(drift !== undefined && meanA !== 0 ? { drift: drift / meanA } : {}),
    open: balance === 'open' || (drift !== undefined && balance === 'leaning'),
  };
  const blocks = blocksOf(a, b);
  if (blocks) {
    const k = blocks.length;
    const [x, y] = [blocks.map(({ a: own }) => own), blocks.map(({ b: own }) => own)];
    const product = (p: readonly number[], q: readonly number[]): number =>
      p.reduce((sum, value, i) => sum + (value - mean(p)) * (q[i]! - mean(q)), 0) / (k - 1) / k;
    return {
      ...shared,
      varianceA: product(x, x),
      varianceB: product(y, y),
      covariance: product(x, y),
      freedom: k - 1,
      method: `Student’s t over ${k} blocks of runs, compared within each`,
    };
  }
  return {
    ...shared,
    varianceA: variance / a.length,
    varianceB: variance / b.length,
    covariance: 0,
    freedom,
    method: 'Student’s t over repeats',
  };
}

function meanOf(runs: readonly Observation[]): number {
  return mean(runs.map(({ value }) => value));
}

function squares(runs: readonly Observation[], center: number): number {
  return runs.reduce((sum, { value }) => sum + (value - center) ** 2, 0);
}

interface Placed {
  readonly value: number;
  readonly side: 'a' | 'b';
  readonly position: number;
}

/** All runs in their order, or undefined where that is not recorded. */
function ordered(a: readonly Observation[], b: readonly Observation[]): Placed[] | undefined {
  const all = [
    ...a.map((run) => ({ ...run, side: 'a' as const })),
    ...b.map((run) => ({ ...run, side: 'b' as const })),
  ];
  const placed = all.flatMap(({ value, side, position }) =>
    position === undefined ? [] : [{ value, side, position }],
  );
  return placed.length === all.length ? placed.sort((x, y) => x.position - y.position) : undefined;
}

/**
 * Whether drift could pass for a difference. `even`: both sides ran as early as each other on average; `leaning`: they took turns, but
 * one came first each time; `open`: one side after the other, or nobody knows.
 */
export function balanceOf(
  a: readonly Pick<Observation, 'position'>[],
  b: readonly Pick<Observation, 'position'>[],
): 'even' | 'leaning' | 'open' {
  const places = (runs: readonly Pick<Observation, 'position'>[]): number[] =>
    runs.flatMap(({ position }) => (position === undefined ? [] : [position]));
  const [x, y] = [places(a), places(b)];
  if (x.length < a.length || y.length < b.length) return 'open';
  const gap = Math.abs(mean(x) - mean(y));
  if (gap < 0.5) return 'even';
  // Turns taken: neither ran as one piece before the other, and the sides' middles lie close beside the whole.
  const apart = Math.max(...x) < Math.min(...y) || Math.max(...y) < Math.min(...x);
  return !apart && gap <= (a.length + b.length) / 4 ? 'leaning' : 'open';
}

/** Blocks from which on comparing within them costs less than it saves. */
const FEWEST_BLOCKS = 4;

/** Smallest pieces of the order that hold as many runs of A as of B; undefined where they are too few, or not alike. */
function blocksOf(a: readonly Observation[], b: readonly Observation[]): { a: number; b: number }[] | undefined {
  const runs = ordered(a, b);
  if (!runs || a.length !== b.length) return undefined;
  const pieces: Placed[][] = [];
  let open: Placed[] = [];
  let lead = 0;
  for (const run of runs) {
    open.push(run);
    lead += run.side === 'a' ? 1 : -1;
    if (lead !== 0) continue;
    pieces.push(open);
    open = [];
  }
  const fours = pieces.every(({ length }) => length === 2) ? mirrored(pieces) : undefined;
  const chosen = fours && fours.length >= FEWEST_BLOCKS ? fours : pieces;
  if (chosen.length < FEWEST_BLOCKS || chosen.some(({ length }) => length !== chosen[0]!.length)) return undefined;
  const side = (piece: readonly Placed[], which: 'a' | 'b'): number =>
    mean(piece.filter((run) => run.side === which).map(({ value }) => value));
  return chosen.map((piece) => ({ a: side(piece, 'a'), b: side(piece, 'b') }));
}

/** A B B A and B A A B: a steady drift cancels in each. */
function mirrored(pairs: readonly (readonly Placed[])[]): Placed[][] | undefined {
  if (pairs.length % 2 !== 0) return undefined;
  const fours: Placed[][] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    if (pairs[i]![0]!.side === pairs[i + 1]![0]!.side) return undefined;
    fours.push([...pairs[i]!, ...pairs[i + 1]!]);
  }
  return fours;
}

/** Change of the value from run to run, side and place fitted together; undefined where it is no more than chance, or cannot be told. */
function driftOf(a: readonly Observation[], b: readonly Observation[]): number | undefined {
  const runs = ordered(a, b);
  if (!runs || runs.length < 5) return undefined;
  const own = (side: 'a' | 'b') => runs.filter((run) => run.side === side);
  // Within each side, around its own middle: what is left of place and value.
  let xx = 0;
  let xy = 0;
  let yy = 0;
  for (const group of [own('a'), own('b')]) {
    const middle = mean(group.map(({ position }) => position));
    const level = mean(group.map(({ value }) => value));
    for (const { position, value } of group) {
      xx += (position - middle) ** 2;
      xy += (position - middle) * (value - level);
      yy += (value - level) ** 2;
    }
  }
  if (!(xx > 0)) return undefined;
  const slope = xy / xx;
  const freedom = runs.length - 3;
  const error = Math.sqrt(Math.max(0, yy - slope * xy) / freedom / xx);
  if (slope === 0) return undefined;
  return error === 0 || twoSidedStudent(slope / error, freedom) < 0.05 ? slope : undefined;
}
