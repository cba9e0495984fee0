// Whether every planned request of a report ended: as its tool says it, else as planned and ended requests are counted.
import { plannedOf } from '../pitfalls/in-report';
import { whole } from '../figures';
import type { Run } from '../readers/run';
import { runState } from '../readers/run-state';

export interface Ended {
  readonly planned: number;
  readonly ok: number;
  readonly failed: number;
}

/** Undefined where a part of another tool's report says nothing of one of the three. */
export function endedOf({ canonical }: Run): Ended | undefined {
  const parts = canonical?.scopes.filter(({ kind }) => kind === 'stage' || kind === 'run') ?? [];
  if (!canonical || parts.length === 0) return undefined;
  let [planned, ok, failed] = [0, 0, 0];
  for (const scope of parts) {
    const wanted = plannedOf(scope, canonical);
    if (wanted === undefined || scope.counts.ok === undefined || scope.counts.failed === undefined) return undefined;
    planned += wanted;
    ok += scope.counts.ok;
    failed += scope.counts.failed;
  }
  return { planned, ok, failed };
}

/** The state of a run in a word or a few, the same in its report and in every comparison. */
export function stateWords(run: Run): string {
  const counted = run.manifest || run.damaged || run.canonical?.ended ? undefined : endedOf(run);
  if (!counted) return runState(run).words;
  const ended = counted.ok + counted.failed;
  return ended < counted.planned
    ? `incomplete: ${whole(ended)} of ${whole(counted.planned)} planned requests`
    : 'complete';
}
