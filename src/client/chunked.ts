// Where the chunks of a chunked HTTP body (RFC 9112 section 7.1) begin and end, in whatever pieces the network delivers them.
//
// It stands beside the real HTTP parser and never instead of it: whole chunks of the plainest form it finds itself, and the parser is
// given everything else (a chunk cut by a read, extensions, the last chunk, trailers, mistakes) and judges it. It only has to know
// where the parser stands.

const CR = 13;
const LF = 10;
/** 16^7 bytes: no server writes longer ones, and sizes stay small integers. */
const MOST_DIGITS = 7;

/** Takes body bytes `bytes[from, to)`, which are valid during the call. */
export interface BodySink {
  onBody(bytes: Buffer, from: number, to: number): void;
}

/** Follows one body after the other. */
export class ChunkedBody {
  /** Bytes of the current chunk that have not passed, the line end after it included. */
  private left = 0;
  private size = 0;
  private digits = 0;
  private sawCr = false;
  private lost = false;

  /** Stands before the first chunk of a body. */
  begin(): void {
    this.left = 0;
    this.size = 0;
    this.digits = 0;
    this.sawCr = false;
    this.lost = false;
  }

  /** Where the parser stands is not known: all of this body is its own. */
  lose(): void {
    this.lost = true;
  }

  /** The last chunk came, or something that is not understood here: all that follows is the parser's. */
  get isLost(): boolean {
    return this.lost;
  }

  /** The next byte begins a chunk. */
  get isAtChunk(): boolean {
    return this.left === 0 && this.digits === 0 && !this.sawCr && !this.lost;
  }

  /**
   * Notes that `bytes[from, to)` goes to the parser, up to the next chunk's beginning if there is one.
   * @returns where that is, or `to`
   */
  follow(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    do {
      if (this.left > 0) {
        const passed = Math.min(this.left, to - at);
        this.left -= passed;
        at += passed;
      } else this.sizeByte(bytes[at++]!);
      if (this.lost) return to;
    } while (at < to && !this.isAtChunk);
    return at;
  }

  /**
   * Gives the sink the data of each whole chunk from `from` on, where one begins, and stands where it began.
   * @returns where the first chunk begins that is not whole, not plain, or the last
   */
  whole(bytes: Buffer, from: number, to: number, sink: BodySink): number {
    let start = from;
    for (;;) {
      let at = start;
      let size = 0;
      for (let digit = at < to ? hexDigit(bytes[at]!) : -1; digit >= 0; digit = at < to ? hexDigit(bytes[at]!) : -1) {
        size = 16 * size + digit;
        if (++at - start > MOST_DIGITS) return start;
      }
      const data = at + 2;
      const end = data + size;
      if (size === 0 || end + 2 > to || bytes[at] !== CR || bytes[at + 1] !== LF) return start;
      if (bytes[end] !== CR || bytes[end + 1] !== LF) return start;
      sink.onBody(bytes, data, end);
      start = end + 2;
    }
  }

  private sizeByte(byte: number): void {
    const digit = hexDigit(byte);
    if (digit >= 0 && !this.sawCr && this.digits < MOST_DIGITS) {
      this.size = 16 * this.size + digit;
      this.digits++;
    } else if (byte === CR && this.digits > 0 && !this.sawCr) this.sawCr = true;
    else if (byte === LF && this.sawCr && this.size > 0) {
      this.left = this.size + 2;
      this.size = 0;
      this.digits = 0;
      this.sawCr = false;
    } else this.lost = true;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 0x20;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
