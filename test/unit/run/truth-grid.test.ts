// Ground truth: over a grid of times, chunk sizes, rates and concurrency every metric equals what the simulator was told to do; and the
// same seed is the same request stream byte for byte.
import { afterEach, describe, expect, it } from 'vitest';
import { startSimulator } from '../../../src/simulator/server';
import { fakeClient, type FakeClient } from '../loadgen/fake-client';
import { configOf, harness, SAMPLE_TOKENIZER, type Harness } from './harness';

let h: Harness;
afterEach(() => {
  h.remove();
});

interface Cell {
  readonly ttftMs: number;
  readonly tokenMs: number;
  readonly tokensPerChunk: number;
  readonly load: string;
  readonly requests: number;
}

const open = (rate: number): string =>
  `{ type: poisson, interval: 0, num_workers: 1, worker_max_concurrency: 512, stages: [{ rate: ${rate}, duration: 1 }] }`;
const closed = (level: number, requests: number): string =>
  `{ type: concurrent, interval: 0, stages: [{ num_requests: ${requests}, concurrency_level: ${level} }] }`;
const OUTPUT = 12;

const GRID: readonly Cell[] = [
  { ttftMs: 20, tokenMs: 5, tokensPerChunk: 1, load: open(20), requests: 20 },
  { ttftMs: 150, tokenMs: 5, tokensPerChunk: 1, load: open(60), requests: 60 },
  { ttftMs: 20, tokenMs: 25, tokensPerChunk: 1, load: closed(4, 24), requests: 24 },
  { ttftMs: 80, tokenMs: 10, tokensPerChunk: 4, load: open(30), requests: 30 },
  { ttftMs: 40, tokenMs: 10, tokensPerChunk: 3, load: closed(32, 64), requests: 64 },
];

/** Times of the whole request, as the simulator makes them: chunks of k tokens are sent when their last token is ready. */
function truthOf({ ttftMs, tokenMs, tokensPerChunk }: Cell): { ttft: number; e2e: number; span: number } {
  const last = ttftMs + (OUTPUT - 1) * tokenMs;
  const first = ttftMs + (tokensPerChunk - 1) * tokenMs;
  return { ttft: first / 1000, e2e: last / 1000, span: (last - first) / 1000 };
}

/** Errors of the medians in seconds; what must be exact is asserted here. */
async function errorsOf(cell: Cell): Promise<number[]> {
  const sim = await startSimulator({
    port: 0,
    ttftSeconds: cell.ttftMs / 1000,
    tokenSeconds: cell.tokenMs / 1000,
    tokensPerChunk: cell.tokensPerChunk,
  });
  h = harness();
  try {
    const run = await h.ran(
      configOf({
        url: sim.url,
        load: cell.load,
        tokenizer: SAMPLE_TOKENIZER,
        data: `{ type: random, input_distribution: { type: fixed, mean: 20 }, output_distribution: { type: fixed, mean: ${OUTPUT} } }`,
      }),
    );
    const { successes, load_summary: load } = run.summary!;
    expect(load.count).toBe(cell.requests);
    expect(successes.count).toBe(cell.requests);
    expect(successes.prompt_tokens).toMatchObject({ min: 20, max: 20 });
    expect(successes.output_len).toMatchObject({ min: OUTPUT, max: OUTPUT });
    expect(successes.token_count_mismatches).toBe(0);
    const chunks = Math.ceil(OUTPUT / cell.tokensPerChunk);
    for (const record of run.records) expect(record.chunkSeconds).toHaveLength(chunks);
    const truth = truthOf(cell);
    const { latency, throughput } = successes;
    const median = (stat: Readonly<Record<string, number>> | null): number => stat!['median']!;
    // Rates are counts over the window they were counted in, whatever time that took.
    expect(throughput.requests_per_sec).toBeCloseTo(cell.requests / run.summary!.benchmark_time_seconds, 6);
    expect(throughput.output_tokens_per_sec).toBeCloseTo(
      (cell.requests * OUTPUT) / run.summary!.benchmark_time_seconds,
      4,
    );
    return [
      median(latency.time_to_first_token) - truth.ttft,
      median(latency.request_latency) - truth.e2e,
      (median(latency.time_per_output_token) - truth.span / (OUTPUT - 1)) * (OUTPUT - 1),
      (median(latency.normalized_time_per_output_token) - truth.e2e / OUTPUT) * OUTPUT,
    ];
  } finally {
    await sim.close();
    h.remove();
  }
}

describe('the simulator’s truth', () => {
  it.each(GRID)(
    'TTFT $ttftMs ms, $tokenMs ms per token, $tokensPerChunk per chunk, $load',
    async (cell) => {
      // Server, engine and other programs share two cores, which only ever adds time: the best of three, and a wide bound.
      let best = Infinity;
      for (let attempt = 0; attempt < 3 && best > 0.01; attempt++) {
        best = Math.min(best, Math.max(...(await errorsOf(cell)).map(Math.abs)));
      }
      expect(best).toBeLessThan(0.015 + 0.1 * truthOf(cell).e2e);
    },
    30_000,
  );
});

describe('a seed', () => {
  async function stream(seed: number): Promise<{ bodies: string[]; hashes: unknown[]; offsets: number[] }> {
    h = harness();
    const clients: FakeClient[] = [];
    const yaml = configOf({
      url: 'http://127.0.0.1:1',
      tokenizer: SAMPLE_TOKENIZER,
      load: '{ type: poisson, interval: 0, num_workers: 1, stages: [{ rate: 30, duration: 1 }, { rate: 10, duration: 1 }], lora_traffic_split: [{ name: a, split: 0.5 }, { name: b, split: 0.5 }] }',
      data: '{ type: random, input_distribution: { type: lognormal, min: 5, max: 60, mean: 20, std_dev: 9 }, output_distribution: { min: 2, max: 9, mean: 5, std_dev: 2 } }',
    }).replace('seed=5', `seed=${seed}`);
    const { manifest, records } = await h.ran(yaml, {
      clientFactory: () => {
        const client = fakeClient(0.001);
        clients.push(client);
        return client;
      },
    });
    h.remove();
    const sent = [...clients[0]!.sent].sort((a, b) => a.id - b.id);
    const zero = manifest.stages.map(({ startSeconds }) => startSeconds!);
    return {
      bodies: sent.map(({ body }) => String(body)),
      hashes: [manifest.workload.fingerprint, ...manifest.stages.map(({ scheduleHash }) => scheduleHash)],
      offsets: records.map(({ stage, scheduledSeconds }) => Number((scheduledSeconds - zero[stage]!).toFixed(6))),
    };
  }

  it('is the same stream byte for byte, and another is another', async () => {
    const [once, again, other] = [await stream(11), await stream(11), await stream(12)];
    expect(again).toEqual(once);
    expect(once.bodies).toHaveLength(40);
    expect(new Set(once.bodies.map((body) => (JSON.parse(body) as { model: string }).model))).toEqual(
      new Set(['a', 'b']),
    );
    expect(other.offsets).not.toEqual(once.offsets);
    expect(other.bodies.filter((body) => once.bodies.includes(body))).toEqual([]);
    expect(other.hashes.filter((hash) => once.hashes.includes(hash))).toEqual([]);
  }, 20_000);
});
