// Public data sets from local files: which records become prompts, how long answers may be, what happens at the end.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LengthDistribution } from '../../../src/datagen/lengths';
import { loadTokenizer } from '../../../src/datagen/tokenizer';
import { prepareWorkload, type Workload, type WorkloadData } from '../../../src/datagen/workload';
import type { Problem } from '../../../src/problem';
import { temporaryFolder, writeTokenizer } from './tokenizer-fixture';

const { folder, remove } = temporaryFolder();
afterAll(remove);
const tokenizer = loadTokenizer(writeTokenizer(path.join(folder, 't'), { bos: true }));

const talk = (...values: string[]): object => ({
  conversations: values.map((value, index) => ({ from: index % 2 === 0 ? 'human' : 'gpt', value })),
});

function file(name: string, records: readonly unknown[], lines = false): { file: string; configured: string } {
  const place = path.join(folder, name);
  mkdirSync(path.dirname(place), { recursive: true });
  const texts = records.map((record) => JSON.stringify(record));
  writeFileSync(place, lines ? texts.join('\n') : `[\n${texts.join(',\n')}\n]`);
  return { file: place, configured: name };
}

const filter = (min: number, max: number): LengthDistribution => ({
  type: 'normal',
  min,
  max,
  mean: 0,
  std_dev: 1,
  skew: 0,
});

interface Made {
  readonly workload: Workload;
  readonly problems: readonly Problem[];
  readonly prompts: readonly unknown[];
  readonly maxTokens: readonly number[];
}

async function make(
  data: WorkloadData,
  options: { count?: number; api?: 'completion' | 'chat'; stages?: readonly number[]; counted?: boolean } = {},
): Promise<Made> {
  const { count = 2, api = 'completion', counted = true } = options;
  const stages = options.stages ?? [count];
  const made = await prepareWorkload({
    data,
    body: { model: 'm', api, streaming: false, ignoreEos: true },
    isMockServer: false,
    seed: 1,
    tokenizer: counted ? tokenizer : undefined,
    stages: stages.map((size, index) => ({ name: { kind: 'measured', index }, count: size })),
  });
  if (!made.ok) throw new Error(`${made.problems[0]!.code} ${made.problems[0]!.message}`);
  const requests = made.value.stages.flat();
  const bodies = requests.map(({ body }) => JSON.parse(String(body)) as { prompt?: string; messages?: unknown });
  return {
    workload: made.value,
    problems: made.problems,
    prompts: bodies.map((body) => body.prompt ?? body.messages),
    maxTokens: requests.map((request) => request.maxTokens),
  };
}

const codes = (problems: readonly Problem[]): string[] => problems.map(({ code }) => code);
const tokens = (text: string): number => tokenizer.count(text) + 1; // its BOS counts, as upstream

describe('shareGPT', () => {
  const records = [
    talk('the first is skipped', 'x'),
    talk('second', 'an answer and more', 'third turn', 'fourth'),
    talk('too short'),
    { conversations: null },
    talk('', 'no question'),
    { conversations: ['{"from":"human","value":"as text"}', '{"from":"gpt","value":"so too"}'] },
  ];

  it('completion: first turn, as many tokens as the second has with its special tokens', async () => {
    const made = await make({ type: 'shareGPT', path: file('s.json', records) });
    expect(made.prompts).toEqual(['second', 'as text']);
    expect(made.maxTokens).toEqual([tokens('an answer and more'), tokens('so too')]);
    expect(made.workload.stages[0]!.map(({ askedPromptTokens }) => askedPromptTokens)).toEqual([
      tokens('second'),
      tokens('as text'),
    ]);
    expect(made.problems.find(({ code }) => code === 'RUN056')!.message).toMatch(
      /2 records of shareGPT.*first one skipped.*3 without prompt and answer/,
    );
  });

  it('chat: the whole conversation with its last answer, 30 tokens; filters have no effect and that is said', async () => {
    const made = await make(
      { type: 'shareGPT', path: file('s.json', records), inputDistribution: filter(1, 1) },
      { api: 'chat', count: 1 },
    );
    expect(made.prompts).toEqual([
      [
        { role: 'user', content: 'second' },
        { role: 'assistant', content: 'an answer and more' },
        { role: 'user', content: 'third turn' },
        { role: 'assistant', content: 'fourth' },
      ],
    ]);
    expect(made.maxTokens).toEqual([30]);
    expect(made.workload.stages[0]![0]!.promptTexts).toHaveLength(4);
    expect(codes(made.problems)).toContain('RUN054');
  });

  it('goes on where the stage before stopped, then starts over with the first record and says so', async () => {
    const made = await make(
      { type: 'shareGPT', path: file('s.json', [talk('a', 'x'), talk('b', 'x'), talk('c', 'x')]) },
      { stages: [1, 3] },
    );
    expect(made.prompts).toEqual(['b', 'c', 'a', 'b']);
    expect(made.problems.find(({ code }) => code === 'RUN057')!.message).toMatch(/started over 1 time/);
  });

  it('filters completions by tokens of prompt and answer', async () => {
    const sized = [talk('s', 's'), talk('a', 'x'), talk('a longer question', 'x'), talk('a', 'a longer answer')];
    const short = filter(0, 4);
    const made = await make({
      type: 'shareGPT',
      path: file('f.json', sized),
      inputDistribution: short,
      outputDistribution: short,
    });
    expect(made.prompts).toEqual(['a', 's']);
  });

  it('a data set of one record is used from the second round on', async () => {
    const made = await make({ type: 'shareGPT', path: file('one.json', [talk('only', 'x')]) }, { count: 2 });
    expect(made.prompts).toEqual(['only', 'only']);
  });

  it('refuses a data set that never fits its filters instead of looking for ever', async () => {
    const data = { type: 'shareGPT', path: file('s.json', records), inputDistribution: filter(900, 901) };
    await expect(make(data)).rejects.toThrow(/RUN055.*no usable record.*outside the length filters/);
  });

  it('without a tokenizer counts words', async () => {
    const made = await make({ type: 'shareGPT', path: file('s.json', records) }, { count: 1, counted: false });
    expect(made.maxTokens).toEqual([4]);
    expect(made.workload.lengthUnit).toBe('words');
    expect(codes(made.problems)).toContain('RUN020');
  });
});

describe('the other data sets', () => {
  it('cnn_dailymail: the article as it is, tokens of the highlights; no chat', async () => {
    const records = [
      { article: 'skipped', highlights: 'x' },
      { article: 'An article.', highlights: 'the gist' },
      { article: null, highlights: 'x' },
      { article: 'No highlights.' },
      { article: 'Another.', highlights: '' },
    ];
    const made = await make({ type: 'cnn_dailymail', path: file('c.jsonl', records, true) });
    expect(made.prompts).toEqual(['An article.', 'Another.']);
    expect(made.maxTokens).toEqual([tokens('the gist'), tokens('')]);
    await expect(make({ type: 'cnn_dailymail', path: file('c.json', records) }, { api: 'chat' })).rejects.toThrow(
      /RUN011/,
    );
  });

  it('billsum_conversations: chats keep the data set’s own roles', async () => {
    const data = { type: 'billsum_conversations', path: file('b.json', [talk('s', 's'), talk('A bill', 'A summary')]) };
    expect((await make(data, { count: 1 })).prompts).toEqual(['A bill']);
    expect((await make(data, { count: 1, api: 'chat' })).prompts).toEqual([
      [
        { role: 'human', content: 'A bill' },
        { role: 'gpt', content: 'A summary' },
      ],
    ]);
  });

  it('infinity_instruct: all earlier messages, the last must be an answer; it ends where upstream aborts', async () => {
    const records = [talk('s', 's'), talk('one', 'two', 'three', 'the end'), talk('no', 'answer', 'last')];
    const data = { type: 'infinity_instruct', path: file('i.json', records) };
    const made = await make(data, { count: 1 });
    expect(made.prompts).toEqual(['one\ntwo\nthree']);
    expect(made.maxTokens).toEqual([tokens('the end')]);
    await expect(make(data, { count: 2 })).rejects.toThrow(/RUN055.*only 1 usable records.*abort/);
  });
});

describe('files', () => {
  it('a folder: every .json in alphabetical order, and that upstream reads elsewhere', async () => {
    file('many/b.json', [talk('b', 'x')]);
    file('many/a.json', [talk('skipped', 'x'), talk('a', 'x')]);
    file('many/c.txt', [talk('c', 'x')]);
    const made = await make({ type: 'shareGPT', path: { file: path.join(folder, 'many'), configured: 'many' } });
    expect(made.prompts).toEqual(['a', 'b']);
    expect(codes(made.problems)).toContain('RUN053');
  });

  it.each([
    ['not there', 'none.json', undefined, /RUN051.*none\.json does not exist/],
    ['another kind', 'x.csv', 'a,b', /RUN051.*neither/],
    ['no records', 'numbers.json', '[1, 2, 3]', /RUN052.*no JSON objects/],
    ['cut off', 'cut.json', '[{"conversations": [', /RUN052.*cut off/],
    ['not JSON', 'bad.json', '{"a": tru}', /RUN052.*record 0/],
    ['empty', 'empty.json', '', /RUN055.*no usable record/],
  ])('%s', async (_, name, content, says) => {
    const place = path.join(folder, name);
    if (content !== undefined) writeFileSync(place, content);
    await expect(make({ type: 'shareGPT', path: { file: place, configured: name } })).rejects.toThrow(says);
  });

  it('without a path names the key, what upstream would do and the way out', async () => {
    await expect(make({ type: 'shareGPT' })).rejects.toThrow(/RUN050.*data\.path.*would download/);
    await expect(make({ type: 'infinity_instruct' })).rejects.toThrow(/RUN050.*data\.path/);
  });

  it('braces, quotes and characters of several bytes inside strings split nothing, wherever a chunk ends', async () => {
    const hard = '{"}]" \\ 漢字 \u{1f600} \\"';
    const long = 'é'.repeat(100_000);
    const records = [talk('s', 's'), talk(hard, 'x'), talk(long, 'x'), talk(hard + long, 'x')];
    const made = await make({ type: 'shareGPT', path: file('h.json', records) }, { count: 3, counted: false });
    expect(made.prompts).toEqual([hard, long, hard + long]);
  });
});
