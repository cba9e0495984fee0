// Does the load wait for answers? An open loop sends on schedule, a closed one when a slot is free, a session in its own order.
import type { Evidence } from '../comparison';
import { ALL, confounds, dimension, same, unknown, type Context, type SideEvidence } from '../dimension';
import { inFact } from '../evidence';
import { factsOn, settingOf, type Side } from '../side';
import { own } from '../../own';

interface LoadModel extends SideEvidence {
  readonly kind: string | undefined;
}

const KINDS: Readonly<Record<string, string>> = {
  constant: 'open loop',
  poisson: 'open loop',
  trace_replay: 'open loop',
  concurrent: 'closed loop',
  'all at once': 'all-at-once load',
  trace_session_replay: 'session replay',
};

/** "open loop", "closed loop", ...; undefined when not recorded. Other dimensions ask too: below it nothing is alike. */
export function loadKindOf(side: Side): string | undefined {
  return loadModelOf(side).kind;
}

export function loadKindsDiffer({ a, b }: Context): boolean {
  const kinds = [loadKindOf(a), loadKindOf(b)];
  return kinds[0] !== undefined && kinds[1] !== undefined && kinds[0] !== kinds[1];
}

function loadModelOf(side: Side): LoadModel {
  const configured = settingOf(side.run, ['load', 'type']);
  const { loadType } = factsOn(side);
  const types = new Set(side.stages.flatMap(({ facts }) => facts.loadType.value ?? []));
  const evidence: Evidence[] = [inFact(configured)];
  // Ours says what was asked, and what was planned of it.
  if (loadType.at.key !== configured.at.key) {
    evidence.push(inFact(loadType, types.size > 0 ? [...types].join(', ') : undefined));
  }
  if (types.size === 0 && typeof configured.value === 'string') types.add(configured.value);
  const kinds = new Set([...types].map((type) => own(KINDS, type) ?? type));
  if (kinds.size === 0) {
    const fromReport = kindFromReport(side);
    if (fromReport) evidence.push(fromReport.evidence);
    if (fromReport) kinds.add(fromReport.kind);
  }
  const kind = kinds.size > 0 ? [...kinds].join(' and ') : undefined;
  const names = types.size > 0 ? ` (${[...types].join(', ')})` : '';
  return { kind, summary: kind === undefined ? 'not recorded' : `${kind}${names}`, evidence };
}

/** inference-perf writes `concurrency` for closed loops only. */
function kindFromReport(side: Side): { kind: string; evidence: Evidence } | undefined {
  const facts = side.stages.find((stage) => stage.scope)?.facts;
  if (!facts || (facts.rateRps.value === undefined && facts.concurrency.value === undefined)) return undefined;
  const isClosed = (facts.concurrency.value ?? 0) > 0;
  return {
    kind: isClosed ? 'closed loop' : 'open loop',
    evidence: inFact(isClosed ? facts.concurrency : facts.rateRps),
  };
}

export const loadModel = dimension<LoadModel>({
  id: 'load-model',
  title: 'Load model',
  question: 'Open loop, closed loop or replay on both sides?',
  tolerance: 'The same model; constant and poisson are both open loops (how they space requests is arrival-process).',
  pitfall: 'CMP002',
  affects: ALL,
  remedy: 'Run both sides with the same load.type family: rates against rates, concurrency against concurrency.',
  evidence: loadModelOf,
  judge: (a, b) => {
    if (a.kind === undefined || b.kind === undefined) {
      return unknown('The load model', a.kind !== undefined, b.kind !== undefined);
    }
    if (a.kind === b.kind) return same(`${article(a.kind)} on both sides.`);
    return confounds(`${article(a.kind)} on A, ${article(b.kind).toLowerCase()} on B: ${whyOf([a.kind, b.kind])}.`);
  },
});

function whyOf(kinds: readonly string[]): string {
  return kinds.includes('closed loop')
    ? 'a closed loop slows down with the server and an open one does not, so at equal throughput their latencies differ fundamentally'
    : 'what is sent when, and so how many requests wait for each other, is another thing, so their latencies differ fundamentally';
}

function article(kind: string): string {
  return `${/^[aeiou]/.test(kind) ? 'An' : 'A'} ${kind}`;
}
