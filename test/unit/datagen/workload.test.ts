// The prepared request stream of each data type: bodies as inference-perf sends them, reproducible, untouched by warm-ups.
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LengthDistribution } from '../../../src/datagen/lengths';
import { nameStages } from '../../../src/datagen/random';
import { requestMaker } from '../../../src/datagen/request-maker';
import { loadTokenizer } from '../../../src/datagen/tokenizer';
import { prepareWorkload, type Workload, type WorkloadInput } from '../../../src/datagen/workload';
import { temporaryFolder, writeTokenizer } from './tokenizer-fixture';

const { folder, remove } = temporaryFolder();
afterAll(remove);
const tokenizer = loadTokenizer(writeTokenizer(path.join(folder, 't'), { bos: true }));

const fixed = (mean: number): LengthDistribution => ({
  type: 'fixed',
  min: 1,
  max: 4096,
  mean,
  std_dev: 0,
  skew: 0,
});
const normal = (mean: number): LengthDistribution => ({ ...fixed(mean), type: 'normal', std_dev: 5 });

function input(
  data: WorkloadInput['data'],
  changes: Partial<WorkloadInput> & { warmup?: boolean[] } = {},
): WorkloadInput {
  const { warmup = [false], ...rest } = changes;
  return {
    data,
    body: { model: 'm"1', api: 'completion', streaming: true, ignoreEos: true },
    isMockServer: false,
    seed: 1,
    stages: nameStages(warmup).map((name) => ({ name, count: 6 })),
    ...rest,
  };
}
async function prepare(what: WorkloadInput): Promise<Workload> {
  const made = await prepareWorkload(what);
  if (!made.ok) throw new Error(made.problems[0]!.message);
  return made.value;
}
async function refusal(what: WorkloadInput) {
  const made = await prepareWorkload(what);
  expect(made.ok).toBe(false);
  return made.problems[0]!;
}
const hashes = (workload: Workload, stage: number) => workload.stages[stage]!.map((request) => request.promptHash);
const RANDOM = { type: 'random', inputDistribution: normal(30), outputDistribution: normal(20) };
const body = (sent: Uint8Array | string) => JSON.parse(String(sent)) as Record<string, unknown>;

describe('bodies', () => {
  it('completion, streamed', async () => {
    const [first] = (await prepare(input({ type: 'mock' }))).stages[0]!;
    expect(body(first!.body)).toEqual({
      model: 'm"1',
      prompt: '1 2 3 1',
      max_tokens: 30,
      ignore_eos: true,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(first!.route).toBe('/v1/completions');
    expect(first!.requestBytes).toBe(first!.body.length);
  });

  it('chat, not streamed, with a response format', async () => {
    const workload = await prepare(
      input(
        { type: 'mock' },
        {
          body: {
            model: 'm',
            api: 'chat',
            streaming: false,
            ignoreEos: false,
            responseFormat: { type: 'json_schema', name: 'x', jsonSchema: { type: 'object' } },
          },
        },
      ),
    );
    const request = workload.stages[0]![1]!;
    expect(request.route).toBe('/v1/chat/completions');
    expect(body(request.body)).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'mock prompt 2' }],
      max_tokens: 30,
      stream: false,
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
    });
  });

  it('have a hash that does not know the model but everything else', async () => {
    const hash = async (model: string, ignoreEos: boolean) =>
      hashes(
        await prepare(input({ type: 'mock' }, { body: { model, api: 'completion', streaming: true, ignoreEos } })),
        0,
      )[0];
    expect(await hash('a', true)).toBe(await hash('b', true));
    expect(await hash('a', true)).not.toBe(await hash('a', false));
  });

  it('ask the mock server for 3 tokens', async () => {
    const workload = await prepare(input({ type: 'mock' }, { isMockServer: true }));
    expect(workload.stages[0]![0]!.maxTokens).toBe(3);
  });
});

describe('random', () => {
  it('has exact lengths with a tokenizer, ids in planned order across stages', async () => {
    const workload = await prepare(input(RANDOM, { tokenizer, warmup: [true, false] }));
    expect(workload.stages.flat().map((request) => request.id)).toEqual([...Array(12).keys()]);
    for (const request of workload.stages.flat()) {
      const prompt = String(body(request.body)['prompt']);
      expect(tokenizer.count(prompt) + 1).toBe(request.askedPromptTokens);
      expect(request.promptTexts).toEqual([prompt]);
    }
    expect(workload.lengthUnit).toBe('tokens');
  });

  it('shares its lengths between stages but not its contents', async () => {
    const workload = await prepare(input(RANDOM, { tokenizer, warmup: [false, false] }));
    const lengths = (stage: number) =>
      workload.stages[stage]!.map((request) => [request.askedPromptTokens, request.maxTokens]);
    expect(lengths(0)).toEqual(lengths(1));
    expect(hashes(workload, 0)).not.toEqual(hashes(workload, 1));
  });

  it('is the same for the same seed, another for another, and no different behind a warm-up stage', async () => {
    const plain = await prepare(input(RANDOM, { warmup: [false, false] }));
    const again = await prepare(input(RANDOM, { warmup: [false, false] }));
    const other = await prepare(input(RANDOM, { warmup: [false, false], seed: 2 }));
    const warmed = await prepare(input(RANDOM, { warmup: [true, false, false] }));
    expect(hashes(again, 1)).toEqual(hashes(plain, 1));
    expect(hashes(other, 0)).not.toEqual(hashes(plain, 0));
    expect(hashes(warmed, 1)).toEqual(hashes(plain, 0));
    expect(hashes(warmed, 2)).toEqual(hashes(plain, 1));
    expect(hashes(warmed, 0)).not.toEqual(hashes(plain, 0));
  });

  it('without a tokenizer counts in words and says so', async () => {
    const made = await prepareWorkload(input(RANDOM));
    expect(made.ok && made.value.lengthUnit).toBe('words');
    expect(made.problems.map((problem) => problem.code)).toContain('RUN020');
    if (made.ok) expect(made.value.stages[0]![0]!.askedPromptTokens).toBeUndefined();
  });

  it('asks for 30 tokens where the distribution says 0, and says so', async () => {
    const made = await prepareWorkload(input({ ...RANDOM, outputDistribution: fixed(0) }));
    expect(made.problems.map((problem) => problem.code)).toContain('RUN023');
    if (made.ok) expect(made.value.stages[0]![0]!.maxTokens).toBe(30);
  });

  it.each([
    ['chat', input(RANDOM, { body: { model: 'm', api: 'chat', streaming: true, ignoreEos: true } }), /completion/],
    ['no distribution', input({ type: 'random', outputDistribution: fixed(3) }), /data\.input_distribution/],
    ['unknown shape', input({ ...RANDOM, inputDistribution: { ...fixed(3), type: 'poisson' } }), /unknown dist_type/],
    ['mean outside', input({ ...RANDOM, inputDistribution: { ...normal(3), min: 10 } }), /outside/],
    ['negative output', input({ ...RANDOM, outputDistribution: fixed(-3) }), /-3/],
    ['another data type', input({ type: 'visionarena' }), /visionarena.*shared_prefix/],
  ])('refuses: %s', async (_, what, says) => {
    expect((await refusal(what)).message).toMatch(says);
  });
});

describe('shared_prefix', () => {
  const data = {
    type: 'shared_prefix',
    sharedPrefix: {
      groups: 2,
      promptsPerGroup: 2,
      systemPromptLength: 20,
      questionLength: fixed(10),
      outputLength: 7,
      seed: 5,
    },
  };

  it('wraps around and repeats in every stage', async () => {
    const workload = await prepare(input(data, { warmup: [false, true], tokenizer }));
    const [first, second] = [hashes(workload, 0), hashes(workload, 1)];
    expect(first).toEqual(second);
    expect(new Set(first).size).toBe(4);
    expect(first.slice(4)).toEqual(first.slice(0, 2));
    expect(workload.sharedPrefixLength).toBe(20);
    expect(workload.stages[0]![0]!.maxTokens).toBe(7);
  });

  it.each([
    [1, 100_000],
    [100_000, 1],
    [400, 50_000_000],
  ])('of %i groups of %i prompts only those that are sent are made', async (groups, promptsPerGroup) => {
    const many = { ...data, sharedPrefix: { ...data.sharedPrefix, groups, promptsPerGroup } };
    const done: number[] = [];
    const workload = await prepare(
      input(many, { tokenizer, warmup: [false, true], onProgress: (made) => done.push(made) }),
    );
    expect(Math.max(0, ...done)).toBeLessThanOrEqual(12);
    expect(new Set(hashes(workload, 0)).size).toBe(6);
    expect(hashes(workload, 0)).toEqual(hashes(workload, 1));
    expect(workload.sharedPrefixLength).toBe(20);
    for (const { promptTexts } of workload.stages[0]!) expect(tokenizer.count(promptTexts[0]!) + 1).toBe(29);
    // However many are sent, the first are the same.
    const [stage] = input(many).stages;
    const more = await prepare({ ...input(many, { tokenizer }), stages: [{ ...stage!, count: 20 }] });
    expect(hashes(more, 0).slice(0, 6)).toEqual(hashes(workload, 0));
  });

  it('has as many prefixes as groups, and exact lengths with BOS counted once', async () => {
    const workload = await prepare(input(data, { tokenizer }));
    const prompts = workload.stages[0]!.slice(0, 4).map((request) => request.promptTexts[0]!);
    for (const prompt of prompts) expect(tokenizer.count(prompt) + 1).toBe(29);
    expect(new Set(prompts.map((prompt) => prompt.slice(0, 6))).size).toBe(2);
  });

  it('its own seed decides when there is one, the run’s seed when there is none', async () => {
    const with5 = await prepare(input(data, { seed: 1 }));
    const with5Again = await prepare(input(data, { seed: 2 }));
    expect(hashes(with5, 0)).toEqual(hashes(with5Again, 0));
    const unseeded = { ...data, sharedPrefix: { ...data.sharedPrefix, seed: null } };
    expect(hashes(await prepare(input(unseeded, { seed: 1 })), 0)).not.toEqual(
      hashes(await prepare(input(unseeded, { seed: 2 })), 0),
    );
  });

  it('goes to /v1/completions whatever api.type says, and says so', async () => {
    const made = await prepareWorkload(
      input(data, { body: { model: 'm', api: 'chat', streaming: true, ignoreEos: true } }),
    );
    expect(made.problems.map((problem) => problem.code)).toContain('CMP043');
    expect(made.ok && made.value.api).toBe('completion');
    if (made.ok) expect(made.value.stages[0]![0]!.route).toBe('/v1/completions');
  });

  it('refuses no block, no prompts and impossible distributions', async () => {
    expect((await refusal(input({ type: 'shared_prefix' }))).message).toMatch(/block/);
    const none = { ...data, sharedPrefix: { ...data.sharedPrefix, groups: 0 } };
    expect((await refusal(input(none))).message).toMatch(/0 groups/);
    const bad = {
      ...data,
      sharedPrefix: { ...data.sharedPrefix, questionLength: { ...fixed(0), type: 'lognormal' as const } },
    };
    expect((await refusal(input(bad))).path).toEqual(['data', 'shared_prefix', 'question_len']);
  });
});

describe('what is kept of a request', () => {
  const shared = (promptsPerGroup: number) => ({
    type: 'shared_prefix',
    sharedPrefix: {
      groups: 1,
      promptsPerGroup,
      systemPromptLength: 30,
      questionLength: 30,
      outputLength: 7,
      seed: 5,
    },
  });

  it('equal prompts have their bytes once, other max_tokens have others', async () => {
    const workload = await prepare(input(shared(2), { tokenizer, warmup: [false, false] }));
    const places = workload.stages.flat().map(({ body: { buffer, byteOffset } }) => ({ buffer, byteOffset }));
    expect(new Set(places.map(({ byteOffset }) => byteOffset)).size).toBe(2);
    expect(new Set(places.map(({ buffer }) => buffer)).size).toBe(1);
    const mocks = await prepare(input({ type: 'mock' }));
    expect(new Set(mocks.stages[0]!.map(({ body: { byteOffset } }) => byteOffset)).size).toBe(6);
  });

  it('bodies larger than a slab, and texts that JSON must escape, come back as they were', () => {
    const make = requestMaker({ model: 'm', api: 'completion', streaming: true, ignoreEos: true }, 'words');
    const texts = [
      'x'.repeat(5_000_000),
      'a "b"\n\u2028 東京 😀',
      '\ud83d alone',
      '',
      ...Array<string>(9).fill('y'.repeat(900_000)),
    ];
    const requests = texts.map((content, id) => make({ content, maxTokens: id + 1 }, id, 0).request);
    for (const [id, request] of requests.entries()) {
      expect(request.promptTexts[0] === texts[id]).toBe(true);
      expect(body(request.body)).toMatchObject({ model: 'm', max_tokens: id + 1 });
      expect(request.requestBytes).toBe(request.body.length);
    }
  });

  it('texts of messages are told one by one whatever the API makes of them', () => {
    const content = [
      { role: 'system', content: 'one' },
      { role: 'user', content: 'two' },
      { role: 'system', content: 'three' },
    ];
    for (const api of ['completion', 'chat', 'anthropic_messages'] as const) {
      const { request } = requestMaker({ model: 'm', api, streaming: true, ignoreEos: true }, 'words')(
        { content, maxTokens: 1 },
        0,
        0,
      );
      expect(request.promptTexts).toEqual(['one', 'two', 'three']);
    }
  });

  it('stops before memory is full, and says which memory', async () => {
    const bodies = await refusal(input({ type: 'mock' }, { memoryLimits: { heapBytes: 1e9, bodyBytes: 300 } }));
    expect([bodies.code, bodies.message]).toEqual([
      'RUN018',
      expect.stringMatching(/^Nothing was sent: 3 of 6 prompts/),
    ]);
    expect(bodies.remedy).toMatch(/machine/);
    const heap = await refusal(input({ type: 'mock' }, { memoryLimits: { heapBytes: 900, bodyBytes: 1e9 } }));
    expect(heap.message).toMatch(/^Nothing was sent: 3 of 6 prompts/);
    expect(heap.remedy).toMatch(/NODE_OPTIONS/);
    // Repeated prompts take no more.
    const repeated = input(shared(1), { memoryLimits: { heapBytes: 1e9, bodyBytes: 1000 } });
    expect((await prepareWorkload(repeated)).ok).toBe(true);
  });

  it.each([
    ['random', RANDOM],
    ['shared_prefix, before its first request', shared(1_000_000)],
  ])('a long preparation is shown and can be stopped: %s', async (_, data) => {
    const shown: number[][] = [];
    let timers = 0;
    const timer = setInterval(() => timers++, 1);
    const made = await prepareWorkload(
      input(data, {
        tokenizer,
        stages: [{ name: { kind: 'measured', index: 0 }, count: 1_000_000 }],
        onProgress: (done, total) => shown.push([done, total]),
        isStopped: () => shown.length === 3,
      }),
    );
    clearInterval(timer);
    expect(made.ok).toBe(false);
    expect(made.problems.map(({ code }) => code)).toEqual(['RUN017']);
    expect(shown).toHaveLength(3);
    for (const [done, total] of shown) expect([done! > 0 && done! < total!, total]).toEqual([true, 1_000_000]);
    expect(timers).toBeGreaterThan(0);
  });
});
