// What every way of sending a stage does alike: hand a request to the client, count what is in flight, stop, and know when all is over.
import type { Client, PreparedRequest, SendOptions, WireResult } from '../client/types';
import { HeadStart } from './head-start';
import type { LiveFigures } from './live';
import type { StopControl } from './stop';
import { now } from './waiter';

/** How the stage decides when a request goes out. */
export type Pacing =
  | {
      readonly kind: 'open';
      /** Ascending seconds from the stage's zero, one per request. */
      readonly offsets: Float64Array;
      /** inference-perf's num_workers x worker_max_concurrency: at the cap a request waits and is sent late. */
      readonly inFlightCap: number;
    }
  | { readonly kind: 'closed'; readonly concurrency: number };

/** The requests of a stage, or of a thread's share of it; an array is one. */
export interface RequestList<R> {
  readonly length: number;
  at(index: number): R | undefined;
}

/** Numbers that the threads of a stage have in common; without them a thread is alone. */
export interface SharedCounters {
  /** Index of the next request that nobody has taken; absent when all of the list are this thread's own. */
  readonly take?: (() => number) | undefined;
  /** One more in flight; gives how many there are now, in all threads. */
  up(): number;
  down(): void;
  /** Notes that a request is on its way, so that a thread that dies does not lose it. */
  taken(index: number): void;
  /** Slots of an open loop's cap, one pool for all threads; absent where a thread's limit is its own. */
  readonly slots?:
    | {
        /** False while there is none for request `index`. */
        take(index: number): boolean;
        free(): void;
      }
    | undefined;
}

/** Between two questions for a slot that another thread may have freed. */
export const SLOT_RETRY_MS = 1;

export interface DispatchOptions<R extends PreparedRequest> {
  readonly requests: RequestList<R>;
  readonly pacing: Pacing;
  readonly client: Client;
  readonly timeoutSeconds: number;
  readonly keepRawBody: boolean;
  /** Asked at each send. Default: they are kept. */
  readonly keepTexts?: () => boolean;
  readonly stop: StopControl;
  readonly live: LiveFigures;
  /** Seconds given to what is in flight after a graceful stop. */
  readonly graceSeconds: () => number;
  /** Zero of the schedule on this thread's clock; by default a moment from now. */
  readonly startSeconds?: number;
  readonly counters?: SharedCounters;
  /** Called once, with the stage's zero and a way to ask how long the loop has waited actively so far. */
  readonly onStarted?: (startSeconds: number, spinSeconds: () => number) => void;
  /** Each request ends in exactly one of these two calls. Times are seconds of the monotonic clock. */
  readonly onResult: (request: R, scheduledSeconds: number, result: WireResult) => void;
  readonly onNotSent: (request: R, scheduledSeconds: number, reason: string) => void;
}

export interface DispatchOutcome {
  /** Zero of the stage's schedule. */
  readonly startSeconds: number;
  readonly maxInFlight: number;
  /** Seconds the loop spent waiting actively for a deadline: busy for the CPU, free for the work. */
  readonly spinSeconds: number;
}

/** Between preparing and the first deadline: time for the loop to become idle. inference-perf leaves 1 s to fill its queue. */
export const LEAD_SECONDS = 0.05;

/** Owns the count in flight of one stage, its grace timer, and its end. */
export class Flights<R extends PreparedRequest> {
  readonly startSeconds: number;
  /** Most that may be in flight in this thread. */
  readonly limit: number;
  inFlight = 0;
  /** An open loop decides so much before a request is due. */
  readonly headStart = new HeadStart();
  /** The same for all requests of a stage, so one for all. */
  private readonly sendOptions: SendOptions;
  private maxInFlight = 0;
  private grace: NodeJS.Timeout | undefined;
  private isOver = false;
  private onStop: (() => void) | undefined;

  constructor(
    private readonly options: DispatchOptions<R>,
    private readonly resolve: (outcome: DispatchOutcome) => void,
  ) {
    const { pacing, startSeconds, timeoutSeconds, stop, keepRawBody, keepTexts = () => true, live } = options;
    this.startSeconds = startSeconds ?? now() + LEAD_SECONDS;
    this.limit = pacing.kind === 'open' ? pacing.inFlightCap : pacing.concurrency;
    this.sendOptions = {
      timeoutSeconds,
      signal: stop.giveUp,
      keepRawBody,
      get keepTexts() {
        return keepTexts();
      },
      onFirstToken: live.firstToken,
      onChunk: live.chunk,
    };
  }

  /** False when the run was stopped already: then `onStop` has been called, and nothing is to be sent. */
  begin(onStop: () => void, spinSeconds: () => number): boolean {
    const { noMoreSends } = this.options.stop;
    if (noMoreSends.aborted) {
      onStop();
      return false;
    }
    this.onStop = onStop;
    noMoreSends.addEventListener('abort', onStop, { once: true });
    this.options.onStarted?.(this.startSeconds, spinSeconds);
    return true;
  }

  /** A slot for request `index`; false when other threads have them all: then ask again after `SLOT_RETRY_MS`. */
  takeSlot(index: number): boolean {
    return this.options.counters?.slots?.take(index) ?? true;
  }

  freeSlot(): void {
    this.options.counters?.slots?.free();
  }

  send(request: R, index: number, scheduledSeconds: number, then: (result: WireResult) => void): void {
    const { client, live, counters } = this.options;
    this.inFlight++;
    counters?.taken(index);
    this.maxInFlight = Math.max(this.maxInFlight, counters ? counters.up() : this.inFlight);
    const decidedSeconds = now();
    live.sent(decidedSeconds - scheduledSeconds);
    void client.send(request, this.sendOptions).then((result) => {
      this.inFlight--;
      counters?.down();
      if (result.sentSeconds !== undefined) this.headStart.learn(result.sentSeconds - decidedSeconds);
      live.ended(result);
      then(result);
    });
  }

  /** After a stop: what is in flight gets its grace, then it is given up. */
  giveGrace(): void {
    if (this.inFlight === 0) return;
    const { stop, graceSeconds } = this.options;
    this.grace = setTimeout(() => {
      stop.stop(stop.reason ?? 'stopped', true);
    }, graceSeconds() * 1000);
  }

  /** Nothing is in flight and nothing will be sent; only the first call counts. */
  finish(spinSeconds: number): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.grace);
    if (this.onStop) this.options.stop.noMoreSends.removeEventListener('abort', this.onStop);
    this.resolve({ startSeconds: this.startSeconds, maxInFlight: this.maxInFlight, spinSeconds });
  }
}
