// Streams inference-perf's per_request_lifecycle_metrics.json of every generation into columns (reference inference-perf.md section 5.6).
// A file of a million requests is a gigabyte: bodies are skipped unread, and nothing but numbers is kept.
import type { Problem } from '../../problem';
import { emptyRow, RequestColumns } from './columns';
import { BadJson, JsonBytes, keyName, keyTable, NeedMore, type KeyName, type KeyTable } from './json-bytes';

/** One entry with its request and response; a larger one is refused. */
const MAX_ENTRY_BYTES = 256 * 1024 * 1024;

/** Which stamps become gaps: one per token (as the report's own ITL), or one per chunk. */
export type StampBasis = 'tokens' | 'chunks';

/** What one place in an entry gives: a number, the moments of a list, whether something other than null is there. */
type Slot = 'number' | 'stamps' | 'presence';
interface Shape {
  readonly [key: string]: Slot | Shape;
}

/** Where the numbers of a usage and of an answer are, in every generation. */
const USAGE = { prompt_tokens: 'number', completion_tokens: 'number' } as const;
const answerShape = (stamps: string): Shape => ({ output_tokens: 'number', [stamps]: 'stamps', server_usage: USAGE });

/** `response_info` is v0.5's name of `response_metrics`; before it all was in `info` itself. */
const shapeOf = (stamps: string): Shape => ({
  start_time: 'number',
  end_time: 'number',
  error: 'presence',
  info: {
    ...answerShape(stamps),
    input_tokens: 'number',
    request_metrics: { text: { input_tokens: 'number' } },
    response_metrics: answerShape(stamps),
    response_info: answerShape(stamps),
  },
});

/** A key of the shape. What is under it has the slots from `from` to before `to`: written twice, the last time counts, as in JSON.parse. */
interface Key extends KeyName {
  readonly kind: Slot | 'object';
  readonly from: number;
  readonly to: number;
  readonly inner: KeyTable<Key>;
}

/** @param places where each slot is, by its dotted path; added to */
function keysOf(shape: Shape, places: Map<string, number>, path = ''): KeyTable<Key> {
  const keys = Object.entries(shape).map(([name, value]): Key => {
    const from = places.size;
    if (typeof value === 'string') places.set(path + name, from);
    const inner = typeof value === 'string' ? keyTable<Key>([]) : keysOf(value, places, `${path}${name}.`);
    return { ...keyName(name), kind: typeof value === 'string' ? value : 'object', from, to: places.size, inner };
  });
  return keyTable(keys);
}

export interface StreamedRecords {
  readonly requests: RequestColumns;
  readonly problems: readonly Problem[];
}

/** Never throws for what the file holds: what was read before a fault is kept, with the fault as a problem. */
export async function streamInferencePerf(
  pieces: AsyncIterable<Uint8Array>,
  file: string,
  basis: StampBasis = 'tokens',
): Promise<StreamedRecords> {
  const reader = new EntryReader(basis);
  const problems: Problem[] = [];
  try {
    for await (const piece of pieces) reader.feed(piece);
    reader.end();
    if (!reader.finished)
      problems.push(
        fault('REP109', 'warning', `${file} is cut off: ${reader.columns.length} requests were read`, file),
      );
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    const place = `at byte ${(reader.consumed + error.position).toLocaleString('en-US')}`;
    problems.push(
      fault(
        'REP105',
        'error',
        `${file} is not JSON ${place}: ${error.message}; ${reader.columns.length} requests were read`,
        file,
      ),
    );
  }
  return { requests: reader.columns, problems };
}

function fault(code: string, severity: 'error' | 'warning', message: string, file: string): Problem {
  return { code, severity, path: [], message, file };
}

/** Where an answer's figures are, the newest generation's place first. */
const ANSWERS = ['info.response_metrics.', 'info.response_info.', 'info.'];

type Figure = 'sent' | 'end' | 'clientInput' | 'clientOutput' | 'serverInput' | 'serverOutput';

/** Owns the bytes that are not read yet. */
class EntryReader {
  readonly columns = new RequestColumns();
  finished = false;
  /** Bytes before those in the buffer, for messages. */
  consumed = 0;
  private readonly json = new JsonBytes();
  private readonly keys: KeyTable<Key>;
  private readonly slots: Float64Array;
  /** Moments, by slot, and how many of them are this entry's. */
  private readonly stamps: Float64Array[];
  /** Slots of each figure; the first that has a number gives it. */
  private readonly places: Readonly<Record<Figure, readonly number[]>>;
  private readonly stampSlots: readonly number[];
  private readonly errorSlot: number;
  private started = false;
  /** Pieces that wait until they are worth another look at an entry that did not end, and their bytes. */
  private waiting: Uint8Array[] = [];
  private waitingBytes = 0;

  constructor(basis: StampBasis) {
    const times = basis === 'tokens' ? 'output_token_times' : 'chunk_times';
    const places = new Map<string, number>();
    this.keys = keysOf(shapeOf(times), places);
    this.slots = new Float64Array(places.size);
    this.stamps = Array.from({ length: places.size }, () => new Float64Array(0));
    const at = (path: string): number => places.get(path)!;
    const inAnswer = (path: string): number[] => ANSWERS.map((answer) => at(answer + path));
    this.places = {
      sent: [at('start_time')],
      end: [at('end_time')],
      clientInput: [at('info.request_metrics.text.input_tokens'), at('info.input_tokens')],
      clientOutput: inAnswer('output_tokens'),
      serverInput: inAnswer('server_usage.prompt_tokens'),
      serverOutput: inAnswer('server_usage.completion_tokens'),
    };
    this.stampSlots = inAnswer(times);
    this.errorSlot = at('error');
  }

  /** Reads the entries that end in what is there by now. */
  feed(piece: Uint8Array): void {
    this.waiting.push(piece);
    this.waitingBytes += piece.length;
    const left = this.json.end - this.json.at;
    // A large entry is read again when there is as much more of it: each of its bytes is looked at some few times, not once a piece.
    if (this.waitingBytes >= left || left + this.waitingBytes > MAX_ENTRY_BYTES) this.read();
  }

  /** No more pieces come. */
  end(): void {
    if (this.waiting.length > 0) this.read();
  }

  private read(): void {
    this.join();
    const { json } = this;
    for (;;) {
      const from = json.at;
      try {
        if (!this.started) this.begin();
        else if (!this.finished) this.next();
        else if (json.peek() >= 0) throw new BadJson(json.at, 'the end of the file');
      } catch (error) {
        if (!(error instanceof NeedMore)) throw error;
        json.at = from;
        return;
      }
    }
  }

  private join(): void {
    const { json, waiting } = this;
    const left = json.end - json.at;
    if (left > MAX_ENTRY_BYTES) throw new BadJson(json.at, 'an entry of less than 256 MiB');
    this.consumed += json.at;
    const [first] = waiting;
    if (left === 0 && waiting.length === 1 && first) json.bytes = first;
    else {
      const joined = new Uint8Array(left + this.waitingBytes);
      joined.set(json.bytes.subarray(json.at, json.end));
      let at = left;
      for (const piece of waiting) {
        joined.set(piece, at);
        at += piece.length;
      }
      json.bytes = joined;
    }
    json.at = 0;
    json.end = json.bytes.length;
    this.waiting = [];
    this.waitingBytes = 0;
  }

  private begin(): void {
    const { json } = this;
    if (json.bytes[0] === 0xef) {
      if (json.end < 3) throw new NeedMore();
      if (json.bytes[1] === 0xbb && json.bytes[2] === 0xbf) json.at = 3;
    }
    json.expect(0x5b);
    this.started = true;
  }

  private next(): void {
    const { json } = this;
    if (json.take(0x5d)) {
      this.finished = true;
      return;
    }
    if (this.columns.length > 0) json.expect(0x2c);
    this.slots.fill(NaN);
    this.object(this.keys);
    // The comma or bracket must be here before the entry counts, or it would be added twice.
    json.peek();
    this.add();
  }

  private add(): void {
    const { slots, places } = this;
    const row = emptyRow();
    row.sent = this.firstOf(places.sent);
    row.end = this.firstOf(places.end);
    row.clientInput = this.firstOf(places.clientInput);
    row.clientOutput = this.firstOf(places.clientOutput);
    row.serverInput = this.firstOf(places.serverInput);
    row.serverOutput = this.firstOf(places.serverOutput);
    row.failed = slots[this.errorSlot] === 1;
    const from = this.stampSlots.find((slot) => !Number.isNaN(slots[slot]!));
    const count = from === undefined ? 0 : slots[from]!;
    const times = this.stamps[from ?? 0]!;
    row.stamps = count;
    row.first = count > 0 ? times[0]! : NaN;
    row.last = count > 0 ? times[count - 1]! : NaN;
    this.columns.add(row, times, count);
  }

  /** What is beyond all numbers is none. */
  private firstOf(places: readonly number[]): number {
    for (const slot of places) {
      const value = this.slots[slot]!;
      if (Number.isFinite(value)) return value;
    }
    return NaN;
  }

  private object(keys: KeyTable<Key>): void {
    const { json } = this;
    json.expect(0x7b);
    if (json.take(0x7d)) return;
    do {
      const key = json.key(keys);
      json.expect(0x3a);
      if (key) this.value(key);
      else json.skip();
    } while (json.take(0x2c));
    json.expect(0x7d);
  }

  private value(key: Key): void {
    const { json, slots } = this;
    const { kind, from } = key;
    if (kind === 'number') slots[from] = json.number();
    else if (kind === 'presence') {
      slots[from] = json.peek() === 0x6e ? 0 : 1;
      json.skip();
    } else {
      for (let slot = from; slot < key.to; slot++) slots[slot] = NaN;
      if (kind === 'stamps') this.list(from);
      else if (json.peek() === 0x7b) this.object(key.inner);
      else json.skip();
    }
  }

  private list(slot: number): void {
    const { json } = this;
    if (json.peek() !== 0x5b) {
      json.skip();
      return;
    }
    json.at++;
    let times = this.stamps[slot]!;
    let count = 0;
    if (!json.take(0x5d)) {
      do {
        if (count === times.length) {
          const larger = new Float64Array(Math.max(256, 2 * count));
          larger.set(times);
          this.stamps[slot] = times = larger;
        }
        const time = json.number();
        times[count++] = Number.isFinite(time) ? time : NaN;
      } while (json.take(0x2c));
      json.expect(0x5d);
    }
    this.slots[slot] = count;
  }
}
