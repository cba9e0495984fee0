// Other tools' per-request files as records: the numbers of the truth behind them, stages recovered, and what stays unknown.
import { describe, expect, it } from 'vitest';
import {
  chunkCountOf,
  chunkGapsSeconds,
  itlGapsSeconds,
  scheduleDelaySeconds,
  tpotSeconds,
  ttftSeconds,
} from '../../../../src/metrics/request-metrics';
import { readRun } from '../../../../src/readers/read';
import { withRecords } from '../../../../src/readers/records/attach';
import { countingOf } from '../../../../src/readers/scopes';
import type { Run } from '../../../../src/readers/run';
import {
  aiperfLines,
  endOf,
  lifecycle,
  perRequest,
  trueRequests,
  vllmDetailed,
  type Truth,
} from '../../support/foreign-results';
import { memoryFolder, type MemoryFiles } from '../../support/memory-folder';

const TRUTH: Truth = { seed: 7, requests: 60, rateRps: 20, ttftSeconds: 0.1, gapSeconds: 0.01, failEvery: 20 };

async function opened(files: MemoryFiles): Promise<Run> {
  const read = await readRun(memoryFolder(files));
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return withRecords(read.value);
}

/** TTFT, TPOT and sending times of the records against the truth, in order of sending. */
function expectTruth(run: Run, truth = TRUTH): void {
  const all = trueRequests(truth);
  expect(run.records).toHaveLength(all.length);
  run.records!.forEach((record, i) => {
    const request = all[i]!;
    expect(record.id).toBe(i);
    expect(record.sentSeconds).toBeCloseTo(request.sent - all[0]!.sent, 6);
    expect(record.outcome.kind).toBe(request.failed ? 'failed' : 'ok');
    // Nobody recorded when it was due: a delay of 0 would be a lie.
    expect(scheduleDelaySeconds(record)).toBeUndefined();
    expect(record.promptHash).toBe('');
    if (request.failed) return;
    expect(ttftSeconds(record)).toBeCloseTo(request.ttft, 5);
    const decode = endOf(request) - request.sent - request.ttft;
    expect(tpotSeconds(record, countingOf(run).output)).toBeCloseTo(decode / (request.tokens - 1), 6);
  });
}

describe('requests of other tools as records', () => {
  it('vLLM --save-detailed', async () => {
    const run = await opened({ 'r.json': vllmDetailed(trueRequests(TRUTH), 20) });
    expectTruth(run);
    expect(countingOf(run)).toEqual({ output: 'mixed', input: 'mixed', itl: 'tokens' });
  });

  it('vLLM with several tokens a chunk: gaps are between chunks, and called so', async () => {
    const truth = { ...TRUTH, perChunk: 3 };
    const run = await opened({ 'r.json': vllmDetailed(trueRequests(truth), 20) });
    expectTruth(run, truth);
    expect(countingOf(run).itl).toBe('chunks');
    expect(itlGapsSeconds(run.records![0]!, 'chunks')).toHaveLength(19);
  });

  it('vLLM before start_times: nothing says when a request was sent, so the summary is all there is', async () => {
    const run = await opened({ 'r.json': vllmDetailed(trueRequests(TRUTH), 20, false) });
    expect(run.records).toBeUndefined();
    expect(run.problems.map(({ code, message }) => [code, message])).toEqual([
      ['REP127', expect.stringContaining('does not say when each request was sent') as string],
    ]);
  });

  it('not even of a single request a time is made up', async () => {
    const run = await opened({ 'r.json': vllmDetailed(trueRequests(TRUTH).slice(0, 1), 20, false) });
    expect(run.records).toBeUndefined();
    expect(run.problems.map(({ code }) => code)).toEqual(['REP127']);
  });

  it('AIPerf’s JSONL, with its export beside it or alone', async () => {
    const run = await opened({ 'profile_export.jsonl': aiperfLines(trueRequests(TRUTH)) });
    expectTruth(run);
    expect(countingOf(run).itl).toBe('tokens');
  });

  /** A GuideLLM result of five answers of 20 tokens: first and last moment, and a count of iterations or none. */
  const guidellm = (timings: (at: number) => unknown, flat: (at: number) => unknown = () => ({})): string =>
    JSON.stringify({
      metadata: { guidellm_version: '0.8.1' },
      benchmarks: [
        {
          type_: 'generative_benchmark',
          metrics: { request_totals: { successful: 5, errored: 0, incomplete: 0, total: 5 } },
          requests: {
            successful: [1, 2, 3, 4, 5].map((at) => ({
              info: { timings: timings(1000 + at) },
              output_metrics: { total_tokens: 20 },
              ...(flat(1000 + at) as object),
            })),
            errored: [],
            incomplete: [],
          },
        },
      ],
    });
  const moments = (at: number) => ({
    request_start: at,
    first_token_iteration: at + 0.1,
    last_token_iteration: at + 0.29,
    request_end: at + 0.3,
  });

  it('GuideLLM: the first and last moment are no two chunks; counted iterations are', async () => {
    const counted = await opened({ 'g.json': guidellm((at) => ({ ...moments(at), token_iterations: 10 })) });
    expect(counted.records!.map(chunkCountOf)).toEqual([10, 10, 10, 10, 10]);
    const silent = await opened({ 'g.json': guidellm(moments) });
    expect(silent.records!.map(chunkCountOf)).toEqual(new Array(5).fill(undefined));
    for (const run of [counted, silent]) {
      expect(tpotSeconds(run.records![0]!, 'server-usage')).toBeCloseTo(0.01, 6);
      expect(chunkGapsSeconds(run.records![0]!)).toEqual([]);
      expect(itlGapsSeconds(run.records![0]!, 'chunks')).toEqual([]);
    }
  });

  it('AIPerf without chunk latencies has a TPOT and no gap', async () => {
    const run = await opened({ 'profile_export.jsonl': aiperfLines(trueRequests(TRUTH), false) });
    expectTruth(run);
    expect(run.records!.flatMap((record) => itlGapsSeconds(record, countingOf(run).itl))).toEqual([]);
  });

  it.each(['v0.1', 'v0.4', 'v0.5', 'main'] as const)('inference-perf %s, stages recovered', async (generation) => {
    const stages = [
      { ...TRUTH, startSeconds: 1000 },
      { ...TRUTH, seed: 8, rateRps: 40, requests: 40, perChunk: 2, startSeconds: 1100 },
    ].map(trueRequests);
    const run = await opened({
      'stage_0_lifecycle_metrics.json': lifecycle(stages[0]!, 20),
      'stage_1_lifecycle_metrics.json': lifecycle(stages[1]!, 40),
      'per_request_lifecycle_metrics.json': perRequest(stages.flat(), generation),
    });
    expect(run.records!.map(({ stage }) => stage)).toEqual([
      ...new Array<number>(60).fill(0),
      ...new Array<number>(40).fill(1),
    ]);
    const [first] = run.records!;
    expect(ttftSeconds(first!)).toBeCloseTo(stages[0]![0]!.ttft, 6);
    expect(tpotSeconds(run.records![60]!, 'client-tokenizer')).toBeCloseTo(
      stages[1]![0]!.gaps.reduce((sum, gap) => sum + gap, 0) / 39,
      6,
    );
    // Stamped twice, tokens cannot be told from chunks; stamped once, a chunk of two tokens has a gap of 0.
    const gaps = itlGapsSeconds(run.records![60]!, countingOf(run).itl);
    expect(gaps.filter((gap) => gap === 0)).toHaveLength(generation === 'v0.1' ? 0 : 20);
    expect(gaps).toHaveLength(generation === 'v0.1' ? 19 : 39);
  });

  it('inference-perf whose counts or windows do not fit the requests is left to its reports, with the reason', async () => {
    const stages = [TRUTH, { ...TRUTH, seed: 8, startSeconds: 1100 }].map(trueRequests);
    const files = (second: string): MemoryFiles => ({
      'stage_0_lifecycle_metrics.json': lifecycle(stages[0]!, 20),
      'stage_1_lifecycle_metrics.json': second,
      'per_request_lifecycle_metrics.json': perRequest(stages.flat(), 'main'),
    });
    const short = await opened(files(lifecycle(stages[1]!.slice(1), 20)));
    expect(short.records).toBeUndefined();
    expect(short.problems.at(-1)!.message).toContain('it has 120 requests, the 2 stages 119');
    const stretched = lifecycle(stages[1]!, 20).replace(
      /"benchmark_time_seconds":[\d.]+/,
      '"benchmark_time_seconds":99',
    );
    const other = await opened(files(stretched));
    expect(other.records).toBeUndefined();
    expect(other.problems.at(-1)!.message).toContain('does not span the window of stage 1');
  });
});
