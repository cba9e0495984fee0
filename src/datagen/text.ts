// Prompt texts of a wanted length: exact in tokens with a tokenizer, exact in words without one.
import { integerBelow, type Rng } from './random';
import { LocalLength } from './local-length';
import type { TextTokenizer } from './tokenizer';
import { WORDS } from './words';

/** What lengths are counted in: without a tokenizer nobody on this side can count tokens. */
export type LengthUnit = 'tokens' | 'words';

export interface SizedText {
  readonly text: string;
  /** Length that was reached, in the maker's unit; tokens include the special tokens around one text. */
  readonly length: number;
}

/** Makes texts of a wanted length; what it cannot hit exactly it comes as near to as it can, and says so by `length`. */
export interface TextMaker {
  readonly unit: LengthUnit;
  /** Random text. Wanted lengths in tokens include the special tokens (BOS), as inference-perf counts them. */
  make(length: number, rng: Rng): SizedText;
  /** `prefix` followed by random text, `length` long in all; the prefix stays as it is, character by character. */
  extend(prefix: string, length: number, rng: Rng): SizedText;
  /** Special tokens inside every wanted length. */
  readonly specialTokens: number;
  /** Tokens of the chat template inside every wanted length, when there is one. */
  readonly templateTokens?: number;
}

/** Rounds of encode and decode before the nearest length is taken; inference-perf's number (reference 2.4, random). */
const MAX_ROUNDS = 20;

/**
 * inference-perf's way to an exact length: ids drawn uniformly from the vocabulary without special tokens, decoded, encoded
 * again, lengthened or cut until the count is right. Where it drops the request after 20 rounds, the nearest text is taken.
 * The first correction is tried at the end of the text alone (local-length). What is added in later rounds are ids that survive decoding and encoding alone: parts of characters would make the count jump.
 */
export function tokenTexts(tokenizer: TextTokenizer): TextMaker {
  const { ordinaryIds, specialTokens, wrap } = tokenizer;
  const templated = wrap && templateCounter(tokenizer, wrap);
  const whole = wrap ?? ((text: string): string => text);
  const drawOne = (rng: Rng): number => ordinaryIds[integerBelow(rng, ordinaryIds.length)]!;
  const draw = (count: number, rng: Rng): number[] => Array.from({ length: count }, () => drawOne(rng));
  const solid = new Map<number, boolean>();
  const drawSolid = (count: number, rng: Rng): number[] =>
    Array.from({ length: count }, () => {
      let id = drawOne(rng);
      for (let tries = 0; tries < 100 && !isSolid(tokenizer, id, solid); tries++) id = drawOne(rng);
      return id;
    });
  const counters = new Map<string, SuffixCounter>();
  const local = new LocalLength(tokenizer);

  function extend(prefix: string, length: number, rng: Rng): SizedText {
    const counter = templated ?? counters.get(prefix) ?? suffixCounter(tokenizer, prefix);
    if (prefix !== '') counters.set(prefix, counter);
    const wanted = length - specialTokens;
    // An empty suffix would repeat the prefix, and an empty prompt is refused by servers: at least one token is drawn.
    let ids: readonly number[] = draw(Math.max(1, wanted - counter.prefixTokens), rng);
    let best: SizedText | undefined;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const decoded = tokenizer.decode(ids);
      const suffix = prefix === '' ? decoded : ` ${decoded.trimStart()}`;
      const isText = suffix.trim() !== '';
      const became = tokenizer.encode(suffix);
      const missing = wanted - counter.count(suffix, became.length);
      if (isText && (best === undefined || Math.abs(missing) < Math.abs(length - best.length))) {
        best = { text: whole(prefix + suffix), length: length - missing };
      }
      if (missing === 0 && isText) break;
      // Mostly the end is all that needs a change, and with it only the end is encoded again.
      const mended = round === 0 && isText ? local.mend(suffix, became, missing, rng) : undefined;
      if (mended !== undefined && counter.count(mended, became.length + missing) === wanted)
        return { text: whole(prefix + mended), length };
      ids = missing > 0 ? [...ids, ...drawSolid(missing, rng)] : shorten(tokenizer, became, -missing, solid);
      if (ids.length === 0) ids = drawSolid(1, rng);
    }
    return best ?? { text: prefix, length: counter.prefixTokens + specialTokens };
  }

  return {
    unit: 'tokens',
    specialTokens,
    ...(templated ? { templateTokens: templated.prefixTokens } : {}),
    extend,
    make: (length, rng) => extend('', length, rng),
  };
}

interface SuffixCounter {
  readonly prefixTokens: number;
  /** Tokens of the prefix and this suffix together; the suffix alone has `suffixTokens`. */
  count(suffix: string, suffixTokens: number): number;
}

/** How often the sum of the parts must have been the count of the whole before it is trusted. */
const PROOFS = 4;

/**
 * Counts texts that share a prefix. Most tokenizers split at the space between the two, so that the parts' counts add up; that
 * is tried on the first texts, and only then is a long prefix no longer counted again for each of them.
 */
function suffixCounter(tokenizer: TextTokenizer, prefix: string): SuffixCounter {
  const prefixTokens = tokenizer.count(prefix);
  let proofs = 0;
  return {
    prefixTokens,
    count: (suffix, suffixTokens) => {
      const sum = prefixTokens + suffixTokens;
      if (prefix === '' || proofs >= PROOFS) return sum;
      const whole = tokenizer.count(prefix + suffix);
      proofs = whole === sum ? proofs + 1 : Number.NEGATIVE_INFINITY;
      return whole;
    },
  };
}

/** Counts texts with their chat template, whole: a template may trim the text, and tokens may merge at its ends. */
function templateCounter(tokenizer: TextTokenizer, wrap: (text: string) => string): SuffixCounter {
  return { prefixTokens: tokenizer.count(wrap('')), count: (suffix) => tokenizer.count(wrap(suffix)) };
}

/** Whether an id is decoded to a text that is encoded to this id and no other. */
function isSolid(tokenizer: TextTokenizer, id: number, known: Map<number, boolean>): boolean {
  let answer = known.get(id);
  if (answer === undefined) {
    const back = tokenizer.encode(tokenizer.decode([id]));
    answer = back.length === 1 && back[0] === id;
    known.set(id, answer);
  }
  return answer;
}

/**
 * Cuts what the text really became, not the ids it was made of: merges may have changed their number. The cut goes back to the
 * end of a whole token's text, else half a character would come back as a replacement character of several tokens.
 */
function shorten(
  tokenizer: TextTokenizer,
  became: readonly number[],
  surplus: number,
  solid: Map<number, boolean>,
): readonly number[] {
  const kept = became.slice(0, -surplus);
  let end = kept.length;
  while (end > 0 && !isSolid(tokenizer, kept[end - 1]!, solid)) end--;
  return end > 0 ? kept.slice(0, end) : kept;
}

/** Words of a built-in list, one space between them. The server's tokenizer decides how many tokens they are. */
export function wordTexts(): TextMaker {
  const words = (count: number, rng: Rng): string =>
    Array.from({ length: count }, () => WORDS[integerBelow(rng, WORDS.length)]!).join(' ');
  return {
    unit: 'words',
    specialTokens: 0,
    make: (length, rng) => ({ text: words(Math.max(1, length), rng), length: Math.max(1, length) }),
    extend: (prefix, length, rng) => {
      const have = prefix === '' ? 0 : prefix.split(' ').length;
      const added = Math.max(1, length - have);
      return { text: `${prefix}${prefix === '' ? '' : ' '}${words(added, rng)}`, length: have + added };
    },
  };
}
