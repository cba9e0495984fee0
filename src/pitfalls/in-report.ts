// What the sign of a pitfall in a report says, and what several signs ask of the report and of its config.
import { type CanonicalReport, type QuantityId, type ReportScope } from '../readers/canonical';
import { type Json, at, numberAt, textAt } from '../readers/readers/values';
import type { PitfallCode } from './code';
import { isObject } from '../own';

/** Something a reader must know although no arithmetic is violated: too few requests, a late client, zeros that mean nothing. */
export interface Caution {
  readonly id:
    | 'few-requests'
    | 'late-client'
    | 'failures'
    | 'zeros'
    | 'misnamed'
    | 'empty-answers'
    | 'asked-length'
    | 'goodput'
    | 'timeout'
    /** A sign that has no name of its own. */
    | PitfallCode;
  readonly scope: string;
  readonly message: string;
  readonly pitfall: PitfallCode;
}

/** A caution before it has the code of the pitfall that sees it. */
export interface Sighting {
  readonly scope: string;
  readonly message: string;
  readonly id?: Exclude<Caution['id'], PitfallCode>;
}

/** Looks at one part of a report; nothing when the evidence is not there, or does not say it. */
export type Sign = (scope: ReportScope, report: CanonicalReport) => Sighting | undefined;
/** Looks at the report as a whole. */
export type ReportSign = (report: CanonicalReport) => Sighting | undefined;

export function said(scope: string, message: string, id?: Sighting['id']): Sighting {
  return { scope, message, ...(id === undefined ? {} : { id }) };
}

/** Only for inference-perf and what writes in its layout: the same keys mean the same there. */
export function lifecycleOnly(sign: Sign): Sign {
  return (scope, report) =>
    report.tool === 'inference-perf' || report.tool === 'isoperf' ? sign(scope, report) : undefined;
}

/** Whether requests had moments at which they were due; undefined where nobody says it. A summary is like its stages. */
export function isScheduled({ kind, load }: ReportScope, { scopes }: CanonicalReport): boolean | undefined {
  if (load.model !== 'not recorded') return load.model !== 'closed';
  const models = kind === 'summary' ? scopes.flatMap((one) => (one.kind === 'stage' ? [one.load.model] : [])) : [];
  if (models.length === 0 || models.includes('not recorded')) return undefined;
  return models.some((model) => model !== 'closed');
}

/** What a delay means, where the load is recorded; else what it would mean. */
export function ofSchedule(scheduled: true | undefined, words: string): string {
  return scheduled ? words : `if they were sent at a rate, ${words}; in a closed loop that is the place in a queue`;
}

/** What the config asks of the stage; a sweep's stages are in no config. */
export function stageConfig(scope: ReportScope, { config }: CanonicalReport): Json | undefined {
  if (scope.kind !== 'stage' || scope.stage === undefined || isObject(at(config, 'load', 'sweep'))) return undefined;
  const stage = at(config, 'load', 'stages', scope.stage);
  return isObject(stage) ? stage : undefined;
}

/** Requests the stage was to send: as recorded, else floor(rate x duration) or num_requests. */
export function plannedOf(scope: ReportScope, report: CanonicalReport): number | undefined {
  if (scope.counts.planned !== undefined) return scope.counts.planned;
  const stage = stageConfig(scope, report);
  // inference-perf's own default.
  const type = textAt(report.config, 'load', 'type') ?? 'constant';
  if (type === 'concurrent') return numberAt(stage, 'num_requests');
  const rate = numberAt(stage, 'rate');
  const duration = numberAt(stage, 'duration');
  if ((type !== 'constant' && type !== 'poisson') || rate === undefined || duration === undefined) return undefined;
  return Math.floor(rate * duration);
}

export function dataType({ config }: CanonicalReport): string | undefined {
  return textAt(config, 'data', 'type');
}

/** Measured stages in their order. */
export function measuredStages(report: CanonicalReport): readonly ReportScope[] {
  return report.scopes
    .filter((scope) => scope.kind === 'stage' && scope.warmup !== true)
    .sort((a, b) => (a.stage ?? 0) - (b.stage ?? 0));
}

/** Waits under this are the clock's, not a queue's. */
export const SMALLEST_WAIT_SECONDS = 0.01;

export const LATENCIES: readonly QuantityId[] = ['ttft', 'e2e'];

export function carriesAsMuch(first: ReportScope, second: ReportScope): boolean {
  const load = ({ load: { requestedRateRps, concurrency } }: ReportScope) => requestedRateRps ?? concurrency;
  const [x, y] = [load(first), load(second)];
  return x !== undefined && y !== undefined && first.load.model === second.load.model && y >= x;
}

export const off = (value: number, other: number): number => Math.abs(value - other) / Math.max(1, Math.abs(other));

export function labelled({ extras }: ReportScope, label: RegExp): number {
  return Object.entries(extras?.failureLabels ?? {})
    .filter(([name]) => label.test(name))
    .reduce((sum, [, count]) => sum + count, 0);
}
