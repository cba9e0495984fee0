// A repeat of the same prompts with another cache salt: same stream, another cache; recorded and compared.
import { afterEach, describe, expect, it } from 'vitest';
import { accessTo } from '../../../src/cli/access';
import { compare } from '../../../src/comparability/compare';
import { readRun } from '../../../src/readers/read';
import { startSimulator, type Simulator } from '../../../src/simulator/server';
import { configOf, harness, type Harness } from './harness';

let h: Harness;
let sim: Simulator | undefined;
afterEach(async () => {
  h.remove();
  await sim?.close();
});

const LOAD = '{ type: constant, interval: 0, num_workers: 1, stages: [{ rate: 10, duration: 1 }] }';
const DATA =
  '{ type: random, input_distribution: { type: fixed, mean: 64 }, output_distribution: { type: fixed, mean: 4 } }';

describe('--salt', () => {
  it('keeps a repeat from the prefix cache; the prompts stay the same ones', async () => {
    h = harness();
    sim = await startSimulator({
      models: ['m'],
      prefixCache: true,
      cachedUsage: true,
      ttftSeconds: 0.002,
      tokenSeconds: 0.001,
    });
    const yaml = configOf({ url: sim.url, load: LOAD, data: DATA });
    const send = async (out: string, cacheSalt?: string) => {
      const result = await h.run(yaml, { out, ...(cacheSalt === undefined ? {} : { cacheSalt }) });
      if (result.kind === 'refused') throw new Error('refused');
      const cached = result.run.summary!.successes.prompt_tokens!['cached'] ?? 0;
      const read = await readRun(accessTo(result.run.folder, h.folder));
      if (!read.ok) throw new Error('unread');
      const warns = result.problems.some(({ code }) => code === 'RUN039');
      return { cached, warns, run: read.value, workload: result.run.manifest.workload };
    };
    const first = await send('first', 'one');
    const other = await send('other', 'two');
    const again = await send('again', 'two');
    const plain = await send('plain');
    expect([first.cached, other.cached, plain.cached]).toEqual([0, 0, 0]);
    expect(again.cached).toBeGreaterThan(400);
    expect([first, other, again, plain].map(({ warns }) => warns)).toEqual([false, false, true, false]);
    expect(other.workload.parameters).toMatchObject({ cache_salt: 'two' });
    expect(plain.workload.parameters).not.toHaveProperty('cache_salt');
    expect(new Set([first, other, again, plain].map(({ workload }) => workload.promptsHash)).size).toBe(1);
    const of = (x: typeof first, y: typeof first, dimension: string) =>
      compare(x.run, y.run, { resamples: 20 }).findings.find((finding) => finding.dimension === dimension)!.state;
    expect(of(first, other, 'sampling')).toBe('same');
    expect(of(first, other, 'prompt-identity')).toBe('same');
    expect(of(first, other, 'cache-state')).not.toBe('confounds');
    expect(of(other, again, 'cache-state')).toBe('confounds');
  });

  it('where the server says nothing of its cache, another salt is another cache, and that is an assumption', async () => {
    h = harness();
    sim = await startSimulator({ models: ['m'], ttftSeconds: 0.002, tokenSeconds: 0.001 });
    const yaml = configOf({ url: sim.url, load: LOAD });
    const read = async (out: string, cacheSalt: string) => {
      const { folder } = await h.ran(yaml, { out, cacheSalt, serverMetrics: false });
      const opened = await readRun(accessTo(folder, h.folder));
      if (!opened.ok) throw new Error('unread');
      return opened.value;
    };
    const [a, b, c] = [await read('a', 'one'), await read('b', 'two'), await read('c', 'two')];
    const cache = (x: typeof a, y: typeof a) =>
      compare(x, y, { resamples: 20 }).findings.find(({ dimension }) => dimension === 'cache-state')!;
    expect(cache(a, b)).toMatchObject({ message: expect.stringContaining('another cache_salt') as string });
    expect(cache(b, c)).toMatchObject({ state: 'unknown' });
  });

  it('is refused where the API has no such field', async () => {
    h = harness();
    const api = '{ type: anthropic_messages, streaming: true }';
    const result = await h.run(configOf({ url: 'http://127.0.0.1:1', api, data: '{ type: mock }' }), {
      cacheSalt: 's',
    });
    expect(result).toMatchObject({ kind: 'refused', why: 'unusable', problems: [{ code: 'RUN067' }] });
  });
});
