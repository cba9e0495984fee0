// What count, length, window and rates of one file say of each other, in every tool's dialect; zeros over nothing are no numbers.
import { describe, expect, it } from 'vitest';
import { judgeReport, violated } from '../../../src/audit/identities';
import { measureOf, type CanonicalReport } from '../../../src/readers/canonical';
import { openForeign } from '../../../src/readers/foreign';
import { completeReport } from '../../../src/readers/records/complete';
import { memoryFolder } from '../support/memory-folder';
import { GUIDELLM, LLMPERF, REPORT_02, SGLANG, VLLM_METADATA } from '../readers/tool-files';

async function read(file: string, value: unknown): Promise<CanonicalReport> {
  const opened = await openForeign(memoryFolder({ [file]: JSON.stringify(value) }));
  if (!opened.ok) throw new Error(opened.problems.map(({ message }) => message).join('\n'));
  return (await completeReport(opened.value.reports[0]!)).report;
}

const broken = (report: CanonicalReport): string[] => violated(judgeReport(report)).map(({ statement }) => statement);

const rate = (mean: number) => ({ successful: { mean, count: 40 } });
const guidellm = (more: Record<string, unknown>, duration = 3.6): unknown => ({
  ...GUIDELLM,
  benchmarks: [{ ...GUIDELLM.benchmarks[0], duration, metrics: { ...GUIDELLM.benchmarks[0]!.metrics, ...more } }],
});

describe('a rate that count, window and lengths contradict', () => {
  it('of GuideLLM, whose rates are means over time', async () => {
    const honest = { requests_per_second: rate(11.1), output_tokens_per_second: rate(355) };
    expect(broken(await read('benchmarks.json', guidellm(honest)))).toEqual([]);
    const tenfold = broken(await read('benchmarks.json', guidellm({ requests_per_second: rate(110) })));
    expect(tenfold).toContain('requests/s x window = successes');
  });

  it('of vLLM, which writes the total of both directions alone', async () => {
    expect(broken(await read('r.json', VLLM_METADATA))).toEqual([]);
    const twice = { ...VLLM_METADATA, total_token_throughput: (2 * 30_000) / 11 };
    expect(broken(await read('r.json', twice))).toContain(
      'requests/s x (mean prompt + mean output tokens) = total tokens/s',
    );
  });

  it('of SGLang, llmperf and a Benchmark Report', async () => {
    expect(broken(await read('r.jsonl', { ...SGLANG, output_throughput: 900 })).length).toBeGreaterThan(0);
    const llmperf = { ...LLMPERF, results_mean_output_throughput_token_per_s: 500 };
    expect(broken(await read('r_summary.json', llmperf)).length).toBeGreaterThan(0);
    const { request_performance: performance } = REPORT_02.results;
    const throughput = {
      request_rate: { units: 'queries/s', mean: 4.9 },
      total_token_rate: { units: 'tokens/s', mean: 4700 },
    };
    const aggregate = { ...performance.aggregate, throughput };
    const report = { ...REPORT_02, results: { ...REPORT_02.results, request_performance: { aggregate } } };
    expect(broken(await read('br.json', report))).toContain(
      'requests/s x (mean prompt + mean output tokens) = total tokens/s',
    );
  });
});

describe('a window that goes on after the last answer', () => {
  const arrays = (duration: number): unknown => {
    const n = 20;
    const each = <T>(of: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => of(i));
    return {
      ...VLLM_METADATA,
      ...{ num_prompts: n, completed: n, duration, total_input_tokens: 100 * n, total_output_tokens: 11 * n },
      ...{ request_throughput: n / duration, output_throughput: (11 * n) / duration },
      total_token_throughput: (111 * n) / duration,
      ttfts: each(() => 0.05),
      itls: each(() => Array.from({ length: 10 }, () => 0.01)),
      input_lens: each(() => 100),
      output_lens: each(() => 11),
      start_times: each((i) => 1000 + i),
    };
  };

  it('is named; a gap before the first request is none', async () => {
    const end = 'the window ends with the last answer';
    expect(broken(await read('r.json', arrays(20)))).not.toContain(end);
    expect(broken(await read('r.json', arrays(31)))).toContain(end);
  });
});

it('GuideLLM’s requests are those its numbers are of, where it kept warm-up and cool-down too', async () => {
  const opened = await openForeign(memoryFolder({ 'benchmarks.json': JSON.stringify(guidellm({})) }));
  if (!opened.ok) throw new Error('not read');
  const [one] = opened.value.reports;
  expect(one!.recordsFile).toBe('benchmarks.json');
  const { records, problems, report } = await completeReport(one!);
  expect(problems).toEqual([]);
  // The ten of the first 0.9 s are left out of the fifty that were planned.
  expect([records!.requests.length, report.scopes[0]!.counts.planned]).toEqual([40, 40]);
});

describe('zeros over nothing', () => {
  const zero = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 0]));

  it.each([
    ['prompt_tokens', zero('total_input_tokens')],
    ['requests_per_sec', zero('request_throughput')],
    ['output_tokens_per_sec', zero('output_throughput')],
    ['total_tokens_per_sec', zero('total_token_throughput')],
  ] as const)('%s of answers that came is no 0', async (quantity, zeros) => {
    const [scope] = (await read('r.json', { ...VLLM_METADATA, ...zeros })).scopes;
    expect(measureOf(scope!, quantity)).toBeUndefined();
    expect(scope!.unmeasured?.[quantity]).toMatch(/succeeded/);
  });

  it('a block that is over 0 requests is none, whatever it holds', async () => {
    const empty = { unit: 'ms', avg: 3, p50: 3, count: 0 };
    const value = {
      schema_version: '1.4',
      request_latency: { unit: 'ms', avg: 300, p50: 300, count: 10 },
      inter_token_latency: empty,
      request_count: { unit: 'requests', avg: 10 },
    };
    const [scope] = (await read('profile_export_aiperf.json', value)).scopes;
    expect(measureOf(scope!, 'tpot')).toBeUndefined();
    expect(measureOf(scope!, 'e2e')).toBeDefined();
  });

  it('answers of length 0 without times between tokens stay what the file says', async () => {
    const empty = {
      ...VLLM_METADATA,
      total_output_tokens: 0,
      mean_tpot_ms: 0,
      p99_tpot_ms: 0,
      mean_itl_ms: 0,
      p99_itl_ms: 0,
    };
    const [scope] = (await read('r.json', empty)).scopes;
    expect(measureOf(scope!, 'output_tokens')?.stats['total']).toBe(0);
    expect(measureOf(scope!, 'tpot')).toBeUndefined();
  });
});
