// The engine's side of its sending threads: deals out each stage, gathers what ended, and accounts for a thread that dies.
import { Worker } from 'node:worker_threads';
import type { ClientOptions } from '../client/types';
import type { AnswerNeeds } from './answer-line';
import { LEAD_SECONDS } from './flights';
import type { ThreadUse } from './health';
import type { LiveSlice } from './live';
import { dealStage, evenShare, whyNotDealt, type DealtStage } from './deal';
import { lost, notSent, type EndedRequest } from './share';
import { shareRequests, StageCounters } from './shared-requests';
import type { StopControl } from './stop';
import { hasTurns } from './turn-dispatch';
import { now } from './waiter';
import { sharedOffsetSeconds, type FromWorker, type ToWorker, type WorkerSetup } from './worker-messages';

export interface PoolOptions {
  readonly count: number;
  /** Path of the bundled `load-worker`. */
  readonly file: string;
  readonly client: ClientOptions;
  /** Connections that all threads together may open; `Infinity`: any of them may need all that `client` allows. */
  readonly connectionLimit: number;
}

export interface PooledStage {
  readonly stage: DealtStage;
  readonly timeoutSeconds: number;
  readonly answers: AnswerNeeds;
  readonly stop: StopControl;
  readonly graceSeconds: () => number;
  readonly zeroSeconds: number;
  readonly onStarted: (startSeconds: number) => void;
  readonly onEnded: (ended: EndedRequest) => void;
  /** A thread died: what it had in flight is recorded as failed when the stage ends. */
  readonly onCrash: (why: string) => void;
}

export interface PooledOutcome {
  readonly startSeconds: number;
  readonly maxInFlight: number;
  readonly threads: ThreadUse[];
}

/** A thread, and who listens to it now. */
interface Thread {
  readonly worker: Worker;
  /** Why it is gone. */
  gone: string | undefined;
  onMessage: (message: FromWorker) => void;
  onGone: () => void;
}

/** Owns the threads of one run. */
export class WorkerPool {
  private constructor(private readonly threads: readonly Thread[]) {}

  /** Resolves when every thread is up. Rejects when one cannot be started. */
  static async start({ count, file, client, connectionLimit }: PoolOptions): Promise<WorkerPool> {
    const threads: Thread[] = [];
    const pool = new WorkerPool(threads);
    try {
      for (let index = 0; index < count; index++) {
        const own = evenShare(connectionLimit, count, index);
        const connections = Number.isFinite(own) ? Math.max(1, own) : client.connections;
        const workerData = { kind: 'isoperf-load', client: { ...client, connections } } satisfies WorkerSetup;
        threads.push(createThread(new Worker(file, { workerData, name: 'isoperf-load' })));
      }
    } catch (error) {
      // The system has no thread left to give: those that are up must not keep the program from ending.
      await pool.close();
      const up = threads.length;
      throw new Error(`the system started ${up} of ${count} threads (${(error as Error).message})`, { cause: error });
    }
    await Promise.all(threads.map(heardReady));
    const dead = threads.find(({ gone }) => gone !== undefined);
    if (!dead) return pool;
    await pool.close();
    throw new Error(`a sending thread could not be started: ${dead.gone}`);
  }

  get size(): number {
    return this.threads.length;
  }

  /** Conversations in a closed loop take turns in one order, on one loop; everything else can be dealt out. */
  takes(stage: DealtStage): boolean {
    return whyNotDealt(stage) === undefined;
  }

  run(options: PooledStage): {
    readonly slices: () => readonly (readonly [thread: number, LiveSlice])[];
    readonly done: Promise<PooledOutcome>;
  } {
    const slices: (readonly [number, LiveSlice])[] = [];
    const done = this.runStage(options, (thread, slice) => slices.push([thread, slice]));
    return { slices: () => slices.splice(0), done };
  }

  private async runStage(
    options: PooledStage,
    onSlice: (thread: number, slice: LiveSlice) => void,
  ): Promise<PooledOutcome> {
    const { stage } = options;
    const { requests } = stage;
    const offset = sharedOffsetSeconds();
    const table = shareRequests(requests, this.threads.length);
    const ended = new Uint8Array(requests.length);
    const firstId = requests[0]?.id ?? 0;
    const alive = this.threads.filter(({ gone }) => gone === undefined);
    const shares = dealStage(stage, alive.length);
    const job = {
      table,
      hasTurns: hasTurns(requests),
      timeoutSeconds: options.timeoutSeconds,
      answers: options.answers,
      zeroSharedSeconds: options.zeroSeconds + offset,
    };
    const working = shares.map((share, index) => ({ share, thread: alive[index]!, index }));
    for (const { share, thread, index } of working) {
      post(thread, { type: 'prepare', job: { ...job, ...share, number: index } });
    }
    await Promise.all(working.map(({ thread }) => heardReady(thread)));
    const startSeconds = now() + LEAD_SECONDS;
    const uses = new Map<number, ThreadUse>();
    let maxInFlight = 0;
    const over = working.map(
      ({ thread, index }) =>
        new Promise<void>((resolve) => {
          thread.onMessage = (message) => {
            if (message.type === 'slice') onSlice(index, message.slice);
            else if (message.type === 'ended') {
              for (const each of message.ended) {
                ended[each.id - firstId] = 1;
                options.onEnded(each);
              }
            } else if (message.type === 'done') {
              uses.set(index, message.use);
              maxInFlight = Math.max(maxInFlight, message.maxInFlight);
              resolve();
            }
          };
          thread.onGone = () => {
            options.onCrash(crashed(thread));
            resolve();
          };
          if (thread.gone !== undefined) thread.onGone();
        }),
    );
    const unlisten = passOn(options, working);
    for (const { thread } of working) post(thread, { type: 'start', startSharedSeconds: startSeconds + offset });
    options.onStarted(startSeconds);
    if (working.length === 0) options.onCrash(crashed(this.threads[0]));
    await Promise.all(over);
    unlisten();
    for (const { thread } of working) thread.onMessage = thread.onGone = () => undefined;
    this.accountForLost(options, new StageCounters(table), ended, offset);
    return { startSeconds, maxInFlight, threads: [...uses.values()] };
  }

  /** What a dead thread had in flight has failed, and what it had not sent yet never will be. */
  private accountForLost(
    { stage, stop, zeroSeconds, onEnded }: PooledStage,
    counters: StageCounters,
    ended: Uint8Array,
    offset: number,
  ): void {
    const why = crashed(this.threads.find(({ gone }) => gone !== undefined));
    for (const [index, request] of stage.requests.entries()) {
      if (ended[index] === 1) continue;
      const takenAt = counters.takenAt(index);
      const at = now() - zeroSeconds;
      if (takenAt === undefined) onEnded(notSent(request, at, stop.reason ?? why));
      else {
        const outcome = { kind: 'failed', errorType: 'WorkerCrashed', label: 'worker crashed', message: why } as const;
        onEnded(lost(request, takenAt - offset - zeroSeconds, at, outcome));
      }
    }
  }

  async close(): Promise<void> {
    for (const thread of this.threads) {
      thread.onMessage = thread.onGone = () => undefined;
      post(thread, { type: 'close' });
    }
    await Promise.all(this.threads.map(({ worker }) => worker.terminate()));
  }
}

function createThread(worker: Worker): Thread {
  const thread: Thread = { worker, gone: undefined, onMessage: () => undefined, onGone: () => undefined };
  const goes = (why: string): void => {
    if (thread.gone !== undefined) return;
    thread.gone = why;
    thread.onGone();
  };
  worker.on('message', (message: FromWorker) => {
    thread.onMessage(message);
  });
  let why: string | undefined;
  worker.on('error', (error: Error) => {
    why = error.message;
  });
  // Always comes, and last: what the thread had handed over before it died has been heard by then.
  worker.on('exit', (code) => {
    goes(why ?? `it ended with code ${code}`);
  });
  return thread;
}

/** Resolves when the thread says it is ready, or is gone. */
function heardReady(thread: Thread): Promise<void> {
  return new Promise((resolve) => {
    if (thread.gone !== undefined) resolve();
    thread.onMessage = ({ type }) => {
      if (type === 'ready') resolve();
    };
    thread.onGone = resolve;
  });
}

/** Passes stops on to the threads, those that were asked for before as well. Returns how to stop listening. */
function passOn({ stop, graceSeconds }: PooledStage, working: readonly { readonly thread: Thread }[]): () => void {
  const all = (message: ToWorker): void => {
    for (const { thread } of working) post(thread, message);
  };
  const onStop = (): void => {
    all({ type: 'stop', reason: stop.reason ?? 'stopped', graceSeconds: graceSeconds() });
  };
  const onGiveUp = (): void => {
    all({ type: 'giveUp', reason: stop.reason ?? 'stopped' });
  };
  if (stop.noMoreSends.aborted) onStop();
  if (stop.giveUp.aborted) onGiveUp();
  stop.noMoreSends.addEventListener('abort', onStop, { once: true });
  stop.giveUp.addEventListener('abort', onGiveUp, { once: true });
  return () => {
    stop.noMoreSends.removeEventListener('abort', onStop);
    stop.giveUp.removeEventListener('abort', onGiveUp);
  };
}

function post({ worker, gone }: Thread, message: ToWorker): void {
  if (gone === undefined) worker.postMessage(message);
}

function crashed(thread: Thread | undefined): string {
  return `a sending thread ended unexpectedly: ${thread?.gone ?? 'unknown reason'}`;
}
