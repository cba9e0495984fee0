// From a config to a report folder against a server of known truth: numbers, files, counters, and what is said of them.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LifecycleReport } from '../../../src/metrics/lifecycle';
import type { RequestRecord } from '../../../src/metrics/record';
import { manifestSchema } from '../../../src/folder/manifest';
import { startSimulator, type Simulator } from '../../../src/simulator/server';
import { configOf, harness, readJson, SAMPLE_TOKENIZER, type Harness } from './harness';

let h: Harness;
let sim: Simulator;
const extra: Simulator[] = [];
beforeAll(async () => {
  sim = await startSimulator({ port: 0, ttftSeconds: 0.02, tokenSeconds: 0.004, seed: 1 });
});
afterAll(() => sim.close());
afterEach(async () => {
  h.remove();
  await Promise.all(extra.splice(0).map((each) => each.close()));
});
async function server(options: Parameters<typeof startSimulator>[0]): Promise<string> {
  const started = await startSimulator({ port: 0, ttftSeconds: 0.005, tokenSeconds: 0.001, ...options });
  extra.push(started);
  return started.url;
}
const stat = (folder: string, file: string): LifecycleReport => readJson(folder, file) as LifecycleReport;
const lines = (file: string): RequestRecord[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RequestRecord);

describe('the report folder', () => {
  it('holds every file, a manifest by its schema, and records in planned order', async () => {
    h = harness();
    const run = await h.ran(configOf({ url: sim.url, tokenizer: SAMPLE_TOKENIZER }));
    expect(readdirSync(run.folder).sort()).toEqual([
      'config.yaml',
      'per_request_lifecycle_metrics.json',
      'records.jsonl',
      'run.json',
      'stage_0_lifecycle_metrics.json',
      'summary_lifecycle_metrics.json',
    ]);
    const manifest = manifestSchema.parse(readJson(run.folder, 'run.json'));
    expect(manifest).toEqual(run.manifest);
    expect(manifest).toMatchObject({
      name: 'test',
      state: 'complete',
      workload: { dataType: 'random', lengthUnit: 'tokens', seed: 5, seedSource: 'directive', distinctPrompts: 40 },
      endpoint: { route: '/v1/completions', model: 'm', modelSource: 'server.model_name', tls: false },
      tokens: { output: { source: 'client-tokenizer' }, input: { source: 'server-usage' }, itl: 'tokens' },
    });
    const [stage] = manifest.stages;
    expect(stage).toMatchObject({ planned: 40, state: 'complete', arrivalLaw: 'exponential-gaps-rescaled' });
    expect(stage!.gapCv!).toBeGreaterThan(0.5);
    const records = lines(path.join(run.folder, 'records.jsonl'));
    expect(records.map(({ id }) => id)).toEqual([...Array(40).keys()]);
    expect(records[0]).toMatchObject({ clientPromptTokens: 16, clientOutputTokens: 8, maxTokens: 8 });
    expect(records[0]!.chunkTokens).toHaveLength(records[0]!.chunkSeconds.length);
    expect(readJson(run.folder, 'per_request_lifecycle_metrics.json')).toHaveLength(40);
    expect(stat(run.folder, 'stage_0_lifecycle_metrics.json').load_summary).toMatchObject({
      count: 40,
      requested_rate: 40,
    });
  });

  it('leaves out what the config does not want, and takes its prefix', async () => {
    h = harness();
    const run = await h.ran(
      `${configOf({ url: sim.url, report: '{ request_lifecycle: { summary: false, per_stage: false } }' })}storage: { local_storage: { path: "x-{timestamp}", report_file_prefix: pre- } }\n`,
      { out: undefined },
    );
    expect(path.basename(run.folder)).toMatch(/^x-\d{8}-\d{6}$/);
    expect(readdirSync(run.folder).sort()).toEqual(['pre-config.yaml', 'records.jsonl', 'run.json']);
  });

  it('is never the folder of another run', async () => {
    h = harness();
    const first = await h.ran(configOf({ url: sim.url }));
    const second = await h.ran(configOf({ url: sim.url }));
    expect(second.folder).toBe(`${first.folder}-2`);
  });
});

describe('the same seed', () => {
  it('sends the same stream, with or without a warm-up before it; another seed does not', async () => {
    h = harness();
    const stages = (list: string) => `
load:
  type: poisson
  interval: 0
  num_workers: 1
  stages:
${list}
server: { type: vllm, model_name: m, base_url: "${sim.url}" }
api: { streaming: true }
data: { type: random, input_distribution: { mean: 20, std_dev: 5 }, output_distribution: { mean: 12, std_dev: 2 } }
`;
    const measured = '    - { rate: 30, duration: 1 }';
    const warmed = `    - { rate: 10, duration: 1 } # isoperf: warmup\n${measured}`;
    const plain = await h.ran(`# isoperf: seed=9${stages(measured)}`);
    const withWarmup = await h.ran(`# isoperf: seed=9${stages(warmed)}`);
    const other = await h.ran(`# isoperf: seed=10${stages(measured)}`);
    const workload = (run: typeof plain) => run.manifest.workload;
    expect(workload(withWarmup).fingerprint).toBe(workload(plain).fingerprint);
    expect(workload(withWarmup).promptsHash).toBe(workload(plain).promptsHash);
    expect(workload(withWarmup).warmupFingerprint).toBeDefined();
    expect(workload(other).fingerprint).not.toBe(workload(plain).fingerprint);
    // A warm-up has a report of its own and is in no other number.
    expect(withWarmup.manifest.window).toEqual({ warmupStages: [0], warmupRequests: 10 });
    expect([...withWarmup.stages.keys()]).toEqual([0, 1]);
    expect(withWarmup.summary!.load_summary.count).toBe(30);
    expect(withWarmup.manifest.lengths!.prompt!.count).toBe(30);
  });
});

describe('who counted the tokens', () => {
  it('the server, when there is no tokenizer, and lengths are then in words', async () => {
    h = harness();
    const run = await h.ran(configOf({ url: sim.url }));
    expect(run.manifest.tokens).toMatchObject({
      output: { source: 'server-usage', serverCounted: 40, clientCounted: 0 },
      input: { source: 'server-usage' },
      itl: 'chunks',
    });
    expect(run.manifest.workload.lengthUnit).toBe('words');
    expect(run.manifest.problems.map(({ code }) => code)).toContain('RUN020');
  });

  it('the server, when the config says so although there is a tokenizer', async () => {
    h = harness();
    const run = await h.ran(
      configOf({
        url: sim.url,
        tokenizer: SAMPLE_TOKENIZER,
        report: '{ request_lifecycle: { use_server_output_tokens: true } }',
      }),
    );
    expect(run.manifest.tokens!.output).toMatchObject({ source: 'server-usage', clientCounted: 40 });
  });

  it('the client, when the server keeps its counts to itself', async () => {
    h = harness();
    const url = await server({ usage: false });
    const run = await h.ran(configOf({ url, tokenizer: SAMPLE_TOKENIZER }));
    expect(run.manifest.tokens).toMatchObject({
      output: { source: 'client-tokenizer', serverCounted: 0, clientCounted: 40 },
      input: { source: 'client-tokenizer', serverCounted: 0, clientCounted: 40 },
    });
    expect(run.summary!.successes.prompt_tokens!['mean']).toBe(16);
  });

  it('nobody, when there is neither: then there are no token numbers, and the reason is written', async () => {
    h = harness();
    const run = await h.ran(configOf({ url: await server({ usage: false, tokenizeRoute: 'none' }) }));
    expect(run.manifest.tokens!.output.source).toBe('not-counted');
    expect(run.summary!.successes.throughput.output_tokens_per_sec).toBeNull();
    expect(run.summary!.successes.latency.time_per_output_token).toBeNull();
    expect(run.summary!.isoperf!.not_measured['successes.throughput.output_tokens_per_sec']).toMatch(/nobody counted/);
  });

  it('in a tokenizer that is not there, nobody; and where it was looked for is said', async () => {
    h = harness();
    const run = await h.ran(configOf({ url: sim.url, tokenizer: 'org/nowhere' }));
    const problem = run.manifest.problems.find(({ code }) => code === 'RUN024');
    expect(problem!.message).toMatch(/org\/nowhere.*no-such-cache/);
  });
});

describe('protocols and data types', () => {
  it.each([
    ['chat, mock data', '{ type: chat, streaming: true }', '{ type: mock }', '/v1/chat/completions'],
    ['completion, not streamed', '{ type: completion, streaming: false }', '{ type: mock }', '/v1/completions'],
    [
      'shared_prefix under chat goes to completions',
      '{ type: chat, streaming: true }',
      '{ type: shared_prefix, shared_prefix: { num_groups: 2, num_prompts_per_group: 3, system_prompt_len: 12, question_len: 6, output_len: 5 } }',
      '/v1/completions',
    ],
  ])('%s', async (_, api, data, route) => {
    h = harness();
    const run = await h.ran(configOf({ url: sim.url, api, data }));
    expect(run.manifest.endpoint.route).toBe(route);
    expect(run.manifest.counts).toMatchObject({ ok: 40 });
  });

  it('closed loop: the level is kept and reported', async () => {
    h = harness();
    const load = '{ type: concurrent, interval: 0, stages: [{ num_requests: 30, concurrency_level: 5 }] }';
    const run = await h.ran(configOf({ url: sim.url, load }));
    expect(run.stages.get(0)!.load_summary).toMatchObject({ count: 30, concurrency: 5, requested_rate: 30 });
    expect(run.manifest.health[0]).toMatchObject({
      maxInFlight: 5,
      verdict: expect.stringMatching(/^(?:ok|warning)$/) as string,
    });
    expect(run.manifest.health[0]!.littlesLaw!).toBeGreaterThan(3.5);
    expect(run.manifest.stages[0]!.arrivalLaw).toBe('closed-loop');
  });

  it('server.type mock sends nothing anywhere', async () => {
    h = harness();
    const run = await h.ran(
      configOf({
        url: '',
        server: '{ type: mock, base_url: "http://127.0.0.1:1" }',
        data: '{ type: mock }',
        load: '{ type: concurrent, interval: 0, stages: [{ num_requests: 3, concurrency_level: 3 }] }',
      }),
    );
    expect(run.manifest.counts).toMatchObject({ ok: 3 });
    expect(run.records[0]!.endSeconds! - run.records[0]!.sentSeconds!).toBeGreaterThan(0.95);
    expect(run.manifest.tokens!.output.source).toBe('not-counted');
  });

  it('takes the model from the server when the config names none', async () => {
    h = harness();
    const url = await server({ models: ['served'] });
    const run = await h.ran(configOf({ url, server: `{ base_url: "${url}" }`, data: '{ type: mock }' }));
    expect(run.manifest.endpoint).toMatchObject({ model: 'served', modelSource: 'first model of /v1/models' });
  });

  it('keeps nothing behind: no waiting file, no half-written one', async () => {
    h = harness();
    const run = await h.ran(configOf({ url: sim.url, tokenizer: SAMPLE_TOKENIZER }));
    expect(readdirSync(run.folder).filter((name) => /waiting|tmp|probe/.test(name))).toEqual([]);
    expect(existsSync(path.join(run.folder, 'records.jsonl'))).toBe(true);
  });
});
