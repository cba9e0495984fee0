// After the clock has stopped: count tokens, decide who counted, summarise, and write every report file.
import path from 'node:path';
import type { EffectiveConfig } from '../config/runtime';
import type { WorkloadRequest } from '../datagen/workload';
import type { TextTokenizer } from '../datagen/tokenizer';
import type { LifecycleReport } from '../metrics/lifecycle';
import type { RequestRecord } from '../metrics/record';
import { summarize, type SummarizeOptions } from '../metrics/summarize';
import type { RunManifest } from '../report/manifest';
import { jsonText, writeWhole } from '../report/write-folder';
import { PerRequestFile } from '../report/write-per-request';
import { countAnswers, promptTokens } from './answers';
import { measuredSuccesses } from './describe';
import { goodputLimits } from './slo';
import type { Prepared } from './prepare';
import type { RunStore } from './store';
import { tokenSources } from './token-sources';

export interface FinishContext {
  readonly config: EffectiveConfig;
  readonly prepared: Prepared;
  readonly store: RunStore;
  readonly folder: string;
  /** `report_file_prefix`, or empty. */
  readonly prefix: string;
  readonly zeroSeconds: number;
  readonly onProgress: (done: number, total: number) => void;
}

/** Counts prompts and answers; with `per_request`, writes that file in the same pass. Rejects with the disk's error. */
export async function countTokens(context: FinishContext): Promise<void> {
  const { config, prepared, store, folder, prefix, zeroSeconds } = context;
  const requests = prepared.workload.stages.flat();
  if (prepared.tokenizer) countPrompts(store.records, requests, prepared.tokenizer);
  if (store.waiting === 0) return;
  const wanted = config.report.request_lifecycle.per_request;
  const file = wanted
    ? await PerRequestFile.create(path.join(folder, `${prefix}per_request_lifecycle_metrics.json`), zeroSeconds)
    : undefined;
  await countAnswers({
    file: store.waitingFile,
    records: store.records,
    tokenizer: prepared.tokenizer,
    countChunks: config.tokenizer !== null,
    ...(file ? { perRequest: { file, bodyOf: (id: number) => requests[id]!.body } } : {}),
    onProgress: (done) => {
      context.onProgress(done, store.waiting);
    },
  });
  await file?.close();
}

/** Equal prompts are counted once. What turns of conversations sent is counted with their answers. */
function countPrompts(records: RequestRecord[], requests: readonly WorkloadRequest[], tokenizer: TextTokenizer): void {
  const known = new Map<string, number>();
  for (const [id, record] of records.entries()) {
    const request = requests[id]!;
    if (request.turn) continue;
    let count = known.get(request.promptHash);
    if (count === undefined) {
      count = promptTokens(request.promptTexts, tokenizer);
      known.set(request.promptHash, count);
    }
    records[id] = { ...record, clientPromptTokens: count };
  }
}

export interface Reports {
  readonly tokens: NonNullable<RunManifest['tokens']>;
  readonly stages: ReadonlyMap<number, LifecycleReport>;
  readonly summary?: LifecycleReport;
  /** By the middle of their file names: `adapter_NAME`, `adapter_NAME_stage_0`. */
  readonly adapters: ReadonlyMap<string, LifecycleReport>;
}

/** inference-perf's reports: one per stage, and one over the measured stages. A scope without an ended request has none. */
export function makeReports({ config, prepared, store }: FinishContext): Reports {
  const isWarmup = (stage: number): boolean => prepared.stages[stage]?.warmup === true;
  const tokens = tokenSources(
    {
      tokenizer: prepared.tokenizer,
      noTokenizer: prepared.noTokenizer,
      useServerOutputTokens: config.report.request_lifecycle.use_server_output_tokens,
      hasTokenizerSection: config.tokenizer !== null,
    },
    measuredSuccesses(store.records, isWarmup),
  );
  const goodput = goodputLimits(config);
  const common: SummarizeOptions = {
    percentiles: config.report.request_lifecycle.percentiles,
    outputTokenSource: tokens.output.source,
    inputTokenSource: tokens.input.source,
    itlBasis: tokens.itl,
    ...(goodput ? { goodput } : {}),
    maxErrorMessages: config.report.request_lifecycle.max_error_messages,
  };
  const stages = new Map<number, LifecycleReport>();
  const adapters = new Map<string, LifecycleReport>();
  const ended = store.records.filter(hasEnded);
  const names = [...new Set(ended.flatMap(({ adapter }) => (adapter === undefined ? [] : [adapter])))];
  for (const plan of prepared.stages) {
    const records = ended.filter((record) => record.stage === plan.id);
    if (records.length === 0) continue;
    // inference-perf reports a closed loop's number of requests as its rate (its pitfall P13); its readers expect the key.
    const rate = plan.pacing.kind === 'closed' ? plan.count : (plan.requestedRateRps ?? stageRate(config, plan.id));
    const concurrency = plan.requestedConcurrency;
    const stage = {
      ...(rate === undefined ? {} : { requestedRateRps: rate }),
      ...(concurrency === undefined ? {} : { concurrency }),
    };
    stages.set(plan.id, summarize(records, { ...common, stage }));
    for (const name of names) {
      const own = records.filter(({ adapter }) => adapter === name);
      if (own.length > 0)
        adapters.set(`adapter_${fileWord(name)}_stage_${plan.id}`, summarize(own, { ...common, stage }));
    }
  }
  const measured = ended.filter((record) => !isWarmup(record.stage));
  for (const name of names) {
    const own = measured.filter(({ adapter }) => adapter === name);
    if (own.length > 0) adapters.set(`adapter_${fileWord(name)}`, summarize(own, common));
  }
  return { tokens, stages, adapters, ...(measured.length > 0 ? { summary: summarize(measured, common) } : {}) };
}

/** The stage's own rate, which a replayed trace does not follow; inference-perf reports it all the same. */
function stageRate(config: EffectiveConfig, id: number): number | undefined {
  const stage = config.load.stages[id];
  return stage !== undefined && 'rate' in stage && typeof stage.rate === 'number' ? stage.rate : undefined;
}

/** inference-perf would make folders of the slashes in an adapter's name, also of those of `../`. */
function fileWord(name: string): string {
  return name.replace(/[^\w.-]+/g, '_').replace(/^\.+/, '_');
}

function hasEnded({ outcome }: RequestRecord): boolean {
  return outcome.kind === 'ok' || outcome.kind === 'failed';
}

/** Throws what the file system throws. */
export function writeReports({ config, folder, prefix }: FinishContext, reports: Reports): void {
  const wants = config.report.request_lifecycle;
  const write = (name: string, report: LifecycleReport): void => {
    writeWhole(path.join(folder, `${prefix}${name}_lifecycle_metrics.json`), jsonText(report));
  };
  if (wants.summary && reports.summary) write('summary', reports.summary);
  if (wants.per_stage) for (const [id, report] of reports.stages) write(`stage_${id}`, report);
  for (const [name, report] of reports.adapters) {
    if (/_stage_\d+$/.test(name) ? wants.per_adapter_stage : wants.per_adapter) write(name, report);
  }
}
