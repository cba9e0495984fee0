// AIPerf's per-request lines alone: both counts of tokens, and times from the first request on.
import { describe, expect, it } from 'vitest';
import { scheduleDelaySeconds } from '../../../../src/metrics/request-metrics';
import { measureOf } from '../../../../src/readers/canonical';
import { openReports } from '../../../../src/readers/open';
import { readRun } from '../../../../src/readers/read';
import { withRecords } from '../../../../src/readers/records/attach';
import { countingOf } from '../../../../src/readers/scopes';
import { completeReport } from '../../../../src/readers/records/complete';
import { recompute, type RecomputeDefinition } from '../../../../src/readers/records/recompute';
import { memoryFolder } from '../../support/memory-folder';

const SERVER: RecomputeDefinition = {
  tokens: 'server',
  gap: 'token_gap',
  failures: 'leave-out',
  flavour: 'own',
  percentiles: [50, 90, 99],
};

describe('AIPerf’s requests without its export', () => {
  const line = (i: number): string =>
    JSON.stringify({
      metadata: {
        credit_issued_ns: 1_795_982_582_000_000_000 + i * 1e9,
        request_start_ns: 1_795_982_582_004_000_000 + i * 1e9,
        benchmark_phase: 'profiling',
      },
      metrics: {
        input_sequence_length: { value: 50, unit: 'tokens' },
        output_sequence_length: { value: 7, unit: 'tokens' },
        usage_prompt_tokens: { value: 26, unit: 'tokens' },
        usage_completion_tokens: { value: 3, unit: 'tokens' },
        time_to_first_token: { value: 100, unit: 'ms' },
        request_latency: { value: 120, unit: 'ms' },
        inter_chunk_latency: { value: [10, 10], unit: 'ms' },
      },
    });
  const folder = memoryFolder({ 'p.jsonl': [0, 1, 2].map(line).join('\n') });

  it('numbers are the client’s, the server’s counts beside them, and either on request', async () => {
    const opened = await openReports(folder);
    if (!opened.ok) throw new Error('unread');
    const { report, records } = await completeReport(opened.value.reports[0]!);
    const lengths = report.scopes[0]!.measures.filter(({ quantity }) => quantity === 'output_tokens');
    expect(lengths.map(({ definition, stats }) => [definition.tokens, stats['mean']])).toEqual([
      ['client', 7],
      ['server', 3],
    ]);
    expect(measureOf(report.scopes[0]!, 'tpot')?.stats['mean']).toBeCloseTo(0.02 / 6, 9);
    const again = recompute(records!.requests, SERVER, 'p.jsonl');
    expect(measureOf(again, 'tpot')?.stats['mean']).toBeCloseTo(0.01, 9);
    expect(measureOf(again, 'prompt_tokens')?.stats['mean']).toBe(26);
    expect(scheduleDelaySeconds(records!.requests.at(2))).toBeCloseTo(0.004, 6);
  });

  it('as records, too', async () => {
    const read = await readRun(folder);
    if (!read.ok) throw new Error('unread');
    const run = await withRecords(read.value);
    expect(countingOf(run)).toMatchObject({ output: 'client-tokenizer', input: 'client-tokenizer' });
    expect(run.records![1]!.usage).toEqual({ promptTokens: 26, completionTokens: 3 });
    expect(scheduleDelaySeconds(run.records![1]!)).toBeCloseTo(0.004, 6);
  });
});
