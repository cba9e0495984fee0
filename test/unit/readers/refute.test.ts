// Rates that contradict their own file are evidence, not figures.
import { describe, expect, it } from 'vitest';
import { judgeReport, violated } from '../../../src/audit/identities';
import type { CanonicalReport, Measure, QuantityId, ReportScope } from '../../../src/readers/canonical';
import { withoutImpossibleRates } from '../../../src/readers/refute';

const measure = (quantity: QuantityId, stats: Record<string, number>, average?: 'over-time'): Measure => ({
  quantity,
  stats,
  source: { file: 'x.json', key: `${quantity}.*`, factor: 1 },
  definition: average ? { average } : {},
});

function reportOf(measures: readonly Measure[], scope: Partial<ReportScope> = {}): CanonicalReport {
  return {
    tool: 'x',
    versionClass: { name: '1', evidence: [] },
    place: 'x',
    name: 'x',
    files: ['x.json'],
    scopes: [
      {
        id: 'run',
        label: 'run',
        kind: 'run',
        file: 'x.json',
        load: { model: 'closed', concurrency: 4, words: '' },
        counts: { ok: 40, failed: 0, total: 40 },
        windowSeconds: { value: 20, from: 'duration' },
        measures,
        ...scope,
      },
    ],
    assumptions: [],
    notRecorded: [],
    facts: [],
    problems: [],
  };
}

const honest = [
  measure('prompt_tokens', { mean: 100 }),
  measure('output_tokens', { mean: 50 }),
  measure('requests_per_sec', { value: 1.7 }, 'over-time'),
  measure('output_tokens_per_sec', { value: 85 }, 'over-time'),
  measure('total_tokens_per_sec', { value: 255 }, 'over-time'),
];
const rateOf = (report: CanonicalReport): Measure | undefined =>
  report.scopes[0]?.measures.find(({ quantity }) => quantity === 'input_tokens_per_sec');

describe('a token rate', () => {
  it('that a ramp moved stays', () => {
    const report = withoutImpossibleRates(
      reportOf([...honest, measure('input_tokens_per_sec', { value: 170 }, 'over-time')]),
    );
    expect(rateOf(report)?.stats['value']).toBe(170);
    expect(violated(judgeReport(report))).toEqual([]);
  });

  it('that is thousands of times its total gives way to count, length and window, and is said', () => {
    const report = withoutImpossibleRates(
      reportOf([...honest, measure('input_tokens_per_sec', { value: 1_400_000 }, 'over-time')]),
    );
    expect(rateOf(report)).toMatchObject({
      stats: { value: 200 },
      derived: expect.stringContaining('contradicts') as string,
    });
    expect(violated(judgeReport(report)).map(({ id }) => id)).toEqual(['rate-parts', 'rate-length']);
  });

  it('above its total with nothing to take its place is missing', () => {
    const report = withoutImpossibleRates(
      reportOf([...honest, measure('input_tokens_per_sec', { value: 1_400_000 })], { counts: {} }),
    );
    expect(rateOf(report)).toBeUndefined();
    expect(report.scopes[0]?.refuted).toHaveLength(1);
  });
});
