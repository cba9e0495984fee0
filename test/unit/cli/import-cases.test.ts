// What import says of odd but honest results: a cold opening wave, nothing but failures, goodput, by-products, an unknown load.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CliIo } from '../../../src/cli/command';
import { importCommand } from '../../../src/cli/import';
import { judgeReport } from '../../../src/audit/identities';
import { openingCautions } from '../../../src/audit/opening';
import { openReports } from '../../../src/readers/open';
import { completeReport } from '../../../src/readers/records/complete';
import { ownRequests } from '../../../src/readers/records/requests';
import { reportOf } from '../../../src/readers/own';
import { summarize } from '../../../src/metrics/summarize';
import type { CanonicalReport } from '../../../src/readers/canonical';
import { importListing } from '../../../src/cli/import-listing';
import { memoryFolder } from '../support/memory-folder';
import { syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

type Files = Readonly<Record<string, string>>;

async function opened(files: Files) {
  const result = await openReports(memoryFolder(files));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const [first] = result.value.reports;
  const { report, records } = await completeReport(first!);
  return { report, records, problems: result.value.problems };
}

async function waveOf(files: Files): Promise<string | undefined> {
  const { report, records } = await opened(files);
  return openingCautions(report, records!.requests)[0]?.message;
}

/** TTFT in seconds: the first so many take longer. */
const ttfts = (n: number, cold: number, seconds: number): number[] =>
  Array.from({ length: n }, (_, i) => (i < cold ? seconds : 1 + 0.1 * ((i * 7) % 10)));

function vllm(times: readonly number[]): Files {
  const n = times.length;
  const value = {
    date: '20261129-120000',
    backend: 'vllm',
    model_id: 'm',
    num_prompts: n,
    request_rate: 'inf',
    burstiness: 1,
    max_concurrency: 10,
    duration: 100,
    completed: n,
    failed: 0,
    total_input_tokens: 10 * n,
    total_output_tokens: 3 * n,
    request_throughput: n / 100,
    max_concurrent_requests: 10,
    mean_ttft_ms: (1000 * times.reduce((a, b) => a + b, 0)) / n,
    input_lens: times.map(() => 10),
    output_lens: times.map(() => 3),
    ttfts: times,
    itls: times.map(() => [0.01, 0.01]),
    generated_texts: times.map(() => ''),
    errors: times.map(() => ''),
  };
  return { 'r.json': JSON.stringify(value) };
}

function aiperf(times: readonly number[]): Files {
  const lines = times.map((ttft, i) =>
    JSON.stringify({
      metadata: {
        request_start_ns: 1e18 + i * 1e9,
        request_end_ns: 1e18 + i * 1e9 + (ttft + 1) * 1e9,
        was_cancelled: false,
        benchmark_phase: 'profiling',
      },
      metrics: {
        time_to_first_token: { value: ttft * 1000, unit: 'ms' },
        request_latency: { value: (ttft + 1) * 1000, unit: 'ms' },
        output_sequence_length: { value: 5, unit: 'tokens' },
        input_sequence_length: { value: 5, unit: 'tokens' },
      },
    }),
  );
  return { 'profile_export.jsonl': `${lines.join('\n')}\n` };
}

describe('a cold opening wave', () => {
  it.each<[string, Files]>([
    ['vLLM', vllm(ttfts(100, 10, 40))],
    ['AIPerf', aiperf(ttfts(100, 10, 40))],
    ['in a short run', vllm(ttfts(30, 5, 40))],
  ])('of %s is named with its size', async (_name, files) => {
    expect(await waveOf(files)).toMatch(
      /^the first \d+ of \d+ answers have \d+(?:\.\d+)? times the mean TTFT of the rest/,
    );
  });

  it('is none in a steady run, nor where single requests are slow', async () => {
    expect(await waveOf(vllm(ttfts(100, 0, 0)))).toBeUndefined();
    expect(await waveOf(vllm(ttfts(30, 1, 40)))).toBeUndefined();
    expect(await waveOf(aiperf(ttfts(100, 0, 0).reverse()))).toBeUndefined();
  });

  const own = (options: SyntheticOptions): CanonicalReport & { waves: readonly string[] } => {
    const run = syntheticRun(options);
    const stages = run.manifest!.stages.map(({ id }) => {
      const records = run.records!.filter(({ stage }) => stage === id);
      return [id, summarize(records, { percentiles: [50, 99], outputTokenSource: 'mixed' })] as const;
    });
    const report = reportOf({ ...run, stages: new Map(stages) });
    return { ...report, waves: openingCautions(report, ownRequests(run.records!, 'tokens')).map(({ scope }) => scope) };
  };

  it('of our own is looked for in the first measured stage', () => {
    const cold = { coldRequests: 12, coldSeconds: 3 };
    expect(own(cold).waves).toEqual(['stage 0']);
    const two = [
      { rateRps: 20, durationSeconds: 10, warmup: true },
      { rateRps: 20, durationSeconds: 10 },
    ];
    expect(own({ ...cold, stages: two }).waves).toEqual([]);
    // A ladder that comes down: its first stage carries more, and is no wave of the whole.
    expect(
      own({
        stages: [
          { rateRps: 40, durationSeconds: 5 },
          { rateRps: 5, durationSeconds: 40 },
        ],
      }).waves,
    ).toEqual([]);
  });
});

const AIPERF = {
  schema_version: '1.3',
  aiperf_version: '0.11.0',
  request_count: { unit: 'requests', avg: 10 },
  request_latency: { unit: 'ms', avg: 100, p50: 90 },
  goodput: { unit: 'requests/sec', avg: 16.3 },
  good_request_fraction: { unit: 'ratio', avg: 0.75 },
  input_config: {},
};

describe('a run without one success', () => {
  const failed = {
    ...(JSON.parse(vllm([])['r.json']!) as object),
    completed: 0,
    failed: 300,
    num_prompts: 300,
    errors: undefined,
  };
  it.each([
    [0, 2],
    // Its counts contradict each other, which is another fault.
    [5, 1],
  ])('%i of 305 answered: exit code %i', async (completed, code) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-import-'));
    writeFileSync(
      path.join(folder, 'r.json'),
      JSON.stringify({ ...failed, completed, request_throughput: completed / 100 }),
    );
    const io: CliIo = { out: () => true, err: () => true, isTerminal: false, columns: 100, env: {}, cwd: folder };
    expect(await importCommand.run(['r.json', '--no-records'], io)).toBe(code);
    rmSync(folder, { recursive: true });
  });
});

describe('other words', () => {
  it('goodput is listed, and what AIPerf writes beside its export is no news', async () => {
    const { report, problems } = await opened({
      'profile_export_aiperf.json': JSON.stringify(AIPERF),
      'inputs.json': JSON.stringify({ data: [{ session_id: 'x', payloads: [] }] }),
    });
    const text = importListing({ report, judgement: judgeReport(report), problems }, { columns: 120, all: false });
    expect(text).toMatch(/request goodput +16\.3 +requests\/s/);
    expect(text).toMatch(/good request fraction +0\.750/);
    expect(problems).toEqual([]);
  });

  it('a sweep’s aggregate beside its parts is no news, alone it is no report', async () => {
    const sweep = { aggregation_type: 'sweep', per_combination_metrics: [], metadata: {} };
    const inner = memoryFolder({ 'profile_export_aiperf_sweep.json': JSON.stringify(sweep) });
    const outer = memoryFolder({ 'profile_export_aiperf.json': JSON.stringify(AIPERF) });
    const both = await openReports({ ...outer, folders: () => Promise.resolve([inner]) });
    expect(both.problems).toEqual([]);
    const alone = await openReports(inner);
    expect(alone.ok).toBe(false);
    expect(alone.problems.map(({ code }) => code)).toContain('REP123');
  });

  it('a summary is of all stages together, whatever rate it repeats', async () => {
    const value = {
      load_summary: { count: 4, schedule_delay: null, requested_rate: 2 },
      successes: { count: 0, latency: {}, throughput: {} },
      failures: { count: 4 },
    };
    const { report } = await opened({
      'stage_0_lifecycle_metrics.json': JSON.stringify(value),
      'summary_lifecycle_metrics.json': JSON.stringify(value),
    });
    expect(report.scopes.map(({ load }) => load.words)).toEqual(['2 requests/s asked', 'all stages together']);
  });

  it('a time below zero is a time that was never set, before it is an edit', async () => {
    const files = vllm(ttfts(100, 0, 0));
    const value = { ...(JSON.parse(files['r.json']!) as object), mean_tpot_ms: -3.2, median_tpot_ms: -3.1 };
    const { report } = await opened({ 'r.json': JSON.stringify(value) });
    const order = judgeReport(report).identities.find(({ id }) => id === 'order')!;
    expect(order.cause).toMatch(/never set \(0\)/);
  });
});
