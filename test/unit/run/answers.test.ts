// What answered and whether the run is one: recorded in run.json and said, before anything is sent or at the end.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parameters } from '../../../src/datagen/body';
import { manifestSchema } from '../../../src/folder/manifest';
import { AnswersTally } from '../../../src/run/answers-tally';
import type { RunResult } from '../../../src/run';
import { startSimulator, type Simulator } from '../../../src/simulator/server';
import { syntheticRun } from '../support/synthetic-run';
import { configOf, harness, readJson, type Harness } from './harness';

let h: Harness;
const servers: Simulator[] = [];
afterEach(async () => {
  h.remove();
  await Promise.all(servers.splice(0).map((each) => each.close()));
});

async function serve(options: Parameters<typeof startSimulator>[0] = {}): Promise<string> {
  const started = await startSimulator({ port: 0, ttftSeconds: 0.003, tokenSeconds: 0.001, ...options });
  servers.push(started);
  return started.url;
}
const LOAD = '{ type: constant, interval: 0, num_workers: 1, stages: [{ rate: 10, duration: 1 }] }';
const server = (url: string, more = ''): string => `{ type: vllm, model_name: m, base_url: "${url}"${more} }`;
const codes = (result: RunResult): string[] => result.problems.map(({ code }) => code);

describe('strict servers', () => {
  it('get no ignore_eos where it is false; where it is asked for, the refusal names the key that removes it', async () => {
    h = harness();
    const url = await serve({ strict: true, eosMean: 6 });
    const good = await h.ran(configOf({ url, load: LOAD, server: server(url, ', ignore_eos: false') }));
    expect(good.manifest.counts).toMatchObject({ ok: 10, failed: 0 });
    expect(good.manifest.workload.parameters).not.toHaveProperty('ignore_eos');
    const bad = await h.ran(configOf({ url, load: LOAD }), { out: 'bad' });
    expect(bad.records[0]!.outcome).toMatchObject({
      httpStatus: 422,
      message: expect.stringContaining('server.ignore_eos: false') as string,
    });
  });

  it('that take only max_completion_tokens: a directive sends it, run.json keeps it', async () => {
    h = harness();
    const url = await serve({ onlyMaxCompletionTokens: true });
    const bad = await h.ran(configOf({ url, load: LOAD }));
    expect(bad.records[0]!.outcome).toMatchObject({
      message: expect.stringContaining('# isoperf: max-completion-tokens') as string,
    });
    const good = await h.ran(`# isoperf: max-completion-tokens\n${configOf({ url, load: LOAD })}`, { out: 'good' });
    expect(good.manifest.counts).toMatchObject({ ok: 10 });
    expect(good.records.every(({ usage }) => usage?.completionTokens === 8)).toBe(true);
    expect(good.manifest.workload.parameters).toHaveProperty('max_completion_tokens', 'in place of max_tokens');
  });
});

describe('what answered', () => {
  it('another model, reasoning, no finish reason: counted in run.json and said', async () => {
    h = harness();
    const url = await serve({ answerModel: 'other', reasoningTokens: 3, finishReason: false });
    const api = '{ type: chat, streaming: true }';
    const run = await h.run(configOf({ url, load: LOAD, api, data: '{ type: mock }' }));
    if (run.kind !== 'ran') throw new Error('refused');
    expect(run.run.manifest.answers).toMatchObject({
      answered: 10,
      models: { other: 10 },
      withoutFinishReason: 10,
      reasoning: { answers: 10, tokens: 30 },
    });
    expect(codes(run)).toEqual(expect.arrayContaining(['RUN038', 'RUN048']));
  });

  it('streams that end with [DONE] before all that was asked for came are called cut off', async () => {
    h = harness();
    const url = await serve({ finishReason: false, usage: false, ignoreEos: 'ignore', eosMean: 2 });
    const run = await h.ran(configOf({ url, load: LOAD }));
    expect(run.manifest.answers!.cutShort).toBeGreaterThan(5);
  });

  it.each([
    [95, undefined, 0],
    [60, undefined, 0],
    [40, undefined, 1],
    [95, 99, 1],
    [95, 100, 0],
  ])('%d of 100 tokens by the client and %s by the server: cut short %d', (client, server, cut) => {
    const { records } = syntheticRun({ maxTokens: 100, stages: [{ rateRps: 1, durationSeconds: 1 }] });
    const record = { ...records![0]! };
    delete record.finishReason;
    delete record.usage;
    const tally = new AnswersTally(syntheticRun().manifest!.tokens!, { streaming: true, ignoreEos: true });
    tally.add({ ...record, clientOutputTokens: client, ...(server ? { usage: { completionTokens: server } } : {}) });
    expect(tally.answers().cutShort ?? 0).toBe(cut);
  });

  it('equal answers have equal hashes, whatever their chunks; the files of a run have digests', async () => {
    h = harness();
    const [one, three] = [await serve(), await serve({ tokensPerChunk: 3 })];
    const data =
      '{ type: random, input_distribution: { type: fixed, mean: 16 }, output_distribution: { type: fixed, mean: 8 } }';
    const hashes = async (url: string, out: string): Promise<(string | undefined)[]> => {
      const run = await h.ran(configOf({ url, load: LOAD, data }), { out });
      for (const [name, { sha256, bytes }] of Object.entries(run.manifest.files!)) {
        const file = readFileSync(path.join(run.folder, name));
        expect([name, createHash('sha256').update(file).digest('hex'), file.length]).toEqual([name, sha256, bytes]);
      }
      expect(Object.keys(run.manifest.files!)).toEqual(
        expect.arrayContaining(['records.jsonl', 'config.yaml', 'summary_lifecycle_metrics.json']),
      );
      expect(manifestSchema.parse(readJson(run.folder, 'run.json')).files).toEqual(run.manifest.files);
      return run.records.map(({ answerHash }) => answerHash);
    };
    const [a, b] = [await hashes(one, 'a'), await hashes(three, 'b')];
    expect(a).toEqual(b);
    expect(new Set(a).size).toBe(a.length);
    expect(a[0]).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe('before anything is sent', () => {
  it('prompts that cannot fit are an error, some of them a warning', async () => {
    h = harness();
    const url = await serve({ models: ['m'], maxModelTokens: 20 });
    const tokenizer = path.resolve(import.meta.dirname, '../../../samples/tokenizer');
    expect(await h.run(configOf({ url, load: LOAD, tokenizer }))).toMatchObject({
      kind: 'refused',
      problems: [expect.objectContaining({ code: 'RUN009', severity: 'error' })],
    });
    expect(servers[0]!.stats().received).toBe(0);
  });

  it('a model the server neither lists nor answers for; what it only does not list is tried with one token', async () => {
    h = harness();
    const url = await serve({ models: ['served', 'other'] });
    const refused = await h.run(configOf({ url, load: LOAD }));
    expect(refused).toMatchObject({ kind: 'refused', why: 'failed' });
    expect(refused.problems.find(({ code }) => code === 'RUN025')).toMatchObject({
      severity: 'error',
      message: expect.stringMatching(/404 to one token of 'm'.*it lists served, other/) as string,
      remedy: 'Set server.model_name to one of them.',
    });
    expect(servers[0]!.stats().received).toBe(0);
    // This one lists a name of its own and answers to any, as a gateway does.
    const gateway = await serve();
    const run = await h.run(configOf({ url: gateway, load: LOAD }));
    expect(run.kind).toBe('ran');
    expect(run.problems.filter(({ code }) => code === 'RUN025')).toMatchObject([{ severity: 'warning' }]);
    const own = await h.run(configOf({ url: gateway, load: LOAD }), { out: 'own', endpointKind: 'simulator' });
    expect(codes(own)).not.toContain('RUN025');
    const listed = await h.run(configOf({ url, load: LOAD, server: server(url).replace(': m,', ': other,') }), {
      out: 'ok',
    });
    expect(codes(listed)).not.toContain('RUN025');
  });

  it('a base_url that ends in /v1, and stages that are all warm-ups', async () => {
    h = harness();
    const url = await serve();
    expect(await h.run(configOf({ url: `${url}/v1`, load: LOAD }))).toMatchObject({
      kind: 'refused',
      problems: [{ code: 'RUN104', message: expect.stringContaining('/v1') as string }],
    });
    const warm = `load:\n  type: constant\n  stages:\n    # isoperf: warmup\n    - { rate: 10, duration: 1 }\n`;
    const rest = configOf({ url, load: LOAD }).replace(/^load:.*\n/m, warm);
    const changes = { overrides: ['load.stages=[{rate: 5, duration: 1}]'] };
    for (const each of [await h.run(rest), await h.run(rest, changes)])
      expect(each).toMatchObject({ kind: 'refused', problems: [expect.objectContaining({ code: 'RUN008' })] });
  });

  it('the same prompts to the same address a second time: a prefix cache may answer', async () => {
    h = harness();
    const url = await serve();
    const config = configOf({ url, load: LOAD });
    expect(codes(await h.run(config, { out: 'first' }))).not.toContain('RUN039');
    const again = await h.run(config, { out: 'second' });
    expect(again.problems.find(({ code }) => code === 'RUN039')).toMatchObject({
      message: expect.stringContaining('first') as string,
      remedy: expect.stringMatching(/reset_prefix_cache.*seed=N/s) as string,
    });
    expect(codes(await h.run(config.replace('seed=5', 'seed=6'), { out: 'third' }))).not.toContain('RUN039');
    expect(codes(await h.run(config, { out: 'fourth', endpointKind: 'simulator' }))).not.toContain('RUN039');
  });
});

describe('# isoperf: greedy', () => {
  it.each(['completion', 'chat'])('sends temperature 0 by %s, and run.json keeps it', async (type) => {
    h = harness();
    const url = await serve();
    const api = `{ type: ${type}, streaming: false }`;
    const data = type === 'completion' ? {} : { data: '{ type: mock }' };
    const config = configOf({ url, load: LOAD, api, ...data });
    const plain = await h.ran(config, { out: 'plain' });
    const greedy = await h.ran(`# isoperf: greedy\n${config}`, { out: 'greedy' });
    expect(plain.manifest.workload.parameters).not.toHaveProperty('temperature');
    expect(greedy.manifest.workload.parameters).toMatchObject({ temperature: 0 });
    // Whole answers have hashes like streamed ones.
    expect(greedy.records.every(({ answerHash }) => answerHash !== undefined)).toBe(true);
    expect(greedy.records[0]!.promptHash).not.toBe(plain.records[0]!.promptHash);
  });

  it('goes into a message of Anthropic’s API as well', () => {
    const asked = { api: 'anthropic_messages', streaming: true, ignoreEos: true, greedy: true } as const;
    expect(parameters(asked, 8)).toEqual({ max_tokens: 8, stream: true, temperature: 0 });
  });
});
