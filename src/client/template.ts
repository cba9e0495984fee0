// A short cut through a stream's JSON: servers repeat the same event with another token, so only the token is read.
//
// It is safe by construction. The template is the bytes before and after one string of an event that was parsed in full,
// and it is tried out once with another token: the event must then mean exactly that token and nothing else. An event
// that has the same bytes on both sides, and neither quote, backslash nor control byte between them, differs from the
// parsed one in that string alone. Anything else goes through JSON.parse. Measured: docs/decisions/003-sse-parser.md.
import type { Piece } from './openai';
import { Pattern } from './pattern';

/** What a decoded event means in the stream's protocol. */
export type ReadPiece = (value: unknown) => Piece | undefined;

/** Takes the token that stands in `bytes[from, to)`, which are valid during the call. */
export interface TokenSink {
  contentBytes(bytes: Buffer, from: number, to: number, atSeconds: number): void;
}

/** After so many templates without a single hit (a server that varies every event) it stops trying. */
const MAX_USELESS = 4;
/** Two: the one tried is not what the event said, or an exchange of any other string would seem to be of the token. */
const PROBES = ['zq', 'qz'] as const;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LF = 10;
const FIELD = 'data: ';
const BLANK_LINE = Buffer.from('\n\n');

/** What surrounds a token. */
interface Frame {
  /** The JSON before and after it. */
  readonly before: Pattern;
  readonly after: Pattern;
  /** The framing was in sight and the usual one: one `data: ` line, LF, a blank line. */
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
    const { before, after } = frame;
    const from = start + before.length;
    const to = end - after.length;
    if (from >= to || !before.standsAt(bytes, start) || !after.standsAt(bytes, to)) return -1;
    if (endOfPlain(bytes, from, to) < to) return -1;
    this.hits++;
    return to;
  }

  get prefixLength(): number {
    return this.frame?.before.length ?? 0;
  }

  /**
   * Reads whole events of `bytes[from, to)`, where an event begins: gives each token's bytes to `sink` and returns where the first
   * event begins that does not fit, or is cut.
   */
  skim(bytes: Buffer, from: number, to: number, sink: TokenSink, atSeconds: number): number {
    const { frame } = this;
    if (frame?.isUsual !== true) return from;
    const { before, after } = frame;
    const toToken = FIELD.length + before.length;
    const least = toToken + after.length + BLANK_LINE.length;
    let at = from;
    while (at + least < to) {
      if (!isField(bytes, at) || !before.standsAt(bytes, at + FIELD.length)) break;
      const start = at + toToken;
      const end = endOfPlain(bytes, start, to);
      const next = end + after.length + BLANK_LINE.length;
      if (end === start || next > to || !after.standsAt(bytes, end)) break;
      if (bytes[next - 2] !== LF || bytes[next - 1] !== LF) break;
      sink.contentBytes(bytes, start, end, atSeconds);
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
    const probe = piece.content === PROBES[0] ? PROBES[1] : PROBES[0];
    const found = split(bytes.toString('latin1', start, end), probe, this.readPiece);
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

function frameOf(
  found: { prefix: string; suffix: string },
  bytes: Buffer,
  start: number,
  end: number,
): Frame | undefined {
  const lineAt = start - FIELD.length;
  const blankEnd = end + BLANK_LINE.length;
  const before = Pattern.of(Buffer.from(found.prefix, 'latin1'));
  const after = Pattern.of(Buffer.from(found.suffix, 'latin1'));
  if (before === undefined || after === undefined) return undefined;
  const isUsual =
    lineAt >= 0 && blankEnd <= bytes.length && isField(bytes, lineAt) && BLANK_LINE.compare(bytes, end, blankEnd) === 0;
  return { before, after, isUsual };
}

/** `data: ` begins at `at`. */
function isField(bytes: Buffer, at: number): boolean {
  return (
    bytes[at] === 100 &&
    bytes[at + 1] === 97 &&
    bytes[at + 2] === 116 &&
    bytes[at + 3] === 97 &&
    bytes[at + 4] === 58 &&
    bytes[at + 5] === 32
  );
}

/**
 * Bytes are handled as latin1 text, which keeps them one to one. Of several strings that could be the token, the one is it whose
 * exchange exchanges the event's meaning.
 */
function split(event: string, probe: string, readPiece: ReadPiece): { prefix: string; suffix: string } | undefined {
  const key = /"(?:text|content)"\s*:\s*"/g;
  for (let found = key.exec(event); found !== null; found = key.exec(event)) {
    const from = found.index + found[0].length;
    const to = endOfString(event, from);
    if (to === undefined) return undefined;
    const prefix = event.slice(0, from);
    const suffix = event.slice(to);
    if (to > from && means(prefix + probe + suffix, probe, readPiece)) return { prefix, suffix };
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
