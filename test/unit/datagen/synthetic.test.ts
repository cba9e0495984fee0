// data.type synthetic and lengths from a trace: exact lengths, slices at random places, corpora of one's own.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { builtInCorpus } from '../../../src/datagen/corpus';
import type { LengthDistribution } from '../../../src/datagen/lengths';
import { loadTokenizer } from '../../../src/datagen/tokenizer';
import { prepareWorkload, type WorkloadData, type WorkloadInput } from '../../../src/datagen/workload';
import { temporaryFolder, writeTokenizer } from './tokenizer-fixture';

const { folder, remove } = temporaryFolder();
afterAll(remove);
const tokenizer = loadTokenizer(writeTokenizer(path.join(folder, 't'), { bos: true }));
const length = (mean: number, spread = 0): LengthDistribution => ({
  type: spread === 0 ? 'fixed' : 'normal',
  min: 1,
  max: 4096,
  mean,
  std_dev: spread,
  skew: 0,
});

async function prepare(data: Partial<WorkloadData>, changes: Partial<WorkloadInput> = {}) {
  const made = await prepareWorkload({
    data: { type: 'synthetic', inputDistribution: length(60, 9), outputDistribution: length(20), ...data },
    body: { model: 'm', api: 'completion', streaming: true, ignoreEos: true },
    isMockServer: false,
    seed: 4,
    tokenizer,
    stages: [
      { name: { kind: 'measured', index: 0 }, count: 30 },
      { name: { kind: 'measured', index: 1 }, count: 30 },
    ],
    ...changes,
  });
  if (!made.ok) throw new Error(made.problems[0]!.message);
  return { ...made.value, problems: made.problems };
}

function corpus(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe('synthetic', () => {
  it('has exactly the drawn lengths, special tokens counted, and says whose text it is', async () => {
    const { stages, problems } = await prepare({});
    for (const request of stages.flat()) {
      expect(tokenizer.count(request.promptTexts[0]!) + 1).toBe(request.askedPromptTokens);
      expect(request.maxTokens).toBe(20);
    }
    expect(problems.map(({ code }) => code)).toEqual(['RUN060']);
  });

  it('takes slices of the corpus at different places; later stages have the same lengths and other texts', async () => {
    const text = Array.from({ length: 900 }, (_, index) => `w${index}`).join(' ');
    const { stages } = await prepare({ corpusFile: corpus('c.txt', text) });
    const texts = stages.flat().map(({ promptTexts }) => promptTexts[0]!);
    for (const prompt of texts) expect(text).toContain(prompt.trim());
    expect(new Set(texts).size).toBe(texts.length);
    expect(stages[0]!.map((r) => r.askedPromptTokens)).toEqual(stages[1]!.map((r) => r.askedPromptTokens));
  });

  it('a corpus shorter than a prompt gives the whole corpus and a warning', async () => {
    const { stages, problems } = await prepare({
      corpusFile: corpus('short.txt', 'the cat'),
      inputDistribution: length(99),
    });
    expect(stages[0]![0]!.promptTexts).toEqual(['the cat']);
    expect(problems.map(({ code }) => code)).toEqual(['RUN021']);
  });

  it('the same seed gives the same stream, another seed another', async () => {
    const hashes = async (seed: number): Promise<string> =>
      (await prepare({}, { seed })).stages
        .flat()
        .map(({ promptHash }) => promptHash)
        .join();
    expect(await hashes(1)).toBe(await hashes(1));
    expect(await hashes(1)).not.toBe(await hashes(2));
  });

  it('in words without a tokenizer', async () => {
    const { stages } = await prepare({ inputDistribution: length(7) }, { tokenizer: undefined });
    for (const { promptTexts } of stages.flat()) expect(promptTexts[0]!.split(' ')).toHaveLength(7);
  });

  it.each([
    ['a corpus that is not there', { corpusFile: '/none/x.txt' }, /x\.txt does not exist/],
    ['an empty corpus', { corpusFile: corpus('empty.txt', ' \n') }, /is empty/],
    ['no output lengths', { outputDistribution: undefined }, /output_distribution/],
  ])('refuses %s', async (_, data, says) => {
    await expect(prepare(data)).rejects.toThrow(says);
  });

  it('refuses chat, as upstream', async () => {
    const body = { model: 'm', api: 'chat' as const, streaming: true, ignoreEos: true };
    await expect(prepare({}, { body })).rejects.toThrow(/completions only/);
  });

  it('the built-in text is the same in every run, and a longer one begins with the shorter', () => {
    const [short, long] = [builtInCorpus(10), builtInCorpus(80_000)];
    expect(long.startsWith(short.slice(0, -1))).toBe(true);
    expect(long.length).toBeGreaterThan(short.length);
    expect(short.split(/\s+/).length).toBeGreaterThanOrEqual(60_000);
  });
});

describe('random with the lengths of a trace', () => {
  it('takes them row by row, from the first again in every stage and when they are used up', async () => {
    const traced = { inputLengths: Int32Array.of(5, 9), outputLengths: Int32Array.of(3, 4) };
    const { stages } = await prepare({ type: 'random', traced }, {});
    expect(stages[0]!.slice(0, 3).map((r) => [r.askedPromptTokens, r.maxTokens])).toEqual([
      [5, 3],
      [9, 4],
      [5, 3],
    ]);
    expect(stages[1]![0]!.askedPromptTokens).toBe(5);
  });
});
