// Requests that other tools keep inside their result file: read, counted, and held against the summary beside them.
import { describe, expect, it } from 'vitest';
import { openReports } from '../../../../src/readers/open';
import { completeReport } from '../../../../src/readers/records/complete';
import { memoryFolder } from '../../support/memory-folder';

describe('requests of other tools inside their result file', () => {
  const report = async (file: string, value: unknown) => {
    const opened = await openReports(memoryFolder({ [file]: JSON.stringify(value) }));
    if (!opened.ok) throw new Error(JSON.stringify(opened.problems));
    return completeReport(opened.value.reports[0]!);
  };

  /** Three answers of 5 tokens, TTFT 0.1 to 0.3 s, 0.02 s a token, at epoch times; one failure. */
  const START = 1_795_982_440;
  const ttfts = [1, 2, 3].map((i) => (START + i + i / 10 - (START + i)) * 1000);
  const e2es = [1, 2, 3].map((i) => START + i + i / 10 + 0.09 - (START + i));
  const requests = (nest: (times: Record<string, number>, tokens: number) => unknown) =>
    [1, 2, 3].map((i) => {
      const start = START + i;
      const first = start + i / 10;
      return nest({ start, first, last: first + 0.08, end: first + 0.09 }, 5);
    });
  const distribution = (values: readonly number[]) => ({
    count: values.length,
    mean: values.reduce((total, value) => total + value, 0) / values.length,
    min: Math.min(...values),
    max: Math.max(...values),
    percentiles: { p50: values[1] },
  });
  const guidellm = (kept: unknown[], ttft: readonly number[]) => ({
    metadata: { guidellm_version: '0.8.1' },
    benchmarks: [
      {
        type_: 'generative_benchmark',
        metrics: {
          request_totals: { successful: 3, errored: 1, incomplete: 0, total: 4 },
          time_to_first_token_ms: { successful: distribution(ttft) },
          request_latency: { successful: distribution(e2es) },
        },
        requests: { successful: kept, errored: [{ info: { timings: {} } }], incomplete: [] },
      },
    ],
  });

  it.each([
    [
      '0.8',
      requests((t, n) => ({
        info: {
          timings: {
            request_start: t['start'],
            first_token_iteration: t['first'],
            last_token_iteration: t['last'],
            request_end: t['end'],
            token_iterations: n,
          },
        },
        output_metrics: { total_tokens: n },
      })),
    ],
    [
      '0.3',
      requests((t, n) => ({
        start_time: t['start'],
        first_token_time: t['first'],
        last_token_time: t['last'],
        end_time: t['end'],
        output_tokens: n,
      })),
    ],
  ])('GuideLLM %s: they agree with its summary, or the number that does not is named', async (_version, kept) => {
    const good = await report('g.json', guidellm(kept, ttfts));
    expect(good.records?.requests.length).toBe(4);
    expect(good.problems.filter(({ code }) => code === 'REP126').map(({ message }) => message)).toEqual([]);
    const bad = await report('g.json', guidellm(kept, [...ttfts.slice(0, 2), 310]));
    expect(bad.problems.find(({ code }) => code === 'REP126')?.message).toContain('ttft max is 0.310');
  });

  it('GuideLLM: a sample of the requests is not taken for all of them', async () => {
    const sampled = await report('g.json', guidellm([], ttfts));
    expect(sampled.records).toBeUndefined();
  });

  const sglang = {
    backend: 'sglang-oai',
    dataset_name: 'random',
    random_range_ratio: 1,
    request_rate: 5,
    duration: 2,
    completed: 2,
    total_input_tokens: 20,
    total_output_tokens: 6,
    total_output_tokens_retokenized: 6,
    mean_ttft_ms: 150,
    mean_e2e_latency_ms: 400,
    input_lens: [10, 10, 10],
    output_lens: [3, 3, 0],
    ttfts: [0.1, 0.2, 0],
    itls: [[0.01, 0.02], [0.03, 0.04], []],
    errors: ['', '', 'Connection refused'],
  };

  it('SGLang --output-details: failures are counted, gaps kept, and its summary is held against them', async () => {
    const good = await report('s.jsonl', sglang);
    expect(good.report.scopes[0]!.counts).toEqual({ ok: 2, failed: 1, total: 3 });
    expect(good.report.notRecorded).not.toContain('failed requests');
    expect(good.records?.requests.gapsOf(() => true)).toHaveLength(4);
    expect(good.problems.filter(({ code }) => code === 'REP126')).toEqual([]);
    const bad = await report('s.jsonl', { ...sglang, mean_ttft_ms: 151 });
    expect(bad.problems.find(({ code }) => code === 'REP126')?.message).toContain('ttft mean is 0.151');
  });
});
