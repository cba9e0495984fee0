// Runs the stages one after the other: dispatch, live figures once a second, health, and a record for every planned request.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WireResult } from '../client/types';
import type { RunEvent } from '../events';
import type { OutcomeCounts, RequestRecord } from '../metrics/record';
import type { StageHealth } from '../report/manifest';
import { dispatch } from './dispatch';
import { judgeHealth, LoopMeter } from './health';
import { LiveFigures } from './live';
import type { PlannedLoadStage } from './plan';
import { StopControl } from './stop';
import { dispatchTurns, hasTurns, type TurnRequest } from './turn-dispatch';

/** A request, or a turn of a conversation: then its body is complete only when it is sent. */
export type EngineRequest = TurnRequest;

export interface EngineStage {
  readonly plan: PlannedLoadStage;
  readonly requests: readonly EngineRequest[];
}

export interface EngineOptions {
  readonly stages: readonly EngineStage[];
  readonly client: Client;
  /** Pause between stages, `load.interval`. */
  readonly intervalSeconds: number;
  readonly timeoutSeconds: number;
  readonly keepRawBody: boolean;
  /** Given to what is in flight after a graceful stop. */
  readonly graceSeconds: number;
  readonly stop: StopControl;
  /** The run's zero on the monotonic clock; records count from it. */
  readonly zeroSeconds: number;
  readonly onEvent: (event: RunEvent) => void;
  /**
   * Every planned request comes here exactly once, as soon as it has ended or can no longer be sent; `sent` is the request with
   * the body that really went out, which for a turn of a conversation holds what was said before.
   */
  readonly onRecord: (record: RequestRecord, result: WireResult | undefined, sent?: EngineRequest) => void;
  readonly onStageStarted?: (stage: PlannedLoadStage) => void;
  readonly onStageFinished?: (outcome: StageOutcome) => void;
}

export interface StageOutcome {
  readonly stage: PlannedLoadStage;
  readonly counts: OutcomeCounts;
  /** Zero of the stage's schedule, seconds from the run's zero; absent when the run was stopped before the stage. */
  readonly startSeconds?: number;
  readonly health?: StageHealth;
  /** False when the run was stopped before all of the stage was sent and ended. */
  readonly complete: boolean;
}

const TICK_MS = 1000;

/** Never rejects for what a server or a stop does; `planned = ok + failed + cancelled + notSent` holds for every stage. */
export async function runStages(options: EngineOptions): Promise<readonly StageOutcome[]> {
  const outcomes: StageOutcome[] = [];
  for (const [index, stage] of options.stages.entries()) {
    if (index > 0 && !options.stop.noMoreSends.aborted) {
      await sleep(options.intervalSeconds * 1000, undefined, { signal: options.stop.noMoreSends }).catch(
        () => undefined,
      );
    }
    const outcome = options.stop.noMoreSends.aborted ? skipStage(stage, options) : await runStage(stage, options);
    outcomes.push(outcome);
    options.onStageFinished?.(outcome);
  }
  return outcomes;
}

function skipStage({ plan, requests }: EngineStage, options: EngineOptions): StageOutcome {
  const reason = options.stop.reason ?? 'stopped';
  const atSeconds = now() - options.zeroSeconds;
  for (const request of requests) options.onRecord(notSentRecord(request, atSeconds, reason), undefined);
  const counts = { planned: requests.length, ok: 0, failed: 0, cancelled: 0, notSent: requests.length };
  return { stage: plan, counts, complete: requests.length === 0 };
}

async function runStage({ plan, requests }: EngineStage, options: EngineOptions): Promise<StageOutcome> {
  const { zeroSeconds, stop, onEvent, onRecord } = options;
  const live = new LiveFigures();
  const meter = new LoopMeter();
  const records: RequestRecord[] = [];
  const keep = (record: RequestRecord, result: WireResult | undefined, sent?: EngineRequest): void => {
    records.push(record);
    onRecord(record, result, sent);
  };
  const beginSeconds = now();
  const at = (): number => now() - zeroSeconds;
  options.onStageStarted?.(plan);
  onEvent({ type: 'stageStarted', stage: plan.id, atSeconds: at() });
  let spin = (): number => 0;
  const ticker = setInterval(() => {
    const { counts, ...figures } = live.snapshot();
    onEvent({
      type: 'tick',
      stage: plan.id,
      atSeconds: at(),
      stageElapsedSeconds: now() - beginSeconds,
      counts: { planned: requests.length, notSent: 0, ...counts },
      ...(plan.requestedRateRps === undefined ? {} : { offeredRps: plan.requestedRateRps }),
      ...figures,
      eventLoopUse: meter.sinceLast(spin()),
    });
    live.rotate();
  }, TICK_MS);
  const ending = stageStop(plan, stop);
  const outcome = await (hasTurns(requests) ? dispatchTurns : dispatch)({
    requests,
    pacing: plan.pacing,
    client: options.client,
    timeoutSeconds: options.timeoutSeconds,
    keepRawBody: options.keepRawBody,
    stop: ending.stop,
    live,
    graceSeconds: () => (stop.noMoreSends.aborted ? options.graceSeconds : (plan.deadline?.graceSeconds ?? 0)),
    onStarted: (startSeconds, spinSeconds) => {
      spin = spinSeconds;
      ending.begin(startSeconds);
    },
    onResult: (request, scheduled, result) =>
      keep(resultRecord(request, scheduled, result, zeroSeconds), result, request),
    onNotSent: (request, scheduled, reason) => keep(notSentRecord(request, scheduled - zeroSeconds, reason), undefined),
  });
  clearInterval(ticker);
  ending.end();
  const health = judgeHealth(plan, records, outcome, meter.stop(outcome.spinSeconds));
  const counts = countOutcomes(records);
  if (counts.planned !== requests.length) {
    throw new Error(`stage ${plan.id} planned ${requests.length} requests and accounts for ${counts.planned}`);
  }
  onEvent({ type: 'stageFinished', stage: plan.id, atSeconds: at(), counts });
  const level = health.verdict;
  if (level !== 'ok') {
    for (const message of health.reasons) onEvent({ type: 'health', stage: plan.id, level, message });
  }
  return {
    stage: plan,
    counts,
    startSeconds: outcome.startSeconds - zeroSeconds,
    health,
    complete: counts.cancelled === 0 && counts.notSent === 0,
  };
}

/**
 * The stop a stage listens to: the run's, and the stage's own deadline, which ends this stage only. Without a deadline it is the
 * run's itself.
 */
function stageStop(
  { deadline }: PlannedLoadStage,
  run: StopControl,
): { stop: StopControl; begin: (startSeconds: number) => void; end: () => void } {
  if (!deadline) return { stop: run, begin: () => undefined, end: () => undefined };
  const stop = new StopControl();
  const onNoMoreSends = (): void => {
    stop.stop(run.reason ?? 'stopped', false);
  };
  const onGiveUp = (): void => {
    stop.stop(run.reason ?? 'stopped', true);
  };
  run.noMoreSends.addEventListener('abort', onNoMoreSends);
  run.giveUp.addEventListener('abort', onGiveUp);
  let timer: NodeJS.Timeout | undefined;
  return {
    stop,
    begin: (startSeconds) => {
      const left = Math.max(0, startSeconds + deadline.seconds - now());
      timer = setTimeout(
        () => {
          stop.stop(`stage deadline of ${deadline.seconds} s`, false);
        },
        Math.min(left * 1000, 2 ** 31 - 1),
      );
    },
    end: () => {
      clearTimeout(timer);
      run.noMoreSends.removeEventListener('abort', onNoMoreSends);
      run.giveUp.removeEventListener('abort', onGiveUp);
    },
  };
}

function now(): number {
  return performance.now() / 1000;
}

/** What one request came to, its times counted from the run's zero; token counts of the client are added after the clock stops. */
function resultRecord(
  request: EngineRequest,
  scheduled: number,
  result: WireResult,
  zeroSeconds: number,
): RequestRecord {
  const since = (seconds: number | undefined): number | undefined =>
    seconds === undefined ? undefined : nanoseconds(seconds - zeroSeconds);
  const times = {
    sentSeconds: since(result.sentSeconds),
    attemptedSeconds: result.sentSeconds === undefined ? since(result.attemptedSeconds) : undefined,
    firstByteSeconds: since(result.firstByteSeconds),
    firstTokenSeconds: since(result.firstTokenSeconds),
    firstContentSeconds: since(result.firstContentSeconds),
    lastTokenSeconds: since(result.lastTokenSeconds),
    endSeconds: since(result.endSeconds),
  };
  return {
    ...plannedPart(request, scheduled - zeroSeconds),
    ...withoutUndefined(times),
    chunkSeconds: result.chunkSeconds.map((seconds) => nanoseconds(seconds - zeroSeconds)),
    outcome: result.outcome,
    ...(result.usage ? { usage: result.usage } : {}),
    ...(result.finishReason === undefined ? {} : { finishReason: result.finishReason }),
  };
}

/** The clock's resolution: digits beyond it would only make records longer. */
function nanoseconds(seconds: number): number {
  return Math.round(seconds * 1e9) / 1e9;
}

function notSentRecord(request: EngineRequest, scheduledSeconds: number, reason: string): RequestRecord {
  return { ...plannedPart(request, scheduledSeconds), chunkSeconds: [], outcome: { kind: 'notSent', reason } };
}

function plannedPart(
  request: EngineRequest,
  scheduledSeconds: number,
): Omit<RequestRecord, 'chunkSeconds' | 'outcome'> {
  return {
    id: request.id,
    stage: request.stage,
    scheduledSeconds: nanoseconds(scheduledSeconds),
    ...(request.askedPromptTokens === undefined ? {} : { askedPromptTokens: request.askedPromptTokens }),
    maxTokens: request.maxTokens,
    ...(request.requestBytes === undefined ? {} : { requestBytes: request.requestBytes }),
    ...(request.adapter === undefined ? {} : { adapter: request.adapter }),
    promptHash: request.promptHash,
  };
}

function withoutUndefined<T extends Record<string, number | undefined>>(values: T): { [K in keyof T]?: number } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: number;
  };
}

export function countOutcomes(records: readonly RequestRecord[]): OutcomeCounts {
  const counts = { planned: records.length, ok: 0, failed: 0, cancelled: 0, notSent: 0 };
  for (const { outcome } of records) counts[outcome.kind]++;
  return counts;
}
