// Runs the stages one after the other: dispatch, live figures once a second, health, and every planned request accounted for.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client/types';
import type { RunEvent } from '../events';
import type { OutcomeCounts } from '../metrics/record';
import type { StageHealth } from '../folder/manifest';
import type { AnswerNeeds } from './answer-line';
import { judgeHealth, LoopMeter, type LoopUse } from './health';
import { LiveFigures, LiveView, type LiveSlice } from './live';
import type { PlannedLoadStage } from './plan';
import { notSent, runShare, type EndedRequest, type EngineRequest } from './share';
import { StopControl } from './stop';
import { StageTally } from './tally';
import { hasTurns } from './turn-dispatch';
import { now } from './waiter';
import type { WorkerPool } from './worker-pool';

export interface EngineStage {
  readonly plan: PlannedLoadStage;
  readonly requests: readonly EngineRequest[];
}

export interface EngineOptions {
  readonly stages: readonly EngineStage[];
  readonly client: Client;
  /** Threads that send beside this one; without them this one sends. */
  readonly pool?: WorkerPool | undefined;
  /** Pause between stages, `load.interval`. */
  readonly intervalSeconds: number;
  readonly timeoutSeconds: number;
  readonly answers: AnswerNeeds;
  /** Given to what is in flight after a graceful stop. */
  readonly graceSeconds: number;
  readonly stop: StopControl;
  /** The run's zero on the monotonic clock; records count from it. */
  readonly zeroSeconds: number;
  readonly onEvent: (event: RunEvent) => void;
  /** Every planned request comes here exactly once, as soon as it has ended or can no longer be sent. */
  readonly onEnded: (ended: EndedRequest) => void;
  readonly onStageStarted?: (stage: PlannedLoadStage) => void;
  readonly onStageFinished?: (outcome: StageOutcome) => void;
}

export interface StageOutcome {
  readonly stage: PlannedLoadStage;
  readonly counts: OutcomeCounts;
  readonly tally: StageTally;
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
  const tally = new StageTally(requests.length);
  for (const request of requests) {
    const ended = notSent(request, atSeconds, reason);
    tally.add(ended);
    options.onEnded(ended);
  }
  return { stage: plan, counts: tally.outcomes(), tally, complete: requests.length === 0 };
}

async function runStage(stage: EngineStage, options: EngineOptions): Promise<StageOutcome> {
  const { plan, requests } = stage;
  const { zeroSeconds, onEvent } = options;
  const tally = new StageTally(requests.length);
  const keep = (ended: EndedRequest): void => {
    tally.add(ended);
    options.onEnded(ended);
  };
  const beginSeconds = now();
  const at = (): number => now() - zeroSeconds;
  options.onStageStarted?.(plan);
  onEvent({ type: 'stageStarted', stage: plan.id, atSeconds: at() });
  const view = new LiveView();
  const sending = options.pool?.takes(stage)
    ? sendByPool(stage, options, options.pool, keep)
    : sendHere(stage, options, keep);
  const ticker = setInterval(() => {
    const { counts, ...figures } = view.push(sending.slices());
    onEvent({
      type: 'tick',
      stage: plan.id,
      atSeconds: at(),
      stageElapsedSeconds: now() - beginSeconds,
      counts: { planned: requests.length, notSent: 0, ...counts },
      ...(plan.requestedRateRps === undefined ? {} : { offeredRps: plan.requestedRateRps }),
      ...figures,
    });
  }, TICK_MS);
  const sent = await sending.done;
  clearInterval(ticker);
  const health = judgeHealth(plan, tally, sent, sent.use);
  const counts = tally.outcomes();
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
    tally,
    startSeconds: sent.startSeconds - zeroSeconds,
    health,
    complete: counts.cancelled === 0 && counts.notSent === 0,
  };
}

/** A stage on its way. */
interface Sending {
  /** What the threads saw since the last call, each with its thread's number. */
  readonly slices: () => readonly (readonly [thread: number, LiveSlice])[];
  readonly done: Promise<SentStage>;
}

interface SentStage {
  readonly startSeconds: number;
  readonly maxInFlight: number;
  readonly use: LoopUse;
}

/** On this thread's loop. */
function sendHere(
  { plan, requests }: EngineStage,
  options: EngineOptions,
  keep: (ended: EndedRequest) => void,
): Sending {
  const live = new LiveFigures();
  const meter = new LoopMeter();
  const ending = stageStop(plan, options.stop);
  let spin = (): number => 0;
  const done = runShare({
    requests,
    pacing: plan.pacing,
    hasTurns: hasTurns(requests),
    client: options.client,
    timeoutSeconds: options.timeoutSeconds,
    answers: options.answers,
    stop: ending.stop,
    graceSeconds: () => graceOf(plan, options),
    zeroSeconds: options.zeroSeconds,
    live,
    onStarted: (startSeconds, spinSeconds) => {
      spin = spinSeconds;
      ending.begin(startSeconds);
    },
    onEnded: keep,
  }).then((outcome) => {
    ending.end();
    return { ...outcome, use: meter.stop(outcome.spinSeconds) };
  });
  return { slices: () => [[0, live.takeSlice(meter.sinceLast(spin()))]], done };
}

/** On the pool's threads; this one keeps the records and the clock of the stage. */
function sendByPool(
  stage: EngineStage,
  options: EngineOptions,
  pool: WorkerPool,
  keep: (ended: EndedRequest) => void,
): Sending {
  const { plan } = stage;
  const meter = new LoopMeter();
  const ending = stageStop(plan, options.stop);
  const { slices, done } = pool.run({
    stage,
    timeoutSeconds: options.timeoutSeconds,
    answers: options.answers,
    stop: ending.stop,
    graceSeconds: () => graceOf(plan, options),
    zeroSeconds: options.zeroSeconds,
    onStarted: ending.begin,
    onEnded: keep,
    onCrash: (why) => {
      options.stop.stop(why, false);
    },
  });
  return {
    slices,
    done: done.then(({ threads, ...outcome }) => {
      ending.end();
      // The busiest thread's: its timestamps are the worst. CPU is the whole process's.
      const use = {
        ...meter.stop(0),
        eventLoopUse: Math.max(0, ...threads.map(({ eventLoopUse }) => eventLoopUse)),
        eventLoopDelayP99Seconds: Math.max(0, ...threads.map((thread) => thread.eventLoopDelayP99Seconds)),
        workers: threads,
      };
      return { ...outcome, use };
    }),
  };
}

function graceOf({ deadline }: PlannedLoadStage, { stop, graceSeconds }: EngineOptions): number {
  return stop.noMoreSends.aborted ? graceSeconds : (deadline?.graceSeconds ?? 0);
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
