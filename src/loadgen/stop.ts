// How a run is stopped: first gracefully (no new sends, what is in flight may end), then now (what is in flight is cancelled).

/** Owns the two signals a run listens to. Every call may come at any time and more than once. */
export class StopControl {
  private readonly sending = new AbortController();
  private readonly flying = new AbortController();

  /** Aborted: nothing more is sent. */
  get noMoreSends(): AbortSignal {
    return this.sending.signal;
  }

  /** Aborted: what is in flight is given up. */
  get giveUp(): AbortSignal {
    return this.flying.signal;
  }

  /** Why, in the words of whoever stopped first; undefined while nobody has. */
  get reason(): string | undefined {
    return this.sending.signal.aborted ? String(this.sending.signal.reason) : undefined;
  }

  stop(reason: string, now: boolean): void {
    if (!this.sending.signal.aborted) this.sending.abort(reason);
    if (now && !this.flying.signal.aborted) this.flying.abort(reason);
  }
}
