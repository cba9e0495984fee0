// Brings a text to an exact number of tokens by touching its end only: most tokenizers never join tokens over the gap before a word.
import { integerBelow, type Rng } from './random';
import type { TextTokenizer } from './tokenizer';

/** Such pieces begin a new word wherever they stand after something visible. */
const WORD = /^ \p{L}+$/u;
const BEGINS_WORD = /^ \p{L}/u;
const ENDS_VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]$/u;
/** Tokens before the mended end that are encoded again with it. */
const WINDOW = 12;
/** How far back a gap before a word is looked for. */
const REACH = 64;
/** How many draws a word may take: where few ids are words, nothing is gained here. */
const DRAWS = 400;
/** So many texts are encoded again as a whole before the end alone is trusted, and one of so many afterwards. */
const PROOFS = 8;
const EVERY = 50;

/** Mends ends; gives up for good as soon as a whole text was not what its end promised. */
export class LocalLength {
  private readonly texts = new Map<number, string>();
  private readonly solidWords = new Map<number, boolean>();
  private isTrusted = true;
  private mended = 0;

  constructor(private readonly tokenizer: TextTokenizer) {}

  /**
   * The text of `became` with `missing` tokens more, or fewer where it is negative; undefined where that cannot be done at its end.
   * @param text what `became` is the encoding of
   */
  mend(text: string, became: readonly number[], missing: number, rng: Rng): string | undefined {
    if (!this.isTrusted) return undefined;
    const wanted = became.length + missing;
    const canGrow = missing > 0 && ENDS_VISIBLE.test(text);
    const cut = canGrow ? became.length : this.gapAtMost(became, Math.min(wanted, became.length - 1));
    if (cut === undefined || cut === 0) return undefined;
    const base = canGrow ? text : this.tokenizer.decode(became.slice(0, cut));
    // A normaliser may have changed the text before it was encoded: then its normal form is kept, which is encoded alike.
    if (!ENDS_VISIBLE.test(base) || base.endsWith('\uFFFD')) return undefined;
    const words = this.words(wanted - cut, rng);
    if (words === undefined) return undefined;
    const whole = base + words;
    return this.holds(whole, became, cut, words, wanted) ? whole : undefined;
  }

  private holds(whole: string, became: readonly number[], cut: number, words: string, wanted: number): boolean {
    const from = this.gapAtMost(became, cut - WINDOW) ?? 0;
    const end = this.tokenizer.decode(became.slice(from, cut)) + words;
    if (this.tokenizer.count(end) !== wanted - from) return false;
    if (this.mended++ >= PROOFS && this.mended % EVERY !== 0) return true;
    this.isTrusted = this.tokenizer.count(whole) === wanted;
    return this.isTrusted;
  }

  /** The last place at or before `limit` where a word begins after something visible. */
  private gapAtMost(ids: readonly number[], limit: number): number | undefined {
    for (let at = Math.min(limit, ids.length - 1); at > 0 && at > limit - REACH; at--) {
      if (BEGINS_WORD.test(this.textOf(ids[at]!)) && ENDS_VISIBLE.test(this.textOf(ids[at - 1]!))) return at;
    }
    return undefined;
  }

  private words(count: number, rng: Rng): string | undefined {
    const { ordinaryIds } = this.tokenizer;
    let words = '';
    for (let made = 0; made < count; made++) {
      let id = ordinaryIds[integerBelow(rng, ordinaryIds.length)]!;
      for (let tries = 0; !this.isSolidWord(id); tries++) {
        if (tries >= DRAWS) return undefined;
        id = ordinaryIds[integerBelow(rng, ordinaryIds.length)]!;
      }
      words += this.textOf(id);
    }
    return words;
  }

  /** A word that is encoded to this id and no other. */
  private isSolidWord(id: number): boolean {
    let answer = this.solidWords.get(id);
    if (answer === undefined) {
      const text = this.textOf(id);
      const back = WORD.test(text) ? this.tokenizer.encode(text) : [];
      answer = back.length === 1 && back[0] === id;
      this.solidWords.set(id, answer);
    }
    return answer;
  }

  private textOf(id: number): string {
    let text = this.texts.get(id);
    if (text === undefined) this.texts.set(id, (text = this.tokenizer.decode([id])));
    return text;
  }
}
