// The quick ways to encode and decode give what the tokenizer library gives, id by id and character by character.
import fc from 'fast-check';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { quickCodec } from '../../../src/datagen/quick-codec';
import { libraryCodec, Tokenizer } from '../../../src/datagen/tokenizer-library';
import type { TokenizerFiles } from '../../../src/datagen/quick-encoder';
import { runs } from '../support/property-runs';
import { MODELS } from './tokenizer-models';

/** Words and edges that tokenizers treat in a way of their own, beside whatever Unicode has. */
const EDGES = [
  ' ',
  '  ',
  '\n',
  '\r\n',
  '\t',
  '\u00a0',
  '\u2581',
  "'s",
  "'LL",
  "don't",
  'the',
  ' the',
  ' and',
  'thethe',
  ' other',
  '12',
  '345678',
  '<s>',
  '<s><s>',
  '</s>',
  '<unk>',
  '[UNK]',
  '[CLS]',
  '[HERE]',
  '<tool>',
  ' [A] ',
  '[A]',
  '[B]',
  '[C]',
  'e\u0301',
  'é',
  '東京',
  'Ωμέγα',
  '😀',
  '\ud83d',
  '\ude00',
  '\ufffd',
  '<0x41>',
  'aaa',
  'aaaaaaa',
  ' aaaaaaaaa',
  ' the the the',
  'x'.repeat(300),
  'ab'.repeat(200),
  '東'.repeat(120),
  'Ａ',
  'ﬁ',
  '\u200d',
  '.',
  ' ,',
  "n't",
];

const texts = fc
  .array(
    fc.oneof(fc.constantFrom(...EDGES), fc.string({ unit: 'binary', maxLength: 8 }), fc.string({ maxLength: 8 })),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(''));

function isSameCodec(json: object, config: object, vocabularySize: number, tries: number): void {
  const files: TokenizerFiles = { model: json, config: config as TokenizerFiles['config'] };
  const plain = libraryCodec(new Tokenizer(json, config));
  const quick = quickCodec(new Tokenizer(json, config), files);
  fc.assert(
    fc.property(texts, (text) => {
      expect(quick.encode(text)).toEqual(plain.encode(text));
      // Met before: what was remembered of its pieces is right as well.
      expect(quick.encode(text)).toEqual(plain.encode(text));
    }),
    { numRuns: runs(tries) },
  );
  fc.assert(
    fc.property(fc.array(fc.nat(vocabularySize - 1), { minLength: 1, maxLength: 40 }), (ids) => {
      const text = plain.decode(ids);
      expect(quick.decode(ids)).toBe(text);
      expect(quick.encode(text)).toEqual(plain.encode(text));
    }),
    { numRuns: runs(tries) },
  );
}

const gpt2 = MODELS['byte-level, as GPT-2']!;

describe.each(Object.entries(MODELS))('%s', (_, { json, byLibrary = [] }) => {
  const { size } = new Tokenizer(json, {}).get_vocab();

  it('the same ids and the same texts', () => {
    isSameCodec(json, {}, size, 300);
  });

  it('the same with more special tokens named in the config', () => {
    isSameCodec(json, { additional_special_tokens: ['<tool>', '[B]', 'the'] }, size, 50);
  });

  it(`by the library after the probes: ${byLibrary.join(' and ') || 'nothing'}`, () => {
    const library = new Tokenizer(json, {});
    const codec = quickCodec(library, { model: json, config: {} });
    const encode = vi.spyOn(library, 'encode');
    const decode = vi.spyOn(library, 'decode');
    codec.decode(codec.encode('the fox and the dog'));
    const calls = { encode: encode.mock.calls.length, decode: decode.mock.calls.length };
    expect(calls).toEqual({
      encode: byLibrary.includes('encode') ? 1 : 0,
      decode: byLibrary.includes('decode') ? 1 : 0,
    });
  });
});

it('a text of a million characters, unknown ones among them, is encoded whole', () => {
  const { json } = MODELS['SentencePiece merges without byte tokens']!;
  const { encode } = quickCodec(new Tokenizer(json, {}), { model: json, config: {} });
  const known = encode('the dog ').length;
  expect(encode('the dog '.repeat(125_000)).length).toBeGreaterThan((known - 1) * 125_000);
  expect(encode('the 😀 dog '.repeat(100_000)).length).toBeGreaterThan(300_000);
});

it('ids that no token has are the library’s business', () => {
  const { json } = gpt2;
  const library = new Tokenizer(json, {});
  const codec = quickCodec(library, { model: json, config: {} });
  expect(codec.decode([300, 99_999, 301])).toBe(libraryCodec(library).decode([300, 99_999, 301]));
});

it.each([{ remove_space: true }, { do_lowercase_and_remove_accent: true }])(
  'a config with %o is left to the library',
  (config) => {
    isSameCodec(gpt2.json, config, 300, 30);
  },
);

describe('real tokenizers', () => {
  const folders = [
    'samples/tokenizer',
    ...(process.env['ISOPERF_TOKENIZERS'] ?? '').split(':').filter((folder) => folder !== ''),
  ];
  it.each(folders)('%s', { timeout: 600_000 }, (folder) => {
    const read = (name: string): object => {
      const file = path.resolve(folder, name);
      return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as object) : {};
    };
    const json = read('tokenizer.json');
    isSameCodec(
      json,
      read('tokenizer_config.json'),
      new Tokenizer(json, {}).get_vocab().size,
      folder.startsWith('samples') ? 100 : 1000,
    );
  });
});
