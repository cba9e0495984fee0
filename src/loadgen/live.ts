// Figures of the last seconds, cheap enough to keep on the sending loop: what the tick events show.
import type { WireResult } from '../client/types';
import { percentile, sortedValues } from '../metrics/statistics';

/** Seconds that live figures look back. */
const WINDOW_SLICES = 5;
/** Values kept of one second; beyond it the oldest of that second give way. Few, because they are sorted on the sending loop. */
const SLICE_VALUES = 256;

interface Slice {
  readonly values: Float64Array;
  seen: number;
}

/** The values of the last five slices of a second each. */
class RecentValues {
  private readonly slices: Slice[] = Array.from({ length: WINDOW_SLICES }, () => ({
    values: new Float64Array(SLICE_VALUES),
    seen: 0,
  }));
  private current = 0;

  add(value: number): void {
    const slice = this.slices[this.current]!;
    slice.values[slice.seen++ % SLICE_VALUES] = value;
  }

  rotate(): void {
    this.current = (this.current + 1) % WINDOW_SLICES;
    this.slices[this.current]!.seen = 0;
  }

  get count(): number {
    return this.slices.reduce((sum, slice) => sum + slice.seen, 0);
  }

  quantile(percent: number): number | undefined {
    const values = this.slices.flatMap((slice) => [...slice.values.subarray(0, Math.min(slice.seen, SLICE_VALUES))]);
    return values.length === 0 ? undefined : percentile(sortedValues(values), percent);
  }
}

export interface LiveSnapshot {
  readonly counts: { ok: number; failed: number; cancelled: number; sent: number; inFlight: number };
  readonly achievedRps: number;
  readonly ttftMs?: number;
  readonly itlMs?: number;
  readonly outputTokensPerSecond: number;
  readonly scheduleDelayMs?: number;
  readonly errors: readonly { readonly label: string; readonly count: number }[];
}

/** Of one stage. Every method is called on the sending loop. */
export class LiveFigures {
  private readonly delays = new RecentValues();
  private readonly firstTokens = new RecentValues();
  private readonly gaps = new RecentValues();
  /** Tokens of streamed events by second; for answers in one piece, what the server counted at their end. */
  private readonly tokens = new Float64Array(WINDOW_SLICES);
  private slice = 0;
  private slicesSeen = 1;
  private readonly errors = new Map<string, number>();
  private readonly counts = { ok: 0, failed: 0, cancelled: 0, sent: 0, inFlight: 0 };

  sent(delaySeconds: number): void {
    this.counts.sent++;
    this.counts.inFlight++;
    this.delays.add(delaySeconds);
  }

  readonly firstToken = (latencySeconds: number): void => {
    this.firstTokens.add(latencySeconds);
    this.tokens[this.slice]!++;
  };

  readonly chunk = (gapSeconds: number): void => {
    this.gaps.add(gapSeconds);
    this.tokens[this.slice]!++;
  };

  ended(result: WireResult): void {
    this.counts.inFlight--;
    const { outcome } = result;
    if (outcome.kind === 'notSent') return;
    this.counts[outcome.kind]++;
    if (outcome.kind === 'failed') this.errors.set(outcome.label, (this.errors.get(outcome.label) ?? 0) + 1);
    if (result.chunkSeconds.length === 0) this.tokens[this.slice]! += result.usage?.completionTokens ?? 0;
  }

  snapshot(): LiveSnapshot {
    const seconds = Math.min(this.slicesSeen, WINDOW_SLICES);
    const ttft = this.firstTokens.quantile(50);
    const itl = this.gaps.quantile(50);
    const delay = this.delays.quantile(95);
    return {
      counts: { ...this.counts },
      achievedRps: this.delays.count / seconds,
      outputTokensPerSecond: this.tokens.reduce((sum, count) => sum + count, 0) / seconds,
      ...(ttft === undefined ? {} : { ttftMs: ttft * 1000 }),
      ...(itl === undefined ? {} : { itlMs: itl * 1000 }),
      ...(delay === undefined ? {} : { scheduleDelayMs: delay * 1000 }),
      errors: [...this.errors]
        .map(([label, count]) => ({ label, count }))
        .sort((a, b) => b.count - a.count)
        .slice(0, 5),
    };
  }

  /** Once a second, after the snapshot. */
  rotate(): void {
    for (const recent of [this.delays, this.firstTokens, this.gaps]) recent.rotate();
    this.slice = (this.slice + 1) % WINDOW_SLICES;
    this.tokens[this.slice] = 0;
    this.slicesSeen++;
  }
}
