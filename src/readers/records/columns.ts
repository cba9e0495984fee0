// Per-request measurements as columns: a million requests in bounded memory, whatever tool wrote them.
import type { TokenCounter } from '../canonical';

/** Gaps beyond this many are counted and summed, not kept: 40 million are 320 MB. */
const MAX_GAPS = 40_000_000;
const BLOCK = 1 << 20;
/** Sums of seconds of a day are exact to some picoseconds; clocks are read to a microsecond. */
const BACKWARDS = 1e-6;
const LONGEST = 1e9;

/** One request, as every format can give it; NaN is "not recorded". Times are seconds of one clock. */
export interface RequestRow {
  sent: number;
  scheduled: number;
  end: number;
  /** First and last token or chunk. */
  first: number;
  last: number;
  /** How many tokens or chunks were stamped. */
  stamps: number;
  /** How many chunks there were, where a tool counts them and stamps only the first and the last. */
  chunks: number;
  serverOutput: number;
  clientOutput: number;
  serverInput: number;
  clientInput: number;
  failed: boolean;
}

const FIELDS = [
  'sent',
  'scheduled',
  'end',
  'first',
  'last',
  'stamps',
  'chunks',
  'serverOutput',
  'clientOutput',
  'serverInput',
  'clientInput',
] as const satisfies readonly (keyof RequestRow)[];

type Field = (typeof FIELDS)[number];

const COUNTS = ['serverOutput', 'clientOutput', 'serverInput', 'clientInput'] as const satisfies readonly Field[];

export function emptyRow(): RequestRow {
  return {
    sent: NaN,
    scheduled: NaN,
    end: NaN,
    first: NaN,
    last: NaN,
    stamps: 0,
    chunks: NaN,
    serverOutput: NaN,
    clientOutput: NaN,
    serverInput: NaN,
    clientInput: NaN,
    failed: false,
  };
}

/** Owns the columns while they grow. */
export class RequestColumns {
  private size = 0;
  private capacity = 1024;
  private readonly columns: Record<Field, Float64Array>;
  private failures: Uint8Array = new Uint8Array(this.capacity);
  /** Where the gaps of a request begin. */
  private starts: Float64Array = new Float64Array(this.capacity + 1);
  private readonly blocks: Float64Array[] = [];
  private gapCount = 0;
  /** Gaps that were not kept. */
  droppedGaps = 0;
  /** Requests whose times run backwards, which leaves them that of their sending, or whose counts are below 0, which leaves none. */
  impossible = 0;
  /**
   * False when the file does not say when its requests began: each is then on a clock of its own that starts at its `sent`, 0. Latencies
   * are right, and there are no windows, rates or cuts by time. Rows are in order of sending.
   */
  hasStarts = true;
  /**
   * Of a file that keeps one number per request: whose it is, which no request says by itself. It stands in the server's column where the
   * server may have counted it, else in the client's. Empty: every column is what its name says.
   */
  oneCount: { readonly input?: TokenCounter; readonly output?: TokenCounter } = {};

  constructor() {
    const make = (): Float64Array => new Float64Array(this.capacity);
    this.columns = Object.fromEntries(FIELDS.map((field) => [field, make()])) as Record<Field, Float64Array>;
  }

  get length(): number {
    return this.size;
  }

  /** Gaps that are kept, of all requests. */
  get gapTotal(): number {
    return this.gapCount;
  }

  /** @param times stamps of the request's tokens or chunks; only the first `count` are read */
  add(row: RequestRow, times: ArrayLike<number>, count: number): void {
    if (this.size === this.capacity) this.grow();
    for (const field of FIELDS) this.columns[field][this.size] = row[field];
    const backwards = isBackwards(row, times, count);
    if (backwards) {
      for (const field of ['end', 'first', 'last'] as const) this.columns[field][this.size] = NaN;
      this.columns.stamps[this.size] = 0;
    }
    const negative = COUNTS.filter((field) => row[field] < 0);
    for (const field of negative) this.columns[field][this.size] = NaN;
    if (backwards || negative.length > 0) this.impossible++;
    this.failures[this.size] = row.failed ? 1 : 0;
    this.size++;
    if (!row.failed && !backwards) for (let i = 1; i < count; i++) this.addGap(times[i]! - times[i - 1]!);
    this.starts[this.size] = this.gapCount;
  }

  value(field: Field, index: number): number {
    return this.columns[field][index]!;
  }

  isFailed(index: number): boolean {
    return this.failures[index] === 1;
  }

  /** Gaps of the chosen requests, one after another; gaps that are no number are left out. */
  gapsOf(chosen: (index: number) => boolean): Float64Array {
    let total = 0;
    for (let i = 0; i < this.size; i++) if (chosen(i)) total += this.starts[i + 1]! - this.starts[i]!;
    const gaps = new Float64Array(total);
    let to = 0;
    for (let i = 0; i < this.size; i++) {
      if (!chosen(i)) continue;
      for (let k = this.starts[i]!; k < this.starts[i + 1]!; k++) {
        const gap = this.blocks[k >> 20]![k & (BLOCK - 1)]!;
        if (!Number.isNaN(gap)) gaps[to++] = gap;
      }
    }
    return gaps.subarray(0, to);
  }

  /** Gaps of one request in order, as they were recorded. */
  gapsAt(index: number): Float64Array {
    const from = this.starts[index]!;
    const gaps = new Float64Array(this.starts[index + 1]! - from);
    for (let i = 0; i < gaps.length; i++) gaps[i] = this.blocks[(from + i) >> 20]![(from + i) & (BLOCK - 1)]!;
    return gaps;
  }

  private addGap(gap: number): void {
    if (this.gapCount >= MAX_GAPS) {
      this.droppedGaps++;
      return;
    }
    const at = this.gapCount & (BLOCK - 1);
    if (at === 0) this.blocks.push(new Float64Array(BLOCK));
    this.blocks[this.blocks.length - 1]![at] = gap;
    this.gapCount++;
  }

  private grow(): void {
    this.capacity *= 2;
    for (const field of FIELDS) this.columns[field] = enlarged(this.columns[field], this.capacity);
    const failures = new Uint8Array(this.capacity);
    failures.set(this.failures);
    this.failures = failures;
    this.starts = enlarged(this.starts, this.capacity + 1);
  }
}

/** An end before its beginning, or beyond all latency; what is not recorded is before nothing. */
function isBackwards({ sent, first, last, end }: RequestRow, times: ArrayLike<number>, count: number): boolean {
  const before = (a: number, b: number): boolean => a < b - BACKWARDS;
  if (before(first, sent) || before(end, sent) || before(last, first) || before(last, sent)) return true;
  // Longer than thirty years is no latency.
  if (end - sent > LONGEST || first - sent > LONGEST) return true;
  for (let i = 1; i < count; i++) {
    if (before(times[i]!, times[i - 1]!) || times[i]! - times[i - 1]! > LONGEST) return true;
  }
  return false;
}

function enlarged(from: Float64Array, size: number): Float64Array {
  const larger = new Float64Array(size);
  larger.set(from);
  return larger;
}
