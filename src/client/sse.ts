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
export type SseEventHandler = (bytes: Buffer, start: number, end: number, eventName: string) => void;

export interface SseParser {
  /**
   * Feeds the next piece of the body; events that it completes are delivered before this returns.
   * The piece may be kept until its last line is complete: a caller that reuses its read buffer must copy first.
   */
  push(chunk: Buffer): void;
  /** The body ended: delivers an event that has data but no blank line after it. */
  end(): void;
}

const LF = 10;
const CR = 13;
const SPACE = 32;
const COLON = 58;
const LOWER_D = 100;
const NEWLINE = Buffer.from('\n');
const EMPTY = Buffer.alloc(0);

/** A parser for one response body. */
export function createSseParser(onEvent: SseEventHandler): SseParser {
  // The start of a line whose end has not arrived.
  let carry: Buffer = EMPTY;
  // The data of the event being read: a window into `dataBytes`; no copy is made for one line within one chunk.
  let dataBytes: Buffer = EMPTY;
  let dataStart = 0;
  let dataEnd = 0;
  let dataLines = 0;
  let eventName = '';
  // A CR ended the previous chunk: an LF that comes first now belongs to it.
  let skipLf = false;
  let firstLine = true;

  function dispatch(): void {
    const lines = dataLines;
    const name = eventName;
    dataLines = 0;
    eventName = '';
    if (lines > 0) onEvent(dataBytes, dataStart, dataEnd, name);
  }

  function addData(bytes: Buffer, start: number, end: number): void {
    if (dataLines === 0) {
      dataBytes = bytes;
      dataStart = start;
      dataEnd = end;
    } else {
      dataBytes = Buffer.concat([dataBytes.subarray(dataStart, dataEnd), NEWLINE, bytes.subarray(start, end)]);
      dataStart = 0;
      dataEnd = dataBytes.length;
    }
    dataLines++;
  }

  function line(bytes: Buffer, from: number, end: number): void {
    let start = from;
    if (firstLine) {
      firstLine = false;
      if (bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf && end - start >= 3)
        start += 3;
    }
    if (start === end) {
      dispatch();
      return;
    }
    if (bytes[start] === LOWER_D && isData(bytes, start, end)) {
      if (end - start === 4) addData(bytes, end, end);
      else addData(bytes, bytes[start + 5] === SPACE && start + 5 < end ? start + 6 : start + 5, end);
      return;
    }
    readRareField(bytes, start, end);
  }

  /** `event` is kept; comments, `id`, `retry` and unknown fields are skipped, as the grammar asks. */
  function readRareField(bytes: Buffer, start: number, end: number): void {
    const text = bytes.toString('utf8', start, end);
    if (text === 'event') eventName = '';
    else if (text.startsWith('event:')) eventName = text.slice(text.charCodeAt(6) === SPACE ? 7 : 6);
  }

  /** Lines of a chunk that holds a CR somewhere: the slow way, CR, LF and CRLF all end a line. */
  function scanMixed(chunk: Buffer, from: number): number {
    let position = from;
    let nextCr = chunk.indexOf(CR, position);
    let nextLf = chunk.indexOf(LF, position);
    while (nextCr !== -1 || nextLf !== -1) {
      const atCr = nextCr !== -1 && (nextLf === -1 || nextCr < nextLf);
      const end = atCr ? nextCr : nextLf;
      endLine(chunk, position, end);
      position = end + 1;
      if (atCr && position === chunk.length) skipLf = true;
      else if (atCr && chunk[position] === LF) position++;
      if (nextCr !== -1 && nextCr < position) nextCr = chunk.indexOf(CR, position);
      if (nextLf !== -1 && nextLf < position) nextLf = chunk.indexOf(LF, position);
    }
    return position;
  }

  function scanLf(chunk: Buffer, from: number): number {
    let position = from;
    for (let end = chunk.indexOf(LF, position); end !== -1; end = chunk.indexOf(LF, position)) {
      endLine(chunk, position, end);
      position = end + 1;
      // The blank line after the data, the usual case, without another search.
      if (chunk[position] === LF && position < chunk.length) {
        dispatch();
        position++;
      }
    }
    return position;
  }

  function endLine(chunk: Buffer, start: number, end: number): void {
    if (carry.length === 0) {
      line(chunk, start, end);
      return;
    }
    const whole = Buffer.concat([carry, chunk.subarray(start, end)]);
    carry = EMPTY;
    line(whole, 0, whole.length);
  }

  return {
    push(chunk) {
      if (chunk.length === 0) return;
      const start = skipLf && chunk[0] === LF ? 1 : 0;
      skipLf = false;
      const position = chunk.indexOf(CR, start) === -1 ? scanLf(chunk, start) : scanMixed(chunk, start);
      if (position < chunk.length) {
        const rest = chunk.subarray(position);
        carry = carry.length === 0 ? rest : Buffer.concat([carry, rest]);
      }
    },
    end() {
      if (carry.length > 0) {
        const last = carry;
        carry = EMPTY;
        line(last, 0, last.length);
      }
      dispatch();
    },
  };
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
