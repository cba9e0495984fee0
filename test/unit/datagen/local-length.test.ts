// Mending a text's length at its end: exact where tokens do not join over the gap before a word, given up where they do.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LocalLength } from '../../../src/datagen/local-length';
import { stream } from '../../../src/datagen/random';
import { tokenTexts } from '../../../src/datagen/text';
import type { TextTokenizer } from '../../../src/datagen/tokenizer';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'.split('');
/** 26 letters, 26 words of one letter, 26 double letters, a newline: drawn at random, neighbours join into fewer tokens. */
const VOCABULARY = [
  ...LETTERS,
  ...LETTERS.map((letter) => ` ${letter}`),
  ...LETTERS.map((letter) => `${letter}${letter}`),
  '\n',
];

/** Greedy, longest first. */
function tokenizer(): TextTokenizer & { wholeEncodings: number } {
  const table = new Map(VOCABULARY.map((text, id) => [text, id]));
  const names = new Map([...table].map(([text, id]) => [id, text]));
  const own = {
    wholeEncodings: 0,
    identity: { source: 'test', sha256: '' },
    specialTokens: 0,
    ordinaryIds: VOCABULARY.map((_, id) => id),
    encode(text: string): number[] {
      if (text.length > 100) own.wholeEncodings++;
      const ids: number[] = [];
      for (let at = 0; at < text.length;) {
        const found = [2, 1].map((length) => text.slice(at, at + length)).find((piece) => table.has(piece));
        if (found === undefined) {
          at++;
          continue;
        }
        ids.push(table.get(found)!);
        at += found.length;
      }
      return ids;
    },
    decode: (ids: readonly number[]) => ids.map((id) => names.get(id) ?? '').join(''),
    count: (text: string) => own.encode(text).length,
  };
  return own;
}

describe('the end of a text', () => {
  it('brings any text to the wanted number of tokens, longer or shorter, or says that it cannot', () => {
    let done = 0;
    fc.assert(
      fc.property(
        fc.array(fc.nat(VOCABULARY.length - 1), { minLength: 20, maxLength: 60 }),
        fc.integer({ min: -15, max: 15 }),
        (ids, missing) => {
          const own = tokenizer();
          const text = own.decode(ids);
          const became = own.encode(text);
          const mended = new LocalLength(own).mend(text, became, missing, stream(1, 'test'));
          if (mended === undefined) return;
          done++;
          expect(own.count(mended)).toBe(became.length + missing);
        },
      ),
    );
    expect(done).toBeGreaterThan(50);
  });

  it('is not trusted any more once a whole text was not what its end promised', () => {
    const own = tokenizer();
    const text = own.decode(Array.from({ length: 80 }, (_, index) => (index % 26) + 26));
    const became = own.encode(text);
    const rng = stream(2, 'test');
    expect(new LocalLength(own).mend(text, became, 3, rng)).toBeDefined();
    let asked = 0;
    // Long texts are one token more than their parts: what no look at an end shows.
    const sly = { ...own, count: (each: string) => own.count(each) + (each.length > 100 ? (asked++, 1) : 0) };
    const local = new LocalLength(sly);
    expect([local.mend(text, became, 3, rng), asked]).toEqual([undefined, 1]);
    expect([local.mend(text, became, 3, rng), asked]).toEqual([undefined, 1]);
  });

  it('saves encoding long prompts again: hardly more than once each, and the lengths are exact', () => {
    const own = tokenizer();
    const texts = tokenTexts(own);
    const rng = stream(3, 'test');
    own.wholeEncodings = 0;
    const made = Array.from({ length: 200 }, () => texts.make(120, rng));
    expect(own.wholeEncodings).toBeLessThan(300);
    expect(made.every(({ length }) => length === 120)).toBe(true);
    expect(made.every(({ text }) => own.count(text) === 120)).toBe(true);
  });

  it('a tokenizer without words gets its lengths the long way', () => {
    const own = { ...tokenizer(), ordinaryIds: LETTERS.map((_, id) => id) };
    const { length, text } = tokenTexts(own).make(80, stream(4, 'test'));
    expect([length, own.count(text)]).toEqual([80, 80]);
  });
});
