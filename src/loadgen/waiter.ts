// Waiting for a deadline on the loop that also receives: a timer up to the last stretch, then turn by turn so that I/O still runs.

/** Timers fire up to 1 ms early or late (performance.md section 3): the last stretch is waited with setImmediate. */
const SPIN_SECONDS = 0.0015;
/** An empty turn of the loop takes a few microseconds; a longer one had work in it. */
const EMPTY_TURN_SECONDS = 50e-6;
const MAX_TIMER_MS = 2 ** 31 - 1;

export function now(): number {
  return performance.now() / 1000;
}

/** Owns at most one timer or immediate. */
export class Waiter {
  /** Seconds spent waiting actively: busy for the CPU, free for the work. */
  spinSeconds = 0;
  private lastSpin: number | undefined;
  private timer: NodeJS.Timeout | undefined;
  private immediate: NodeJS.Immediate | undefined;

  constructor(private readonly call: () => void) {}

  get isWaiting(): boolean {
    return this.timer !== undefined || this.immediate !== undefined;
  }

  /** Calls back up to `seconds` from now: the caller looks at the clock again, and waits again. */
  wait(seconds: number): void {
    if (seconds > SPIN_SECONDS) {
      this.lastSpin = undefined;
      this.timer = setTimeout(this.fire, Math.min((seconds - SPIN_SECONDS) * 1000, MAX_TIMER_MS));
      return;
    }
    const turn = now();
    if (this.lastSpin !== undefined && turn - this.lastSpin < EMPTY_TURN_SECONDS)
      this.spinSeconds += turn - this.lastSpin;
    this.lastSpin = turn;
    this.immediate = setImmediate(this.fire);
  }

  /** Calls back in the loop's next turn: I/O gets its chance before. */
  yield(): void {
    this.lastSpin = undefined;
    this.immediate = setImmediate(this.fire);
  }

  /** Calls back after about so many milliseconds, whatever is due: nothing is waited for actively. */
  pause(milliseconds: number): void {
    this.lastSpin = undefined;
    this.timer = setTimeout(this.fire, milliseconds);
  }

  /** Work was done in this turn: it was no active waiting. */
  worked(): void {
    this.lastSpin = undefined;
  }

  cancel(): void {
    clearTimeout(this.timer);
    clearImmediate(this.immediate);
    this.timer = this.immediate = undefined;
  }

  private readonly fire = (): void => {
    this.timer = this.immediate = undefined;
    this.call();
  };
}
