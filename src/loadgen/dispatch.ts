// Sends one stage: an open loop on absolute deadlines, or a closed loop with an exact number in flight. Never drops, never rushes.
import type { PreparedRequest } from '../client/types';
import { Flights, SLOT_RETRY_MS, type DispatchOptions, type DispatchOutcome } from './flights';
import { now, Waiter } from './waiter';

/** Sends in one turn before I/O gets a chance: a late start must not hold up the timestamps of answers. */
const BURST = 32;

/** Resolves when every request has ended, been given up, or been counted as not sent. Never rejects. */
export function dispatch<R extends PreparedRequest>(options: DispatchOptions<R>): Promise<DispatchOutcome> {
  return new Promise((resolve) => new Dispatcher(options, resolve).start());
}

/** Owns the deadlines of one stage, or of a thread's share of it. */
class Dispatcher<R extends PreparedRequest> {
  private readonly flights: Flights<R>;
  private readonly waiter = new Waiter(() => this.pump());
  private counted = 0;
  /** Taken, and waiting for its time. */
  private next: number | undefined;
  private isExhausted = false;
  /** The next request is due, and other threads have all slots. */
  private isWithoutSlot = false;
  /** Closed loop: when the slot of the next send became free. */
  private readonly freed: number[] = [];

  constructor(
    private readonly options: DispatchOptions<R>,
    resolve: (outcome: DispatchOutcome) => void,
  ) {
    this.flights = new Flights(options, resolve);
  }

  start(): void {
    if (this.flights.begin(this.onStop, () => this.waiter.spinSeconds)) this.pump();
  }

  private pump(): void {
    const { stop } = this.options;
    this.isWithoutSlot = false;
    for (let burst = 0; !stop.noMoreSends.aborted; burst++) {
      // A slot that becomes free calls here again. A request is taken only for a free slot: another thread may have one.
      if (this.flights.inFlight >= this.flights.limit) return;
      const index = this.peek();
      if (index === undefined) break;
      const wait = this.dueSeconds(index) - this.earlySeconds - now();
      if (wait > 0) {
        this.waiter.wait(wait);
        return;
      }
      if (burst >= BURST) {
        this.waiter.yield();
        return;
      }
      if (!this.flights.takeSlot(index)) {
        this.isWithoutSlot = true;
        this.waiter.pause(SLOT_RETRY_MS);
        return;
      }
      this.waiter.worked();
      this.send(index);
    }
    this.finishIfDone();
  }

  /** The request to send next; undefined when there is none left. */
  private peek(): number | undefined {
    const { requests, counters } = this.options;
    if (this.next !== undefined || this.isExhausted) return this.next;
    const index = counters?.take?.() ?? this.counted++;
    if (index < requests.length) this.next = index;
    else this.isExhausted = true;
    return this.next;
  }

  /** When request `index` is wanted. In a closed loop: when its slot became free, at first the stage's zero. */
  private dueSeconds(index: number): number {
    const { pacing } = this.options;
    const { startSeconds } = this.flights;
    return pacing.kind === 'open' ? startSeconds + pacing.offsets[index]! : (this.freed[0] ?? startSeconds);
  }

  /** A closed loop sends when a slot is free, not at a time. */
  private get earlySeconds(): number {
    return this.options.pacing.kind === 'open' ? this.flights.headStart.seconds : 0;
  }

  private send(index: number): void {
    const { requests, pacing, onResult } = this.options;
    const scheduledSeconds = this.dueSeconds(index);
    const request = requests.at(index)!;
    this.next = undefined;
    if (pacing.kind === 'closed') this.freed.shift();
    this.flights.send(request, index, scheduledSeconds, (result) => {
      onResult(request, scheduledSeconds, result);
      this.flights.freeSlot();
      if (pacing.kind === 'closed') this.freed.push(result.endSeconds);
      if (this.isWithoutSlot) this.waiter.cancel();
      if (this.waiter.isWaiting) this.finishIfDone();
      else this.pump();
    });
  }

  private readonly onStop = (): void => {
    const { requests, pacing, stop, onNotSent } = this.options;
    this.waiter.cancel();
    for (let index = this.peek(); index !== undefined; index = this.peek()) {
      // In a closed loop nothing is due before a slot is free: the moment it was given up is all there is.
      const scheduledSeconds = pacing.kind === 'open' ? this.dueSeconds(index) : now();
      this.next = undefined;
      onNotSent(requests.at(index)!, scheduledSeconds, stop.reason ?? 'stopped');
    }
    this.flights.giveGrace();
    this.finishIfDone();
  };

  private finishIfDone(): void {
    if (!this.isExhausted || this.flights.inFlight > 0) return;
    this.waiter.cancel();
    this.flights.finish(this.waiter.spinSeconds);
  }
}
