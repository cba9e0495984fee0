// After the clock has stopped: count tokens, decide who counted, summarise, and write every report file.
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { EffectiveConfig } from '../config/will/runtime';
import type { WorkloadRequest } from '../datagen/workload-request';
import type { TextTokenizer } from '../datagen/tokenizer';
import type { WaitingAnswer } from '../loadgen/answer-line';
import type { PlannedLoadStage } from '../loadgen/plan';
import type { LifecycleReport } from '../metrics/lifecycle';
import type { RequestRecord } from '../metrics/record';
import { percentile } from '../metrics/statistics';
import { Summary, type SummarizeOptions } from '../metrics/summarize';
import type { Problem } from '../problem';
import type { Values } from '../metrics/values';
import type { RunManifest } from '../folder/manifest';
import { jsonFile, writeWhole } from '../folder/write-folder';
import { PerRequestFile } from '../folder/write-per-request';
import { AnswersTally } from './answers-tally';
import { countedRecord, promptTokens } from './answers';
import { RealisedLengths } from './describe';
import { ServerCount } from './server-count';
import { goodputLimits } from './slo';
import type { Prepared } from './prepare';
import type { RunStore } from './store';
import type { StageFigures, StageQuantiles } from './types';
import { CountTally, type TokenRule } from './token-sources';

const SLICE_MS = 100;

export interface FinishContext {
  readonly config: EffectiveConfig;
  readonly prepared: Prepared;
  readonly store: RunStore;
  readonly folder: string;
  /** `report_file_prefix`, or empty. */
  readonly prefix: string;
  readonly zeroSeconds: number;
  readonly note: (problem: Problem) => void;
  /** Aborted: the server's tokenizer is asked no more. */
  readonly stop: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
  /** Who counted, once the journal's records hold the client's counts; where the disk refused, they are counted as they are read. */
  counted?: CountTally;
}

/**
 * Counts prompts and answers into the journal, in planned order; with `per_request`, writes that file in the same pass. Gives who
 * counted the measured successes. Rejects with the disk's error; then the journal is as it was.
 */
export async function countTokens(context: FinishContext): Promise<void> {
  const tally = new CountTally(tokenRule(context));
  const { config, prepared, store, folder, prefix, zeroSeconds } = context;
  const requests = prepared.workload.stages.flat();
  const wanted = config.report.request_lifecycle.per_request;
  const file = wanted
    ? await PerRequestFile.create(path.join(folder, `${prefix}per_request_lifecycle_metrics.json`), zeroSeconds)
    : undefined;
  const countPrompt = prepared.tokenizer && promptCounter(prepared.tokenizer);
  const asking = await serverCountOf(context, requests);
  const total = requests.length;
  let sliceStart = performance.now();
  let done = 0;
  await store.rewrite(async (record, answer) => {
    const request = requests[record.id]!;
    const counted = asking
      ? await asking.counted(record, answer, request)
      : countOne(record, answer, request, context, countPrompt);
    if (!isWarmup(context, record.stage)) tally.add(counted);
    if (file && answer) {
      const sent = answer.body ?? String(request.body);
      await file.add({ record: counted, request: sent, response: answer.raw ?? '' });
    }
    done++;
    if (performance.now() - sliceStart > SLICE_MS) {
      if (store.waiting > 0) context.onProgress(done, total);
      await turn();
      sliceStart = performance.now();
    }
    return counted;
  });
  if (store.waiting > 0) context.onProgress(total, total);
  asking?.problems().forEach(context.note);
  context.counted = tally;
  await file?.close();
}

/** The server's own tokenizer is asked only where nobody else counted anything: one success with usage, and it counts by itself. */
async function serverCountOf(
  { prepared: { serverTokenizer }, store, stop }: FinishContext,
  requests: readonly WorkloadRequest[],
): Promise<ServerCount | undefined> {
  if (!serverTokenizer) return undefined;
  let answered = false;
  for (const { id } of requests) {
    const record = store.record(id);
    if (record?.outcome.kind !== 'ok') continue;
    if (record.usage !== undefined) return undefined;
    answered = true;
    if (id % 1000 === 0) await turn();
  }
  return answered ? new ServerCount(serverTokenizer, stop) : undefined;
}

function countOne(
  planned: RequestRecord,
  answer: WaitingAnswer | undefined,
  request: WorkloadRequest,
  { config, prepared: { tokenizer } }: FinishContext,
  countPrompt: ((request: WorkloadRequest) => number) | undefined,
): RequestRecord {
  // What turns of conversations sent is counted with their answers.
  const record = countPrompt && !request.turn ? { ...planned, clientPromptTokens: countPrompt(request) } : planned;
  return answer && tokenizer ? countedRecord(record, answer, tokenizer, config.tokenizer !== null) : record;
}

/** Equal prompts are counted once. */
function promptCounter(tokenizer: TextTokenizer): (request: WorkloadRequest) => number {
  const known = new Map<string, number>();
  return ({ promptHash, promptTexts }) => {
    let count = known.get(promptHash);
    if (count === undefined) {
      count = promptTokens(promptTexts, tokenizer);
      known.set(promptHash, count);
    }
    return count;
  };
}

export interface Reports {
  readonly tokens: NonNullable<RunManifest['tokens']>;
  readonly lengths: NonNullable<RunManifest['lengths']>;
  readonly answers: NonNullable<RunManifest['answers']>;
  readonly stages: ReadonlyMap<number, LifecycleReport>;
  readonly summary?: LifecycleReport;
  /** By the middle of their file names: `adapter_NAME`, `adapter_NAME_stage_0`. */
  readonly adapters: ReadonlyMap<string, LifecycleReport>;
  readonly figures: ReadonlyMap<number, StageFigures>;
}

/** inference-perf's reports: one per stage, and one over the measured stages. A scope without an ended request has none. */
export function makeReports(context: FinishContext): Reports {
  const { config, prepared } = context;
  const measured = prepared.stages.filter(({ warmup }) => !warmup);
  const tokens = (context.counted ?? countedAsRead(context, measured)).sources();
  const options = summaryOptions(config, tokens);
  const stages = new Map<number, LifecycleReport>();
  const adapters = new Map<string, LifecycleReport>();
  const figures = new Map<number, StageFigures>();
  const lengths = new RealisedLengths(tokens);
  const answers = new AnswersTally(tokens, {
    streaming: config.api.streaming,
    ignoreEos: config.server?.ignore_eos ?? true,
  });
  const whole = new Scope(options);
  // Read from the journal once; in memory are the columns of one stage and those of the whole.
  for (const plan of prepared.stages) {
    // The only measured stage is the whole: its columns are kept once.
    const own = measured.length === 1 && measured[0] === plan ? whole : new Scope(options);
    for (const record of recordsOf(context, plan.id)) {
      own.add(record);
      if (plan.warmup) continue;
      lengths.add(record);
      answers.add(record);
      if (own !== whole) whole.add(record);
    }
    if (own.all.count === 0) continue;
    const keys = stageKeys(config, plan);
    stages.set(plan.id, own.all.report(keys));
    figures.set(plan.id, figuresOf(own.all));
    for (const [name, each] of own.adapters)
      adapters.set(`adapter_${fileWord(name)}_stage_${plan.id}`, each.report(keys));
  }
  for (const [name, each] of whole.adapters) adapters.set(`adapter_${fileWord(name)}`, each.report());
  const summary = whole.all.count > 0 ? whole.all.report() : undefined;
  return {
    tokens,
    lengths: lengths.lengths(),
    answers: answers.answers(),
    stages,
    adapters,
    figures,
    ...(summary ? { summary } : {}),
  };
}

function tokenRule({ config, prepared }: FinishContext): TokenRule {
  return {
    tokenizer: prepared.tokenizer,
    noTokenizer: prepared.noTokenizer,
    serverTokenizer: prepared.serverTokenizer?.dialect,
    useServerOutputTokens: config.report.request_lifecycle.use_server_output_tokens,
    hasTokenizerSection: config.tokenizer !== null,
  };
}

function isWarmup({ prepared }: FinishContext, stage: number): boolean {
  return prepared.stages[stage]?.warmup === true;
}

function countedAsRead(context: FinishContext, stages: readonly PlannedLoadStage[]): CountTally {
  const tally = new CountTally(tokenRule(context));
  for (const { id } of stages) for (const record of recordsOf(context, id)) tally.add(record);
  return tally;
}

function* recordsOf(context: FinishContext, stage: number): Generator<RequestRecord> {
  const { prepared, store, counted } = context;
  const countPrompt = counted ? undefined : prepared.tokenizer && promptCounter(prepared.tokenizer);
  for (const request of prepared.workload.stages[stage] ?? []) {
    const record = store.record(request.id);
    if (!record) continue;
    yield counted ? record : countOne(record, store.answer(request.id), request, context, countPrompt);
  }
}

/** The summary of all records, and one of each adapter's. */
class Scope {
  readonly all: Summary;
  readonly adapters = new Map<string, Summary>();

  constructor(private readonly options: ConstructorParameters<typeof Summary>[0]) {
    this.all = new Summary(options);
  }

  add(record: RequestRecord): void {
    this.all.add(record);
    const { adapter } = record;
    if (adapter === undefined || !hasEnded(record)) return;
    const own = this.adapters.get(adapter) ?? new Summary(this.options);
    own.add(record);
    this.adapters.set(adapter, own);
  }
}

function summaryOptions(
  config: EffectiveConfig,
  tokens: NonNullable<RunManifest['tokens']>,
): ConstructorParameters<typeof Summary>[0] {
  const goodput = goodputLimits(config);
  return {
    percentiles: config.report.request_lifecycle.percentiles,
    outputTokenSource: tokens.output.source,
    inputTokenSource: tokens.input.source,
    itlBasis: tokens.itl,
    ...(goodput ? { goodput } : {}),
    maxErrorMessages: config.report.request_lifecycle.max_error_messages,
  };
}

function stageKeys(config: EffectiveConfig, plan: PlannedLoadStage): NonNullable<SummarizeOptions['stage']> {
  // inference-perf reports a closed loop's number of requests as its rate (its pitfall P13); its readers expect the key.
  const rate = plan.pacing.kind === 'closed' ? plan.count : (plan.requestedRateRps ?? stageRate(config, plan.id));
  const concurrency = plan.requestedConcurrency;
  return {
    ...(rate === undefined ? {} : { requestedRateRps: rate }),
    ...(concurrency === undefined ? {} : { concurrency }),
  };
}

function figuresOf(summary: Summary): StageFigures {
  const quantiles = (values: Values, count = values.length): StageQuantiles => {
    const sorted = values.sorted();
    const at = (percent: number): number => (sorted.length === 0 ? Number.NaN : percentile(sorted, percent));
    return { count, p50: at(50), p95: at(95), p99: at(99) };
  };
  const { outputTokensPerSecond } = summary;
  return {
    ttft: quantiles(summary.ttft),
    ...(summary.hidesTokens ? { ttfc: quantiles(summary.ttfc) } : {}),
    tpot: quantiles(summary.tpot),
    itl: quantiles(summary.gaps, summary.answersWithGaps),
    latency: quantiles(summary.latency),
    ...(outputTokensPerSecond === undefined ? {} : { outputTokensPerSecond }),
  };
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
    writeWhole(path.join(folder, `${prefix}${name}_lifecycle_metrics.json`), jsonFile(report));
  };
  if (wants.summary && reports.summary) write('summary', reports.summary);
  if (wants.per_stage) for (const [id, report] of reports.stages) write(`stage_${id}`, report);
  for (const [name, report] of reports.adapters) {
    if (/_stage_\d+$/.test(name) ? wants.per_adapter_stage : wants.per_adapter) write(name, report);
  }
}
