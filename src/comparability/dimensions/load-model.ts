// Does the load wait for answers? An open loop sends on schedule, a closed one when a slot is free, a session in its own order.
import type { Evidence } from '../comparison';
import { ALL, confounds, dimension, same, unknown, type Context, type SideEvidence } from '../dimension';
import { inConfig, inManifest, inReport } from '../evidence';
import { configValue, toldAt, type Side } from '../side';
import { own } from '../../own';

interface LoadModel extends SideEvidence {
  readonly kind: string | undefined;
}

const KINDS: Readonly<Record<string, string>> = {
  constant: 'open loop',
  poisson: 'open loop',
  trace_replay: 'open loop',
  concurrent: 'closed loop',
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
  const configured = configValue(side.run, ['load', 'type']);
  const planned = new Set(side.stages.flatMap((stage) => (stage.manifest ? [stage.manifest.loadType] : [])));
  const types = new Set<string>(planned);
  if (types.size === 0 && typeof configured === 'string') types.add(configured);
  const evidence: Evidence[] = [
    inConfig(side, ['load', 'type'], configured),
    ...(toldAt(side.run, ['load', 'type'])
      ? []
      : [inManifest('stages[].loadType', planned.size > 0 ? [...planned].join(', ') : undefined, ['load', 'type'])]),
  ];
  const kinds = new Set([...types].map((type) => own(KINDS, type) ?? type));
  if (kinds.size === 0) {
    const fromReport = kindFromReport(side);
    evidence.push(inReport(`stage_N_lifecycle_metrics.json`, 'load_summary.concurrency', fromReport?.level));
    if (fromReport) kinds.add(fromReport.kind);
  }
  const kind = kinds.size > 0 ? [...kinds].join(' and ') : undefined;
  const names = types.size > 0 ? ` (${[...types].join(', ')})` : '';
  return { kind, summary: kind === undefined ? 'not recorded' : `${kind}${names}`, evidence };
}

/** inference-perf writes `concurrency` for closed loops only. */
function kindFromReport(side: Side): { kind: string; level: number | undefined } | undefined {
  const report = side.stages.find((stage) => stage.report)?.report;
  if (!report || (report.load_summary.requested_rate === undefined && report.load_summary.concurrency === undefined)) {
    return undefined;
  }
  const level = report.load_summary.concurrency;
  return { kind: level !== undefined && level > 0 ? 'closed loop' : 'open loop', level };
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
    return confounds(
      `${article(a.kind)} on A, ${article(b.kind).toLowerCase()} on B: a closed loop slows down with the server and an open one does not, so at equal throughput their latencies differ fundamentally.`,
    );
  },
});

function article(kind: string): string {
  return `${/^[aeiou]/.test(kind) ? 'An' : 'A'} ${kind}`;
}
