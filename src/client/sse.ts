// Server-sent events from raw bytes: finds each event's data as it arrives, in whatever pieces the network delivers it.
//
// Grammar: WHATWG HTML "Parsing an event stream". Two deliberate differences: an event that the end of the body cuts
// before its blank line is delivered (servers forget it; losing the last token would be wrong), and `id`/`retry` are
// ignored (nothing reconnects here).
//
// Own parser instead of eventsource-parser: see docs/decisions/003-sse-parser.md.

/**
 * Receives one event: its data are `bytes[start, end)`, several `data` lines joined by LF, no decoding done.
 * The bytes are only valid during the call.
 */
export interface SseHandler {
  onEvent(bytes: Buffer, start: number, end: number, eventName: string): void;
}

const LF = 10;
const CR = 13;
const SPACE = 32;
const COLON = 58;
const LOWER_D = 100;
const NEWLINE = Buffer.from('\n');
const EMPTY = Buffer.alloc(0);

/** Parses one response body; holds what is not complete yet. */
export class SseParser {
  /** The start of a line whose end has not arrived. */
  private carry: Buffer = EMPTY;
  // The data of the event being read: a window into `dataBytes`; no copy is made for one line within one chunk.
  private dataBytes: Buffer = EMPTY;
  private dataStart = 0;
  private dataEnd = 0;
  private dataLines = 0;
  /** The window lies in the piece that is being read, not in memory of our own. */
  private isDataBorrowed = false;
  private eventName = '';
  /** A CR ended the previous chunk: an LF that comes first now belongs to it. */
  private skipLf = false;
  private firstLine = true;

  constructor(private readonly handler: SseHandler) {}

  /** The next byte begins an event; false at the very start, where a byte order mark may stand. */
  get isBetweenEvents(): boolean {
    return this.carry.length === 0 && this.dataLines === 0 && this.eventName === '' && !this.skipLf && !this.firstLine;
  }

  /**
   * Feeds the next piece of the body; events that it completes are delivered before this returns.
   * The caller may reuse the piece's memory afterwards.
   */
  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    const start = this.skipLf && chunk[0] === LF ? 1 : 0;
    this.skipLf = false;
    const position = chunk.indexOf(CR, start) === -1 ? this.scanLf(chunk, start) : this.scanMixed(chunk, start);
    if (position < chunk.length) {
      const rest = chunk.subarray(position);
      this.carry = this.carry.length === 0 ? Buffer.from(rest) : Buffer.concat([this.carry, rest]);
    }
    if (this.dataLines > 0 && this.isDataBorrowed) this.keepData();
  }

  /** The body ended: delivers an event that has data but no blank line after it. */
  end(): void {
    if (this.carry.length > 0) {
      const last = this.carry;
      this.carry = EMPTY;
      this.line(last, 0, last.length);
    }
    this.dispatch();
  }

  /** The event ends in a later piece. */
  private keepData(): void {
    this.dataBytes = Buffer.from(this.dataBytes.subarray(this.dataStart, this.dataEnd));
    this.dataStart = 0;
    this.dataEnd = this.dataBytes.length;
    this.isDataBorrowed = false;
  }

  private dispatch(): void {
    const { dataLines, eventName, dataBytes, dataStart, dataEnd } = this;
    this.dataLines = 0;
    this.eventName = '';
    this.dataBytes = EMPTY;
    if (dataLines > 0) this.handler.onEvent(dataBytes, dataStart, dataEnd, eventName);
  }

  private addData(bytes: Buffer, start: number, end: number): void {
    if (this.dataLines === 0) {
      this.isDataBorrowed = true;
      this.dataBytes = bytes;
      this.dataStart = start;
      this.dataEnd = end;
    } else {
      const before = this.dataBytes.subarray(this.dataStart, this.dataEnd);
      this.dataBytes = Buffer.concat([before, NEWLINE, bytes.subarray(start, end)]);
      this.dataStart = 0;
      this.dataEnd = this.dataBytes.length;
      this.isDataBorrowed = false;
    }
    this.dataLines++;
  }

  private line(bytes: Buffer, from: number, end: number): void {
    let start = from;
    if (this.firstLine) {
      this.firstLine = false;
      if (bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf && end - start >= 3)
        start += 3;
    }
    if (start === end) {
      this.dispatch();
      return;
    }
    if (bytes[start] === LOWER_D && isData(bytes, start, end)) {
      if (end - start === 4) this.addData(bytes, end, end);
      else this.addData(bytes, bytes[start + 5] === SPACE && start + 5 < end ? start + 6 : start + 5, end);
      return;
    }
    this.readRareField(bytes, start, end);
  }

  /** `event` is kept; comments, `id`, `retry` and unknown fields are skipped, as the grammar asks. */
  private readRareField(bytes: Buffer, start: number, end: number): void {
    const text = bytes.toString('utf8', start, end);
    if (text === 'event') this.eventName = '';
    else if (text.startsWith('event:')) this.eventName = text.slice(text.charCodeAt(6) === SPACE ? 7 : 6);
  }

  /** Lines of a chunk that holds a CR somewhere: the slow way, CR, LF and CRLF all end a line. */
  private scanMixed(chunk: Buffer, from: number): number {
    let position = from;
    let nextCr = chunk.indexOf(CR, position);
    let nextLf = chunk.indexOf(LF, position);
    while (nextCr !== -1 || nextLf !== -1) {
      const atCr = nextCr !== -1 && (nextLf === -1 || nextCr < nextLf);
      const end = atCr ? nextCr : nextLf;
      this.endLine(chunk, position, end);
      position = end + 1;
      if (atCr && position === chunk.length) this.skipLf = true;
      else if (atCr && chunk[position] === LF) position++;
      if (nextCr !== -1 && nextCr < position) nextCr = chunk.indexOf(CR, position);
      if (nextLf !== -1 && nextLf < position) nextLf = chunk.indexOf(LF, position);
    }
    return position;
  }

  private scanLf(chunk: Buffer, from: number): number {
    let position = from;
    for (let end = chunk.indexOf(LF, position); end !== -1; end = chunk.indexOf(LF, position)) {
      this.endLine(chunk, position, end);
      position = end + 1;
      // The blank line after the data, the usual case, without another search.
      if (chunk[position] === LF && position < chunk.length) {
        this.dispatch();
        position++;
      }
    }
    return position;
  }

  private endLine(chunk: Buffer, start: number, end: number): void {
    if (this.carry.length === 0) {
      this.line(chunk, start, end);
      return;
    }
    const whole = Buffer.concat([this.carry, chunk.subarray(start, end)]);
    this.carry = EMPTY;
    this.line(whole, 0, whole.length);
  }
}

/** True for `data` alone on the line and for `data:` at its start. */
function isData(bytes: Buffer, start: number, end: number): boolean {
  return (
    bytes[start + 1] === 97 &&
    bytes[start + 2] === 116 &&
    bytes[start + 3] === 97 &&
    start + 4 <= end &&
    (start + 4 === end || bytes[start + 4] === COLON)
  );
}
