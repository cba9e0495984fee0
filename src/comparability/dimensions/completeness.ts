// Did every planned request end, and how? Latencies are of the survivors.
import { proportionsZ } from '../../metrics/two-samples';
import { reportOf } from '../../readers/own';
import type { Run } from '../../readers/run';
import { runState } from '../../readers/run-state';
import { plannedOf } from '../../pitfalls/in-report';
import type { Evidence } from '../comparison';
import { assumption, confounds, dimension, moved, same, unknown, type SideEvidence } from '../dimension';
import { counted, percent } from '../../figures';
import { inFact, inManifest, inRecords, inReport, inSetting } from '../evidence';
import { factsOn, type MeasuredStage, type Side } from '../side';

interface Ends {
  /** Of another tool that does not say, those that ended. */
  readonly planned: number;
  readonly ok: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly notSent: number;
}

interface Completeness extends SideEvidence {
  readonly ends: Ends | undefined;
  /** False: how many were planned is not recorded, and those that ended stand for them. */
  readonly isPlanKnown: boolean;
  /** A manifest knows how every request ended; a report, only of those that are in it. */
  readonly manifest: boolean;
  /** Why the run as a whole is not complete. */
  readonly incomplete: string | undefined;
  readonly stateKnown: boolean;
  /** Requests that were sent more than once. */
  readonly again: number;
}

/** inference-perf.md section 8, P65: over one percent, an overloaded server looks fast. */
const LOSS_FLOOR = 0.01;
const LOSS_Z = 3;
const CLEAR_LOSS = 0.05;
const CLEAR_LOSS_Z = 2;

function endsOf({ run, stages }: Side): Ends | undefined {
  const all = stages.map((stage) => (run.manifest ? stageEnds(stage) : reportedEnds(run, stage)));
  if (all.length === 0 || all.some((ends) => ends === undefined)) return undefined;
  const total = (key: keyof Ends): number => all.reduce((sum, ends) => sum + ends![key], 0);
  return {
    planned: total('planned'),
    ok: total('ok'),
    failed: total('failed'),
    cancelled: total('cancelled'),
    notSent: total('notSent'),
  };
}

function stageEnds({ facts, records }: MeasuredStage): Ends | undefined {
  const planned = facts.planned.value;
  if (planned === undefined) return undefined;
  if (!records) return facts.counts.value && { ...facts.counts.value, planned };
  const of = (kind: string): number => records.filter(({ outcome }) => outcome.kind === kind).length;
  return { planned, ok: of('ok'), failed: of('failed'), cancelled: of('cancelled'), notSent: of('notSent') };
}

/** Of another tool: planned as it recorded, or as the config beside it asks; ended as its report counts. */
function reportedEnds(run: Run, { scope, records }: MeasuredStage): Ends | undefined {
  const canonical = reportOf(run);
  const of = (kind: string): number | undefined => records?.filter(({ outcome }) => outcome.kind === kind).length;
  const ok = of('ok') ?? scope?.counts.ok;
  const failed = of('failed') ?? scope?.counts.failed;
  if (ok === undefined || failed === undefined) return undefined;
  const cancelled = scope?.counts.cancelled ?? 0;
  const planned = (scope && plannedOf(scope, canonical)) ?? ok + failed + cancelled;
  return { planned, ok, failed, cancelled, notSent: 0 };
}

/** A tool that says it came to its end has sent what it meant to, also where that is a time and not a count. */
function isPlanKnown({ run, stages }: Side): boolean {
  if (run.manifest) return true;
  const canonical = reportOf(run);
  return (
    canonical.ended?.complete === true ||
    stages.every(({ scope }) => scope !== undefined && plannedOf(scope, canonical) !== undefined)
  );
}

function evidenceOf(side: Side, ends: Ends | undefined, stateWords: string | undefined): Evidence[] {
  const { retried } = factsOn(side);
  const again = retried.value ? [inFact(retried, againWords(retried.value))] : [];
  const hasRecords = side.stages.every((stage) => stage.records) && ends !== undefined;
  if (!side.run.manifest) {
    return [...reportedEvidence(side, ends), ...again];
  }
  return [
    inManifest(side, 'state', stateWords),
    inManifest(side, 'stages[].planned', ends?.planned, ['load', 'stages']),
    (hasRecords ? inRecords : inManifest)(side, 'outcomes in the window', ends && endWords(ends, true)),
    ...again,
  ];
}

function againWords({ requests, attempts }: { readonly requests: number; readonly attempts: number }): string {
  return `${counted(requests, 'request')} sent again, ${counted(attempts, 'attempt')} more`;
}

/** Of another tool: what it says of its own end, what it planned, and how its requests ended. */
function reportedEvidence(side: Side, ends: Ends | undefined): Evidence[] {
  const { scopes, files, ended } = reportOf(side.run);
  const parts = scopes.filter(({ kind }) => kind === 'stage' || kind === 'run');
  const file = parts[0]?.file ?? files[0] ?? 'report';
  const failures = parts.map(({ counts }) => counts.failed);
  // Without a count in one part, a sum would be of the others.
  const failed = failures.length > 0 && !failures.includes(undefined) ? sumOf(failures) : undefined;
  const isCounted = parts.some(({ counts }) => counts.planned !== undefined);
  const isPlanned = isPlanKnown(side);
  const planned = ends && isPlanned ? `${ends.planned.toLocaleString('en-US')} requests planned` : undefined;
  return [
    ...(ended ? [inReport(ended.file, ended.key, ended.complete ? 'complete' : (ended.why ?? 'not complete'))] : []),
    isCounted
      ? inReport(file, 'requests planned', ends?.planned ?? sumOf(parts.map(({ counts }) => counts.planned)))
      : inSetting(side, ['load', 'stages'], side.run.config || !ended ? planned : undefined),
    inReport(file, 'requests that ended', ends && endWords(ends, isPlanned)),
    inReport(file, 'failed requests', failed),
  ];
}

function sumOf(values: readonly (number | undefined)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}

function lossWords({ manifest }: Completeness): string {
  return manifest ? 'left no record although the run ended' : 'were planned and are in no number of its report';
}

function lostOf(ends: Ends): number {
  return ends.planned - ends.ok - ends.failed - ends.cancelled - ends.notSent;
}

/** A journal of ours that lacks lines was cut. Other tools leave out the one or two with which they reach their number: hardly a loss. */
function isLoss({ manifest }: Completeness, ends: Ends): boolean {
  const lost = lostOf(ends);
  if (lost <= LOSS_FLOOR * ends.planned) return false;
  return manifest || proportionsZ(0, ends.planned, lost, ends.planned) > CLEAR_LOSS_Z;
}

function endWords(ends: Ends, isPlanned: boolean): string {
  const lost = lostOf(ends);
  const parts = [`${counted(ends.ok, 'request')} ok`];
  if (ends.failed > 0) parts.push(`${ends.failed} failed`);
  if (ends.cancelled > 0) parts.push(`${ends.cancelled} cancelled`);
  if (ends.notSent > 0) parts.push(`${ends.notSent} not sent`);
  if (lost > 0) parts.push(`${lost} without a record`);
  return isPlanned ? `${parts.join(', ')} of ${ends.planned.toLocaleString('en-US')} planned` : parts.join(', ');
}

export const completeness = dimension<Completeness>({
  id: 'completeness',
  title: 'Completeness',
  question: 'Did all planned requests end, and how?',
  tolerance: `Both runs complete; the share of planned requests that did not succeed differs by at most ${LOSS_FLOOR * 100} percentage point, or by no more than chance (z <= ${LOSS_Z}).`,
  pitfall: 'CMP065',
  affects: moved([
    'ttft',
    'tpot',
    'itl',
    'ntpot',
    'request_latency',
    'requests_per_sec',
    'output_tokens_per_sec',
    'input_tokens_per_sec',
    'total_tokens_per_sec',
  ]),
  remedy:
    'Find out why requests failed or were stopped (see the failure labels in the report), then run that side again to its end.',
  evidence: (side) => {
    const ends = endsOf(side);
    const state = runState(side.run);
    const incomplete = state.complete ? undefined : state.words;
    const stateKnown = side.run.manifest !== undefined || side.run.damaged === true;
    const isPlanned = isPlanKnown(side);
    const summary = incomplete ?? (ends === undefined ? 'not recorded' : endWords(ends, isPlanned));
    return {
      ends,
      isPlanKnown: isPlanned,
      manifest: side.run.manifest !== undefined,
      incomplete,
      stateKnown,
      again: factsOn(side).retried.value?.requests ?? 0,
      summary,
      evidence: evidenceOf(side, ends, stateKnown ? state.words : undefined),
    };
  },
  judge: (a, b) => {
    const stopped = [a.incomplete && `A is ${a.incomplete}`, b.incomplete && `B is ${b.incomplete}`].filter(Boolean);
    if (stopped.length > 0) {
      return confounds(
        `${stopped.join('; ')}: the numbers are of the part that was sent, not of the planned workload.`,
      );
    }
    const lost = [a, b].flatMap((own, i) =>
      own.ends && isLoss(own, own.ends)
        ? [`${counted(lostOf(own.ends), 'request')} of ${i === 0 ? 'A' : 'B'} ${lossWords(own)}`]
        : [],
    );
    if (lost.length > 0) {
      return confounds(
        `${lost.join('; ')}: the numbers are of what ${lost.length > 1 ? 'both files' : 'the file'} still ${lost.length > 1 ? 'hold' : 'holds'}.`,
        {
          remedy: [a, b].some(({ manifest }) => manifest)
            ? 'Copy the whole records.jsonl of the run into the folder; the notes name its lines that are no records.'
            : 'Find out what became of them (dropped at the end of a stage, cancelled, a run that was stopped), then run that side again to its end.',
        },
      );
    }
    if (!a.ends || !b.ends)
      return unknown('How the planned requests ended', a.ends !== undefined, b.ends !== undefined);
    const silent = [a.ends.ok === 0 ? 'A' : '', b.ends.ok === 0 ? 'B' : ''].filter((name) => name !== '');
    if (silent.length === 2) {
      return {
        state: 'unknown',
        message: 'No request of A or B succeeded: they have no latency, length or rate that could be compared.',
      };
    }
    if (silent.length === 1) {
      return confounds(
        `No request of ${silent.join('')} succeeded: it has no latency, length or rate that could be compared.`,
      );
    }
    const [m, n] = [Math.max(1, a.ends.planned), Math.max(1, b.ends.planned)];
    const [lossA, lossB] = [1 - a.ends.ok / m, 1 - b.ends.ok / n];
    const z = Math.abs(proportionsZ(a.ends.ok, m, b.ends.ok, n));
    // Over one denominator: 10 of 1,000 are one point, and no hair over it.
    const gap = Math.abs(a.ends.ok * n - b.ends.ok * m) / (m * n);
    if ((gap > LOSS_FLOOR && z > LOSS_Z) || (gap > CLEAR_LOSS && z > CLEAR_LOSS_Z)) {
      return confounds(
        `${percent(lossA)} of A’s and ${percent(lossB)} of B’s requests did not succeed. Latencies leave them out, so the side that lost more looks faster than it is.`,
      );
    }
    const gapAgain = Math.abs(a.again / m - b.again / n);
    if (gapAgain > LOSS_FLOOR && Math.abs(proportionsZ(a.again, m, b.again, n)) > CLEAR_LOSS_Z) {
      return confounds(
        `${percent(a.again / m)} of A’s and ${percent(b.again / n)} of B’s requests were sent again after a fault of the connection: their latencies hold the failed attempts and the pauses, and their faults are counted as no failure.`,
        {
          pitfall: 'CMP102',
          remedy: 'Leave load.request_retries at 0 on both sides, find out why connections fail, and run again.',
        },
      );
    }
    const what = a.isPlanKnown && b.isPlanKnown ? 'planned requests' : 'requests';
    const alike =
      Math.max(lossA, lossB) <= LOSS_FLOOR
        ? `All but at most 1 % of the ${what} succeeded on both sides.`
        : `Alike on both sides (${percent(lossA)} of A’s and ${percent(lossB)} of B’s ${what} did not succeed), but latencies are of the survivors.`;
    if (a.isPlanKnown && b.isPlanKnown) return same(alike);
    return assumption(
      `${alike} How many were planned is not recorded on ${a.isPlanKnown ? 'B' : b.isPlanKnown ? 'A' : 'either side'}.`,
      'that both runs came to the end they were meant to have',
    );
  },
});
