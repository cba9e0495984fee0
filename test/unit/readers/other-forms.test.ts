// Forms that are not read are named, texts in place of numbers too; what lies beside a report is read with it.
import { describe, expect, it } from 'vitest';
import { judgeReport, violated } from '../../../src/audit/identities';
import { openForeign, type OpenedReport } from '../../../src/readers/foreign';
import { memoryFolder, type MemoryFiles } from '../support/memory-folder';
import { AIPERF_COMMAND, REPORT_02, VLLM_METADATA } from './tool-files';

async function open(files: MemoryFiles) {
  const opened = await openForeign(memoryFolder(files));
  return { opened, problems: opened.problems, reports: opened.ok ? opened.value.reports : ([] as OpenedReport[]) };
}

describe('forms with less than the report beside them', () => {
  it.each([
    ['GuideLLM’s CSV', 'benchmarks.json', 'Run Info,Run Info,Benchmark,Timings\nRun ID,Profile,Type,Start Time\n,,,\n'],
    [
      'GuideLLM’s HTML page',
      'benchmarks.json',
      '<!DOCTYPE html>\n<html>\n<head>\n<title>GuideLLM Benchmark Report</title>\n',
    ],
    ['AIPerf’s CSV', 'profile_export_aiperf.json', 'Metric,avg,min,max,p50\nRequest Latency (ms),300,200,400,290\n'],
    [
      'AIPerf’s CSV of server metrics',
      'server_metrics_export.json',
      '# AIPerf Server Metrics Export (CSV)\n# schema_version: 1.0\n',
    ],
  ])('%s is called by its name, and what to open instead', async (words, instead, text) => {
    const { opened, problems } = await open({ 'a.txt': text });
    expect(opened.ok).toBe(false);
    expect(problems[0]).toMatchObject({ code: 'REP121', severity: 'error' });
    expect(problems[0]!.message).toContain(words);
    expect(problems[0]!.remedy).toContain(instead);
  });

  it('beside their report they are no news', async () => {
    const text = 'Metric,avg,min,max,p50\nRequest Latency (ms),300,200,400,290\n';
    const { problems } = await open({ 'profile_export_aiperf.json': JSON.stringify(AIPERF_COMMAND), 'x.csv': text });
    expect(problems).toEqual([]);
  });
});

describe('numbers that are none', () => {
  it('texts where numbers belong are named with their keys; what a user added as text is not', async () => {
    const value = { ...VLLM_METADATA, completed: '100', p99_ttft_ms: '70.5' };
    const { problems } = await open({ 'r.json': JSON.stringify(value) });
    const found = problems.filter(({ code }) => code === 'REP122').map(({ message }) => message);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('completed is "100"');
    expect(found[0]).toContain('p99_ttft_ms is "70.5"');
    expect(found[0]).not.toMatch(/temperature|seed|num_warmups|random/);
    expect((await open({ 'r.json': JSON.stringify(VLLM_METADATA) })).problems).toEqual([]);
  });

  it('a count that is no whole number is named', async () => {
    const { reports } = await open({ 'r.json': JSON.stringify({ ...VLLM_METADATA, completed: 99.5, failed: 0.5 }) });
    const broken = violated(judgeReport(reports[0]!.report)).map(({ message }) => message);
    expect(broken.join('\n')).toContain('requests ok: 99.5');
  });
});

it('what AIPerf says of answers that are not as long as asked is passed on', async () => {
  const of = async (count: number) =>
    (
      await open({
        'a.json': JSON.stringify({ ...AIPERF_COMMAND, osl_mismatch_count: { unit: 'requests', avg: count } }),
      })
    ).reports[0]!.report.ownVerdict?.join();
  expect(await of(12)).toContain('12 answers have not the length that was asked for');
  expect(await of(0)).toBeUndefined();
});

describe('what lies beside a report', () => {
  it('inference-perf’s partial Benchmark Reports have the wall clock', async () => {
    const stage = {
      load_summary: { count: 100, requested_rate: 5, send_duration: 20 },
      benchmark_time_seconds: 20,
      successes: { count: 98, latency: { request_latency: { mean: 0.4 } }, throughput: { requests_per_sec: 4.9 } },
      failures: { count: 2 },
    };
    const time = (minute: number) => ({ start: `2026-01-01T00:0${minute}:00Z`, end: `2026-01-01T00:0${minute}:20Z` });
    const { reports, problems } = await open({
      'stage_0_lifecycle_metrics.json': JSON.stringify(stage),
      'stage_1_lifecycle_metrics.json': JSON.stringify(stage),
      'inference-perf.partial.stage_0.yaml': JSON.stringify({ ...REPORT_02, run: { time: time(1) } }),
      'inference-perf.partial.stage_1.yaml': JSON.stringify({ ...REPORT_02, run: { time: time(2) } }),
    });
    expect(problems).toEqual([]);
    const [{ report, facts }] = reports as [OpenedReport];
    expect(reports).toHaveLength(1);
    expect(facts.startedAt).toEqual({
      value: '2026-01-01T00:01:00Z',
      at: { file: 'inference-perf.partial.stage_0.yaml', key: 'run.time.start' },
    });
    expect(facts.endedAt.value).toBe('2026-01-01T00:02:20Z');
    expect(report.scopes.map(({ startedAt }) => startedAt)).toEqual(['2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z']);
    expect(report.notRecorded).not.toContain('wall-clock start');
  });

  it('AIPerf’s server metrics are what the server counted and timed', async () => {
    const series = (stats: Record<string, number>) => ({ series: [{ labels: { le: '1.0', count: '5' }, stats }] });
    const server = {
      aiperf_version: '0.13.0',
      summary: { endpoints_successful: [] },
      metrics: {
        'vllm:time_to_first_token_seconds': series({ count: 100, sum: 4, p50_estimate: 0.03, p99_estimate: 0.2 }),
        'vllm:request_success': { series: [{ stats: { total: 60 } }, { stats: { total: 40 } }] },
        'vllm:e2e_request_latency_seconds': { series: [{ stats: { count: 0 } }] },
      },
    };
    const { reports, problems } = await open({
      'profile_export_aiperf.json': JSON.stringify(AIPERF_COMMAND),
      'server_metrics_export.json': JSON.stringify(server),
    });
    expect(problems).toEqual([]);
    expect(reports[0]!.report.scopes[0]!.server).toMatchObject({
      file: 'server_metrics_export.json',
      count: 100,
      measures: [{ quantity: 'ttft', stats: { mean: 0.04, p50: 0.03, p99: 0.2 }, count: 100 }],
    });
  });
});
