// A pull reader over bytes of JSON: values that nobody asks for are skipped without being decoded, numbers are exact.

/** Thrown when the bytes at hand end inside a value: the caller fetches more and begins the value again. */
export class NeedMore extends Error {}

/** What is there is not JSON. */
export class BadJson extends Error {
  constructor(
    readonly position: number,
    expected: string,
  ) {
    super(`${expected} is expected`);
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Powers of ten that a double holds exactly. */
const POWERS = Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));
const MANTISSA_LIMIT = 900_719_925_474_098;

/** One instance reads one buffer after another; `at` is the caller's to keep. */
export class JsonBytes {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  end = 0;
  private readonly decoder = new TextDecoder('utf-8');

  /** The next byte that is no white space, without taking it. */
  peek(): number {
    const { bytes, end } = this;
    let at = this.at;
    while (at < end) {
      const byte = bytes[at]!;
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) {
        this.at = at;
        return byte;
      }
      at++;
    }
    this.at = at;
    throw new NeedMore();
  }

  expect(byte: number): void {
    if (this.peek() !== byte) throw new BadJson(this.at, `'${String.fromCharCode(byte)}'`);
    this.at++;
  }

  /** True, and taken, when the next byte is this one. */
  take(byte: number): boolean {
    if (this.peek() !== byte) return false;
    this.at++;
    return true;
  }

  /** A key as a number: equal keys give equal numbers. The quotes are taken. */
  keyHash(): number {
    this.expect(QUOTE);
    const { bytes, end } = this;
    let hash = 7;
    for (let at = this.at; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        this.at = at + 1;
        return hash;
      }
      if (byte === BACKSLASH) at++;
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    throw new NeedMore();
  }

  /** A number; `null` and `NaN` are NaN. Exact as Number() is. */
  number(): number {
    const first = this.peek();
    if (first === 0x6e || first === 0x4e) {
      this.word();
      return NaN;
    }
    const from = this.at;
    const { bytes, end } = this;
    let at = from;
    const negative = bytes[at] === 0x2d;
    if (negative) at++;
    let mantissa = 0;
    let scale = 0;
    let fraction = false;
    let exact = true;
    for (; at < end; at++) {
      const digit = bytes[at]! - 0x30;
      if (digit >= 0 && digit <= 9) {
        if (mantissa > MANTISSA_LIMIT) exact = false;
        mantissa = mantissa * 10 + digit;
        if (fraction) scale++;
      } else if (bytes[at] === 0x2e && !fraction) fraction = true;
      else break;
    }
    if (at >= end) throw new NeedMore();
    if (at === from + (negative ? 1 : 0)) throw new BadJson(at, 'a number');
    const next = bytes[at]!;
    this.at = at;
    // A mantissa below 2^53 over an exact power of ten is rounded once: the nearest double (Clinger 1990).
    if (exact && scale <= 22 && next !== 0x65 && next !== 0x45) {
      const value = mantissa / POWERS[scale]!;
      return negative ? -value : value;
    }
    return this.slowNumber(from);
  }

  private slowNumber(from: number): number {
    let at = this.at;
    while (at < this.end && /[-+.\deE]/.test(String.fromCharCode(this.bytes[at]!))) at++;
    if (at >= this.end) throw new NeedMore();
    this.at = at;
    const value = Number(this.decoder.decode(this.bytes.subarray(from, at)));
    if (Number.isNaN(value)) throw new BadJson(from, 'a number');
    return value;
  }

  /** Takes a value of any kind without looking at it. */
  skip(): void {
    const first = this.peek();
    if (first === QUOTE) this.skipString();
    else if (first === 0x7b || first === 0x5b) this.skipNested();
    else this.word();
  }

  private skipString(): void {
    let at = this.at + 1;
    for (;;) {
      at = this.bytes.indexOf(QUOTE, at);
      if (at < 0 || at >= this.end) throw new NeedMore();
      let slashes = 0;
      while (this.bytes[at - 1 - slashes] === BACKSLASH) slashes++;
      at++;
      if (slashes % 2 === 0) break;
    }
    this.at = at;
  }

  private skipNested(): void {
    const { bytes, end } = this;
    let depth = 0;
    let at = this.at;
    while (at < end) {
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        this.at = at;
        this.skipString();
        at = this.at;
        continue;
      }
      at++;
      // { [ } ] are the only bytes from 0x5b on that matter: 0x7b 0x5b 0x7d 0x5d.
      if (byte < 0x5b) continue;
      if (byte === 0x7b || byte === 0x5b) depth++;
      else if ((byte === 0x7d || byte === 0x5d) && --depth === 0) {
        this.at = at;
        return;
      }
    }
    throw new NeedMore();
  }

  /** true, false, null, NaN, Infinity or a number, unread. */
  private word(): void {
    const from = this.at;
    let at = from;
    while (at < this.end && /[-+.\w]/.test(String.fromCharCode(this.bytes[at]!))) at++;
    if (at >= this.end) throw new NeedMore();
    if (at === from) throw new BadJson(at, 'a value');
    this.at = at;
  }
}

/** What keyHash gives for a key. */
export function hashOf(key: string): number {
  let hash = 7;
  for (let i = 0; i < key.length; i++) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0;
  return hash;
}
