// What a run says of itself at its end is what `import` would say of it, without noise about a layout that is ours.
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runNotices } from '../../../src/cli/run-notices';
import { fetchFromHub } from '../../../src/datagen/hub';
import { startSimulator, type Simulator } from '../../../src/simulator/server';
import { writeTokenizer } from '../datagen/tokenizer-fixture';
import { configOf, harness, type Harness } from '../run/harness';

let h: Harness;
let sim: Simulator;
afterEach(async () => {
  h.remove();
  await sim.close();
});

const start = async (options: Parameters<typeof startSimulator>[0]): Promise<void> => {
  h = harness();
  sim = await startSimulator({ port: 0, ttftSeconds: 0.003, tokenSeconds: 0.001, ...options });
};

describe('at the end of a run', () => {
  it('answers shorter than asked for under ignore_eos are said', async () => {
    await start({ ignoreEos: 'ignore', eosMean: 6 });
    const data =
      '{ type: random, input_distribution: { type: fixed, mean: 16 }, output_distribution: { type: fixed, mean: 40 } }';
    const run = await h.ran(configOf({ url: sim.url, data }));
    const said = (await runNotices(run.folder, h.folder)).map(({ message }) => message).join('\n');
    expect(said).toMatch(/40/);
    expect(said).toMatch(/ignore_eos/);
  });

  it.each([
    [true, /the client counts [\d.]+ output tokens per answer, the server 8\.00/],
    [false, /about [\d.]+ tokens come in one chunk, and the gap is no time between tokens/],
  ])('a wrong tokenizer makes gaps of 0 between tokens, and that is said (usage %s)', async (usage, words) => {
    await start({ usage });
    const tokenizer = path.join(h.folder, 'tokenizer');
    writeTokenizer(tokenizer, { bos: false });
    const run = await h.ran(configOf({ url: sim.url, tokenizer }));
    expect(run.summary!.successes.latency.inter_token_latency!.median).toBe(0);
    expect((await runNotices(run.folder, h.folder)).map(({ message }) => message).join('\n')).toMatch(words);
  });

  it('nothing is said of the requested rate that we write for closed loops as inference-perf does', async () => {
    await start({});
    const load =
      '{ type: concurrent, interval: 0, num_workers: 1, stages: [{ num_requests: 12, concurrency_level: 3 }] }';
    const run = await h.ran(configOf({ url: sim.url, load }));
    expect((await runNotices(run.folder, h.folder)).map(({ message }) => message).join('\n')).not.toMatch(/rate/);
  });

  it('a stage in which nothing succeeded has no tokens per second, which is not 0', async () => {
    await start({ faultRate: 1, faultKinds: ['http500'] });
    const run = await h.ran(configOf({ url: sim.url }));
    expect(run.figures.get(0)!.outputTokensPerSecond).toBeUndefined();
    expect(run.invalid).toMatch(/not one of/);
  });
});

it('HF_HUB_OFFLINE: the hub is not asked', async () => {
  await start({});
  const what = { kind: 'models', repository: 'a/b', file: 'tokenizer.json' } as const;
  const env = { HF_ENDPOINT: sim.url, XDG_CACHE_HOME: h.folder };
  expect(await fetchFromHub(what, { env })).toMatchObject({ ok: false, status: 404 });
  const offline = await fetchFromHub(what, { env: { ...env, HF_HUB_OFFLINE: '1' } });
  expect(offline).toEqual({ ok: false, reason: 'HF_HUB_OFFLINE=1 forbids asking the hub' });
});
