// A comparison without resamples shows values and says that no interval was asked for; a stage without counts has no zeros.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { CanonicalReport, ReportScope, ScopeCounts } from '../../../src/readers/canonical';
import type { Run } from '../../../src/readers/run';
import { syntheticRun } from '../support/synthetic-run';

describe('resamples: 0', () => {
  it('every row with a value on both sides has a difference and the reason why it has no interval', () => {
    const { metrics } = compare(syntheticRun({ seed: 1 }), syntheticRun({ seed: 2 }), { resamples: 0 });
    const both = metrics.filter(({ a, b }) => a.value !== undefined && b.value !== undefined);
    expect(both.map(({ metric }) => metric)).toEqual(
      expect.arrayContaining(['ttft', 'requests_per_sec', 'error_rate']),
    );
    for (const { difference } of both) {
      expect(difference?.interval).toBeUndefined();
      expect(difference?.answer.kind).toBe('inconclusive');
    }
    expect(both.find(({ metric }) => metric === 'ttft')?.difference?.noInterval).toBe('no interval was asked for');
  });

  it('requests that are pairs are no reason to draw', () => {
    const run = syntheticRun({ seed: 1 });
    const { metrics } = compare(run, run, { resamples: 0 });
    expect(metrics.filter(({ difference }) => difference?.interval)).toEqual([]);
    expect(metrics.find(({ metric }) => metric === 'ttft')?.difference?.noInterval).toBe('no interval was asked for');
  });
});

/** Another tool's run with one stage at 10 requests/s that has these counts, and this rate of answers. */
function foreign(counts: ScopeCounts, rate?: number): Run {
  const file = 'result.json';
  const source = { file, key: 'rate', factor: 1 };
  const scope: ReportScope = {
    id: 'run',
    label: 'run',
    kind: 'run',
    file,
    load: { model: 'open', words: '10 requests/s asked', requestedRateRps: 10 },
    counts,
    measures:
      rate === undefined ? [] : [{ quantity: 'requests_per_sec', stats: { value: rate }, source, definition: {} }],
  };
  const canonical: CanonicalReport = {
    tool: 'other',
    versionClass: { name: 'any', evidence: [] },
    place: 'here',
    name: 'here',
    files: [file],
    scopes: [scope],
    assumptions: [],
    notRecorded: [],
    facts: [],
    problems: [],
  };
  return { folder: 'here', tool: { name: 'other' }, stages: new Map(), files: [file], problems: [], canonical };
}

describe('a report that does not count', () => {
  it('has no error rate of 0 and no rate of 0', () => {
    const { metrics } = compare(foreign({ ok: 300, failed: 3, total: 303 }, 9.5), foreign({ ok: 300 }), {});
    const ofB = (metric: string): unknown => metrics.find((row) => row.metric === metric)?.b;
    expect(ofB('error_rate')).toEqual({ n: 300, missing: 'failures are not counted in the file' });
    expect(ofB('requests_per_sec')).toEqual({ n: 300, missing: 'not counted' });
  });
});

describe('whole numbers beyond a double', () => {
  it('in any setting end no comparison, and keep their digits', () => {
    const digits = '18446744073709551615';
    const big = BigInt(digits);
    const run = syntheticRun({ seed: 1 });
    const odd = {
      ...run,
      config: {
        ...run.config,
        load: { ...(run.config?.['load'] as object), base_seed: big },
        data: { type: 'random', path: big, input_distribution: { mean: big }, shared_prefix: { seed: big } },
        report: { request_lifecycle: { percentiles: [big] } },
        tokenizer: { pretrained_model_name_or_path: big },
        api: { type: big, response_format: { name: big } },
      },
    } as Run;
    for (const [a, b] of [
      [odd, odd],
      [run, odd],
      [odd, run],
    ] as const)
      expect(JSON.stringify(compare(a, b, { resamples: 0 }))).toContain(digits);
  });
});
