// Per-request measurements as columns: a million requests in bounded memory, whatever tool wrote them.
import type { MeasuredRequest } from '../../metrics/request-metrics';
import type { Requests } from './requests';

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
export class RequestColumns implements Requests {
  private size = 0;
  private capacity = 1024;
  private readonly columns: Record<Field, Float64Array>;
  private readonly row = new Row(this);
  private failures: Uint8Array = new Uint8Array(this.capacity);
  /** Where the gaps of a request begin. */
  private starts: Float64Array = new Float64Array(this.capacity + 1);
  private readonly blocks: Float64Array[] = [];
  private gapCount = 0;
  droppedGaps = 0;
  /** Requests whose times run backwards, which leaves them that of their sending, or whose counts are below 0, which leaves none. */
  impossible = 0;
  hasStarts = true;
  oneCount: Requests['oneCount'] = {};

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

  at(index: number): MeasuredRequest {
    this.row.index = index;
    return this.row;
  }

  isFailed(index: number): boolean {
    return this.failures[index] === 1;
  }

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

/** One request of the columns, in a record's words. */
class Row implements MeasuredRequest {
  index = 0;
  readonly chunkSeconds: { readonly length: number };
  readonly usage: NonNullable<MeasuredRequest['usage']>;

  constructor(private readonly columns: RequestColumns) {
    const value = (field: Field): number => columns.value(field, this.index);
    this.chunkSeconds = {
      get length() {
        return value('stamps');
      },
    };
    this.usage = {
      get promptTokens() {
        return known(value('serverInput'));
      },
      get completionTokens() {
        return known(value('serverOutput'));
      },
    };
  }

  get scheduledSeconds(): number {
    return this.columns.value('scheduled', this.index);
  }

  get sentSeconds(): number {
    return this.columns.value('sent', this.index);
  }

  get endSeconds(): number {
    return this.columns.value('end', this.index);
  }

  /** Without a stamp there is no first and no last token, whatever was written. */
  get firstTokenSeconds(): number {
    return this.columns.value('stamps', this.index) > 0 ? this.columns.value('first', this.index) : NaN;
  }

  get lastTokenSeconds(): number {
    return this.columns.value('stamps', this.index) > 0 ? this.columns.value('last', this.index) : NaN;
  }

  get clientPromptTokens(): number | undefined {
    return known(this.columns.value('clientInput', this.index));
  }

  get clientOutputTokens(): number | undefined {
    return known(this.columns.value('clientOutput', this.index));
  }
}

function known(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
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
