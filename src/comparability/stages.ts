// Which stage of A is compared with which stage of B: by the load they offered, never by their position.
import { loadLabel, type MeasuredStage, type Side, type StageLoad } from './side';

export interface StagePair {
  /** Position in `Comparison.stages`. */
  readonly index: number;
  readonly a: MeasuredStage;
  readonly b: MeasuredStage;
  /** False: put side by side only so that the numbers can be seen; offered-load or load-model says why they differ. */
  readonly sameLoad: boolean;
  readonly label: string;
}

export interface Matching {
  readonly pairs: readonly StagePair[];
  readonly unmatchedA: readonly MeasuredStage[];
  readonly unmatchedB: readonly MeasuredStage[];
}

/** Rates this close, as a share of the larger, are one load: a percent moves utilisation by a percent. */
export const RATE_TOLERANCE = 0.01;

/**
 * Equal loads first (repeated ones in order). What is left on both sides is paired by rank of load, marked as different;
 * what is left on one side alone stays unmatched.
 */
export function matchStages(a: Side, b: Side): Matching {
  const restB = [...b.stages];
  const restA: MeasuredStage[] = [];
  const pairs: Omit<StagePair, 'index'>[] = [];
  for (const stage of a.stages) {
    const at = restB.findIndex((other) => sameLoad(stage.load, other.load));
    if (at < 0) restA.push(stage);
    else {
      const [other] = restB.splice(at, 1);
      pairs.push({ a: stage, b: other!, sameLoad: true, label: loadLabel(stage.load) });
    }
  }
  restA.sort((x, y) => amount(x.load) - amount(y.load));
  restB.sort((x, y) => amount(x.load) - amount(y.load));
  while (restA.length > 0 && restB.length > 0) {
    const first = restA.shift()!;
    const second = restB.shift()!;
    const label = `${loadLabel(first.load)} against ${loadLabel(second.load)}`;
    pairs.push({ a: first, b: second, sameLoad: false, label });
  }
  pairs.sort((x, y) => x.a.id - y.a.id);
  return { pairs: pairs.map((pair, index) => ({ ...pair, index })), unmatchedA: restA, unmatchedB: restB };
}

function sameLoad(a: StageLoad, b: StageLoad): boolean {
  if (a.kind === 'rate' && b.kind === 'rate') {
    return Math.abs(a.rps - b.rps) <= RATE_TOLERANCE * Math.max(a.rps, b.rps);
  }
  if (a.kind === 'all-at-once' && b.kind === 'all-at-once') return true;
  return a.kind === 'concurrency' && b.kind === 'concurrency' && a.level === b.level;
}

function amount(load: StageLoad): number {
  if (load.kind === 'rate') return load.rps;
  if (load.kind === 'all-at-once') return Infinity;
  return load.kind === 'concurrency' ? load.level : 0;
}
