// A short cut through a stream's JSON: servers repeat the same event with another token, so only the token is read.
//
// It is safe by construction. The template is the bytes before and after one string of an event that was parsed in full,
// and it is tried out once with another token: the event must then mean exactly that token and nothing else. An event
// that has the same bytes on both sides, and neither quote, backslash nor control byte between them, differs from the
// parsed one in that string alone. Anything else goes through JSON.parse. Measured: docs/decisions/003-sse-parser.md.
import type { Piece } from './openai';

/** What a decoded event means in the stream's protocol. */
export type ReadPiece = (value: unknown) => Piece | undefined;

export interface Template {
  /** The token of an event that fits the template; undefined when the event must be parsed. */
  match(bytes: Buffer, start: number, end: number): string | undefined;
  /** Shows the template an event that was parsed and what it meant. */
  learn(bytes: Buffer, start: number, end: number, piece: Piece): void;
}

/** After so many templates without a single hit (a server that varies every event) it stops trying. */
const MAX_USELESS = 4;
const PROBE = 'zq';

/** A template for one stream. */
export function createTemplate(readPiece: ReadPiece): Template {
  let prefix: Buffer | undefined;
  let suffix: Buffer | undefined;
  let hits = 0;
  let useless = 0;
  let seen = 0;

  return {
    match(bytes, start, end) {
      if (prefix === undefined || suffix === undefined) return undefined;
      const from = start + prefix.length;
      const to = end - suffix.length;
      if (from >= to) return undefined;
      if (prefix.compare(bytes, start, from) !== 0 || suffix.compare(bytes, to, end) !== 0) return undefined;
      for (let i = from; i < to; i++) {
        const byte = bytes[i]!;
        if (byte < 0x20 || byte === 0x22 || byte === 0x5c) return undefined;
      }
      hits++;
      return bytes.toString('utf8', from, to);
    },
    learn(bytes, start, end, piece) {
      if (!isPlainToken(piece) || useless >= MAX_USELESS) return;
      // The first event of a stream is often unlike the others (role, no id): not worth learning from.
      if (seen++ === 0) return;
      if (prefix !== undefined && hits === 0) useless++;
      hits = 0;
      const found = split(bytes.toString('latin1', start, end), piece.content, readPiece);
      prefix = found === undefined ? undefined : Buffer.from(found.prefix, 'latin1');
      suffix = found === undefined ? undefined : Buffer.from(found.suffix, 'latin1');
    },
  };
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

/** Bytes are handled as latin1 text, which keeps them one to one. */
function split(event: string, content: string, readPiece: ReadPiece): { prefix: string; suffix: string } | undefined {
  const key = /"(?:text|content)"\s*:\s*"/g;
  for (let found = key.exec(event); found !== null; found = key.exec(event)) {
    const from = found.index + found[0].length;
    const to = endOfString(event, from);
    if (to === undefined) return undefined;
    const prefix = event.slice(0, from);
    const suffix = event.slice(to);
    if (to > from && means(event, content, readPiece) && means(prefix + PROBE + suffix, PROBE, readPiece))
      return { prefix, suffix };
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
