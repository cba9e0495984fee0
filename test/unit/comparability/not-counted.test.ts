// What another tool does not count has no 0: not in the error rate, the sizes and the rates of a comparison, nor in the report view.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { MetricName } from '../../../src/comparability/comparison';
import { readRun } from '../../../src/readers/read';
import type { Run } from '../../../src/readers/run';
import { comparisonSchema } from '../../../src/comparability/comparison-schema';
import { comparisonView } from '../../../src/views/comparison/view';
import { reportView } from '../../../src/views/report/view';
import { memoryFolder } from '../support/memory-folder';

const SGLANG = {
  backend: 'sglang',
  dataset_name: 'random',
  request_rate: 5,
  random_range_ratio: 1,
  duration: 20,
  completed: 100,
  total_input_tokens: 2000,
  total_output_tokens: 600,
  total_output_tokens_retokenized: 600,
  request_throughput: 5,
  mean_ttft_ms: 150,
  p99_ttft_ms: 300,
  mean_e2e_latency_ms: 400,
};

async function opened(value: object): Promise<Run> {
  const read = await readRun(memoryFolder({ 's.jsonl': JSON.stringify(value) }));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

const side = (run: Run, metric: MetricName) => compare(run, run).metrics.find((row) => row.metric === metric)?.a;

describe('not counted', () => {
  it('failures: there is no error rate, and no cell of 0', async () => {
    const run = await opened(SGLANG);
    expect(side(run, 'error_rate')?.value).toBeUndefined();
    expect(JSON.stringify(compare(run, run).metrics)).not.toContain('"error_rate","statistic":"value","value":0');
    const [, failed] = reportView(run).stages.rows[0]!.cells.slice(2, 4);
    expect(failed).toMatchObject({ text: '–', note: 'Failed: failures are not counted in the file', weak: true });
    expect(reportView(run).stages.rows[0]!.cells[2]?.text).toBe('100');
    const counted = await opened({
      ...SGLANG,
      completed: 1,
      ttfts: [0.1, 0],
      itls: [[], []],
      output_lens: [6, 0],
      input_lens: [20, 20],
      errors: ['', 'x'],
    });
    expect(side(counted, 'error_rate')?.value).toBe(50);
    expect(reportView(counted).stages.rows[0]!.cells[3]?.text).toBe('1');
  });

  it('rates: there are none, and no number in flight from them', async () => {
    const { request_throughput: rate, ...silent } = SGLANG;
    expect(side(await opened(SGLANG), 'requests_per_sec')?.value).toBe(rate);
    const run = await opened(silent);
    expect(side(run, 'requests_per_sec')?.value).toBeUndefined();
    const limit = compare(run, run).findings.find(({ dimension }) => dimension === 'client-limit')!;
    expect(
      limit.a.evidence.filter(({ key, value }) => /flight|request_latency/.test(key) && value !== undefined),
    ).toEqual([]);
    const charts = reportView(run).charts.flatMap(({ choices }) => choices);
    expect(charts.flatMap(({ series }) => series).filter(({ name }) => name === 'answered')).toEqual([]);
  });

  it('answers: the size is unknown, and a percentile is not called one of 0', async () => {
    const { completed, ...silent } = SGLANG;
    const run = await opened({ ...silent, completed: null });
    expect(completed).toBe(100);
    const size = compare(run, run).findings.find(({ dimension }) => dimension === 'sample-size')!;
    expect([size.state, size.a.summary]).toEqual(['unknown', 'not recorded']);
    const p99 = compare(run, run).metrics.find(({ metric, statistic }) => metric === 'ttft' && statistic === 'p99');
    expect(p99?.a.missing ?? '').not.toContain('n = 0');
  });
});

it('a file that does not count its requests has no n of 0: null, with the reason, in data, words and view', async () => {
  const uncounted = {
    schema_version: '1.4',
    aiperf_version: '0.13.0',
    request_latency: { unit: 'ms', avg: 240, p50: 230, p90: 300, p99: 310, min: 200, max: 320, std: 20 },
    time_to_first_token: { unit: 'ms', avg: 50, p50: 48, p90: 60, p99: 70, min: 40, max: 72, std: 5 },
    request_throughput: { unit: 'requests/sec', avg: 18 },
  };
  const read = await readRun(memoryFolder({ 'profile_export_aiperf.json': JSON.stringify(uncounted) }));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const comparison = compare(read.value, read.value);
  const mean = comparison.metrics.find(({ metric, statistic }) => metric === 'ttft' && statistic === 'mean')!;
  const reason = 'the file does not say of how many requests';
  expect(mean.a).toEqual({ n: null, nMissing: reason, value: 50 });
  const rate = comparison.metrics.find(({ metric }) => metric === 'requests_per_sec')!;
  expect(rate.a).toMatchObject({ n: null, nMissing: reason, value: 18 });
  expect(comparisonSchema.safeParse(JSON.parse(JSON.stringify(comparison))).success).toBe(true);
  expect(JSON.stringify(comparisonView(comparison, read.value, read.value))).not.toContain('n = 0');
  expect(JSON.stringify(comparisonView(comparison, read.value, read.value))).toContain(reason);
});
