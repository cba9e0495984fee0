// Figures of the last seconds: gathered on each sending loop as cheaply as can be, put together once a second for the tick events.
import type { WireResult } from '../client/types';
import { mean, percentile, sortFinite } from '../metrics/statistics';

/** Seconds that live figures look back. */
const WINDOW_SLICES = 5;
/** Values kept of one second and thread; beyond it the oldest of that second give way. */
const SLICE_VALUES = 256;
/** Failure labels shown. */
const SHOWN_ERRORS = 5;

interface Sample {
  readonly values: Float64Array;
  /** All there were, of which `values` are the last. */
  readonly seen: number;
}

interface LiveCounts {
  ok: number;
  failed: number;
  cancelled: number;
  sent: number;
  inFlight: number;
}

/** What one thread saw since its last slice; plain data, so that it crosses threads. Counts and errors are since the stage's start. */
export interface LiveSlice {
  readonly delays: Sample;
  readonly firstTokens: Sample;
  readonly gaps: Sample;
  /** Tokens of streamed events; for answers in one piece, what the server counted at their end. */
  readonly tokens: number;
  readonly counts: Readonly<LiveCounts>;
  readonly errors: readonly (readonly [string, number])[];
  readonly eventLoopUse: number;
}

class Recent {
  private readonly values = new Float64Array(SLICE_VALUES);
  private seen = 0;

  add(value: number): void {
    this.values[this.seen++ % SLICE_VALUES] = value;
  }

  take(): Sample {
    const { seen } = this;
    this.seen = 0;
    return { values: this.values.slice(0, Math.min(seen, SLICE_VALUES)), seen };
  }
}

/** Of one stage in one thread. Every method is called on the sending loop. */
export class LiveFigures {
  private readonly delays = new Recent();
  private readonly firstTokens = new Recent();
  private readonly gaps = new Recent();
  private tokens = 0;
  private readonly errors = new Map<string, number>();
  private readonly counts: LiveCounts = { ok: 0, failed: 0, cancelled: 0, sent: 0, inFlight: 0 };

  sent(delaySeconds: number): void {
    this.counts.sent++;
    this.counts.inFlight++;
    this.delays.add(delaySeconds);
  }

  readonly firstToken = (latencySeconds: number): void => {
    this.firstTokens.add(latencySeconds);
    this.tokens++;
  };

  readonly chunk = (gapSeconds: number): void => {
    this.gaps.add(gapSeconds);
    this.tokens++;
  };

  ended(result: WireResult): void {
    this.counts.inFlight--;
    const { outcome } = result;
    if (outcome.kind === 'notSent') return;
    this.counts[outcome.kind]++;
    if (outcome.kind === 'failed') this.errors.set(outcome.label, (this.errors.get(outcome.label) ?? 0) + 1);
    if (result.chunkSeconds.length === 0) this.tokens += result.usage?.completionTokens ?? 0;
  }

  takeSlice(eventLoopUse: number): LiveSlice {
    const { tokens } = this;
    this.tokens = 0;
    return {
      delays: this.delays.take(),
      firstTokens: this.firstTokens.take(),
      gaps: this.gaps.take(),
      tokens,
      counts: { ...this.counts },
      errors: [...this.errors],
      eventLoopUse,
    };
  }
}

export interface LiveSnapshot {
  readonly counts: Readonly<LiveCounts>;
  readonly achievedRps: number;
  readonly ttftMs?: number;
  readonly itlMs?: number;
  readonly outputTokensPerSecond: number;
  readonly scheduleDelayMs?: number;
  readonly eventLoopUse: number;
  readonly errors: readonly { readonly label: string; readonly count: number }[];
}

/** Puts the slices of a stage's threads together. */
export class LiveView {
  /** The last seconds, each with the slices that came in it. */
  private seconds: (readonly LiveSlice[])[] = [];
  private readonly latest = new Map<number, LiveSlice>();
  /** Of each thread in the last second it spoke. */
  private readonly uses = new Map<number, number>();

  /** Once a second: the slices that came since, each with its thread's number. */
  push(slices: readonly (readonly [thread: number, LiveSlice])[]): LiveSnapshot {
    const uses = new Map<number, number[]>();
    for (const [thread, slice] of slices) {
      this.latest.set(thread, slice);
      uses.set(thread, [...(uses.get(thread) ?? []), slice.eventLoopUse]);
    }
    // A thread without a word in this second is over, or too busy to say one: then what it said last stands.
    for (const [thread, values] of uses) this.uses.set(thread, mean(values));
    this.seconds = [...this.seconds, slices.map(([, slice]) => slice)].slice(-WINDOW_SLICES);
    return this.snapshot();
  }

  private snapshot(): LiveSnapshot {
    const recent = this.seconds.flat();
    const seconds = this.seconds.length;
    const ttft = quantile(recent, 'firstTokens', 50);
    const itl = quantile(recent, 'gaps', 50);
    const delay = quantile(recent, 'delays', 95);
    const counts: LiveCounts = { ok: 0, failed: 0, cancelled: 0, sent: 0, inFlight: 0 };
    const errors = new Map<string, number>();
    for (const slice of this.latest.values()) {
      for (const key of Object.keys(counts) as (keyof LiveCounts)[]) counts[key] += slice.counts[key];
      for (const [label, count] of slice.errors) errors.set(label, (errors.get(label) ?? 0) + count);
    }
    return {
      counts,
      achievedRps: recent.reduce((sum, { delays }) => sum + delays.seen, 0) / seconds,
      outputTokensPerSecond: recent.reduce((sum, { tokens }) => sum + tokens, 0) / seconds,
      ...(ttft === undefined ? {} : { ttftMs: ttft * 1000 }),
      ...(itl === undefined ? {} : { itlMs: itl * 1000 }),
      ...(delay === undefined ? {} : { scheduleDelayMs: delay * 1000 }),
      // The busiest thread's: a mean would hide a thread whose timestamps wait.
      eventLoopUse: Math.max(0, ...this.uses.values()),
      errors: [...errors]
        .map(([label, count]) => ({ label, count }))
        .sort((a, b) => b.count - a.count)
        .slice(0, SHOWN_ERRORS),
    };
  }
}

function quantile(
  slices: readonly LiveSlice[],
  key: 'delays' | 'firstTokens' | 'gaps',
  percent: number,
): number | undefined {
  const values = Float64Array.from(slices.flatMap((slice) => [...slice[key].values]));
  return values.length === 0 ? undefined : percentile(sortFinite(values), percent);
}
