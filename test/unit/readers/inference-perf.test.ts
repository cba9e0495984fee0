// inference-perf's folders of every generation, with what each generation's numbers count; prefixes, copies, sessions, several runs.
import { describe, expect, it } from 'vitest';
import { measureOf, type CanonicalReport } from '../../../src/readers/canonical';
import { openReports } from '../../../src/readers/open';
import { judgeReport, violated } from '../../../src/audit/identities';
import { memoryFolder, type MemoryFiles } from '../support/memory-folder';

async function open(files: MemoryFiles): Promise<CanonicalReport[]> {
  const opened = await openReports(memoryFolder(files));
  if (!opened.ok) throw new Error(JSON.stringify(opened.problems));
  return opened.value.reports.map(({ report }) => report);
}

async function one(files: MemoryFiles): Promise<CanonicalReport> {
  const reports = await open(files);
  expect(reports).toHaveLength(1);
  return reports[0]!;
}

type Json = Record<string, unknown>;

const maxLast = (middle: Json, mean = 0.1): Json => ({ mean, min: mean / 2, ...middle, max: mean * 2 });
const maxFirst = (mean = 0.1): Json => ({ mean, min: mean / 2, max: mean * 2, median: mean, p90: mean * 1.5 });

/** A report whose parts add up: 10 answers of 11 tokens, 0.5 s each, over 5 s. */
function lifecycle(stat: (mean: number) => Json, more: Json = {}, successes: Json = {}, load: Json = {}): string {
  return JSON.stringify({
    load_summary: { count: 10, ...load },
    successes: {
      count: 10,
      latency: {
        request_latency: stat(0.5),
        normalized_time_per_output_token: stat(0.5 / 11),
        time_per_output_token: stat(0.04),
        time_to_first_token: stat(0.1),
        inter_token_latency: stat(0.04),
      },
      throughput: {
        input_tokens_per_sec: 200,
        output_tokens_per_sec: 22,
        total_tokens_per_sec: 222,
        requests_per_sec: 2,
      },
      output_len: stat(11),
      ...successes,
    },
    failures: { count: 0, request_latency: null },
    ...more,
  });
}

const p50 = (mean: number): Json => maxLast({ p50: mean, p90: mean * 1.5 }, mean);
const median = (mean: number): Json => maxLast({ median: mean, p90: mean * 1.5 }, mean);
const lengths = { prompt_len: median(100) };
const T = { benchmark_time_seconds: 5 };
const delay = { schedule_delay: median(0.001) };

describe('the producing version', () => {
  it.each([
    ['v0.1.0', lifecycle(p50, {}, lengths), 'chunk_gap'],
    ['v0.1.1', lifecycle(p50, {}, lengths, { schedule_accuracy: p50(0.01) }), 'chunk_gap'],
    ['v0.2.0 to v0.3.0', lifecycle(median, {}, lengths, delay), 'chunk_gap'],
    ['v0.3.0', lifecycle(median, {}, lengths, { ...delay, concurrency: 4 }), 'chunk_gap'],
    ['v0.4.0', lifecycle(maxFirst, {}, lengths, delay), 'chunk_gap'],
    ['v0.5.0', lifecycle(maxFirst, T, { ...lengths, token_count_mismatches: 0 }, delay), 'token_gap'],
    [
      'v0.6.0',
      lifecycle(
        maxFirst,
        T,
        { ...lengths, request_size_bytes: maxFirst(9), prompt_tokens: { total: 1000, cached: 0 } },
        delay,
      ),
      'token_gap',
    ],
    [
      'v0.6.1',
      lifecycle(
        maxFirst,
        T,
        { ...lengths, request_size_bytes: maxFirst(9), prompt_tokens: { total: 1000, ...maxFirst(100) } },
        delay,
      ),
      'token_gap',
    ],
    [
      'v0.7.0 or main after 2026-08-13',
      lifecycle(
        maxFirst,
        T,
        { request_size_bytes: maxFirst(9), prompt_tokens: { total: 1000, ...maxFirst(100) } },
        delay,
      ),
      'token_gap',
    ],
  ] as const)('%s is recognised by what is in the file', async (name, text, gap) => {
    const report = await one({ 'summary_lifecycle_metrics.json': text });
    expect(report.tool).toBe('inference-perf');
    expect(report.versionClass.name).toBe(name);
    expect(report.versionClass.evidence.length).toBeGreaterThan(0);
    const scope = report.scopes[0]!;
    expect(measureOf(scope, gap)?.stats['mean']).toBe(0.04);
    expect(measureOf(scope, 'ttft')?.stats).toMatchObject({ mean: 0.1, p50: 0.1 });
    expect(scope.windowSeconds?.value).toBe(5);
    // 0.5 = 0.1 + 0.04 x 10: nothing to object to, whatever the version.
    expect(violated(judgeReport(report))).toEqual([]);
  });

  it('only what is in the file is named as evidence', async () => {
    const bare = { load_summary: { count: 3 }, successes: { count: 3 }, failures: { count: 0 } };
    const evidence = async (more: Json, successes: Json = {}): Promise<string> => {
      const text = JSON.stringify({ ...bare, ...more, successes: { ...bare.successes, ...successes } });
      return (await one({ 'summary_lifecycle_metrics.json': text })).versionClass.evidence.join('; ');
    };
    const empty = await evidence({}, { latency: { request_latency: null } });
    expect(empty).toBe('benchmark_time_seconds is not there');
    const recent = { latency: { request_latency: maxFirst(0.5) }, request_size_bytes: maxFirst(9) };
    expect(await evidence(T, recent)).not.toContain('prompt_tokens');
    expect(await evidence(T, { ...recent, prompt_tokens: null })).toContain('successes.prompt_tokens is there');
    expect(await evidence(T, { ...recent, ...lengths })).toContain('successes.prompt_tokens is not there');
    expect(await evidence(T, { ...recent, ...lengths, prompt_tokens: { total: 1 } })).toContain('has no mean');
  });

  it('a config says more than the numbers', async () => {
    const text = lifecycle(median, {}, lengths, delay);
    const report = await one({
      'stage_0_lifecycle_metrics.json': text,
      'config.yaml': 'load:\n  type: constant\n  circuit_breakers: [x]\n',
    });
    expect(report.versionClass.name).toBe('v0.3.0');
    expect(report.versionClass.evidence.join()).toContain('load.circuit_breakers');
  });

  it('gaps are between chunks when the config has no tokenizer', async () => {
    const text = lifecycle(maxFirst, T, { request_size_bytes: maxFirst(9), prompt_tokens: maxFirst(100) }, delay);
    const report = await one({ 'summary_lifecycle_metrics.json': text, 'config.yaml': 'load:\n  type: constant\n' });
    expect(measureOf(report.scopes[0]!, 'token_gap')).toBeUndefined();
    expect(measureOf(report.scopes[0]!, 'chunk_gap')?.stats['mean']).toBe(0.04);
  });
});

describe('folders as they are found', () => {
  const stage = lifecycle(median, {}, lengths, { ...delay, send_duration: 4, requested_rate: 2, achieved_rate: 2.5 });
  const summary = lifecycle(median, {}, lengths, delay);

  it('two prefixes are two runs', async () => {
    const reports = await open({
      'a-summary_lifecycle_metrics.json': summary,
      'a-stage_0_lifecycle_metrics.json': stage,
      'b-summary_lifecycle_metrics.json': summary,
    });
    expect(reports.map(({ name, scopes }) => [name, scopes.length])).toEqual([
      ["folder (prefix 'a-')", 2],
      ["folder (prefix 'b-')", 1],
    ]);
  });

  it('a YAML copy of a stage is not a second stage', async () => {
    const report = await one({ 'stage_0_lifecycle_metrics.json': stage, 'stage_0_lifecycle_metrics.yaml': stage });
    expect(report.scopes).toHaveLength(1);
  });

  it('a report by another name is still one', async () => {
    const report = await one({ 'results of monday.txt': stage });
    expect(report.scopes[0]).toMatchObject({ kind: 'stage', load: { requestedRateRps: 2 } });
  });

  it('NaN is no number', async () => {
    const text = stage.replace('"median":0.1,', '"median":NaN,');
    expect(text).not.toBe(stage);
    const report = await one({ 'stage_0_lifecycle_metrics.json': text });
    expect(measureOf(report.scopes[0]!, 'ttft')?.stats).not.toHaveProperty('p50');
  });

  it('stages that do not add up to the summary are named', async () => {
    const report = await one({
      'summary_lifecycle_metrics.json': summary.replace('"count":10', '"count":25'),
      'stage_0_lifecycle_metrics.json': stage,
    });
    expect(violated(judgeReport(report)).map(({ id }) => id)).toContain('stage-sum');
  });

  it('sessions, adapters and the server’s view come along', async () => {
    const report = await one({
      'stage_0_lifecycle_metrics.json': stage,
      'adapter_lora-a_stage_0_lifecycle_metrics.json': stage,
      'stage_0_session_lifecycle_metrics.json': JSON.stringify({
        num_sessions: 4,
        num_sessions_succeeded: 3,
        num_sessions_failed: 1,
        sessions_with_cache_info: 0,
      }),
      'stage_0_prometheus_metrics.json':
        '{"load_summary": {}, "successes": {"count": 10, "rate": 2.0, "queue_len": {"mean": NaN}, "request_latency": {"mean": 0.0}, "prefix_cache_hit_percent": {"mean": 0.0}}, "failures": {}}',
    });
    expect(report.scopes.map(({ label }) => label)).toEqual(['stage 0', 'adapter lora-a, stage 0']);
    expect(report.facts.map(({ label }) => label)).toEqual(['Sessions', 'Adapters']);
    expect(report.facts[0]!.value).toContain('no cache figures from the server');
    const server = report.scopes[0]!.server!;
    expect(server.count).toBe(10);
    expect(server.zeros).toEqual(['request_latency', 'prefix_cache_hit_percent']);
    expect(measureOf(server, 'e2e')).toBeUndefined();
  });

  it('secrets of its config are masked before anybody sees them', async () => {
    const report = await one({
      'stage_0_lifecycle_metrics.json': stage,
      'config.yaml':
        'load:\n  type: constant\nserver:\n  api_key: sk-live-abcdefgh12345\n  base_url: http://me:pw1234@host/\ntokenizer:\n  token: hf_abcdefghijklmnop\n',
    });
    const text = JSON.stringify(report);
    for (const secret of ['sk-live', 'pw1234', 'hf_abc']) expect(text).not.toContain(secret);
    expect(text).toContain('<removed>');
  });
});
