// Ground truth: over a grid of times, chunk sizes, rates and concurrency every metric equals what the simulator was told to do.
import { describe, expect } from 'vitest';
import { startSimulator } from '../../src/simulator/server';
import { configOf, harness, SAMPLE_TOKENIZER } from '../unit/run/harness';
import { onTheClock } from './on-the-clock';

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
  { ttftMs: 50, tokenMs: 10, tokensPerChunk: 1, load: open(50), requests: 50 },
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
  const h = harness();
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

describe('medians against the simulator’s truth', () => {
  for (const cell of GRID) {
    onTheClock(
      `TTFT ${cell.ttftMs} ms, ${cell.tokenMs} ms per token, ${cell.tokensPerChunk} per chunk, ${cell.load}`,
      () => errorsOf(cell),
      // Server and engine share this process, which only ever adds time.
      (errors) => expect(Math.max(...errors.map(Math.abs))).toBeLessThan(0.005 + 0.05 * truthOf(cell).e2e),
    );
  }
});
