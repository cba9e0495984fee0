// Requests that never reached a socket: they were tried, so they belong to rates, delays and failure latencies.
import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../../src/metrics/record';
import { summarize } from '../../../src/metrics/summarize';

const base = { stage: 0, chunkSeconds: [], promptHash: 'x' };

function refused(id: number, at: number): RequestRecord {
  return {
    ...base,
    id,
    scheduledSeconds: at,
    attemptedSeconds: at + 0.001,
    endSeconds: at + 0.003,
    outcome: { kind: 'failed', errorType: 'ClientConnectorError', label: 'Connection Error', message: 'refused' },
  };
}

function answered(id: number, at: number): RequestRecord {
  return { ...base, id, scheduledSeconds: at, sentSeconds: at + 0.001, endSeconds: at + 0.1, outcome: { kind: 'ok' } };
}

const options = {
  percentiles: [50],
  outputTokenSource: 'server-usage' as const,
  stage: { requestedRateRps: 10 },
};

describe('a server that goes away', () => {
  it('does not raise the achieved rate', () => {
    const records = [...Array(80).keys()].map((id) => (id < 30 ? answered(id, id / 10) : refused(id, id / 10)));
    const { load_summary: load, failures } = summarize(records, options);
    expect(load.achieved_rate).toBeCloseTo(80 / 7.9, 6);
    expect(load.send_duration).toBeCloseTo(7.9, 6);
    expect(failures.request_latency?.['median']).toBeCloseTo(0.002, 6);
    expect(load.schedule_delay?.['median']).toBeCloseTo(0.001, 6);
  });

  it('leaves times, not zeros, when nothing could be sent at all', () => {
    const report = summarize(
      [...Array(10).keys()].map((id) => refused(id, id / 10)),
      options,
    );
    expect(report.benchmark_time_seconds).toBeCloseTo(0.902, 6);
    expect(report.load_summary.achieved_rate).toBeCloseTo(10 / 0.9, 6);
  });

  it('does not call the prompts of failures uncached when nobody said so', () => {
    const failed: RequestRecord = { ...refused(0, 0), clientPromptTokens: 12 };
    expect(summarize([failed], options).failures.prompt_tokens).toEqual({
      total: 12,
      mean: 12,
      min: 12,
      max: 12,
      median: 12,
    });
  });
});
