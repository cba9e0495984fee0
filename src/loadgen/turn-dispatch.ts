// Sends a stage whose requests are turns of conversations: a turn goes out when it is due and the turn before it was answered.
import type { PreparedRequest, WireResult } from '../client/types';
import { Conversations, type TurnPlan } from '../datagen/conversation';
import type { DispatchOptions, DispatchOutcome } from './dispatch';

export type TurnRequest = PreparedRequest & { readonly turn?: TurnPlan; readonly requestBytes?: number };

export function hasTurns(requests: readonly TurnRequest[]): boolean {
  return requests.some(({ turn }) => turn !== undefined);
}

const LEAD_SECONDS = 0.05;
/** Timers are up to 1 ms off: the last stretch is waited with setImmediate, as in `dispatch`. */
const SPIN_SECONDS = 0.0015;
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Like `dispatch`, for turns. Open loop: a turn that is due while its conversation still waits for an answer is sent late, and
 * its lateness recorded. Closed loop: a free slot takes the earliest planned turn whose conversation is idle, so that as many
 * conversations go on as the level says; inference-perf keeps the planned order and lets blocked turns hold slots (reference
 * 3.9, pitfall P15). In both, the slot stays taken for the simulated tool time after an answer, as upstream. Never rejects.
 */
export function dispatchTurns<R extends TurnRequest>(options: DispatchOptions<R>): Promise<DispatchOutcome> {
  return new Promise((resolve) => new TurnDispatcher(options, resolve).start());
}

function now(): number {
  return performance.now() / 1000;
}

interface Queue {
  /** Due turns in planned order, as indices into the requests. */
  readonly due: number[];
  busy: boolean;
  /** When it became free: end of the answer and its tool time. */
  freeSeconds: number;
}

/** Owns the timers, the queues and what was said in the conversations of one stage. */
class TurnDispatcher<R extends TurnRequest> {
  private readonly startSeconds = now() + LEAD_SECONDS;
  private readonly conversations = new Conversations();
  private readonly queues = new Map<number, Queue>();
  /** First due turn of every idle conversation. */
  private readonly ready = new IndexHeap();
  private readonly sentOrGivenUp: Uint8Array;
  private readonly limit: number;
  private nextDue = 0;
  private taken = 0;
  private inFlight = 0;
  private left: number;
  private maxInFlight = 0;
  private readonly freedSlots: number[] = [];
  private dueTimer: NodeJS.Timeout | undefined;
  private dueImmediate: NodeJS.Immediate | undefined;
  private grace: NodeJS.Timeout | undefined;
  private readonly holds = new Set<NodeJS.Timeout>();
  private done = false;

  constructor(
    private readonly options: DispatchOptions<R>,
    private readonly resolve: (outcome: DispatchOutcome) => void,
  ) {
    const { pacing, requests } = options;
    this.limit = pacing.kind === 'open' ? pacing.inFlightCap : pacing.concurrency;
    this.left = requests.length;
    this.sentOrGivenUp = new Uint8Array(requests.length);
  }

  start(): void {
    const { noMoreSends } = this.options.stop;
    if (noMoreSends.aborted) {
      this.onStop();
      return;
    }
    noMoreSends.addEventListener('abort', this.onStop, { once: true });
    this.options.onStarted?.(this.startSeconds, () => 0);
    this.makeDue();
  }

  /** Puts every turn whose time has come into its conversation's queue; in a closed loop all have. */
  private readonly makeDue = (): void => {
    const { requests, pacing } = this.options;
    this.dueTimer = this.dueImmediate = undefined;
    while (this.nextDue < requests.length) {
      const wait = this.startSeconds + (pacing.kind === 'open' ? pacing.offsets[this.nextDue]! : 0) - now();
      if (wait > 0) {
        if (wait < SPIN_SECONDS) this.dueImmediate = setImmediate(this.makeDue);
        else this.dueTimer = setTimeout(this.makeDue, Math.min((wait - SPIN_SECONDS) * 1000, MAX_TIMER_MS));
        break;
      }
      const index = this.nextDue++;
      const queue = this.queueOf(index);
      queue.due.push(index);
      if (!queue.busy && queue.due.length === 1) this.ready.push(index);
    }
    this.pump();
  };

  private queueOf(index: number): Queue {
    // A request that is no turn is a conversation of its own.
    const key = this.options.requests[index]!.turn?.conversation ?? -1 - index;
    let queue = this.queues.get(key);
    if (!queue) this.queues.set(key, (queue = { due: [], busy: false, freeSeconds: 0 }));
    return queue;
  }

  private pump(): void {
    while (this.taken < this.limit && !this.options.stop.noMoreSends.aborted) {
      const index = this.ready.pop();
      if (index === undefined) break;
      this.send(index);
    }
    this.finishIfDone();
  }

  private send(index: number): void {
    const { requests, client, timeoutSeconds, keepRawBody, stop, live, onResult } = this.options;
    const queue = this.queueOf(index);
    queue.due.shift();
    queue.busy = true;
    const scheduledSeconds = this.scheduled(index, queue);
    const planned = requests[index]!;
    const request = planned.turn ? this.said(planned, planned.turn) : planned;
    this.sentOrGivenUp[index] = 1;
    this.taken++;
    this.inFlight++;
    this.maxInFlight = Math.max(this.maxInFlight, this.inFlight);
    live.sent(now() - scheduledSeconds);
    const sending = client.send(request, {
      timeoutSeconds,
      signal: stop.giveUp,
      keepRawBody,
      onFirstToken: live.firstToken,
      onChunk: live.chunk,
    });
    void sending.then((result) => {
      this.inFlight--;
      this.left--;
      live.ended(result);
      if (planned.turn && result.outcome.kind === 'ok') this.remember(planned, planned.turn, result);
      onResult(request, scheduledSeconds, result);
      this.hold(queue, planned, result);
    });
  }

  /** Open loop: when the schedule wanted it. Closed loop: when both a slot and its conversation were free. */
  private scheduled(index: number, queue: Queue): number {
    const { pacing } = this.options;
    if (pacing.kind === 'open') return this.startSeconds + pacing.offsets[index]!;
    return Math.max(this.startSeconds, queue.freeSeconds, this.freedSlots.shift() ?? 0);
  }

  private said(planned: R, turn: TurnPlan): R {
    const { body, text } = this.conversations.say(turn);
    return { ...planned, body, requestBytes: Buffer.byteLength(body), promptTexts: [text] };
  }

  private remember(planned: R, turn: TurnPlan, result: WireResult): void {
    this.conversations.answered(turn, result.outputText, result.usage?.completionTokens ?? planned.maxTokens);
  }

  /** The slot and the conversation are free when the simulated tool has ended; a tool is called only after an answer. */
  private hold(queue: Queue, { turn }: R, result: WireResult): void {
    const seconds = result.outcome.kind === 'ok' ? (turn?.holdSeconds ?? 0) : 0;
    const free = (): void => {
      this.taken--;
      queue.busy = false;
      queue.freeSeconds = result.endSeconds + seconds;
      this.freedSlots.push(queue.freeSeconds);
      const [next] = queue.due;
      if (next !== undefined) this.ready.push(next);
      this.pump();
    };
    if (seconds <= 0 || this.left === 0) {
      free();
      return;
    }
    const timer = setTimeout(
      () => {
        this.holds.delete(timer);
        free();
      },
      Math.min(seconds * 1000, MAX_TIMER_MS),
    );
    this.holds.add(timer);
  }

  private readonly onStop = (): void => {
    const { requests, stop, onNotSent, graceSeconds, pacing } = this.options;
    clearTimeout(this.dueTimer);
    clearImmediate(this.dueImmediate);
    const reason = stop.reason ?? 'stopped';
    for (const [index, request] of requests.entries()) {
      if (this.sentOrGivenUp[index] === 1) continue;
      this.sentOrGivenUp[index] = 1;
      this.left--;
      onNotSent(request, pacing.kind === 'open' ? this.startSeconds + pacing.offsets[index]! : now(), reason);
    }
    if (this.inFlight > 0) {
      this.grace = setTimeout(() => {
        stop.stop(reason, true);
      }, graceSeconds() * 1000);
    }
    this.finishIfDone();
  };

  private finishIfDone(): void {
    if (this.done || this.left > 0) return;
    this.done = true;
    clearTimeout(this.dueTimer);
    clearTimeout(this.grace);
    for (const timer of this.holds) clearTimeout(timer);
    this.options.stop.noMoreSends.removeEventListener('abort', this.onStop);
    this.resolve({ startSeconds: this.startSeconds, maxInFlight: this.maxInFlight, spinSeconds: 0 });
  }
}

/** A binary heap of numbers, smallest first. */
class IndexHeap {
  private readonly values: number[] = [];

  push(value: number): void {
    const { values } = this;
    let at = values.push(value) - 1;
    for (let up = (at - 1) >> 1; at > 0 && values[up]! > value; up = (at - 1) >> 1) {
      values[at] = values[up]!;
      at = up;
    }
    values[at] = value;
  }

  pop(): number | undefined {
    const { values } = this;
    const [top] = values;
    const last = values.pop();
    if (last === undefined || values.length === 0) return top;
    let at = 0;
    for (let child = 1; child < values.length; child = 2 * at + 1) {
      if (child + 1 < values.length && values[child + 1]! < values[child]!) child++;
      if (values[child]! >= last) break;
      values[at] = values[child]!;
      at = child;
    }
    values[at] = last;
    return top;
  }
}
