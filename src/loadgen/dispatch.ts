// Sends one stage: an open loop on absolute deadlines, or a closed loop with an exact number in flight. Never drops, never rushes.
import type { Client, PreparedRequest, WireResult } from '../client/types';
import type { LiveFigures } from './live';
import type { StopControl } from './stop';

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

export interface DispatchOptions<R extends PreparedRequest> {
  readonly requests: readonly R[];
  readonly pacing: Pacing;
  readonly client: Client;
  readonly timeoutSeconds: number;
  readonly keepRawBody: boolean;
  readonly stop: StopControl;
  readonly live: LiveFigures;
  /** Seconds given to what is in flight after a graceful stop. */
  readonly graceSeconds: () => number;
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
const LEAD_SECONDS = 0.05;
/** Timers fire up to 1 ms early or late (performance.md section 3): the last stretch is waited with setImmediate, I/O still runs. */
const SPIN_SECONDS = 0.0015;
/** An empty turn of the loop takes a few microseconds; a longer one had work in it. */
const EMPTY_TURN_SECONDS = 50e-6;
/** Sends in one turn before I/O gets a chance: a late start must not hold up the timestamps of answers. */
const BURST = 32;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Resolves when every request has ended, been given up, or been counted as not sent. Never rejects. */
export function dispatch<R extends PreparedRequest>(options: DispatchOptions<R>): Promise<DispatchOutcome> {
  return new Promise((resolve) => new Dispatcher(options, resolve).start());
}

function now(): number {
  return performance.now() / 1000;
}

/** Owns the timers and the count in flight of one stage. */
class Dispatcher<R extends PreparedRequest> {
  private readonly startSeconds = now() + LEAD_SECONDS;
  private readonly limit: number;
  private next = 0;
  private inFlight = 0;
  private maxInFlight = 0;
  private spinSeconds = 0;
  private lastSpin: number | undefined;
  private timer: NodeJS.Timeout | undefined;
  private immediate: NodeJS.Immediate | undefined;
  private grace: NodeJS.Timeout | undefined;
  private done = false;
  /** Closed loop: when the slot of the next send became free. */
  private readonly freed: number[] = [];

  constructor(
    private readonly options: DispatchOptions<R>,
    private readonly resolve: (outcome: DispatchOutcome) => void,
  ) {
    const { pacing } = options;
    this.limit = pacing.kind === 'open' ? pacing.inFlightCap : pacing.concurrency;
  }

  start(): void {
    const { noMoreSends } = this.options.stop;
    if (noMoreSends.aborted) {
      this.onStop();
      return;
    }
    noMoreSends.addEventListener('abort', this.onStop, { once: true });
    this.options.onStarted?.(this.startSeconds, () => this.spinSeconds);
    this.pump();
  }

  private readonly pump = (): void => {
    this.timer = this.immediate = undefined;
    const { requests, stop } = this.options;
    for (let burst = 0; this.next < requests.length && !stop.noMoreSends.aborted; burst++) {
      // A slot that becomes free calls here again.
      if (this.inFlight >= this.limit) return;
      const wait = this.dueSeconds(this.next) - now();
      if (wait > 0) {
        this.wait(wait);
        return;
      }
      if (burst >= BURST) {
        this.immediate = setImmediate(this.pump);
        return;
      }
      this.lastSpin = undefined;
      this.send();
    }
    this.finishIfDone();
  };

  /** When request `index` is wanted. In a closed loop: when its slot became free, at first the stage's zero. */
  private dueSeconds(index: number): number {
    const { pacing } = this.options;
    if (pacing.kind === 'open') return this.startSeconds + pacing.offsets[index]!;
    return this.freed[0] ?? this.startSeconds;
  }

  private wait(seconds: number): void {
    if (seconds > SPIN_SECONDS) {
      this.lastSpin = undefined;
      this.timer = setTimeout(this.pump, Math.min((seconds - SPIN_SECONDS) * 1000, MAX_TIMER_MS));
      return;
    }
    const turn = now();
    if (this.lastSpin !== undefined && turn - this.lastSpin < EMPTY_TURN_SECONDS) {
      this.spinSeconds += turn - this.lastSpin;
    }
    this.lastSpin = turn;
    this.immediate = setImmediate(this.pump);
  }

  private send(): void {
    const { requests, client, timeoutSeconds, keepRawBody, stop, live, onResult } = this.options;
    const scheduledSeconds = this.dueSeconds(this.next);
    if (this.options.pacing.kind === 'closed') this.freed.shift();
    const request = requests[this.next++]!;
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
      live.ended(result);
      onResult(request, scheduledSeconds, result);
      if (this.options.pacing.kind === 'closed') this.freed.push(result.endSeconds);
      if (this.timer === undefined && this.immediate === undefined) this.pump();
      else this.finishIfDone();
    });
  }

  private readonly onStop = (): void => {
    const { requests, stop, onNotSent, graceSeconds } = this.options;
    clearTimeout(this.timer);
    clearImmediate(this.immediate);
    this.timer = this.immediate = undefined;
    const reason = stop.reason ?? 'stopped';
    while (this.next < requests.length) {
      // In a closed loop nothing is due before a slot is free: the moment it was given up is all there is.
      const scheduledSeconds = this.options.pacing.kind === 'open' ? this.dueSeconds(this.next) : now();
      onNotSent(requests[this.next++]!, scheduledSeconds, reason);
    }
    if (this.inFlight > 0) {
      this.grace = setTimeout(() => {
        stop.stop(reason, true);
      }, graceSeconds() * 1000);
    }
    this.finishIfDone();
  };

  private finishIfDone(): void {
    if (this.done || this.inFlight > 0 || this.next < this.options.requests.length) return;
    this.done = true;
    clearTimeout(this.timer);
    clearImmediate(this.immediate);
    clearTimeout(this.grace);
    this.options.stop.noMoreSends.removeEventListener('abort', this.onStop);
    const { startSeconds, maxInFlight, spinSeconds } = this;
    this.resolve({ startSeconds, maxInFlight, spinSeconds });
  }
}
