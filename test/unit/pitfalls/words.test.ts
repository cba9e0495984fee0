// What a pitfall says has to be true of the run it says it of: figures and evidence that once contradicted the words.
import { describe, expect, it } from 'vitest';
import { judgeReport } from '../../../src/audit/identities';
import { readConfig } from '../../../src/config/load';
import { configPitfalls } from '../../../src/pitfalls/check';
import type { Problem } from '../../../src/problem';
import { openReports } from '../../../src/readers/open';
import { memoryFolder } from '../support/memory-folder';
import { perfFolder, stat, type Patch, type PerfFolder } from '../support/perf-folder';
import { runOf } from './cases';
import { CLEAN, with_ } from './configs';

const findings = (text: string): readonly Problem[] => configPitfalls(readConfig(text).loaded!);
const codesOf = (text: string): readonly string[] => findings(text).map(({ code }) => code);

async function said(folder: PerfFolder, code: string): Promise<readonly string[]> {
  const opened = await openReports(memoryFolder(perfFolder(folder)));
  if (!opened.ok) throw new Error(JSON.stringify(opened.problems));
  return opened.value.reports.flatMap(({ report }) =>
    judgeReport(report).cautions.flatMap(({ pitfall, message }) => (pitfall === code ? [message] : [])),
  );
}

describe('CMP069: whether a stream broke off, its latency says', () => {
  const empty = (latency: Patch): PerfFolder => ({
    stages: [
      {
        successes: {
          latency: { request_latency: latency },
          output_len: { ...stat(101), min: 0 },
          output_tokens: { ...stat(101), min: 0 },
        },
      },
    ],
  });
  it('an answer without tokens that took as long as the others did not', async () => {
    const [words] = await said(empty(stat(24, 26)), 'CMP069');
    expect(words).toMatch(/none ended early \(the shortest took 24\.0 s\)/);
    expect(words).not.toMatch(/broke off/);
  });
  it('one that ended after a tenth of the time may have', async () => {
    const [words] = await said(empty({ ...stat(24, 26), min: 2.4 }), 'CMP069');
    expect(words).toMatch(/broke off/);
  });
});

describe('CMP061 does not say which way the mean is off', () => {
  it.each([0.005, 0.0198, 0.085])('mean NTPOT %d s', async (mean) => {
    const words = await said(
      { stages: [{ successes: { latency: { normalized_time_per_output_token: { ...stat(mean), min: 0 } } } }] },
      'CMP061',
    );
    expect(words).toHaveLength(1);
    expect(words[0]).not.toMatch(/too (small|large|low|high)/);
  });
});

describe('CMP085 means a warm-up, not a measurement that is repeated', () => {
  const stages = (...lines: readonly string[]): string =>
    with_(CLEAN, /stages:[\s\S]*?api:/, `stages:\n${lines.map((line) => `    - { ${line} }\n`).join('')}api:`);
  it.each([
    [['rate: 5, duration: 100', 'rate: 5, duration: 100', 'rate: 5, duration: 100']],
    [['rate: 5, duration: 100', 'rate: 5, duration: 100', 'rate: 5, duration: 100', 'rate: 9, duration: 100']],
    [['rate: 5, duration: 100', 'rate: 5, duration: 100']],
  ])('not %j', (lines) => {
    expect(codesOf(stages(...lines))).not.toContain('CMP085');
    // Nothing warms up all the same.
    expect(codesOf(stages(...lines))).toContain('CMP008');
  });
  it.each([
    [['rate: 5, duration: 20', 'rate: 5, duration: 100']],
    [['rate: 5, duration: 100', 'rate: 5, duration: 100', 'rate: 9, duration: 100']],
  ])('but %j', (lines) => {
    expect(codesOf(stages(...lines))).toContain('CMP085');
  });
});

describe('CMP034 advises what helps', () => {
  const remedyOf = (data: string, api: string): string =>
    findings(with_(CLEAN, /data:[\s\S]*/, `data: ${data}\n`).replace('type: completion', `type: ${api}`)).find(
      ({ code }) => code === 'CMP034',
    )!.remedy!;
  it('completion where the route is what caps, and only there', () => {
    expect(remedyOf('{ type: shareGPT }', 'chat')).toMatch(/completion/);
    expect(remedyOf('{ type: mock }', 'completion')).not.toMatch(/completion/);
    expect(remedyOf('{ type: mock }', 'chat')).not.toMatch(/completion/);
  });
});

describe('CMP013 is about what inference-perf wrote', () => {
  const closed: PerfFolder = {
    stages: [{ load_summary: { concurrency: 40, requested_rate: 400 } }],
    config: { load: { type: 'concurrent', stages: [{ num_requests: 400, concurrency_level: 40 }] } },
  };
  it('not about a run of ours in the same layout', async () => {
    const { canonical } = await runOf(closed);
    const codes = (tool: string): readonly string[] =>
      judgeReport({ ...canonical!, tool: tool }).cautions.map(({ pitfall }) => pitfall);
    expect(codes('inference-perf')).toContain('CMP013');
    expect(codes('isoperf')).not.toContain('CMP013');
  });
});

describe('CMP075 leaves alone what was asked for without a limit', () => {
  const sglang = (more: string): Record<string, string> => ({
    'bench.jsonl': `{"backend": "sglang", "max_concurrency": null, "random_range_ratio": 1.0, "duration": 22, "completed": 400, "total_input_tokens": 40000, "total_output_tokens": 40400, "total_output_tokens_retokenized": 40000, "request_throughput": 18.2, "mean_e2e_latency_ms": 2100, "mean_ttft_ms": 100, "mean_tpot_ms": 20, "mean_itl_ms": 20, ${more}}\n`,
  });
  const seen = async (more: string): Promise<readonly string[]> => {
    const opened = await openReports(memoryFolder(sglang(more)));
    if (!opened.ok) throw new Error(JSON.stringify(opened.problems));
    return judgeReport(opened.value.reports[0]!.report).cautions.map(({ pitfall }) => pitfall);
  };
  it('an endless rate is the default of SGLang; a number that was measured is none', async () => {
    expect(await seen('"request_rate": Infinity')).not.toContain('CMP075');
    expect(await seen('"request_rate": Infinity, "std_ttft_ms": NaN')).toContain('CMP075');
    expect(await seen('"request_rate": 20, "std_ttft_ms": Infinity')).toContain('CMP075');
    expect(await seen('"request_rate": NaN')).toContain('CMP075');
  });
});
