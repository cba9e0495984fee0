// One run as a comparison sees it: what is inside the window, stage by stage, warm-ups left out.
import { rounded } from '../figures';
import type { RequestRecord } from '../metrics/record';
import { isSuccess, type CountSource, type ItlBasis } from '../metrics/request-metrics';
import type { ConfigPath } from '../problem';
import { stageScope, stageScopes, summaryOf, type ReportScope } from '../readers/canonical';
import type { RunFacts } from '../readers/facts';
import { factsOf, settingOf } from '../readers/facts-of';
import { reportOf } from '../readers/own';
import type { Run } from '../readers/run';
import { countingOf } from '../readers/scopes';
import { stageFactsOf, type StageFacts } from '../readers/stage-facts';
import type { StackRecord } from '../folder/stack';

export type StageLoad =
  | { readonly kind: 'rate'; readonly rps: number }
  | { readonly kind: 'concurrency'; readonly level: number }
  /** Every request is sent as soon as the run begins (rate "inf"). */
  | { readonly kind: 'all-at-once' }
  | { readonly kind: 'unknown' };

export interface MeasuredStage {
  readonly id: number;
  readonly load: StageLoad;
  readonly facts: StageFacts;
  /** The stage's numbers as its report has them, with their places. */
  readonly scope?: ReportScope;
  /** Requests of the stage by sending time; those never sent come last. Absent when the folder has no records. */
  readonly records?: readonly RequestRecord[];
}

export interface Side {
  readonly name: 'A' | 'B';
  readonly run: Run;
  /** Stages inside the window, in the order they ran. */
  readonly stages: readonly MeasuredStage[];
  /** Stages the run itself declares as warm-up; undefined when it does not say. */
  readonly warmupStages?: readonly number[];
}

export function sideOf(name: 'A' | 'B', run: Run): Side {
  const warmupStages = factsOf(run).warmupStages.value;
  const byStage = recordsByStage(run.records);
  const stages = stageIds(run)
    .filter((id) => warmupStages?.includes(id) !== true)
    .map((id) => measuredStage(run, id, byStage));
  return { name, run, stages, ...(warmupStages ? { warmupStages } : {}) };
}

function stageIds(run: Run): readonly number[] {
  if (run.manifest && run.manifest.stages.length > 0) return run.manifest.stages.map((stage) => stage.id);
  const report = reportOf(run);
  const ids = new Set(stageScopes(report).map(([id]) => id));
  for (const record of run.records ?? []) ids.add(record.stage);
  // A folder with nothing but a summary is taken as one stage: inference-perf writes the same keys there.
  if (ids.size === 0 && summaryOf(report)) ids.add(0);
  return [...ids].sort((a, b) => a - b);
}

function recordsByStage(records: readonly RequestRecord[] | undefined): Map<number, RequestRecord[]> | undefined {
  if (!records) return undefined;
  const byStage = new Map<number, RequestRecord[]>();
  for (const record of records) {
    const list = byStage.get(record.stage);
    if (list) list.push(record);
    else byStage.set(record.stage, [record]);
  }
  for (const list of byStage.values()) {
    list.sort((a, b) => (a.sentSeconds ?? Infinity) - (b.sentSeconds ?? Infinity) || a.id - b.id);
  }
  return byStage;
}

function measuredStage(run: Run, id: number, byStage: Map<number, RequestRecord[]> | undefined): MeasuredStage {
  const scope = scopeOf(run, id);
  const facts = stageFactsOf(run, id, scope);
  return {
    id,
    load: loadOf(facts, scope),
    facts,
    ...(scope ? { scope } : {}),
    ...(byStage ? { records: byStage.get(id) ?? [] } : {}),
  };
}

/** Of a run with one stage, the summary stands for it where it has no report of its own. */
function scopeOf(run: Run, id: number): ReportScope | undefined {
  const report = reportOf(run);
  return stageScope(report, id) ?? (stageIds(run).length === 1 ? summaryOf(report) : undefined);
}

/** The load of one stage of a run. */
export function stageLoad(run: Run, id: number): StageLoad {
  const scope = scopeOf(run, id);
  return loadOf(stageFactsOf(run, id, scope), scope);
}

function loadOf({ concurrency, rateRps }: StageFacts, scope: ReportScope | undefined): StageLoad {
  if (concurrency.value !== undefined && concurrency.value > 0)
    return { kind: 'concurrency', level: concurrency.value };
  if (rateRps.value !== undefined && rateRps.value > 0) return { kind: 'rate', rps: rateRps.value };
  return scope?.load.allAtOnce === true ? { kind: 'all-at-once' } : { kind: 'unknown' };
}

/** "20 rps", "32 concurrent". */
export function loadLabel(load: StageLoad): string {
  switch (load.kind) {
    case 'rate':
      return `${rounded(load.rps)} rps`;
    case 'concurrency':
      return `${load.level} concurrent`;
    case 'all-at-once':
      return 'all at once';
    case 'unknown':
      return 'load not recorded';
  }
}

/** Whose counts the run's own numbers were normalised with. */
export function outputSourceOf(run: Run): CountSource {
  return countingOf(run).output;
}

export function inputSourceOf(run: Run): CountSource {
  return countingOf(run).input;
}

export function itlBasisOfRun(run: Run): ItlBasis {
  return countingOf(run).itl;
}

/** What served: the run's own record, else what lies in its folder or was given for it. */
export function stackOf(side: Side): StackRecord | undefined {
  return factsOn(side).stack.value;
}

/** Answered requests of the given stages, by sending time within each stage. Undefined without records. */
export function successesOf(stages: readonly MeasuredStage[]): readonly RequestRecord[] | undefined {
  const own = stages.map(stageSuccesses);
  if (own.length === 0 || own.some((successes) => successes === undefined)) return undefined;
  return own.length === 1 ? own[0] : own.flatMap((successes) => successes!);
}

/** Nearly every dimension asks; a stage of 100,000 requests is filtered once. */
const SUCCESSES = new WeakMap<MeasuredStage, readonly RequestRecord[]>();

function stageSuccesses(stage: MeasuredStage): readonly RequestRecord[] | undefined {
  if (!stage.records) return undefined;
  const known = SUCCESSES.get(stage);
  if (known) return known;
  const successes = stage.records.filter(isSuccess);
  SUCCESSES.set(stage, successes);
  return successes;
}

export { settingOf };

/** What is known of a side beside its numbers. */
export function factsOn({ run }: Side): RunFacts {
  return factsOf(run);
}

/** Value at a path of what ran, as its config or another tool's file says; undefined when not recorded. */
export function configValue(run: Run, path: ConfigPath): unknown {
  return settingOf(run, path).value;
}

/** Whether the run streamed its answers; undefined endpoints are judged by their records. */
export function sideStreams({ run }: Side): boolean {
  return (
    (run.manifest && factsOf(run).streaming.value) ??
    run.records?.some((record) => record.chunkSeconds.length > 0) ??
    false
  );
}
