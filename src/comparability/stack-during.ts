// What changed of a cluster's stack while a side was measured: a restart in the window is no difference between sides but a fault of one.
import { changesBetween } from '../cluster/changes';
import type { Change } from '../cluster/snapshot-schema';
import { changeWords } from '../cluster/words';
import type { RunManifest } from '../folder/manifest';
import { rounded } from '../figures';
import { startSeconds } from '../metrics/request-metrics';
import type { MeasuredStage, Side } from './side';

/** Events are best-effort, and readiness that came back is the end of a change, not one. */
const HARMLESS: readonly Change['kind'][] = ['event', 'ready'];

export interface ChangedDuring {
  readonly words: string;
  /** Stages under way; empty where the time is not known. */
  readonly stages: readonly number[];
}

/** Inside the window, warm-ups and cuts left out. Empty as well where nobody watched. */
export function changedDuring(side: Side): ChangedDuring[] {
  // A stack record given for the comparison says nothing of the time of the run.
  const facts = side.run.manifest?.stack?.kubernetes;
  if (!facts) return [];
  const seen = new Set(facts.changes.map(({ kind, object }) => `${kind} ${object}`));
  const windows = side.stages.flatMap((stage) => windowOf(stage, side.run.manifest));
  const watched = facts.changes
    .filter(({ kind }) => !HARMLESS.includes(kind))
    .flatMap((change): ChangedDuring[] => {
      const stages = windows
        .filter(({ from, to }) => change.atSeconds >= from && change.atSeconds <= to)
        .map(({ id }) => id);
      return stages.length === 0 ? [] : [{ words: `at ${rounded(change.atSeconds)} s ${changeWords(change)}`, stages }];
    });
  // What only the two ends show happened at a time that nobody knows.
  const between = facts.end ? changesBetween(facts.start, facts.end) : [];
  const unwatched = between.filter(({ kind, object }) => !HARMLESS.includes(kind) && !seen.has(`${kind} ${object}`));
  return [
    ...watched,
    ...unwatched.map((change) => ({ words: `some time between start and end ${changeWords(change)}`, stages: [] })),
  ];
}

function windowOf(
  { id, records }: MeasuredStage,
  manifest: RunManifest | undefined,
): { id: number; from: number; to: number }[] {
  let [from, to] = [Infinity, -Infinity];
  for (const record of records ?? []) {
    const start = startSeconds(record);
    if (start === undefined) continue;
    from = Math.min(from, start);
    to = Math.max(to, record.endSeconds ?? start);
  }
  if (from <= to) return [{ id, from, to }];
  const stage = manifest?.stages.find((one) => one.id === id);
  const [first, last] = [stage?.firstSentSeconds ?? stage?.startSeconds, stage?.endSeconds];
  return first === undefined || last === undefined ? [] : [{ id, from: first, to: last }];
}
