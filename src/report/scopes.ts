// The scopes a report speaks of (each stage, and all measured stages together) with their requests and their numbers.
import type { LifecycleReport } from '../metrics/lifecycle';
import type { RequestRecord } from '../metrics/record';
import {
  isSuccess,
  itlBasisOf,
  itlGapsSeconds,
  latencySeconds,
  tpotSeconds,
  ttftSeconds,
} from '../metrics/request-metrics';
import { summarize } from '../metrics/summarize';
import { significant, span } from './figures';
import type { StageManifest } from './manifest';
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
  readonly report?: LifecycleReport;
  /** File the numbers come from. */
  readonly source: string;
}

export type Latency = 'ttft' | 'tpot' | 'itl' | 'e2e';

export const LATENCIES: readonly { readonly id: Latency; readonly label: string; readonly definition: string }[] = [
  { id: 'ttft', label: 'TTFT', definition: 'first token minus sent' },
  { id: 'tpot', label: 'TPOT', definition: '(last token minus first token) / (output tokens minus 1)' },
  { id: 'itl', label: 'ITL', definition: 'gap between consecutive tokens' },
  { id: 'e2e', label: 'E2E', definition: 'end of the answer minus sent' },
];

const STAT_KEYS = {
  ttft: 'time_to_first_token',
  tpot: 'time_per_output_token',
  itl: 'inter_token_latency',
  e2e: 'request_latency',
} as const satisfies Record<Latency, keyof LifecycleReport['successes']['latency']>;

/** The latency's key in inference-perf's report. */
export function statKey(latency: Latency): (typeof STAT_KEYS)[Latency] {
  return STAT_KEYS[latency];
}

/** Percentiles the views show; numbers are recomputed for these wherever there are records. */
export const SHOWN_PERCENTILES = [50, 95, 99] as const;

/** Who counted the tokens, as the run recorded it. */
export function countingOf(run: Run): Counting {
  const tokens = run.manifest?.tokens;
  return {
    output: tokens?.output.source ?? run.counting?.output ?? 'mixed',
    input: tokens?.input.source ?? run.counting?.input ?? 'mixed',
    itl: tokens?.itl ?? run.counting?.itl ?? itlBasisOf(run.records ?? []),
  };
}

/** Stages in their order, then everything measured. A run without stages has the last one only. */
export function scopesOf(run: Run): readonly Scope[] {
  const counting = countingOf(run);
  const ids = new Set<number>([
    ...(run.manifest?.stages.map((stage) => stage.id) ?? []),
    ...run.stages.keys(),
    ...(run.records?.map((record) => record.stage) ?? []),
  ]);
  const stages = [...ids].sort((a, b) => a - b).map((id) => stageScope(run, id, counting));
  const measured = new Set(stages.filter((scope) => !scope.warmup).map((scope) => scope.stage));
  return [...stages, wholeScope(run, measured, counting)];
}

function stageScope(run: Run, id: number, counting: Counting): Scope {
  const manifest = run.manifest?.stages.find((stage) => stage.id === id);
  const records = run.records?.filter((record) => record.stage === id);
  const kept = run.stages.get(id);
  return {
    stage: id,
    label: stageLabel(id, manifest, kept),
    warmup: manifest?.warmup ?? false,
    ...(manifest ? { manifest } : {}),
    ...numbers(records, kept, `stage_${id}_lifecycle_metrics.json`, counting),
  };
}

function wholeScope(run: Run, measured: ReadonlySet<number | undefined>, counting: Counting): Scope {
  const records = run.records?.filter((record) => measured.has(record.stage));
  const label = run.manifest?.window.warmupStages.length ? 'all measured' : 'all stages';
  return { label, warmup: false, ...numbers(records, run.summary, 'summary_lifecycle_metrics.json', counting) };
}

function numbers(
  records: readonly RequestRecord[] | undefined,
  kept: LifecycleReport | undefined,
  file: string,
  counting: Counting,
): Pick<Scope, 'records' | 'report' | 'source'> {
  if (records === undefined || records.length === 0) {
    return { ...(kept ? { report: kept } : {}), ...(records ? { records } : {}), source: file };
  }
  const report = summarize(records, {
    percentiles: SHOWN_PERCENTILES,
    outputTokenSource: counting.output,
    inputTokenSource: counting.input,
    itlBasis: counting.itl,
    stage: {},
  });
  return { records, report, source: 'records.jsonl' };
}

function stageLabel(id: number, stage: StageManifest | undefined, report: LifecycleReport | undefined): string {
  const rate = stage?.requestedRateRps ?? report?.load_summary.requested_rate;
  const concurrency = stage?.requestedConcurrency ?? report?.load_summary.concurrency;
  const lasts = stage?.requestedDurationSeconds;
  if (concurrency !== undefined) return `${concurrency} concurrent`;
  if (rate === undefined) return `stage ${id}`;
  return lasts === undefined ? `${plain(rate)} rps` : `${plain(rate)} rps, ${span(lasts)}`;
}

/** A configured number as the user wrote it, as far as three digits tell. */
function plain(value: number): string {
  return Number.isInteger(value) ? String(value) : significant(value);
}

/** Values of one latency over the successes of a scope, seconds. For ITL: every gap. */
export function valuesOf(records: readonly RequestRecord[], latency: Latency, counting: Counting): number[] {
  const values: number[] = [];
  for (const record of records) {
    if (!isSuccess(record)) continue;
    if (latency === 'itl') for (const gap of itlGapsSeconds(record, counting.itl)) values.push(gap);
    else {
      const value = perRequest(record, latency, counting);
      if (value !== undefined) values.push(value);
    }
  }
  return values;
}

/** One value per request; for ITL, the mean of its gaps. */
export function perRequest(record: RequestRecord, latency: Latency, counting: Counting): number | undefined {
  switch (latency) {
    case 'ttft':
      return ttftSeconds(record);
    case 'tpot':
      return tpotSeconds(record, counting.output);
    case 'e2e':
      return latencySeconds(record);
    case 'itl': {
      const gaps = itlGapsSeconds(record, counting.itl);
      return gaps.length === 0 ? undefined : gaps.reduce((total, gap) => total + gap, 0) / gaps.length;
    }
  }
}

/** The load of a scope as a position on an axis: offered rate, or concurrency. */
export function loadOf(scope: Scope): number | undefined {
  return (
    scope.manifest?.requestedConcurrency ??
    scope.manifest?.requestedRateRps ??
    scope.report?.load_summary.requested_rate ??
    scope.report?.load_summary.concurrency
  );
}
