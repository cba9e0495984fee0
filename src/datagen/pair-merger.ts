// Byte-pair merges over numbers instead of strings: the merges of a `tokenizer.json`, best rank first, leftmost among equals.

/** Longer words are left to the tokenizer library's heap: the plain scan here would take the square of their length. */
export const MAX_SYMBOLS = 256;

const NONE = 0x7fffffff;
/** Numbers of a place in the table of pairs; one is spare. */
const PLACE = 4;
const PAIR_SHIFT = 14;
/** Bits of the filter that says which characters may stand beside each other inside a token. */
const FILTER_BITS = 24;

/**
 * A symbol is the id of a token, a number above all ids for a text that only merges know, or -1 - code point for a character that no
 * merge and no token has.
 */
export class PairMerger {
  private readonly symbols: Map<string, number>;
  private readonly texts: string[] = [];
  /** Open addressing: a place is left, right and the index of their merge + 1, side by side in one cache line. */
  private readonly places: Int32Array;
  private readonly mask: number;
  /** By rank: the symbol that a merge makes. */
  private readonly becomes: Int32Array;
  /** Ranks of pairs of symbols below 256, which are the bytes in most vocabularies: half of all questions are about these. */
  private readonly small = new Int32Array(65_536).fill(NONE);
  /** A clear bit: no such pair. Most pairs are none, and this much stays in the processor's cache. */
  private readonly pairs = new Uint8Array(2 ** (32 - PAIR_SHIFT));
  private readonly ranks = new Int32Array(MAX_SYMBOLS);
  /** A set bit: some merge's text has these two characters side by side, or another two of the same hash. */
  private readonly neighbours = new Uint8Array(2 ** (FILTER_BITS - 3));

  /** @param idOf every token's id; ids must be distinct, at least 0, and below `idLimit`. */
  constructor(
    private readonly idOf: ReadonlyMap<string, number>,
    private readonly idLimit: number,
    merges: readonly (readonly string[])[],
  ) {
    this.symbols = new Map();
    let size = 64;
    while (size < merges.length * 1.25 * PLACE) size *= 2;
    this.mask = size - 1;
    this.places = new Int32Array(size);
    this.becomes = new Int32Array(merges.length);
    for (const [rank, [left = '', right = '']] of merges.entries()) {
      const text = left + right;
      this.becomes[rank] = this.intern(text);
      this.put(this.intern(left), this.intern(right), rank);
      for (let at = 1; at < text.length; at++) {
        const bit = pairHash(text.charCodeAt(at - 1), text.charCodeAt(at)) >>> (32 - FILTER_BITS);
        this.neighbours[bit >>> 3]! |= 1 << (bit & 7);
      }
    }
  }

  /** The symbol of one character. */
  symbolOf(character: string): number {
    return this.idOf.get(character) ?? this.symbols.get(character) ?? -1 - character.codePointAt(0)!;
  }

  /** The text of a symbol that is not a token's id. */
  textOf(symbol: number): string {
    return symbol < 0 ? String.fromCodePoint(-1 - symbol) : this.texts[symbol - this.idLimit]!;
  }

  /** False: no merge ever joins over the gap between these two UTF-16 units, so that the sides can be encoded apart. */
  mayJoin(before: number, after: number): boolean {
    const bit = pairHash(before, after) >>> (32 - FILTER_BITS);
    return (this.neighbours[bit >>> 3]! & (1 << (bit & 7))) !== 0;
  }

  /** Merges the first `count` symbols in place, at most MAX_SYMBOLS; gives how many are left. */
  apply(symbols: Int32Array, count: number): number {
    const { ranks, becomes } = this;
    let length = count;
    for (let at = 0; at + 1 < length; at++) ranks[at] = this.rank(symbols[at]!, symbols[at + 1]!);
    for (;;) {
      let best = NONE;
      let place = 0;
      for (let at = 0; at + 1 < length; at++) {
        const rank = ranks[at]!;
        if (rank < best) {
          best = rank;
          place = at;
        }
      }
      if (best === NONE) return length;
      length--;
      symbols[place] = becomes[best]!;
      for (let at = place + 1; at < length; at++) {
        symbols[at] = symbols[at + 1]!;
        ranks[at] = ranks[at + 1]!;
      }
      if (place + 1 < length) ranks[place] = this.rank(symbols[place]!, symbols[place + 1]!);
      if (place > 0) ranks[place - 1] = this.rank(symbols[place - 1]!, symbols[place]!);
    }
  }

  private intern(text: string): number {
    let symbol = this.idOf.get(text) ?? this.symbols.get(text);
    if (symbol === undefined) {
      symbol = this.idLimit + this.texts.length;
      this.symbols.set(text, symbol);
      this.texts.push(text);
    }
    return symbol;
  }

  private rank(left: number, right: number): number {
    if ((left | right) >>> 8 === 0) return this.small[(left << 8) | right]!;
    const { places, mask } = this;
    const hash = pairHash(left, right);
    if ((this.pairs[hash >>> PAIR_SHIFT]! & (1 << (hash & 7))) === 0) return NONE;
    for (let at = (hash << 2) & mask; ; at = (at + PLACE) & mask) {
      const merge = places[at + 2]!;
      if (merge === 0) return NONE;
      if (places[at] === left && places[at + 1] === right) return merge - 1;
    }
  }

  /** Of two equal merges the later one counts, as in the library. */
  private put(left: number, right: number, rank: number): void {
    const { places, mask } = this;
    const hash = pairHash(left, right);
    this.pairs[hash >>> PAIR_SHIFT]! |= 1 << (hash & 7);
    let at = (hash << 2) & mask;
    while (places[at + 2] !== 0 && (places[at] !== left || places[at + 1] !== right)) at = (at + PLACE) & mask;
    if ((left | right) >>> 8 === 0) this.small[(left << 8) | right] = rank;
    places[at] = left;
    places[at + 1] = right;
    places[at + 2] = rank + 1;
  }
}

function pairHash(left: number, right: number): number {
  const mixed = Math.imul(Math.imul(left, 0x9e3779b1) ^ right, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
