// Sending threads where a run is not plain: a sweep's probe, deadlines, a full disk, a server that dies, what cannot be shared.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunOptions } from '../../../src/run';
import { usableCores } from '../../../src/cores';
import { SendingThreads } from '../../../src/run/workers';
import { startSimulator, type Simulator } from '../../../src/simulator/server';
import { configOf, harness, SAMPLE_TOKENIZER, type Harness } from './harness';
import { bundleWorker } from './worker-bundle';

const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-odd-'));
const worker = path.join(folder, 'load-worker.js');
const dying = path.join(folder, 'dying.js');
let sim: Simulator;
let h: Harness;

beforeAll(async () => {
  await bundleWorker(worker);
  const first = `require('node:worker_threads').threadId % 2 === 0`;
  await bundleWorker(dying, `if (${first}) setTimeout(() => process.exit(7), 700);`);
  sim = await startSimulator({ port: 0, ttftSeconds: 0.02, tokenSeconds: 0.004 });
});
afterAll(async () => {
  await sim.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  h = harness();
});
afterEach(() => {
  h.remove();
});

const threads = (count: number | 'auto', file = worker): Pick<RunOptions, 'workers'> => ({ workers: { count, file } });
const open = (stages: string, more = ''): string =>
  `{ type: constant, interval: 0, num_workers: 4, ${more}stages: [${stages}] }`;
const TALK = `{ type: shared_prefix, shared_prefix: { num_groups: 2, num_prompts_per_group: 3, system_prompt_len: 9, question_len: 5, output_len: 4, enable_multi_turn_chat: true } }`;

describe('what one thread sends', () => {
  it('conversations of a closed loop: run.json says one, whoever asked for more, and the user is told', async () => {
    const load = '{ type: concurrent, interval: 0, stages: [{ num_requests: 12, concurrency_level: 3 }] }';
    const { manifest } = await h.ran(
      configOf({ url: sim.url, load, data: TALK, tokenizer: SAMPLE_TOKENIZER }),
      threads(3),
    );
    expect(manifest.runtime).toMatchObject({
      workers: 1,
      workersReason: expect.stringContaining('one loop') as string,
    });
    expect(manifest.problems.find(({ code }) => code === 'RUN026')?.message).toMatch(/one thread instead of 3: conv/);
    expect(manifest.counts).toMatchObject({ planned: 12, ok: 12 });
    expect(manifest.health[0]!.workers).toBeUndefined();
  });

  it('the mock server’s requests', async () => {
    const config = configOf({
      url: sim.url,
      server: '{ type: mock, base_url: "http://x" }',
      data: '{ type: mock }',
      load: open('{ rate: 20, duration: 1 }'),
    });
    const { manifest } = await h.ran(config, threads(2));
    expect(manifest.runtime).toMatchObject({
      workers: 1,
      workersReason: 'the mock server answers within this program',
    });
    expect(manifest.problems.map(({ code }) => code)).toContain('RUN026');
    const quiet = await h.ran(config, { ...threads('auto'), out: 'second' });
    expect(quiet.manifest.problems.map(({ code }) => code)).not.toContain('RUN026');
  });

  it('a warm-up of one request, beside stages that threads share', async () => {
    const load = open('{ rate: 1, duration: 1 }, { rate: 40, duration: 1 }');
    const { manifest, records } = await h.ran(configOf({ url: sim.url, load }), threads(2));
    expect(manifest.health.map(({ workers }) => workers?.length)).toEqual([undefined, 2]);
    expect(records.map(({ id }) => id)).toEqual(Array.from({ length: 41 }, (_, id) => id));
    // Stages keep their order, whoever sends them.
    const last = records.filter(({ stage }) => stage === 0).at(-1)!;
    expect(records.filter(({ stage }) => stage === 1).every(({ sentSeconds }) => sentSeconds! > last.endSeconds!)).toBe(
      true,
    );
  });
});

describe('auto', () => {
  const stage = (slots: number) =>
    ({
      plan: { pacing: { kind: 'closed', concurrency: slots } },
      requests: Array.from({ length: 900 }, (_, id) => ({ id, maxTokens: 9 })),
    }) as never;
  const client = { baseUrl: 'http://127.0.0.1:9', headers: {}, api: 'completion', connections: 4 } as const;
  const here = { cores: 4, isStreaming: true, connectionLimit: Infinity };

  it('takes as many as the next stages need, and leaves none behind', async () => {
    const sending = new SendingThreads({ count: 'auto', file: worker }, client, here, () => undefined);
    expect(await sending.prepareFor([stage(500)])).toMatchObject({ count: 3 });
    const { pool } = sending;
    expect(pool?.size).toBe(3);
    expect(await sending.prepareFor([stage(600)])).toMatchObject({ count: 3 });
    expect(sending.pool).toBe(pool);
    expect(await sending.prepareFor([stage(400)])).toMatchObject({ count: 2 });
    expect(sending.pool?.size).toBe(2);
    expect(await sending.prepareFor([stage(20)])).toMatchObject({ count: 1 });
    expect(sending.pool).toBeUndefined();
    await sending.close();
  });

  it('sends a heavy load with more than one on a machine of four cores, and says why', async () => {
    const cores = vi.spyOn(os, 'availableParallelism').mockReturnValue(4);
    // A container may give fewer.
    const count = Math.min(2, Math.max(1, usableCores() - 1));
    const load = '{ type: concurrent, interval: 0, stages: [{ num_requests: 500, concurrency_level: 250 }] }';
    const running = h.ran(configOf({ url: sim.url, load }), threads('auto'));
    const { manifest, records } = await running.finally(() => cores.mockRestore());
    expect(manifest.runtime.workers).toBe(count);
    expect(manifest.runtime.workersReason).toMatch(/^auto: the plan brings up to 12,500 tokens\/s/);
    expect(h.events.find(({ type }) => type === 'planned')).toMatchObject({ threads: { count } });
    expect(records.filter(({ outcome }) => outcome.kind === 'ok')).toHaveLength(500);
    expect(manifest.health[0]!.maxInFlight).toBe(250);
  });
});

describe('a sweep', () => {
  it('probes with the threads its stages are sent by, and says with how many', async () => {
    const load =
      '{ type: constant, interval: 0, num_workers: 4, sweep: { type: linear, num_requests: 300, timeout: 6, num_stages: 2, stage_duration: 1 } }';
    const { manifest } = await h.ran(configOf({ url: sim.url, load }), threads(2));
    expect(manifest.sweep?.probe).toMatchObject({ workers: 2, answered: 300 });
    expect(manifest.sweep!.probe!.eventLoopUse).toBeGreaterThan(0);
    expect(manifest.runtime.workers).toBe(2);
    expect(manifest.counts!.ok).toBe(manifest.counts!.planned);
  });
});

describe('a stage’s deadline', () => {
  it('reaches every thread, ends that stage alone, and accounts for all', async () => {
    const head = '# isoperf: deadline=2\n# isoperf: grace=0.01\n';
    const load = open('{ rate: 60, duration: 4 }, { rate: 30, duration: 1 }');
    const { manifest, records } = await h.ran(head + configOf({ url: sim.url, load }), threads(3));
    const { planned, ok, failed, cancelled, notSent } = manifest.counts!;
    expect([planned, ok + failed + cancelled + notSent, records.length]).toEqual([270, 270, 270]);
    expect(notSent).toBeGreaterThan(80);
    expect(manifest.stages.map(({ state }) => state)).toEqual(['cancelled', 'complete']);
    expect(manifest.stateReason).toContain('deadline of 2 s');
    const sent = records.filter(({ stage, sentSeconds }) => stage === 0 && sentSeconds !== undefined);
    expect(Math.max(...sent.map(({ sentSeconds }) => sentSeconds! - manifest.stages[0]!.startSeconds!))).toBeLessThan(
      2.5,
    );
  });
});

describe('what goes wrong', () => {
  it.skipIf(!existsSync('/dev/full'))('a full disk stops all threads, and the counts are in run.json', async () => {
    const out = path.join(h.folder, 'report');
    mkdirSync(out);
    symlinkSync('/dev/full', path.join(out, 'answers.waiting.jsonl'));
    const { manifest } = await h.ran(configOf({ url: sim.url, load: open('{ rate: 80, duration: 8 }') }), threads(3));
    const { planned, ok, failed, cancelled, notSent } = manifest.counts!;
    expect([planned, ok + failed + cancelled + notSent]).toEqual([640, 640]);
    expect(notSent).toBeGreaterThan(400);
    expect(manifest.stateReason).toContain('disk is full');
    expect(readdirSync(out)).not.toContain('answers.waiting.jsonl');
  });

  it('a server that dies: every request is sent, and those it did not answer have failed', async () => {
    const mortal = await startSimulator({ port: 0, ttftSeconds: 0.02, tokenSeconds: 0.004 });
    const running = h.ran(configOf({ url: mortal.url, load: open('{ rate: 60, duration: 2 }') }), threads(3));
    await sleep(1200);
    await mortal.close();
    const { manifest, records } = await running;
    expect(manifest.state).toBe('complete');
    expect(manifest.counts!.ok + manifest.counts!.failed).toBe(120);
    expect(manifest.counts!.failed).toBeGreaterThan(10);
    expect(records).toHaveLength(120);
  });

  it('a thread that exits in a closed loop: its requests failed, what nobody had taken was not sent, no secret is told', async () => {
    const load = '{ type: concurrent, interval: 0, stages: [{ num_requests: 400, concurrency_level: 9 }] }';
    const config = configOf({
      url: sim.url,
      load,
      api: '{ type: completion, streaming: true, headers: { x-token: "hidden-header-value" } }',
    });
    const { manifest, folder: out } = await h.ran(config, { ...threads(2, dying), apiKey: 'hidden-api-key-value' });
    const { planned, ok, failed, cancelled, notSent } = manifest.counts!;
    expect([planned, ok + failed + cancelled + notSent]).toEqual([400, 400]);
    expect(ok).toBeGreaterThan(20);
    expect(failed).toBeGreaterThan(0);
    // Those in flight, and those whose end it had not handed over yet.
    expect(failed).toBeLessThan(15);
    expect(manifest.stateReason).toContain('ended with code 7');
    const said = [
      JSON.stringify(h.events),
      ...readdirSync(out).map((name) => readFileSync(path.join(out, name), 'utf8')),
    ];
    for (const text of said) expect(text).not.toMatch(/hidden-(api-key|header)-value/);
  });
});
