// Config -> Run, the one use case: prepare, send on time, keep what comes, count after the clock has stopped, report.
import path from 'node:path';
import { timestamp } from './config/will/runtime';
import { CircuitBreakers } from './loadgen/breakers';
import { runStages, type StageOutcome } from './loadgen/engine';
import { loadInWords } from './loadgen/plan';
import type { EndedRequest } from './loadgen/share';
import type { AnswerNeeds } from './loadgen/answer-line';
import type { RequestRecord } from './metrics/record';
import type { Problem } from './problem';
import type { RunManifest } from './folder/manifest';
import { bucketPlaces, type BucketPlace } from './folder/storage/place';
import { lookAhead, uploadReport, type Upload } from './folder/storage/upload';
import { configYaml } from './folder/write-config';
import { answerProblems } from './run/answers-tally';
import { fileDigests } from './run/digests';
import { whyTooManyFailed } from './run/failures';
import { sentBefore } from './run/sent-before';
import { graceSeconds } from './run/settings';
import { describeWriteError, makeReportFolder, writeWhole } from './folder/write-folder';
import { outcomeInWords, realisedLoad, totalOutcomes, type PlannedStage } from './run/describe';
import { countTokens, makeReports, writeReports, type FinishContext, type Reports } from './run/finish';
import { plannedManifest, problemFacts, writeManifest } from './run/manifest';
import { prepareRun, timeoutSeconds, type Prepared } from './run/prepare';
import { ServerMetricsCollector, stageIntervalSeconds, writePrometheusReports } from './run/server-metrics';
import { RunStore } from './run/store';
import type { FinishedRun, RunInput, RunOptions, RunResult } from './run/types';

/**
 * Runs one benchmark. Never rejects for anything a config, a server, a disk or a stop can do: what could not start is `refused` with its
 * problems, what started has a folder that opens, and every planned request is accounted for.
 */
export async function runBenchmark(input: RunInput, options: RunOptions): Promise<RunResult> {
  const problems: Problem[] = [];
  const note = (problem: Problem): void => {
    problems.push(problem);
    options.onEvent({ type: 'problem', problem });
  };
  const prepared = await prepareRun(input, options, note);
  if (!prepared.ok) return { ...prepared.refused, problems: [...problems, ...prepared.refused.problems] };
  try {
    const folder = makeReportFolder(folderOf(input, options));
    if (!folder.ok) return { kind: 'refused', why: 'failed', problems: [...problems, ...folder.problems] };
    folder.problems.forEach(note);
    await lookAhead(bucketsOf(input, options), { env: options.env, note });
    const run = await new RunningBenchmark(input, options, prepared.value, folder.value, problems, note).run();
    return { kind: 'ran', run, problems };
  } finally {
    await prepared.value.client.close();
    await prepared.value.pool?.close();
  }
}

function folderOf({ config }: RunInput, { out, cwd, now }: RunOptions): string {
  const configured = config.storage?.local_storage.path;
  return path.resolve(cwd, out ?? configured ?? `reports-${timestamp(now().getTime())}`);
}

/** A trial against the embedded simulator is nobody's result: it stays out of buckets that others read. */
function bucketsOf({ config }: RunInput, { endpointKind }: RunOptions): readonly BucketPlace[] {
  return endpointKind === 'simulator' ? [] : bucketPlaces(config.storage);
}

/** Owns one run from its first file to its last. */
class RunningBenchmark {
  private readonly stages: readonly PlannedStage[];
  private readonly manifest: RunManifest;
  private readonly breakers: CircuitBreakers | undefined;
  private diskError: Error | undefined;

  constructor(
    private readonly input: RunInput,
    private readonly options: RunOptions,
    private readonly prepared: Prepared,
    private readonly folder: string,
    private readonly problems: readonly Problem[],
    private readonly note: (problem: Problem) => void,
  ) {
    this.stages = prepared.stages.map((plan) => ({ plan, requests: prepared.workload.stages[plan.id]! }));
    this.manifest = plannedManifest(input, options, prepared, this.stages, problems);
    const { circuit_breakers: breakers, load } = input.config;
    this.breakers =
      load.circuit_breakers.length > 0 ? new CircuitBreakers(breakers ?? [], load.circuit_breakers) : undefined;
  }

  async run(): Promise<FinishedRun> {
    const { config } = this.input;
    this.guard(() => {
      writeManifest(this.folder, this.manifest);
      this.writeConfig();
    });
    if (this.options.endpointKind !== 'simulator') {
      sentBefore(this.manifest, [path.dirname(this.folder), this.options.cwd]).forEach(this.note);
    }
    const store = await this.openStore();
    const telemetry = this.serverMetrics();
    this.announce();
    this.startClock();
    const outcomes = await runStages({
      stages: this.stages,
      client: this.prepared.client,
      intervalSeconds: stageIntervalSeconds(config),
      timeoutSeconds: timeoutSeconds(this.input),
      pool: this.prepared.pool,
      answers: this.answers,
      graceSeconds: graceSeconds(config, this.options.graceSeconds),
      stop: this.options.stop,
      zeroSeconds: this.manifest.clock.zeroMonotonicSeconds,
      onEvent: this.options.onEvent,
      onEnded: (ended) => {
        store.add(ended);
        this.watch(ended);
      },
      onStageStarted: ({ id }) => {
        telemetry.stageStarted(id);
        this.manifest.stages[id] = { ...this.manifest.stages[id]!, state: 'running' };
        this.guard(() => {
          writeManifest(this.folder, this.manifest);
        });
      },
      onStageFinished: (outcome) => {
        telemetry.stageFinished();
        this.stageEnded(outcome);
      },
    });
    this.stopClock();
    await store.settle();
    const windows = await telemetry.finish(this.manifest.clock.zeroMonotonicSeconds, this.options.stop);
    if (windows.length > 0) this.manifest.serverMetrics = [...windows];
    this.guard(() => {
      writePrometheusReports(this.folder, this.prefix, windows);
    });
    return this.finish(store, outcomes);
  }

  private serverMetrics(): ServerMetricsCollector {
    const { config } = this.input;
    const { model } = this.prepared;
    return new ServerMetricsCollector({
      config,
      model,
      apiKey: this.options.apiKey,
      isScraped: this.options.serverMetrics !== false,
      env: this.options.env,
      note: this.note,
    });
  }

  /** Every record comes here, those of warm-ups too, as in inference-perf. An open breaker ends the run at once. */
  private watch({ line }: EndedRequest): void {
    if (!this.breakers || this.options.stop.noMoreSends.aborted) return;
    const why = this.breakers.feed(JSON.parse(line) as RequestRecord, performance.now() / 1000);
    if (why === undefined) return;
    this.note({
      code: 'RUN042',
      severity: 'warning',
      path: ['load', 'circuit_breakers'],
      message: `The run was stopped: ${why}. What was in flight is cancelled, later stages are not sent.`,
    });
    this.options.stop.stop(why, true);
  }

  /** Disk errors end the sending, not the program: what is there stays readable, and the run says so. */
  private guard(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.onDiskError(error as Error);
    }
  }

  private onDiskError(error: Error): void {
    if (this.diskError) return;
    this.diskError = error;
    const why = describeWriteError(error);
    this.note({
      code: 'RUN203',
      severity: 'error',
      path: [],
      message: `The run was stopped, because its report could not be written to ${this.folder}: ${why}. What was written before stays readable.`,
      remedy: 'Make room, or name a folder on another disk with --out.',
    });
    this.options.stop.stop(`the report could not be written: ${why}`, true);
  }

  private diskFailed(): boolean {
    return this.diskError !== undefined;
  }

  private openStore(): Promise<RunStore> {
    return RunStore.open({
      folder: this.folder,
      capacity: this.prepared.stages.reduce((sum, stage) => sum + stage.count, 0),
      answers: this.answers,
      onError: (error) => {
        this.onDiskError(error);
      },
    });
  }

  private get answers(): AnswerNeeds {
    return {
      texts: this.prepared.tokenizer !== undefined || (this.prepared.serverTokenizer !== undefined && 'uncounted'),
      raw: this.input.config.report.request_lifecycle.per_request === true,
    };
  }

  private get prefix(): string {
    return this.input.config.storage?.local_storage.report_file_prefix ?? '';
  }

  private writeConfig(): void {
    const note = `What ran: defaults filled in, overrides applied, secrets removed. Written by IsoPerf from ${this.input.file}.`;
    const text = configYaml(this.manifest.config.effective, this.input.directives, note);
    writeWhole(path.join(this.folder, `${this.prefix}config.yaml`), text);
  }

  private announce(): void {
    this.options.onEvent({
      type: 'planned',
      folder: this.folder,
      name: this.manifest.name,
      endpoint: this.manifest.endpoint.baseUrl,
      model: this.prepared.model,
      load: loadInWords(this.input.config.load.type, this.prepared.stages),
      stages: this.prepared.stages.map(({ id, label, warmup, count, requestedDurationSeconds }) => ({
        id,
        label,
        warmup,
        planned: count,
        ...(requestedDurationSeconds === undefined ? {} : { durationSeconds: requestedDurationSeconds }),
      })),
      plannedRequests: this.prepared.stages.reduce((sum, stage) => sum + stage.count, 0),
      threads: this.prepared.workers,
    });
  }

  private startClock(): void {
    const { clock } = this.manifest;
    clock.zeroMonotonicSeconds = performance.now() / 1000;
    clock.startedAt = this.options.now().toISOString();
  }

  private stopClock(): void {
    const { clock } = this.manifest;
    clock.durationSeconds = performance.now() / 1000 - clock.zeroMonotonicSeconds;
    clock.endedAt = this.options.now().toISOString();
  }

  private stageEnded({ stage, startSeconds, health, complete, tally }: StageOutcome): void {
    this.manifest.stages[stage.id] = {
      ...this.manifest.stages[stage.id]!,
      ...realisedLoad(tally),
      state: complete ? 'complete' : 'cancelled',
      ...(startSeconds === undefined ? {} : { startSeconds }),
    };
    if (health) this.manifest.health.push(health);
    this.guard(() => {
      writeManifest(this.folder, this.manifest);
    });
  }

  private async finish(store: RunStore, outcomes: readonly StageOutcome[]): Promise<FinishedRun> {
    const { manifest, options } = this;
    const context: FinishContext = {
      config: this.input.config,
      prepared: this.prepared,
      store,
      folder: this.folder,
      prefix: this.prefix,
      zeroSeconds: manifest.clock.zeroMonotonicSeconds,
      note: this.note,
      stop: options.stop.giveUp,
      onProgress: (done, total) => {
        options.onEvent({ type: 'counting', done, total });
      },
    };
    if (!this.diskFailed()) await countTokens(context).catch((error: unknown) => this.onDiskError(error as Error));
    const reports = makeReports(context);
    this.complete(outcomes, reports);
    this.writeAll(context, reports);
    store.close();
    const uploads = await this.upload();
    const { state } = manifest;
    const tallies = outcomes.map(({ tally }) => tally);
    options.onEvent({
      type: 'finished',
      folder: this.folder,
      state: state === 'complete' ? 'complete' : 'incomplete',
      counts: totalOutcomes(tallies),
      summary: outcomeInWords(tallies),
    });
    const invalid = this.whyInvalid(outcomes);
    return {
      folder: this.folder,
      manifest,
      figures: reports.figures,
      stages: reports.stages,
      ...(reports.summary ? { summary: reports.summary } : {}),
      ...(invalid === undefined ? {} : { invalid }),
      uploads,
    };
  }

  /** To every bucket the config names, after the local report is whole. What fails is said in the local manifest, too. */
  private async upload(): Promise<readonly Upload[]> {
    const uploads: Upload[] = [];
    const report = { folder: this.folder, localPrefix: this.prefix };
    for (const place of bucketsOf(this.input, this.options)) {
      const context = { env: this.options.env, note: this.note };
      uploads.push(
        await uploadReport(report, place, context, (done, total) => {
          this.options.onEvent({ type: 'uploading', done, total, to: place.bucket });
        }),
      );
    }
    if (uploads.length > 0) {
      this.manifest.problems = this.problems.map(problemFacts);
      this.guard(() => {
        writeManifest(this.folder, this.manifest);
      });
    }
    return uploads;
  }

  private complete(outcomes: readonly StageOutcome[], reports: Reports): void {
    const { manifest } = this;
    manifest.counts = totalOutcomes(outcomes.map(({ tally }) => tally));
    manifest.tokens = reports.tokens;
    manifest.lengths = reports.lengths;
    manifest.answers = reports.answers;
    const adapters = (this.input.config.load.lora_traffic_split ?? []).map(({ name }) => name);
    const ignoreEos = this.input.config.server?.ignore_eos ?? true;
    answerProblems(reports.answers, [this.prepared.model, ...adapters], ignoreEos).forEach(this.note);
    const whole = outcomes.every((outcome) => outcome.complete) && !this.diskError;
    manifest.state = whole ? 'complete' : 'incomplete';
    const reason = this.diskError
      ? describeWriteError(this.diskError)
      : (this.options.stop.reason ?? deadlineReason(outcomes));
    if (!whole && reason !== undefined) manifest.stateReason = reason;
    manifest.problems = this.problems.map(problemFacts);
  }

  private writeAll(context: FinishContext, reports: Reports): void {
    // Nothing reads the answers any more; on a full disk they are the room that the end of the report needs.
    context.store.discardWaiting();
    this.guard(() => {
      // A manifest first: on a disk that is full it is worth more than any report.
      writeManifest(this.folder, this.manifest);
      writeReports(context, reports);
      this.manifest.files = fileDigests(this.folder);
      writeManifest(this.folder, this.manifest);
    });
  }

  private whyInvalid(outcomes: readonly StageOutcome[]): string | undefined {
    const { manifest } = this;
    if (manifest.state !== 'complete') {
      return `the run is incomplete${manifest.stateReason === undefined ? '' : `: ${manifest.stateReason}`}`;
    }
    const measured = outcomes.filter(({ stage }) => !stage.warmup).map(({ tally }) => tally);
    const { planned, ok } = totalOutcomes(measured);
    if (planned === 0) return 'every stage is a warm-up, so nothing was measured';
    if (ok > 0) return whyTooManyFailed(measured, this.options.maxFailures);
    const first = measured.find(({ firstFailure }) => firstFailure !== undefined)?.firstFailure;
    const example = first === undefined ? '' : ` The first failure: ${first}`;
    return `not one of ${planned} measured requests succeeded.${example}`;
  }
}

/** A stage that ran into its own deadline, in a run that nobody stopped. */
function deadlineReason(outcomes: readonly StageOutcome[]): string | undefined {
  const late = outcomes.find(({ complete, stage }) => !complete && stage.deadline);
  return late && `stage ${late.stage.id}: stage deadline of ${late.stage.deadline!.seconds} s`;
}

export type { FinishedRun, RunInput, RunOptions, RunResult } from './run/types';
