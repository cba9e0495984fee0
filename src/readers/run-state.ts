// Whether a run is whole, in words: every view, table and comparison says it the same way.
import type { ScopeCounts } from './canonical';
import type { Run } from './run';

export interface RunState {
  readonly complete: boolean;
  /** "complete", "incomplete: 812 of 1,800 requests", "not recorded". */
  readonly words: string;
  /** Requests that ended (ok or failed), warm-up included. */
  readonly ended?: number;
  readonly planned?: number;
}

/** A run.json that still says `running` is the trace of a run that was killed, or of one that is under way. */
export function runState(run: Run): RunState {
  const { manifest } = run;
  if (!manifest) {
    if (!run.damaged) return reportedState(run);
    const ended = endedRequests(run);
    const words = `incomplete: run.json is damaged${ended === undefined ? '' : `, ${thousands(ended)} requests are left`}`;
    return { complete: false, words, ...(ended === undefined ? {} : { ended }) };
  }
  const planned = manifest.stages.reduce((total, stage) => total + stage.planned, 0);
  const ended = endedRequests(run);
  const facts = { planned, ...(ended === undefined ? {} : { ended }) };
  if (manifest.state === 'complete') return { complete: true, words: 'complete', ...facts };
  const why = manifest.stateReason ?? (manifest.state === 'running' ? 'stopped before its end, or still running' : '');
  const words = `incomplete: ${thousands(ended ?? 0)} of ${thousands(planned)} requests${why === '' ? '' : ` (${why})`}`;
  return { complete: false, words, ...facts };
}

/** Of another tool: as its file says; silence is not taken for an end that was missed. */
function reportedState({ canonical }: Run): RunState {
  if (!canonical?.ended) return { complete: true, words: 'not recorded whether it is complete' };
  if (canonical.ended.complete) return { complete: true, words: 'complete' };
  const counts: ScopeCounts = canonical.scopes[0]?.counts ?? {};
  const { total, planned } = counts;
  const of = planned === undefined ? '' : ` of ${thousands(planned)}`;
  const requests = total === undefined ? '' : `: ${thousands(total)}${of} requests`;
  const why = canonical.ended.why === undefined ? '' : ` (${canonical.ended.why})`;
  return {
    complete: false,
    words: `incomplete${requests}${why}`,
    ...(total === undefined ? {} : { ended: total }),
    ...(planned === undefined ? {} : { planned }),
  };
}

function endedRequests({ records, manifest, summary }: Run): number | undefined {
  if (records) {
    return records.filter(({ outcome }) => outcome.kind === 'ok' || outcome.kind === 'failed').length;
  }
  if (manifest?.counts) return manifest.counts.ok + manifest.counts.failed;
  return summary?.load_summary.count;
}

function thousands(value: number): string {
  return value.toLocaleString('en-US');
}
