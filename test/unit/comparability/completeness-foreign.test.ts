// Completeness of other tools' runs: what the tool says of its own end is read and cited, and a count that nobody made is not 0.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { Finding } from '../../../src/comparability/comparison';
import { readRun } from '../../../src/readers/read';
import type { Run } from '../../../src/readers/run';
import { memoryFolder } from '../support/memory-folder';

const block = (unit: string, avg: number): unknown => ({ unit, avg });
const AIPERF = {
  schema_version: '1.4',
  aiperf_version: '0.13.0',
  request_throughput: block('requests/sec', 5),
  request_latency: { unit: 'ms', avg: 240, p50: 240, p99: 260, min: 230, max: 270, std: 5 },
  request_count: block('requests', 60),
  benchmark_duration: block('sec', 12),
  input_config: { endpoint: { type: 'completions', streaming: true } },
  was_cancelled: false,
  is_complete: true,
  error_summary: [],
};

async function opened(value: object, file = 'profile_export_aiperf.json'): Promise<Run> {
  const read = await readRun(memoryFolder({ [file]: JSON.stringify(value) }));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

function completeness(a: Run, b: Run): Finding {
  return compare(a, b).findings.find(({ dimension }) => dimension === 'completeness')!;
}

const cited = (finding: Finding): Record<string, string | undefined> =>
  Object.fromEntries(finding.b.evidence.map(({ file, key, value }) => [`${file} ${key}`, value]));

describe('AIPerf', () => {
  it('a run that it calls complete, without errors, is cited as that, also where no number of requests was planned', async () => {
    const run = await opened(AIPERF);
    const found = completeness(run, run);
    expect(found.state).toBe('same');
    expect(cited(found)).toMatchObject({
      'profile_export_aiperf.json is_complete': 'complete',
      'profile_export_aiperf.json requests that ended': '60 requests ok of 60 planned',
      'profile_export_aiperf.json failed requests': '0',
    });
  });

  it('a cancelled one confounds, with the place where it says so', async () => {
    const found = completeness(
      await opened(AIPERF),
      await opened({ ...AIPERF, was_cancelled: true, is_complete: false }),
    );
    expect(found.state).toBe('confounds');
    expect(found.message).toContain('B is incomplete');
    expect(cited(found)).toMatchObject({ 'profile_export_aiperf.json was_cancelled': 'cancelled' });
  });

  it('errors are counted from its list where it has no count of them', async () => {
    const errors = [
      { error_details: { code: 500, type: 'InternalServerError', message: 'x' }, count: 30 },
      { error_details: { code: 429, type: 'TooManyRequests', message: 'y' }, count: 10 },
    ];
    const failing = await opened({ ...AIPERF, error_summary: errors });
    expect(failing.canonical!.scopes[0]!.counts).toMatchObject({ ok: 60, failed: 40, total: 100 });
    const found = completeness(await opened(AIPERF), failing);
    expect(found.state).toBe('confounds');
    expect(cited(found)).toMatchObject({ 'profile_export_aiperf.json failed requests': '40' });
    const counted = await opened({ ...AIPERF, error_summary: errors, error_request_count: block('requests', 3) });
    expect(counted.canonical!.scopes[0]!.counts.failed).toBe(3);
  });

  it('an export that says nothing of its end or its errors leaves them open', async () => {
    const { was_cancelled: cancelled, is_complete: complete, error_summary: errors, ...silent } = AIPERF;
    expect([cancelled, complete, errors]).toEqual([false, true, []]);
    const run = await opened(silent);
    const found = completeness(run, run);
    expect(found.state).toBe('unknown');
    expect(cited(found)).toMatchObject({ 'profile_export_aiperf.json failed requests': undefined });
  });
});

describe('SGLang', () => {
  it('does not count failures: its report has no 0 of them', async () => {
    const run = await opened(
      {
        backend: 'sglang',
        dataset_name: 'random',
        request_rate: 5,
        random_range_ratio: 1,
        duration: 2,
        completed: 2,
        total_input_tokens: 20,
        total_output_tokens: 6,
        total_output_tokens_retokenized: 6,
        mean_ttft_ms: 150,
      },
      's.jsonl',
    );
    const found = completeness(run, run);
    expect(found.state).toBe('unknown');
    expect(cited(found)).toMatchObject({ 's.jsonl failed requests': undefined });
  });
});
