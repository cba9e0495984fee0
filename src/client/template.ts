// A short cut through a stream's JSON: servers repeat the same event with another token, so only the token is read.
//
// It is safe by construction. The template is the bytes before and after one string of an event that was parsed in full,
// and it is tried out once with another token: the event must then mean exactly that token and nothing else. An event
// that has the same bytes on both sides, and neither quote, backslash nor control byte between them, differs from the
// parsed one in that string alone. Anything else goes through JSON.parse. Measured: docs/decisions/003-sse-parser.md.
import type { Piece } from './openai';

/** What a decoded event means in the stream's protocol. */
export type ReadPiece = (value: unknown) => Piece | undefined;

/** After so many templates without a single hit (a server that varies every event) it stops trying. */
const MAX_USELESS = 4;
const PROBE = 'zq';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIELD = Buffer.from('data: ');
const BLANK_LINE = Buffer.from('\n\n');

/** What surrounds a token. */
interface Frame {
  /** `data: ` and the JSON before the token. */
  readonly head: Buffer;
  /** The JSON after the token and the event's blank line. */
  readonly tail: Buffer;
  /** The framing was in sight and the usual one, as in `head` and `tail`: one `data: ` line, LF. */
  readonly isUsual: boolean;
}

/** The template of one stream. */
export class Template {
  private frame: Frame | undefined;
  private hits = 0;
  private useless = 0;

  constructor(private readonly readPiece: ReadPiece) {}

  /** End of the token of an event's data that fits, whose start is `start + prefixLength`; -1 when it must be parsed. */
  match(bytes: Buffer, start: number, end: number): number {
    const { frame } = this;
    if (frame === undefined) return -1;
    const { head, tail } = frame;
    const suffixLength = tail.length - BLANK_LINE.length;
    const from = start + head.length - FIELD.length;
    const to = end - suffixLength;
    if (from >= to) return -1;
    if (head.compare(bytes, start, from, FIELD.length) !== 0) return -1;
    if (tail.compare(bytes, to, end, 0, suffixLength) !== 0) return -1;
    if (endOfPlain(bytes, from, to) < to) return -1;
    this.hits++;
    return to;
  }

  get prefixLength(): number {
    return this.frame === undefined ? 0 : this.frame.head.length - FIELD.length;
  }

  /**
   * Reads whole events of `bytes[from, to)`, where an event begins: gives each token's bytes to `onToken` and returns where the first
   * event begins that does not fit, or is cut.
   */
  skim(bytes: Buffer, from: number, to: number, onToken: (bytes: Buffer, from: number, to: number) => void): number {
    const { frame } = this;
    if (frame?.isUsual !== true) return from;
    const { head, tail } = frame;
    const least = head.length + tail.length;
    let at = from;
    while (at + least < to) {
      const start = at + head.length;
      if (head.compare(bytes, at, start) !== 0) break;
      const end = endOfPlain(bytes, start, to);
      const next = end + tail.length;
      if (end === start || next > to || tail.compare(bytes, end, next) !== 0) break;
      onToken(bytes, start, end);
      this.hits++;
      at = next;
    }
    return at;
  }

  /** Shows the template an event that was parsed and what it meant. */
  learn(bytes: Buffer, start: number, end: number, piece: Piece): void {
    if (!isPlainToken(piece) || this.useless >= MAX_USELESS) return;
    if (this.frame !== undefined && this.hits === 0) this.useless++;
    this.hits = 0;
    const found = split(bytes.toString('latin1', start, end), this.readPiece);
    this.frame = found && frameOf(found, bytes, start, end);
  }
}

/** Where a token without quote, backslash or control byte ends. */
function endOfPlain(bytes: Buffer, from: number, to: number): number {
  let at = from;
  for (; at < to; at++) {
    const byte = bytes[at]!;
    if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) break;
  }
  return at;
}

function isPlainToken(piece: Piece): boolean {
  return (
    piece.content !== '' &&
    piece.other === '' &&
    piece.usage === undefined &&
    piece.done === undefined &&
    piece.finishReason === undefined &&
    piece.error === undefined
  );
}

function frameOf(found: { prefix: string; suffix: string }, bytes: Buffer, start: number, end: number): Frame {
  const lineAt = start - FIELD.length;
  return {
    head: Buffer.concat([FIELD, Buffer.from(found.prefix, 'latin1')]),
    tail: Buffer.concat([Buffer.from(found.suffix, 'latin1'), BLANK_LINE]),
    isUsual:
      lineAt >= 0 &&
      end + BLANK_LINE.length <= bytes.length &&
      FIELD.compare(bytes, lineAt, start) === 0 &&
      BLANK_LINE.compare(bytes, end, end + BLANK_LINE.length) === 0,
  };
}

/**
 * Bytes are handled as latin1 text, which keeps them one to one. Of several strings that could be the token, the one is it whose
 * exchange exchanges the event's meaning.
 */
function split(event: string, readPiece: ReadPiece): { prefix: string; suffix: string } | undefined {
  const key = /"(?:text|content)"\s*:\s*"/g;
  for (let found = key.exec(event); found !== null; found = key.exec(event)) {
    const from = found.index + found[0].length;
    const to = endOfString(event, from);
    if (to === undefined) return undefined;
    const prefix = event.slice(0, from);
    const suffix = event.slice(to);
    if (to > from && means(prefix + PROBE + suffix, PROBE, readPiece)) return { prefix, suffix };
  }
  return undefined;
}

function endOfString(event: string, from: number): number | undefined {
  for (let i = from; i < event.length; i++) {
    const char = event[i];
    if (char === '\\') i++;
    else if (char === '"') return i;
  }
  return undefined;
}

/** True when the event says `content` on the content channel and nothing else. */
function means(event: string, content: string, readPiece: ReadPiece): boolean {
  try {
    const piece = readPiece(JSON.parse(Buffer.from(event, 'latin1').toString('utf8')));
    return piece !== undefined && isPlainToken(piece) && piece.content === content;
  } catch {
    return false;
  }
}
