// From the decision to send to the socket takes some microseconds: they are measured, and the decision falls that much earlier.

/** The way to the socket counts as known when so many requests in a hundred were faster: few are sent before they are due. */
const FASTER_PERCENT = 10;
/** One request moves the figure by no more than this, seconds: some hundred find it, and follow it. */
const STEP_SECONDS = 2e-6;
/** Whatever was measured, a request goes out no earlier than this before it is due. */
const MOST_SECONDS = 50e-6;

/** A running low percentile of what the way to the socket takes. */
export class HeadStart {
  seconds = 0;

  /** @param tookSeconds from the decision to the socket, of a request on a connection that was open or of any other */
  learn(tookSeconds: number): void {
    // In balance when the chance of a faster one, times the step down, is the chance of a slower one times the step up.
    const change = tookSeconds < this.seconds ? FASTER_PERCENT - 100 : FASTER_PERCENT;
    const next = this.seconds + (change / 100) * STEP_SECONDS;
    this.seconds = Math.min(MOST_SECONDS, Math.max(0, next));
  }
}
