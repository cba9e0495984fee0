// What does not run, or not to its end: said before anything is sent, or kept and accounted for.
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/events';
import { StopControl } from '../../../src/loadgen/stop';
import { refusals } from '../../../src/run/supported';
import { withoutSecret } from '../../../src/run/secrets';
import { loadConfig } from '../../../src/config/load';
import { withRuntimeDefaults } from '../../../src/config/will/runtime';
import { startSimulator, type Simulator } from '../../../src/simulator/server';
import { configOf, harness, readJson, type Harness } from './harness';

let h: Harness;
let sim: Simulator;
beforeAll(async () => {
  sim = await startSimulator({ port: 0, ttftSeconds: 0.01, tokenSeconds: 0.002 });
});
afterAll(() => sim.close());
afterEach(() => {
  h.remove();
});

describe('refused before anything is sent', () => {
  it.each([
    [
      'a data set that is not on this machine',
      { data: '{ type: visionarena, visionarena: {} }', api: '{ type: chat }' },
      /lmarena-ai\/VisionArena-Chat is not on this machine/,
    ],
    [
      'a sweep of nothing',
      { load: '{ type: constant, sweep: { type: linear, num_stages: 0 }, stages: [{ rate: 1, duration: 1 }] }' },
      /sweep/,
    ],
    [
      'a trace that is not there',
      { load: '{ type: trace_replay, trace: { file: none.csv }, stages: [{ rate: 1, duration: 1 }] }' },
      /none\.csv cannot be read/,
    ],
    [
      'videos as mp4',
      { data: '{ type: shared_prefix, shared_prefix: { multimodal: { video: { count: {} } } } }' },
      /no H\.264 video \(mp4\)/,
    ],
    [
      'PNG under the name of webp',
      {
        data: '{ type: shared_prefix, shared_prefix: {}, multimodal: { image: { count: {}, representation: webp } } }',
      },
      /PNG under the name of webp/,
    ],
    [
      'a place outside the text',
      {
        data: '{ type: shared_prefix, shared_prefix: {}, multimodal: { image: { count: {}, insertion_point: 1.5 } } }',
      },
      /insertion_point 1\.5 is no place/,
    ],
    [
      'places drawn from 10 up',
      {
        data: '{ type: shared_prefix, shared_prefix: {}, multimodal: { audio: { count: {}, insertion_point: { type: normal } } } }',
      },
      /whole numbers from 10 to 1024/,
    ],
    [
      'a picture of no height',
      {
        data: '{ type: shared_prefix, shared_prefix: {}, multimodal: { image: { count: {}, resolutions: { width: 5, height: 0 } } } }',
      },
      /5 x 0 cannot be made/,
    ],
    [
      'a video of no frames',
      {
        data: '{ type: shared_prefix, shared_prefix: {}, multimodal: { video: { count: {}, representation: png_frames, profiles: { resolution: 360p, frames: 0 } } } }',
      },
      /0 frames are no video/,
    ],
    [
      'media in conversations',
      {
        data: '{ type: shared_prefix, shared_prefix: { enable_multi_turn_chat: true }, multimodal: { image: { count: {} } } }',
      },
      /conversations carry no media/,
    ],
    ['a data set without a path', { data: '{ type: billsum_conversations }' }, /billsum_conversations .*data\.path/],
    ['nothing to send', { load: '{ stages: [{ rate: 0.1, duration: 1 }] }' }, /single request/],
  ])('%s', async (_, parts, says) => {
    h = harness();
    const before = sim.stats().received;
    let texts: string[];
    try {
      const result = await h.run(configOf({ url: sim.url, ...parts }));
      expect(result).toMatchObject({ kind: 'refused', why: 'unusable' });
      texts = result.problems.map(({ message }) => message);
    } catch (error) {
      // The config's own judgement may come first; it refuses the same thing.
      texts = [(error as Error).message];
    }
    expect(texts.join('\n')).toMatch(says);
    expect(sim.stats().received).toBe(before);
    expect(readdirSync(h.folder)).toEqual([]);
  });

  it('every refusal names its key and a remedy', () => {
    const yaml = `load: { type: trace_replay, trace: { file: t.csv }, sweep: { type: linear }, circuit_breakers: [b] }
server: { base_url: "http://x" }
api: { type: anthropic_messages }
metrics: { type: prometheus, prometheus: { url: "http://p" } }
storage: null
circuit_breakers: [{ name: b, metrics: { matches: ['x ='] }, triggers: [{ type: consecutive, threshold: 1 }] }]
`;
    const loaded = loadConfig(yaml);
    if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'));
    const problems = refusals(withRuntimeDefaults(loaded.value.config, { cpus: 1, nowMs: 0 }));
    expect(problems.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toEqual([
      'RUN041',
      'RUN007',
    ]);
    expect(problems.filter(({ severity }) => severity === 'warning').map(({ code }) => code)).toEqual(['RUN032']);
    for (const problem of problems) {
      expect(problem.path.length).toBeGreaterThan(0);
      if (problem.severity === 'error') expect(problem.remedy).toBeDefined();
    }
  });

  it('a server that cannot be reached', async () => {
    h = harness();
    const result = await h.run(configOf({ url: 'http://127.0.0.1:1' }));
    expect(result).toMatchObject({ kind: 'refused', why: 'failed' });
    expect(result.problems[0]!.message).toMatch(/127\.0\.0\.1:1/);
    expect(readdirSync(h.folder)).toEqual([]);
  });

  it('a key the server does not take, with the variable to put it in', async () => {
    h = harness();
    const locked = await startSimulator({ port: 0, apiKey: 'right' });
    try {
      const result = await h.run(configOf({ url: locked.url }), { apiKey: 'wrong', apiKeyVariable: 'MY_KEY' });
      expect(result).toMatchObject({ kind: 'refused', why: 'failed' });
      expect(result.problems.at(-1)).toMatchObject({ code: 'RUN105' });
      expect(result.problems.at(-1)!.remedy).toMatch(/MY_KEY/);
      expect(JSON.stringify(result)).not.toContain('wrong');
    } finally {
      await locked.close();
    }
  });

  it('a folder that cannot be written', async () => {
    h = harness();
    writeFileSync(path.join(h.folder, 'file'), '');
    const result = await h.run(configOf({ url: sim.url }), { out: 'file/inside' });
    expect(result).toMatchObject({ kind: 'refused', why: 'failed' });
    expect(result.problems.at(-1)).toMatchObject({ code: 'RUN201' });
  });

  it('a tokenizer that is none', async () => {
    h = harness();
    writeFileSync(path.join(h.folder, 'tokenizer.json'), '{}');
    const result = await h.run(configOf({ url: sim.url, tokenizer: '.' }));
    expect(result).toMatchObject({ kind: 'refused', why: 'unusable' });
    expect(result.problems.at(-1)!.message).toMatch(/tokenizer\.json is not a tokenizer/);
  });

  it('a run that is stopped before it began', async () => {
    h = harness();
    const stop = new StopControl();
    stop.stop('changed my mind', false);
    expect(await h.run(configOf({ url: sim.url }), { stop })).toMatchObject({ kind: 'refused', why: 'failed' });
    expect(existsSync(path.join(h.folder, 'report'))).toBe(false);
  });
});

describe('begun, and not to its end', () => {
  const long = '{ type: constant, interval: 0, num_workers: 1, stages: [{ rate: 50, duration: 20 }] }';

  it('a stop: incomplete, with a reason, all accounted for, reports over what there is', async () => {
    h = harness();
    const stop = new StopControl();
    // Once ten are answered, however long that takes here.
    const onEvent = (event: RunEvent): void => {
      if (event.type === 'tick' && event.counts.ok >= 10) stop.stop('stopped by the user', false);
    };
    const run = await h.ran(configOf({ url: sim.url, load: long }), { stop, onEvent });
    const { state, stateReason, counts, stages } = run.manifest;
    expect({ state, stateReason }).toEqual({ state: 'incomplete', stateReason: 'stopped by the user' });
    expect(counts!.ok + counts!.notSent).toBe(1000);
    expect(counts!.ok).toBeGreaterThanOrEqual(10);
    expect(stages[0]!.state).toBe('cancelled');
    expect(run.summary!.successes.count).toBe(counts!.ok);
    expect(run.invalid).toMatch(/incomplete: stopped by the user/);
    expect(run.records).toHaveLength(1000);
  });

  it.skipIf(!existsSync('/dev/full'))('a full disk: stopped, said once, the rest of the folder opens', async () => {
    h = harness();
    // records.jsonl is on a device that is always full; the other files are not.
    const out = path.join(h.folder, 'report');
    mkdirSync(out);
    const link = path.join(out, 'answers.waiting.jsonl');
    symlinkSync('/dev/full', link);
    const result = await h.run(configOf({ url: sim.url, load: long }));
    if (result.kind !== 'ran') throw new Error('refused');
    const { run, problems } = result;
    expect(problems.filter(({ code }) => code === 'RUN203')).toHaveLength(1);
    expect(run.manifest.state).toBe('incomplete');
    expect(run.manifest.counts!.notSent).toBeGreaterThan(800);
    expect(run.invalid).toMatch(/disk is full/);
    expect(readJson(out, 'run.json')).toMatchObject({ state: 'incomplete' });
    // On a real disk its room is what the end of the report needs.
    expect(readdirSync(out)).not.toContain('answers.waiting.jsonl');
  });

  it('a server that fails every request: kept, counted, not valid, and why', async () => {
    h = harness();
    const server = http.createServer((request, response) => {
      request.resume();
      if (request.url === '/v1/models') response.end('{"data":[{"id":"m"}]}');
      else response.writeHead(500).end('{"error":{"message":"boom"}}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const run = await h.ran(configOf({ url: `http://127.0.0.1:${port}` }));
      expect(run.manifest).toMatchObject({ state: 'complete', counts: { planned: 40, ok: 0, failed: 40 } });
      expect(run.invalid).toMatch(/not one of 40 measured requests succeeded.*500.*boom/s);
      expect(run.summary!.failures.count).toBe(40);
      expect(h.events.at(-1)).toMatchObject({ type: 'finished', state: 'complete' });
    } finally {
      server.close();
    }
  });

  it('only warm-up stages measure nothing', async () => {
    h = harness();
    const yaml = configOf({ url: sim.url }).replace(
      /load: .*/,
      'load:\n  type: constant\n  interval: 0\n  stages:\n    - { rate: 20, duration: 1 } # isoperf: warmup',
    );
    expect(await h.run(yaml)).toMatchObject({ kind: 'refused', problems: [{ code: 'RUN008' }] });
  });
});

it('secrets of --set do not reach the manifest', () => {
  expect(withoutSecret('server.api_key=abc')).toBe('server.api_key=<removed>');
  expect(withoutSecret('tokenizer.token=abc')).toBe('tokenizer.token=<removed>');
  expect(withoutSecret('api.headers.Authorization=Bearer abc')).toBe('api.headers.Authorization=<removed>');
  expect(withoutSecret('server={base_url: "http://x", api_key: abc}')).toBe('server=<removed>');
  expect(withoutSecret('server.base_url=http://a:b@x')).toBe('server.base_url=http://x');
  expect(withoutSecret('tokenizer.pretrained_model_name_or_path=a=b')).toBe(
    'tokenizer.pretrained_model_name_or_path=a=b',
  );
});
