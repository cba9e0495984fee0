// What the signs of pitfalls share: how a caution is said, and what the config of a report asked of a stage.
import type { CanonicalReport, ReportScope } from '../../readers/canonical';
import type { Caution } from '../identity';
import { at, isObject, numberAt, textAt, type Json } from '../../readers/readers/values';

/** Looks at one part of a report; nothing when the evidence is not there, or does not say it. */
export type Sign = (scope: ReportScope, report: CanonicalReport) => Caution | undefined;
/** Looks at the report as a whole. */
export type ReportSign = (report: CanonicalReport) => Caution | undefined;

export type PitfallCode = `CMP${string}`;

export function said(code: PitfallCode, scope: string, message: string): Caution {
  return { id: code, scope, message, pitfall: code };
}

/** Only for inference-perf and what writes in its layout: the same keys mean the same there. */
export function lifecycleOnly(sign: Sign): Sign {
  return (scope, report) =>
    report.tool === 'inference-perf' || report.tool === 'isoperf' ? sign(scope, report) : undefined;
}

/** What the config asks of the stage; a sweep's stages are in no config. */
export function stageConfig(scope: ReportScope, { config }: CanonicalReport): Json | undefined {
  if (scope.kind !== 'stage' || scope.stage === undefined || isObject(at(config, 'load', 'sweep'))) return undefined;
  const stage = at(config, 'load', 'stages', scope.stage);
  return isObject(stage) ? stage : undefined;
}

/** Requests the stage was to send: as recorded, else floor(rate x duration) or num_requests (reference P22, P23). */
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
