// A sending thread: owns its connections, its loop and its share of each stage, and hands over nothing but what has ended.
import type { MessagePort } from 'node:worker_threads';
import { createClient } from '../client/http-client';
import type { Client } from '../client/types';
import type { SharedCounters } from './flights';
import { LoopMeter } from './health';
import { LiveFigures } from './live';
import { runShare, type EndedRequest } from './share';
import { SharedRequests, StageCounters } from './shared-requests';
import { StopControl } from './stop';
import { now } from './waiter';
import {
  sharedOffsetSeconds,
  type FromWorker,
  type ShareJob,
  type ToWorker,
  type WorkerSetup,
} from './worker-messages';

/** Between a request's end and its way to the engine: circuit breakers wait for it. */
const FLUSH_MS = 20;
/** So many ended requests go at once. */
const BATCH = 64;
/** Oftener than the engine asks, whose seconds do not begin with ours. */
const SLICE_MS = 240;

/** Serves one engine until it says close. */
export function serveLoad(port: MessagePort, { client: options }: WorkerSetup): void {
  const client = createClient(options);
  const say = (message: FromWorker): void => {
    port.postMessage(message);
  };
  let share: Share | undefined;
  port.on('message', (message: ToWorker) => {
    switch (message.type) {
      case 'prepare':
        share = new Share(message.job, client, say);
        say({ type: 'ready' });
        break;
      case 'start':
        void share?.run(message.startSharedSeconds);
        break;
      case 'stop':
        share?.stop(message.reason, message.graceSeconds);
        break;
      case 'giveUp':
        share?.stop(message.reason, 0, true);
        break;
      case 'close':
        port.close();
        void client.close();
        break;
    }
  });
  say({ type: 'ready' });
}

/** Owns one share of one stage. */
class Share {
  private readonly control = new StopControl();
  private readonly requests: SharedRequests;
  private readonly counters: StageCounters;
  private graceSeconds = 0;
  private waiting: EndedRequest[] = [];
  private flushTimer: NodeJS.Timeout | undefined;
  private sent = 0;

  constructor(
    private readonly job: ShareJob,
    private readonly client: Client,
    private readonly say: (message: FromWorker) => void,
  ) {
    this.requests = new SharedRequests(job.table, job.indices);
    this.counters = new StageCounters(job.table);
  }

  stop(reason: string, graceSeconds: number, isNow = false): void {
    this.graceSeconds = graceSeconds;
    this.control.stop(reason, isNow);
  }

  async run(startSharedSeconds: number): Promise<void> {
    const { job, counters } = this;
    const offset = sharedOffsetSeconds();
    const live = new LiveFigures();
    const meter = new LoopMeter();
    let spin = (): number => 0;
    const slices = setInterval(() => {
      this.say({ type: 'slice', slice: live.takeSlice(meter.sinceLast(spin())) });
    }, SLICE_MS);
    const outcome = await runShare({
      requests: this.requests,
      pacing: job.pacing,
      hasTurns: job.hasTurns,
      client: this.client,
      timeoutSeconds: job.timeoutSeconds,
      answers: job.answers,
      stop: this.control,
      graceSeconds: () => this.graceSeconds,
      zeroSeconds: job.zeroSharedSeconds - offset,
      startSeconds: startSharedSeconds - offset,
      live,
      counters: {
        ...(job.isTakenFromAll ? { take: () => counters.take() } : {}),
        up: () => counters.up(),
        down: () => {
          counters.down();
        },
        taken: (index) => {
          counters.markTaken(job.indices[index]!, now() + offset);
        },
        ...slotsOf(job, counters),
      },
      onStarted: (_start, spinSeconds) => {
        spin = spinSeconds;
      },
      onEnded: (ended) => {
        this.keep(ended);
      },
    });
    clearInterval(slices);
    const { eventLoopUse, eventLoopDelayP99Seconds } = meter.stop(outcome.spinSeconds);
    this.say({ type: 'slice', slice: live.takeSlice(eventLoopUse) });
    this.flush();
    const use = { requests: this.sent, eventLoopUse, eventLoopDelayP99Seconds };
    this.say({ type: 'done', maxInFlight: outcome.maxInFlight, use });
  }

  private keep(ended: EndedRequest): void {
    if (ended.outcome.kind !== 'notSent') this.sent++;
    this.waiting.push(ended);
    if (this.waiting.length >= BATCH) this.flush();
    else
      this.flushTimer ??= setTimeout(() => {
        this.flush();
      }, FLUSH_MS);
  }

  private flush(): void {
    clearTimeout(this.flushTimer);
    this.flushTimer = undefined;
    if (this.waiting.length === 0) return;
    this.say({ type: 'ended', ended: this.waiting });
    this.waiting = [];
  }
}

/** An open loop with a cap has one for all threads; a closed loop's slots are each thread's own. */
function slotsOf({ pacing, indices, number }: ShareJob, counters: StageCounters): Pick<SharedCounters, 'slots'> {
  if (pacing.kind === 'closed' || pacing.inFlightCap === Number.MAX_SAFE_INTEGER) return {};
  const { inFlightCap } = pacing;
  return {
    slots: {
      take: (index) => counters.takeSlot(number, indices[index]!, inFlightCap),
      free: () => {
        counters.freeSlot();
      },
    },
  };
}
