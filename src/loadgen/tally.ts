// What is kept of a stage's requests while it runs: four times each and how many ended how, never the records themselves.
import type { Outcome, OutcomeCounts } from '../metrics/record';

/** What is known of one planned request when it has ended, in the words of its record. */
export interface Ending {
  readonly outcome: Outcome;
  readonly scheduledSeconds: number;
  readonly sentSeconds?: number | undefined;
  readonly attemptedSeconds?: number | undefined;
  readonly endSeconds?: number | undefined;
}

/** Owns 32 bytes a request; NaN is "did not happen". Requests stand in the order they ended. */
export class StageTally {
  readonly scheduled: Float64Array;
  readonly sent: Float64Array;
  /** Sent, or for a request that never reached a socket, when that was tried. */
  readonly started: Float64Array;
  readonly ended: Float64Array;
  readonly counts: Record<Exclude<keyof OutcomeCounts, 'planned'>, number> = {
    ok: 0,
    failed: 0,
    cancelled: 0,
    notSent: 0,
  };
  /** Failures by label. */
  readonly labels = new Map<string, number>();
  firstFailure: string | undefined;
  /** End of the latest success. */
  lastSuccessSeconds: number | undefined;
  /** Failures that ended after it: when each began, and the longest time one of them took, seconds. */
  failedSince: { readonly starts: number[]; longestSeconds: number } = { starts: [], longestSeconds: 0 };
  private length = 0;

  constructor(readonly planned: number) {
    this.scheduled = new Float64Array(planned);
    this.sent = new Float64Array(planned);
    this.started = new Float64Array(planned);
    this.ended = new Float64Array(planned);
  }

  /** Throws for more requests than were planned: one would have been recorded twice. */
  add({ outcome, scheduledSeconds, sentSeconds, attemptedSeconds, endSeconds }: Ending): void {
    if (this.length >= this.planned) throw new Error(`more than the planned ${this.planned} requests ended`);
    this.scheduled[this.length] = scheduledSeconds;
    this.sent[this.length] = sentSeconds ?? Number.NaN;
    this.started[this.length] = sentSeconds ?? attemptedSeconds ?? Number.NaN;
    this.ended[this.length] = endSeconds ?? Number.NaN;
    this.length++;
    this.counts[outcome.kind]++;
    if (outcome.kind === 'ok') {
      this.lastSuccessSeconds = Math.max(this.lastSuccessSeconds ?? -Infinity, endSeconds ?? -Infinity);
      if (this.failedSince.starts.length > 0) this.failedSince = { starts: [], longestSeconds: 0 };
    }
    if (outcome.kind !== 'failed') return;
    const began = sentSeconds ?? attemptedSeconds ?? scheduledSeconds;
    this.failedSince.starts.push(began);
    this.failedSince.longestSeconds = Math.max(this.failedSince.longestSeconds, (endSeconds ?? began) - began);
    this.labels.set(outcome.label, (this.labels.get(outcome.label) ?? 0) + 1);
    this.firstFailure ??= `${outcome.label}: ${outcome.message}`;
  }

  /** Requests that have ended. */
  get count(): number {
    return this.length;
  }

  outcomes(): OutcomeCounts {
    return { planned: this.length, ...this.counts };
  }
}
