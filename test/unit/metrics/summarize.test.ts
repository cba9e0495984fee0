// Summaries against inference-perf's formulas, worked out by hand on a few records.
import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../../src/metrics/record';
import {
  itlBasisOf,
  itlGapsSeconds,
  ntpotSeconds,
  outputTokens,
  tpotSeconds,
  ttftSeconds,
} from '../../../src/metrics/request-metrics';
import { summarize } from '../../../src/metrics/summarize';

function streamed(id: number, more: Partial<RequestRecord> = {}): RequestRecord {
  return {
    id,
    stage: 0,
    scheduledSeconds: id,
    sentSeconds: id + 0.001,
    firstByteSeconds: id + 0.1,
    firstTokenSeconds: id + 0.101,
    firstContentSeconds: id + 0.101,
    chunkSeconds: [id + 0.101, id + 0.201, id + 0.301],
    chunkTokens: [1, 2, 1],
    lastTokenSeconds: id + 0.301,
    endSeconds: id + 0.311,
    outcome: { kind: 'ok' },
    usage: { promptTokens: 20, completionTokens: 4, cachedPromptTokens: 8 },
    finishReason: 'length',
    clientPromptTokens: 18,
    clientOutputTokens: 5,
    requestBytes: 100,
    promptHash: 'x',
    ...more,
  };
}

/** Drops keys as JSON would: absent, not undefined. */
function without(record: RequestRecord, ...keys: (keyof RequestRecord)[]): RequestRecord {
  const kept = Object.entries(record).filter(([key]) => !keys.includes(key as keyof RequestRecord));
  return Object.fromEntries(kept) as unknown as RequestRecord;
}

const failed = (id: number, label = '503 - Service Unavailable', message = 'busy'): RequestRecord => ({
  ...without(
    streamed(id),
    'usage',
    'firstTokenSeconds',
    'firstContentSeconds',
    'lastTokenSeconds',
    'chunkTokens',
    'finishReason',
    'clientOutputTokens',
  ),
  chunkSeconds: [],
  endSeconds: id + 0.051,
  outcome: { kind: 'failed', errorType: 'HTTP Error 503', label, message },
});

const OPTIONS = { percentiles: [50, 99], outputTokenSource: 'server-usage' } as const;

describe('one request', () => {
  const record = streamed(0);
  it('TTFT, TPOT by either count, NTPOT', () => {
    expect(ttftSeconds(record)).toBeCloseTo(0.1, 12);
    expect(tpotSeconds(record, 'server-usage')).toBeCloseTo(0.2 / 3, 12);
    expect(tpotSeconds(record, 'client-tokenizer')).toBeCloseTo(0.2 / 4, 12);
    expect(ntpotSeconds(record, 'server-usage')).toBeCloseTo(0.31 / 4, 12);
  });

  it('ITL between tokens has a zero inside a chunk, between chunks it has not', () => {
    expect(itlGapsSeconds(record, 'tokens').map((gap) => Number(gap.toFixed(9)))).toEqual([0.1, 0, 0.1]);
    expect(itlGapsSeconds(record, 'chunks').map((gap) => Number(gap.toFixed(9)))).toEqual([0.1, 0.1]);
    expect(
      itlGapsSeconds({ ...record, chunkTokens: [1, 0, 1] }, 'tokens').map((gap) => Number(gap.toFixed(9))),
    ).toEqual([0.2]);
    expect(itlGapsSeconds(without(record, 'chunkTokens'), 'tokens')).toEqual([]);
    expect(itlBasisOf([record])).toBe('tokens');
    expect(itlBasisOf([record, without(streamed(1), 'chunkTokens')])).toBe('chunks');
  });

  it('what was not measured is undefined, never 0', () => {
    expect(outputTokens(without(record, 'usage'), 'server-usage')).toBeUndefined();
    expect(outputTokens(without(record, 'usage'), 'mixed')).toBe(5);
    expect(outputTokens(record, 'not-counted')).toBeUndefined();
    expect(ntpotSeconds({ ...record, usage: { completionTokens: 0 } }, 'server-usage')).toBeUndefined();
    expect(tpotSeconds({ ...record, usage: { completionTokens: 1 } }, 'server-usage')).toBeUndefined();
    expect(tpotSeconds({ ...record, chunkSeconds: [0.1] }, 'server-usage')).toBeUndefined();
  });
});

describe('a stage', () => {
  const records = [streamed(0), streamed(1), failed(2), streamed(3)];
  const report = summarize(records, { ...OPTIONS, stage: { requestedRateRps: 1 } });

  it('rates are over first send to last end of successes and failures alike', () => {
    const span = 3.311 - 0.001;
    expect(report.benchmark_time_seconds).toBeCloseTo(span, 12);
    expect(report.successes.throughput.requests_per_sec).toBeCloseTo(3 / span, 12);
    expect(report.successes.throughput.output_tokens_per_sec).toBeCloseTo(12 / span, 12);
    expect(report.successes.throughput.input_tokens_per_sec).toBeCloseTo(60 / span, 12);
    expect(report.successes.throughput.total_tokens_per_sec).toBeCloseTo(72 / span, 12);
  });

  it('the load block is over everything that was sent', () => {
    expect(report.load_summary).toMatchObject({ count: 4, requested_rate: 1 });
    expect(report.load_summary.send_duration).toBeCloseTo(3, 12);
    expect(report.load_summary.achieved_rate).toBeCloseTo(4 / 3, 12);
    expect(report.load_summary.schedule_delay?.['median']).toBeCloseTo(0.001, 12);
    expect(report.load_summary).not.toHaveProperty('concurrency');
  });

  it('latencies are of successes only', () => {
    expect(report.successes.count).toBe(3);
    expect(report.successes.latency.request_latency?.['mean']).toBeCloseTo(0.31, 12);
    expect(report.failures.request_latency?.['mean']).toBeCloseTo(0.05, 12);
    expect(report.failures.by_label).toEqual({
      '503 - Service Unavailable': { count: 1, messages: [{ message: 'busy' }] },
    });
  });

  it('token blocks: totals, cached, mismatches, the client’s own length', () => {
    expect(report.successes.prompt_tokens).toMatchObject({ total: 60, cached: 24, uncached: 36, median: 20 });
    expect(report.successes.output_tokens).toMatchObject({ total: 12, median: 4 });
    expect(report.successes.output_len).toMatchObject({ median: 5 });
    expect(report.successes.token_count_mismatches).toBe(0);
    const off = summarize([streamed(0, { chunkTokens: [1, 1, 1] })], OPTIONS);
    expect(off.successes.token_count_mismatches).toBe(1);
  });

  it('the summary of several stages has no rate keys', () => {
    expect(Object.keys(summarize(records, OPTIONS).load_summary)).toEqual(['count', 'schedule_delay']);
  });
});

describe('what is missing has a reason', () => {
  it('nothing streamed', () => {
    const record = without(streamed(0), 'firstTokenSeconds', 'firstContentSeconds', 'chunkTokens');
    const { successes, isoperf } = summarize([{ ...record, chunkSeconds: [] }], OPTIONS);
    expect(successes.latency.time_to_first_token).toBeNull();
    expect(successes.latency.time_per_output_token).toBeNull();
    expect(successes.latency.normalized_time_per_output_token).not.toBeNull();
    expect(isoperf?.not_measured['successes.latency.time_to_first_token']).toMatch(/not streamed/);
  });

  it('nobody counted', () => {
    const record = without(streamed(0), 'usage', 'clientOutputTokens', 'clientPromptTokens', 'chunkTokens');
    const { successes, isoperf } = summarize([record], { ...OPTIONS, outputTokenSource: 'not-counted' });
    expect(successes.throughput.output_tokens_per_sec).toBeNull();
    expect(successes.output_tokens).toBeNull();
    expect(isoperf?.not_measured['successes.throughput.output_tokens_per_sec']).toMatch(/nobody counted/);
  });

  it('a rate over answers of which one was not counted would be too low', () => {
    const { successes, isoperf } = summarize([streamed(0), without(streamed(1), 'usage')], OPTIONS);
    expect(successes.throughput.output_tokens_per_sec).toBeNull();
    expect(isoperf?.not_measured['successes.throughput.output_tokens_per_sec']).toMatch(/1 of 2/);
  });

  it('empty answers are left out of NTPOT, and that is said', () => {
    const empty = streamed(1, { usage: { promptTokens: 20, completionTokens: 0 } });
    const report = summarize([streamed(0), empty], OPTIONS);
    expect(report.successes.latency.normalized_time_per_output_token?.['min']).toBeCloseTo(0.31 / 4, 12);
    expect(report.isoperf?.differs_from_inference_perf?.['successes.latency.normalized_time_per_output_token']).toMatch(
      /1 empty/,
    );
  });

  it('no request at all', () => {
    const report = summarize([], OPTIONS);
    expect(report).toMatchObject({
      benchmark_time_seconds: 0,
      successes: { count: 0 },
      failures: { count: 0, by_label: {} },
    });
    expect(report.failures.prompt_tokens).toEqual({ total: 0, cached: 0, uncached: 0 });
    expect(JSON.stringify(report)).not.toMatch(/NaN|Infinity/);
  });

  it('cancelled and unsent requests are in no number, as upstream', () => {
    const cancelled: RequestRecord = { ...streamed(9), outcome: { kind: 'cancelled', reason: 'stop' } };
    expect(summarize([streamed(0), cancelled], OPTIONS).load_summary.count).toBe(1);
  });

  it('a percentile that does not exist does not cost the report', () => {
    expect(
      summarize([streamed(0)], { ...OPTIONS, percentiles: [50, 101] }).successes.latency.request_latency,
    ).toHaveProperty('median');
  });
});

describe('goodput', () => {
  it('counts answers that keep every limit; a missing metric fails its limit', () => {
    const slow = streamed(1, { firstTokenSeconds: 1.5, endSeconds: 2 });
    const report = summarize([streamed(0), slow, failed(2)], {
      ...OPTIONS,
      goodput: { ttft: 0.2, request_latency: 5 },
    });
    expect(report.successes.goodput_metrics).toMatchObject({
      goodput_percentage: 50,
      good_requests: 1,
      total_requests: 2,
      ttft_attainment_percentage: 50,
      request_latency_attainment_percentage: 100,
    });
    // Over the successes' own span, 0.001 to 2 s, not the failures'.
    expect(report.successes.goodput_metrics?.['request_goodput']).toBeCloseTo(1 / 1.999, 9);
    const unary = { ...without(streamed(0), 'firstTokenSeconds'), chunkSeconds: [] };
    const missing = summarize([unary], { ...OPTIONS, goodput: { ttft: 10 } });
    expect(missing.successes.goodput_metrics?.['goodput_percentage']).toBe(0);
  });
});

it('failure labels: most frequent first, messages distinct and capped', () => {
  const records = [failed(0, 'Timeout', 'a'), failed(1, 'x', 'b'), failed(2, 'x', 'c'), failed(3, 'x', 'c')];
  const { failures } = summarize(records, { ...OPTIONS, maxErrorMessages: 1 });
  expect(Object.keys(failures.by_label)).toEqual(['x', 'Timeout']);
  expect(failures.by_label['x']).toEqual({ count: 3, messages: [{ message: 'b' }] });
});

describe('the chunk gap beside a gap between tokens', () => {
  it('is what is left without the zeros inside chunks; a chunk without a token is no arrival', () => {
    const empty = streamed(3, { chunkSeconds: [3.1, 3.15, 3.3], chunkTokens: [2, 0, 1], lastTokenSeconds: 3.3 });
    const { isoperf, successes } = summarize([streamed(0), streamed(1), empty], OPTIONS);
    expect(isoperf!.chunk_gap!['min']).toBeCloseTo(0.1, 9);
    expect(isoperf!.chunk_gap!['max']).toBeCloseTo(0.2, 9);
    expect(isoperf!.chunk_gap!['mean']).toBeCloseTo((0.1 * 4 + 0.2) / 5, 9);
    // Two zeros inside the first two answers' middle chunks, one inside the third's first.
    expect(successes.latency.inter_token_latency!['mean']).toBeCloseTo((0.1 * 4 + 0.2) / 8, 9);
  });

  it('is not said twice where every chunk is one token, nor where gaps are between chunks', () => {
    const single = streamed(0, { chunkTokens: [1, 1, 1] });
    expect(summarize([single], OPTIONS).isoperf!.chunk_gap).toBeUndefined();
    expect(summarize([streamed(0)], { ...OPTIONS, itlBasis: 'chunks' }).isoperf!.chunk_gap).toBeUndefined();
  });
});
