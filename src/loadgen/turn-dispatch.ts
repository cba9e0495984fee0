// Sends a stage whose requests are turns of conversations: a turn goes out when it is due and the turn before it was answered.
import type { PreparedRequest, WireResult } from '../client/types';
import { Conversations, type TurnPlan } from '../datagen/conversation';
import type { RequestMedia } from '../metrics/media';
import { Flights, SLOT_RETRY_MS, type DispatchOptions, type DispatchOutcome } from './flights';
import { now, Waiter } from './waiter';

export type TurnRequest = PreparedRequest & {
  readonly turn?: TurnPlan;
  readonly requestBytes?: number;
  readonly media?: RequestMedia;
};

export function hasTurns(requests: readonly TurnRequest[]): boolean {
  return requests.some(({ turn }) => turn !== undefined);
}

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

interface Queue {
  /** Due turns in planned order, as indices into the requests. */
  readonly due: number[];
  busy: boolean;
  /** When it became free: end of the answer and its tool time. */
  freeSeconds: number;
}

/** Owns the timers, the queues and what was said in the conversations of one stage. */
class TurnDispatcher<R extends TurnRequest> {
  private readonly flights: Flights<R>;
  private readonly waiter = new Waiter(() => this.makeDue());
  private readonly conversations = new Conversations();
  private readonly queues = new Map<number, Queue>();
  /** First due turn of every idle conversation. */
  private readonly ready = new IndexHeap();
  private readonly sentOrGivenUp: Uint8Array;
  private nextDue = 0;
  private taken = 0;
  private left: number;
  private readonly freedSlots: number[] = [];
  private readonly holds = new Set<NodeJS.Timeout>();
  /** While a turn is ready and other threads have all slots. */
  private retry: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: DispatchOptions<R>,
    resolve: (outcome: DispatchOutcome) => void,
  ) {
    this.flights = new Flights(options, resolve);
    this.left = options.requests.length;
    this.sentOrGivenUp = new Uint8Array(this.left);
  }

  start(): void {
    if (this.flights.begin(this.onStop, () => this.waiter.spinSeconds)) this.makeDue();
  }

  /** Puts every turn whose time has come into its conversation's queue; in a closed loop all have. */
  private makeDue(): void {
    const { requests } = this.options;
    while (this.nextDue < requests.length) {
      const wait = this.dueSeconds(this.nextDue) - now();
      if (wait > 0) {
        this.waiter.wait(wait);
        break;
      }
      this.waiter.worked();
      const index = this.nextDue++;
      const queue = this.queueOf(index);
      queue.due.push(index);
      if (!queue.busy && queue.due.length === 1) this.ready.push(index);
    }
    this.pump();
  }

  private dueSeconds(index: number): number {
    const { pacing } = this.options;
    return this.flights.startSeconds + (pacing.kind === 'open' ? pacing.offsets[index]! : 0);
  }

  private queueOf(index: number): Queue {
    // A request that is no turn is a conversation of its own.
    const key = this.options.requests.at(index)!.turn?.conversation ?? -1 - index;
    let queue = this.queues.get(key);
    if (!queue) this.queues.set(key, (queue = { due: [], busy: false, freeSeconds: 0 }));
    return queue;
  }

  private pump(): void {
    while (this.taken < this.flights.limit && !this.options.stop.noMoreSends.aborted) {
      const index = this.ready.pop();
      if (index === undefined) break;
      if (!this.flights.takeSlot(index)) {
        this.ready.push(index);
        this.retry ??= setTimeout(this.askAgain, SLOT_RETRY_MS);
        break;
      }
      this.send(index);
    }
    this.finishIfDone();
  }

  private readonly askAgain = (): void => {
    this.retry = undefined;
    this.pump();
  };

  private send(index: number): void {
    const { requests, onResult } = this.options;
    const queue = this.queueOf(index);
    queue.due.shift();
    queue.busy = true;
    const scheduledSeconds = this.scheduled(index, queue);
    const planned = requests.at(index)!;
    const request = planned.turn ? this.said(planned, planned.turn) : planned;
    this.sentOrGivenUp[index] = 1;
    this.taken++;
    this.flights.send(request, index, scheduledSeconds, (result) => {
      this.left--;
      if (planned.turn && result.outcome.kind === 'ok') this.remember(planned, planned.turn, result);
      onResult(request, scheduledSeconds, result);
      this.hold(queue, planned, result);
    });
  }

  /** Open loop: when the schedule wanted it. Closed loop: when both a slot and its conversation were free. */
  private scheduled(index: number, queue: Queue): number {
    if (this.options.pacing.kind === 'open') return this.dueSeconds(index);
    return Math.max(this.flights.startSeconds, queue.freeSeconds, this.freedSlots.shift() ?? 0);
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
      this.flights.freeSlot();
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
    const { requests, stop, onNotSent, pacing } = this.options;
    this.waiter.cancel();
    for (let index = 0; index < requests.length; index++) {
      if (this.sentOrGivenUp[index] === 1) continue;
      this.sentOrGivenUp[index] = 1;
      this.left--;
      const scheduledSeconds = pacing.kind === 'open' ? this.dueSeconds(index) : now();
      onNotSent(requests.at(index)!, scheduledSeconds, stop.reason ?? 'stopped');
    }
    this.flights.giveGrace();
    this.finishIfDone();
  };

  private finishIfDone(): void {
    if (this.left > 0) return;
    this.waiter.cancel();
    clearTimeout(this.retry);
    for (const timer of this.holds) {
      clearTimeout(timer);
      // Other threads may still have turns to send.
      this.flights.freeSlot();
    }
    this.holds.clear();
    this.flights.finish(this.waiter.spinSeconds);
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
