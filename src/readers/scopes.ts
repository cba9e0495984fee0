// The scopes a report speaks of (each stage, and all measured stages together) with their requests and their numbers.
import type { RequestRecord } from '../metrics/record';
import {
  chunkGapsSeconds,
  isSuccess,
  itlBasisOf,
  itlGapsSeconds,
  latencySeconds,
  tpotSeconds,
  ttfcSeconds,
  ttftSeconds,
} from '../metrics/request-metrics';
import { significant, span } from '../figures';
import { RECORDS_FILE, type StageManifest } from '../folder/manifest';
import {
  measureOf,
  stageScope as reportedStage,
  stageScopes,
  summaryOf,
  type Measure,
  type QuantityId,
  type ReportScope,
} from './canonical';
import { factsOf } from './facts-of';
import { numbersOfRecords, reportOf } from './own';
import type { Counting, Run } from './run';

export interface Scope {
  /** Undefined: all measured stages together. */
  readonly stage?: number;
  /** "10 rps, 30 s", "32 concurrent", "stage 3". */
  readonly label: string;
  readonly warmup: boolean;
  readonly manifest?: StageManifest;
  /** Absent when the folder has no per-request records. */
  readonly records?: readonly RequestRecord[];
  /** Recomputed wherever there are records. */
  readonly report?: Pick<ReportScope, 'measures' | 'counts' | 'windowSeconds' | 'remarks' | 'unmeasured' | 'load'>;
  /** File the numbers come from. */
  readonly source: string;
}

/** The latencies that views show, by their place in the table of quantities. */
export type Latency = 'ttft' | 'ttfc' | 'tpot' | 'token_gap' | 'chunk_gap' | 'e2e';

export const LATENCIES = ['ttft', 'tpot', 'token_gap', 'e2e'] as const satisfies readonly Latency[];

/** Undefined where it was not measured. */
export function reportedIn({ report }: Scope, quantity: QuantityId): Measure | undefined {
  return report && measureOf(report, quantity);
}

/** Gaps under their own names: between tokens, between chunks, or both. Time to first content where it is not TTFT. */
export function shownLatencies(run: Run, scopes: readonly Scope[]): readonly Latency[] {
  const counting = countingOf(run);
  const chunks = scopes.some((scope) => reportedIn(scope, 'chunk_gap') !== undefined);
  return LATENCIES.flatMap((id): readonly Latency[] => {
    if (id === 'ttft' && scopes.some((scope) => reportedIn(scope, 'ttfc') !== undefined)) return [id, 'ttfc'];
    if (id !== 'token_gap') return [id];
    return counting.itl === 'chunks' ? ['chunk_gap'] : chunks ? [id, 'chunk_gap'] : [id];
  });
}

/** Percentiles the views show; numbers are recomputed for these wherever there are records. */
export const SHOWN_PERCENTILES = [50, 95, 99] as const;

/** Who counted the tokens, as the run recorded it. */
export function countingOf(run: Run): Counting {
  const { canonical, records, gaps } = run;
  const { inputCounter, outputCounter, gapBasis } = factsOf(run);
  const reported = canonical && !records ? (gapBasis.value ?? 'tokens') : undefined;
  const own = canonical ? gaps : gapBasis.value;
  // AIPerf's requests without its export are counted by the client unless it was told otherwise: no evidence, but enough to compute.
  const assumed = run.tool.name === 'aiperf' && canonical?.scopes.length === 0 ? 'client-tokenizer' : 'mixed';
  return {
    output: outputCounter.value?.source ?? assumed,
    input: inputCounter.value?.source ?? assumed,
    ...(outputCounter.value?.otherwise === 'asked' ? { outputElseAsked: true } : {}),
    itl: reported ?? own ?? itlBasisOf(records ?? []),
  };
}

/** Stages in their order, then everything measured. A run without stages has the last one only. */
export function scopesOf(run: Run): readonly Scope[] {
  const counting = countingOf(run);
  const ids = new Set<number>([
    ...(run.manifest?.stages.map((stage) => stage.id) ?? []),
    ...stageScopes(reportOf(run)).map(([stage]) => stage),
    ...(run.records?.map((record) => record.stage) ?? []),
  ]);
  const stages = [...ids].sort((a, b) => a - b).map((id) => stageScope(run, id, counting));
  const measured = new Set(stages.filter((scope) => !scope.warmup).map((scope) => scope.stage));
  return [...stages, wholeScope(run, measured, counting)];
}

function stageScope(run: Run, id: number, counting: Counting): Scope {
  const manifest = run.manifest?.stages.find((stage) => stage.id === id);
  const records = run.records?.filter((record) => record.stage === id);
  const kept = reportedStage(reportOf(run), id);
  return {
    stage: id,
    label: stageLabel(id, manifest, kept),
    warmup: manifest?.warmup ?? false,
    ...(manifest ? { manifest } : {}),
    ...numbers(records, kept, sourceOf(run, id), counting),
  };
}

function wholeScope(run: Run, measured: ReadonlySet<number | undefined>, counting: Counting): Scope {
  const records = run.records?.filter((record) => measured.has(record.stage));
  const label = run.manifest?.window.warmupStages.length ? 'all measured' : 'all stages';
  return { label, warmup: false, ...numbers(records, summaryOf(reportOf(run)), sourceOf(run, undefined), counting) };
}

/** The file a scope's reported numbers stand in: of another tool its own, with a prefix its whole name. */
function sourceOf({ canonical, files, manifest }: Run, stage: number | undefined): string {
  const scopes = manifest ? [] : (canonical?.scopes ?? []);
  const own = scopes.find((scope, i) =>
    stage === undefined ? scope.kind === 'summary' : scope.kind !== 'summary' && (scope.stage ?? i) === stage,
  );
  const usual = stage === undefined ? 'summary_lifecycle_metrics.json' : `stage_${stage}_lifecycle_metrics.json`;
  return own?.file ?? files.find((file) => file.endsWith(usual)) ?? scopes[0]?.file ?? usual;
}

function numbers(
  records: readonly RequestRecord[] | undefined,
  kept: ReportScope | undefined,
  file: string,
  counting: Counting,
): Pick<Scope, 'records' | 'report' | 'source'> {
  if (records === undefined || records.length === 0) {
    return { ...(kept ? { report: kept } : {}), ...(records ? { records } : {}), source: file };
  }
  const load = kept?.load ?? { model: 'not recorded', words: 'not recorded' };
  return { records, report: { load, ...numbersOfRecords(records, SHOWN_PERCENTILES, counting) }, source: RECORDS_FILE };
}

function stageLabel(id: number, stage: StageManifest | undefined, report: ReportScope | undefined): string {
  const rate = stage?.requestedRateRps ?? report?.load.requestedRateRps;
  const concurrency = stage?.requestedConcurrency ?? report?.load.concurrency;
  const lasts = stage?.requestedDurationSeconds;
  if (concurrency !== undefined) return `${concurrency} concurrent`;
  if (rate === undefined) return `stage ${id}`;
  return lasts === undefined ? `${plain(rate)} rps` : `${plain(rate)} rps, ${span(lasts)}`;
}

/** A configured number as the user wrote it, as far as three digits tell. */
function plain(value: number): string {
  return Number.isInteger(value) ? String(value) : significant(value);
}

/** Values of one latency over the successes of a scope, seconds. For ITL and the chunk gap: every gap. */
export function valuesOf(records: readonly RequestRecord[], latency: Latency, counting: Counting): number[] {
  const values: number[] = [];
  for (const record of records) {
    if (!isSuccess(record)) continue;
    if (latency === 'token_gap') for (const gap of itlGapsSeconds(record, counting.itl)) values.push(gap);
    else if (latency === 'chunk_gap') for (const gap of chunkGapsSeconds(record)) values.push(gap);
    else {
      const value = perRequest(record, latency, counting);
      if (value !== undefined) values.push(value);
    }
  }
  return values;
}

/** One value per request; for ITL and the chunk gap, the mean of its gaps. */
export function perRequest(record: RequestRecord, latency: Latency, counting: Counting): number | undefined {
  switch (latency) {
    case 'ttft':
      return ttftSeconds(record);
    case 'ttfc':
      return ttfcSeconds(record);
    case 'tpot':
      return tpotSeconds(record, counting.output);
    case 'e2e':
      return latencySeconds(record);
    case 'token_gap':
    case 'chunk_gap': {
      const gaps = latency === 'token_gap' ? itlGapsSeconds(record, counting.itl) : chunkGapsSeconds(record);
      return gaps.length === 0 ? undefined : gaps.reduce((total, gap) => total + gap, 0) / gaps.length;
    }
  }
}

/** The load of a scope as a position on an axis: offered rate, or concurrency. */
export function loadOf(scope: Scope): number | undefined {
  return (
    scope.manifest?.requestedConcurrency ??
    scope.manifest?.requestedRateRps ??
    scope.report?.load.requestedRateRps ??
    scope.report?.load.concurrency
  );
}
