// Streams inference-perf's per_request_lifecycle_metrics.json of every generation into columns (reference inference-perf.md section 5.6).
// A file of a million requests is a gigabyte: bodies are skipped unread, and nothing but numbers is kept.
import type { Problem } from '../../problem';
import { emptyRow, RequestColumns, type RequestRow } from './columns';
import { BadJson, hashOf, JsonBytes, NeedMore } from './json-bytes';

/** One entry with its request and response; a larger one is refused. */
const MAX_ENTRY_BYTES = 256 * 1024 * 1024;

/** Which stamps become gaps: one per token (as the report's own ITL), or one per chunk. */
export type StampBasis = 'tokens' | 'chunks';

const KEY = {
  startTime: hashOf('start_time'),
  endTime: hashOf('end_time'),
  info: hashOf('info'),
  error: hashOf('error'),
  inputTokens: hashOf('input_tokens'),
  outputTokens: hashOf('output_tokens'),
  promptTokens: hashOf('prompt_tokens'),
  completionTokens: hashOf('completion_tokens'),
  tokenTimes: hashOf('output_token_times'),
  chunkTimes: hashOf('chunk_times'),
} as const;

/** Objects whose keys are looked at: `response_info` is v0.5's name of `response_metrics`. */
const OPENED = new Set(
  ['info', 'request_metrics', 'text', 'response_metrics', 'response_info', 'server_usage'].map(hashOf),
);

export interface StreamedRecords {
  readonly columns: RequestColumns;
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
    for await (const piece of pieces) if (!reader.feed(piece)) break;
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
  return { columns: reader.columns, problems };
}

function fault(code: string, severity: 'error' | 'warning', message: string, file: string): Problem {
  return { code, severity, path: [], message, file };
}

/** Owns the bytes that are not read yet. */
class EntryReader {
  readonly columns = new RequestColumns();
  finished = false;
  /** Bytes before those in the buffer, for messages. */
  consumed = 0;
  private readonly json = new JsonBytes();
  private started = false;
  private row: RequestRow = emptyRow();
  private times = new Float64Array(256);
  private timeCount = 0;

  constructor(private readonly basis: StampBasis) {}

  /** False when the list has ended. */
  feed(piece: Uint8Array): boolean {
    const { json } = this;
    const left = json.end - json.at;
    if (left > MAX_ENTRY_BYTES) throw new BadJson(json.at, 'an entry of less than 256 MiB');
    this.consumed += json.at;
    if (left === 0) json.bytes = piece;
    else {
      const joined = new Uint8Array(left + piece.length);
      joined.set(json.bytes.subarray(json.at, json.end));
      joined.set(piece, left);
      json.bytes = joined;
    }
    json.at = 0;
    json.end = json.bytes.length;
    for (;;) {
      const from = json.at;
      try {
        if (!this.started) this.begin();
        else if (!this.next()) return false;
      } catch (error) {
        if (!(error instanceof NeedMore)) throw error;
        json.at = from;
        return true;
      }
    }
  }

  private begin(): void {
    const { json } = this;
    if (json.bytes[0] === 0xef && json.bytes[1] === 0xbb) json.at = 3;
    json.expect(0x5b);
    this.started = true;
  }

  private next(): boolean {
    const { json } = this;
    if (json.take(0x5d)) {
      this.finished = true;
      return false;
    }
    if (this.columns.length > 0) json.expect(0x2c);
    this.row = emptyRow();
    this.timeCount = 0;
    this.object(true);
    // The comma or bracket must be here before the entry counts, or it would be added twice.
    json.peek();
    const { row, times, timeCount } = this;
    if (timeCount > 0) {
      row.first = times[0]!;
      row.last = times[timeCount - 1]!;
      row.stamps = timeCount;
    }
    this.columns.add(row, times, timeCount);
    return true;
  }

  private object(top: boolean): void {
    const { json } = this;
    json.expect(0x7b);
    if (json.take(0x7d)) return;
    do {
      const key = json.keyHash();
      json.expect(0x3a);
      if (top) this.topValue(key);
      else this.innerValue(key);
    } while (json.take(0x2c));
    json.expect(0x7d);
  }

  private topValue(key: number): void {
    const { json, row } = this;
    if (key === KEY.startTime) row.sent = json.number();
    else if (key === KEY.endTime) row.end = json.number();
    else if (key === KEY.info) this.inner();
    else if (key === KEY.error) {
      row.failed = json.peek() !== 0x6e;
      json.skip();
    } else json.skip();
  }

  private innerValue(key: number): void {
    const { json, row } = this;
    if (key === KEY.outputTokens) row.clientOutput = json.number();
    else if (key === KEY.inputTokens) row.clientInput = json.number();
    else if (key === KEY.promptTokens) row.serverInput = json.number();
    else if (key === KEY.completionTokens) row.serverOutput = json.number();
    else if (key === (this.basis === 'tokens' ? KEY.tokenTimes : KEY.chunkTimes)) this.stamps();
    else if (OPENED.has(key)) this.inner();
    else json.skip();
  }

  private inner(): void {
    if (this.json.peek() === 0x7b) this.object(false);
    else this.json.skip();
  }

  private stamps(): void {
    const { json } = this;
    this.timeCount = 0;
    if (json.peek() !== 0x5b) {
      json.skip();
      return;
    }
    json.at++;
    if (json.take(0x5d)) return;
    do {
      if (this.timeCount === this.times.length) {
        const larger = new Float64Array(this.times.length * 2);
        larger.set(this.times);
        this.times = larger;
      }
      this.times[this.timeCount++] = json.number();
    } while (json.take(0x2c));
    json.expect(0x5d);
  }
}
