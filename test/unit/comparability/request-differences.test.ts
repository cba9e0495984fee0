// Each request's own difference: as data, as lines, as a chart; counts of pairs, of what has no counterpart and of what failed.
import { describe, expect, it } from 'vitest';
import { comparisonTable } from '../../../src/cli/compare-table';
import { compare } from '../../../src/comparability/compare';
import { openComparison } from '../../../src/comparability/saved';
import { comparisonMarkdown } from '../../../src/views/comparison/markdown';
import { comparisonView } from '../../../src/views/comparison/view';
import type { Run } from '../../../src/readers/run';
import { normalFrom, randomStream, syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

const OPTIONS: SyntheticOptions = { seed: 1, promptTokens: { mean: 2000, stdDev: 600 }, maxTokens: 8, jitter: 0.01 };
const FAILED = { kind: 'failed', errorType: 'TimeoutError', label: 'Timeout', message: 'late' } as const;

/** The same stream, every request later by 2 ms and a little luck of its own. */
function later(run: Run, milliseconds: number): Run {
  const random = randomStream(5);
  const records = run.records!.map((record) => {
    const by = (milliseconds + 0.1 * normalFrom(random)) / 1000;
    return {
      ...record,
      firstTokenSeconds: record.firstTokenSeconds! + by,
      chunkSeconds: Array.from(record.chunkSeconds, (time) => time + by),
      lastTokenSeconds: record.lastTokenSeconds! + by,
      endSeconds: record.endSeconds! + by,
    };
  });
  return { ...run, records };
}

const a = syntheticRun(OPTIONS);
const shifted = later(syntheticRun(OPTIONS), 2);
const records = shifted
  .records!.slice(0, 390)
  .map((record, i) => (i % 130 === 3 ? { ...record, outcome: FAILED } : record));
const b = { ...shifted, records };
const comparison = compare(a, b, { resamples: 200 });

describe('one stream on both sides', () => {
  it('is data: pairs, what is left out, and the distribution of each quantity', () => {
    const [stage] = comparison.requests!;
    expect(stage).toMatchObject({ stage: 0, pairs: { answered: 387, unmatchedA: 10, unmatchedB: 0, failed: 3 } });
    const ttft = stage!.differences.find(({ metric }) => metric === 'ttft')!;
    expect(ttft).toMatchObject({ unit: 'ms', n: 387 });
    expect(ttft.longerOnB).toBe(1);
    expect(ttft.correlation).toBeGreaterThan(0.99);
    const at = (percent: number) => ttft.at.find((one) => one.percent === percent)!.difference;
    expect(at(50)).toBeCloseTo(2, 1);
    expect(at(5)).toBeGreaterThan(1.7);
    expect(at(95)).toBeLessThan(2.3);
    expect(openComparison(JSON.parse(JSON.stringify(comparison)))).toEqual(JSON.parse(JSON.stringify(comparison)));
  });

  it('is told on the terminal and in Markdown, with the counts, the correlation and both widths', () => {
    for (const text of [comparisonTable(comparison, 120, false), comparisonMarkdown(comparison)]) {
      const words = text.replaceAll(/\s+/g, ' ');
      expect(words).toContain(
        'Request by request: 387 pairs; left out: 10 of A without a counterpart, 3 not answered on both sides.',
      );
      expect(words).toMatch(/TTFT: B less A is \+2\.0\d ms in the median, 90 % between \+1\.\d+ and \+2\.\d+ ms/);
      expect(words).toMatch(
        /longer on B in 100 % of 387 pairs; correlation (?:1\.00|0\.99); the mean ±0\.0\d+ ms in pairs, ±/,
      );
    }
  });

  it('has a chart of its own, with a sentence and a table', () => {
    const chart = comparisonView(comparison, a, b).charts.find(({ id }) => id === 'requests')!;
    expect(chart.title).toBe('Each request’s own difference');
    const [ttft] = chart.choices;
    expect(ttft).toMatchObject({ label: 'TTFT', x: { label: 'TTFT on B less on A, ms' }, y: { label: '% of pairs' } });
    expect(ttft!.sentence).toMatch(/B less A is \+2\.0\d ms in the median/);
    const [drawn, zero] = ttft!.series;
    expect(drawn!.x).toEqual([...drawn!.x].sort((x, y) => x - y));
    expect(zero!.x).toEqual([0, 0]);
    expect(ttft!.table.rows[0]!.at(-1)).toBe('387');
  });
});

it('other prompts are no pairs: the reason is data, and nothing is drawn or told', () => {
  const other = syntheticRun({ ...OPTIONS, seed: 2 });
  const apart = compare(a, other, { resamples: 50 });
  expect(apart.requests![0]).toMatchObject({ stage: 0, differences: [] });
  expect(apart.requests![0]!.reason).toMatch(/have the same prompt, lengths and time/);
  expect(comparisonTable(apart, 100, false)).not.toContain('Request by request');
  expect(comparisonView(apart, a, other).charts.map(({ id }) => id)).not.toContain('requests');
});

it('requests that resemble each other by chance alone are taken as two samples, which is said', () => {
  const random = randomStream(8);
  const plain = { ...OPTIONS, promptTokens: 100 };
  const shaken = (run: Run): Run => ({
    ...run,
    records: run.records!.map((record) => ({
      ...record,
      firstTokenSeconds: record.sentSeconds! + 0.05 * Math.exp(0.3 * normalFrom(random)),
    })),
  });
  const luck = compare(shaken(syntheticRun(plain)), shaken(syntheticRun(plain)), { resamples: 100 });
  const { difference } = luck.metrics.find(({ metric, statistic }) => metric === 'ttft' && statistic === 'mean')!;
  expect(difference!.paired).toMatchObject({ together: false });
  expect(difference!.interval!.method).not.toContain('request by request');
  expect(comparisonTable(luck, 120, false).replaceAll(/\s+/g, ' ')).toContain(
    'as two samples: nothing cancels in pairs',
  );
});
