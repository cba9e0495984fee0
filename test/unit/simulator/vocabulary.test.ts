// The sample tokenizer: fresh files, and the same counts from the simulator and from the tokenizer library.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  VOCABULARY_SIZE,
  WORDS,
  countTokens,
  decodeIds,
  tokenIds,
  tokenizerConfigJson,
  tokenizerJson,
} from '../../../src/simulator/vocabulary';

const FOLDER = path.resolve(__dirname, '../../../samples/tokenizer');
const json = (name: string): object => JSON.parse(readFileSync(path.join(FOLDER, name), 'utf8')) as object;

describe('samples/tokenizer', () => {
  it('is what scripts/generate-sample-tokenizer.mjs would write', () => {
    expect(json('tokenizer.json')).toEqual(tokenizerJson());
    expect(json('tokenizer_config.json')).toEqual(tokenizerConfigJson());
  });

  it('has a thousand different words', () => {
    expect(new Set(WORDS).size).toBe(1000);
    expect(WORDS.every((word) => /^[a-z]{4,6}$/.test(word))).toBe(true);
  });
});

describe('counts', () => {
  const tokenizer = new Tokenizer(json('tokenizer.json'), json('tokenizer_config.json'));

  it('of any text are those of the tokenizer library', () => {
    const piece = fc.oneof(
      fc.constantFrom(...WORDS.slice(0, 20)),
      fc.constantFrom(' ', '  ', '\n', '\t', '\u00a0', '<unk>', '</s>', '<', '/s>', 'é', '🚀', '.', 'Hello,'),
      fc.string({ maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const text = pieces.join('');
        expect(tokenIds(text)).toEqual(tokenizer.encode(text).ids);
        expect(countTokens(text)).toBe(tokenizer.encode(text, { add_special_tokens: false }).ids.length);
      }),
      { numRuns: 500 },
    );
  });

  it('of decoded ids are the number of ids, both ways', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: VOCABULARY_SIZE - 1 }), { minLength: 1, maxLength: 200 }), (ids) => {
        expect(tokenizer.encode(tokenizer.decode(ids)).ids).toEqual(ids);
        expect(decodeIds(ids)).toBe(tokenizer.decode(ids));
      }),
      { numRuns: 200 },
    );
  });
});
