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
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const LETTER_I = 0x49;
/** Words that may stand where a value is, each with a first byte of its own; the last three are Python's. */
const WORDS: readonly Uint8Array[] = ['null', 'true', 'false', 'NaN', 'Infinity', '-Infinity'].map((word) =>
  new TextEncoder().encode(word),
);
/** Powers of ten that a double holds exactly. */
const POWERS = Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));
const MANTISSA_LIMIT = 900_719_925_474_098;

/** One instance reads one buffer after another; `at` is the caller's to keep. */
export class JsonBytes {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  end = 0;
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });

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

  /** The one of these names that the next key is; undefined for every other key. The quotes are taken, escapes are read. */
  key<K extends KeyName>(names: KeyTable<K>): K | undefined {
    this.expect(QUOTE);
    const { bytes, end } = this;
    const from = this.at;
    for (let at = from; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === BACKSLASH) return this.escapedKey(names);
      if (byte !== QUOTE) continue;
      this.at = at + 1;
      const sameLength = names.byLength[at - from];
      if (sameLength === undefined) return undefined;
      for (let i = 0; i < sameLength.length; i++) {
        if (isAt(sameLength[i]!.bytes, bytes, from, at)) return sameLength[i];
      }
      return undefined;
    }
    throw new NeedMore();
  }

  private escapedKey<K extends KeyName>({ all }: KeyTable<K>): K | undefined {
    const from = --this.at;
    this.skipString();
    const text = this.decoder.decode(this.bytes.subarray(from, this.at));
    const key: unknown = this.parsed(text, from, 'a key');
    return all.find(({ name }) => name === key);
  }

  /** A number, exact as JSON.parse is; NaN for a value of another kind, which is skipped, and for Python's bare NaN and Infinity. */
  number(): number {
    const first = this.peek();
    const { bytes, end } = this;
    const negative = first === MINUS;
    let at = this.at + (negative ? 1 : 0);
    if (at >= end) throw new NeedMore();
    if (!isDigit(bytes[at]!) && !(negative && bytes[at] !== LETTER_I)) {
      this.skip();
      return NaN;
    }
    const digits = at;
    let mantissa = 0;
    /** Where the digits after the point begin. */
    let fraction = 0;
    let exact = true;
    for (; at < end; at++) {
      const digit = bytes[at]! - ZERO;
      if (digit >= 0 && digit <= 9) {
        if (mantissa > MANTISSA_LIMIT) exact = false;
        mantissa = mantissa * 10 + digit;
      } else if (bytes[at] === POINT && fraction === 0) fraction = at + 1;
      else break;
    }
    if (at >= end) throw new NeedMore();
    const whole = (fraction === 0 ? at : fraction - 1) - digits;
    const scale = fraction === 0 ? 0 : at - fraction;
    const isPlain = whole > 0 && (bytes[digits] !== ZERO || whole === 1) && (fraction === 0 || scale > 0);
    const next = bytes[at]!;
    // A mantissa below 2^53 over an exact power of ten is rounded once: the nearest double (Clinger 1990).
    if (isPlain && exact && scale < POWERS.length && next !== 0x65 && next !== 0x45) {
      this.at = at;
      const value = mantissa / POWERS[scale]!;
      return negative ? -value : value;
    }
    return this.slowNumber();
  }

  private slowNumber(): number {
    const from = this.at;
    let at = from;
    while (at < this.end && /[-+.\deE]/.test(String.fromCharCode(this.bytes[at]!))) at++;
    if (at >= this.end) throw new NeedMore();
    this.at = at;
    return this.parsed(this.decoder.decode(this.bytes.subarray(from, at)), from, 'a number') as number;
  }

  private parsed(text: string, position: number, expected: string): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      if (error instanceof SyntaxError) throw new BadJson(position, expected);
      throw error;
    }
  }

  /** Takes a value of any kind: only its end is looked for, whatever its depth. */
  skip(): void {
    const first = this.peek();
    if (first === QUOTE) this.skipString();
    else if (first === 0x7b || first === 0x5b) this.skipNested();
    else if (isDigit(first) || (first === MINUS && this.bytes[this.at + 1] !== LETTER_I)) this.number();
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

  /** true, false, null, or one of Python's numbers that are none. */
  private word(): void {
    const { bytes, at, end } = this;
    for (const word of WORDS) {
      if (bytes[at] !== word[0]) continue;
      const to = at + word.length;
      for (let i = at; i < Math.min(to, end); i++) if (bytes[i] !== word[i - at]) throw new BadJson(at, 'a value');
      // What follows tells `null` from `nulls`.
      if (to >= end) throw new NeedMore();
      if (isWordByte(bytes[to]!)) break;
      this.at = to;
      return;
    }
    throw new BadJson(at, 'a value');
  }
}

/** A key that is looked for, as it stands in a file that escapes nothing of it. */
export interface KeyName {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export function keyName(name: string): KeyName {
  return { name, bytes: new TextEncoder().encode(name) };
}

/** Keys that are looked for in one object, by their length in bytes: most others are told apart by that. */
export interface KeyTable<K extends KeyName> {
  readonly all: readonly K[];
  readonly byLength: readonly (readonly K[] | undefined)[];
}

export function keyTable<K extends KeyName>(all: readonly K[]): KeyTable<K> {
  const longest = Math.max(0, ...all.map(({ bytes }) => bytes.length));
  const byLength = Array.from({ length: longest + 1 }, (_, length) => {
    const same = all.filter(({ bytes }) => bytes.length === length);
    return same.length === 0 ? undefined : same;
  });
  return { all, byLength };
}

function isAt(wanted: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from !== wanted.length) return false;
  for (let i = 0; i < wanted.length; i++) if (bytes[from + i] !== wanted[i]) return false;
  return true;
}

function isWordByte(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 0x39;
}
