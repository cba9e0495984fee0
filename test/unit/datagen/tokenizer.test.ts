// Where a tokenizer is looked for, what is said when there is none, and texts of an exact number of tokens.
import fc from 'fast-check';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stream } from '../../../src/datagen/random';
import { tokenTexts, wordTexts } from '../../../src/datagen/text';
import { findTokenizer, loadTokenizer, type TextTokenizer } from '../../../src/datagen/tokenizer';
import { temporaryFolder, writeTokenizer } from './tokenizer-fixture';

const { folder, remove } = temporaryFolder();
afterAll(remove);

describe('finding tokenizer.json', () => {
  const inFolder = path.join(folder, 'models', 'mine');
  const hub = path.join(folder, 'hf', 'hub');
  const snapshot = (name: string) => path.join(hub, 'models--org--model', 'snapshots', name);
  const find = (name: string, env: Record<string, string> = {}) =>
    findTokenizer(name, { env, folders: [folder, path.join(folder, 'models')], homeFolder: path.join(folder, 'home') });

  beforeAll(() => {
    writeTokenizer(inFolder, { bos: false });
    writeTokenizer(snapshot('old'), { bos: false });
    writeTokenizer(snapshot('new'), { bos: false });
    utimesSync(path.join(snapshot('old'), 'tokenizer.json'), 1, 1);
    writeTokenizer(path.join(folder, 'home', '.cache', 'huggingface', 'hub', 'models--solo', 'snapshots', 'x'), {
      bos: true,
    });
  });

  it('as a folder, from each of the given folders, and as a file', () => {
    const file = path.join(inFolder, 'tokenizer.json');
    expect(find('models/mine')).toEqual({ found: true, file });
    expect(find('mine')).toEqual({ found: true, file });
    expect(find(file)).toEqual({ found: true, file });
  });

  it('in the Hugging Face cache: HF_HUB_CACHE, HF_HOME, the home folder', () => {
    const newest = { found: true, file: path.join(snapshot('new'), 'tokenizer.json') };
    expect(find('org/model', { HF_HUB_CACHE: hub })).toEqual(newest);
    expect(find('org/model', { HF_HOME: path.join(folder, 'hf') })).toEqual(newest);
    expect(find('solo').found).toBe(true);
  });

  it('takes the snapshot that main points at', () => {
    mkdirSync(path.join(hub, 'models--org--model', 'refs'), { recursive: true });
    writeFileSync(path.join(hub, 'models--org--model', 'refs', 'main'), 'old\n');
    expect(find('org/model', { HF_HUB_CACHE: hub })).toEqual({
      found: true,
      file: path.join(snapshot('old'), 'tokenizer.json'),
    });
  });

  it('says where it looked when there is none', () => {
    const lookup = find('org/other', { HF_HUB_CACHE: hub });
    expect(lookup.found).toBe(false);
    if (!lookup.found) expect(lookup.reason).toMatch(new RegExp(`org/other.*${hub}`));
  });

  it('does not let a name climb out of the cache', () => {
    expect(find('../../etc', { HF_HUB_CACHE: hub }).found).toBe(false);
  });

  it('names the file that is no tokenizer', () => {
    const file = path.join(folder, 'broken.json');
    writeFileSync(file, '{"not": "one"');
    expect(() => loadTokenizer(file)).toThrow(/broken\.json is not a tokenizer/);
  });
});

describe.each([{ bos: false }, { bos: true }])('texts by a tokenizer, bos $bos', ({ bos }) => {
  let tokenizer: TextTokenizer;
  beforeAll(() => {
    tokenizer = loadTokenizer(writeTokenizer(path.join(folder, `bos-${bos}`), { bos }));
  });

  it('knows its special tokens and its ordinary vocabulary', () => {
    expect(tokenizer.specialTokens).toBe(bos ? 1 : 0);
    expect(tokenizer.ordinaryIds).not.toContain(0);
    expect(tokenizer.ordinaryIds.length).toBe(270);
    expect(tokenizer.identity.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(tokenizer.count('the the')).toBe(2);
    expect(tokenizer.count('')).toBe(0);
    expect(tokenizer.decode(tokenizer.encode('the inn and ☃'))).toBe('the inn and ☃');
  });

  it('have exactly the wanted number of tokens, BOS included', () => {
    const texts = tokenTexts(tokenizer);
    const rng = stream(1, 'texts');
    let exact = 0;
    for (let length = 2; length <= 201; length++) {
      const made = texts.make(length, rng);
      expect(tokenizer.count(made.text) + tokenizer.specialTokens).toBe(made.length);
      if (made.length === length) exact++;
    }
    expect(exact).toBeGreaterThanOrEqual(198);
  });

  it('keep their prefix word for word and count it in', () => {
    const texts = tokenTexts(tokenizer);
    const rng = stream(2, 'texts');
    const prefix = texts.make(40, rng);
    const lengths = Array.from({ length: 20 }, () => texts.extend(prefix.text, 60, rng));
    for (const made of lengths) {
      expect(made.text.startsWith(`${prefix.text} `)).toBe(true);
      expect(tokenizer.count(made.text) + tokenizer.specialTokens).toBe(made.length);
    }
    expect(lengths.filter((made) => made.length === 60).length).toBeGreaterThanOrEqual(18);
    expect(new Set(lengths.map((made) => made.text)).size).toBe(20);
  });

  it('are never empty, whatever is asked', () => {
    const texts = tokenTexts(tokenizer);
    const rng = stream(3, 'texts');
    for (const length of [-5, 0, 1]) expect(texts.make(length, rng).text.trim()).not.toBe('');
  });

  it('are the same for the same stream', () => {
    const make = () => tokenTexts(tokenizer).make(50, stream(9, 'texts')).text;
    expect(make()).toBe(make());
  });
});

it('texts of words have exactly the wanted number of words, at least one', () => {
  const rng = stream(1, 'words');
  fc.assert(
    fc.property(fc.integer({ min: -2, max: 300 }), (length) => {
      const made = wordTexts().make(length, rng);
      expect(made.text.split(' ')).toHaveLength(Math.max(1, length));
      expect(made.length).toBe(Math.max(1, length));
      expect(made.text).toMatch(/^[a-z]+( [a-z]+)*$/);
    }),
  );
  const long = wordTexts().extend('one two three', 5, rng);
  expect(long.text).toMatch(/^one two three \w+ \w+$/);
  expect(long.length).toBe(5);
});
