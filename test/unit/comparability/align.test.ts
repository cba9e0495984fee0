// Correct, then compare: pairs that differ only in what alignment removes come out equal after it, and the shares add up.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { Comparison, DimensionId } from '../../../src/comparability/comparison';
import type { Alignable } from '../../../src/comparability/align';
import { changePoint, mser5, suggestedCut, timeSeriesOf } from '../../../src/comparability/warmup-detection';
import type { Run } from '../../../src/readers/run';
import { normalFrom, randomStream, syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

const finding = (comparison: Comparison, id: DimensionId) =>
  comparison.findings.find((entry) => entry.dimension === id)!;
const row = (comparison: Comparison, metric: string, statistic: string) =>
  comparison.metrics.find((entry) => entry.metric === metric && entry.statistic === statistic)!;

function aligned(a: SyntheticOptions, b: SyntheticOptions, align: readonly Alignable[]): Comparison {
  return compare(syntheticRun({ seed: 1, ...a }), syntheticRun({ seed: 2, ...b }), { align, resamples: 400 });
}

function addUp(comparison: Comparison): void {
  const rows = comparison.metrics.filter((metric) => metric.alignment);
  expect(rows.length).toBeGreaterThan(5);
  for (const { alignment, difference } of rows) {
    const sum = alignment!.shares.reduce((total, share) => total + share.percentOfA, 0);
    expect(alignment!.beforePercentOfA - alignment!.afterPercentOfA).toBeCloseTo(sum, 9);
    expect(alignment!.afterPercentOfA).toBeCloseTo(difference!.percentOfA!, 9);
  }
}

describe('the token source', () => {
  // The client counts a tenth less than the server, and B's own numbers are by the client.
  const a = { clientFactor: 0.9 };
  const b = { clientFactor: 0.9, outputSource: 'client-tokenizer' } as const;

  it('differs by a tenth as recorded, and by nothing under one counter', () => {
    const before = aligned(a, b, []);
    expect(finding(before, 'token-source')).toMatchObject({ state: 'confounds', alignable: { possible: true } });
    expect(row(before, 'tpot', 'mean').difference!.percentOfA).toBeGreaterThan(8);
    const after = aligned(a, b, ['token-source']);
    expect(finding(after, 'token-source').state).toBe('aligned');
    expect(after.verdict.exitCode).toBe(0);
    expect(after.verdict.sentence).toMatch(/Comparable after alignment in token counter/);
    const tpot = row(after, 'tpot', 'mean');
    expect(tpot.verdict).toBe('comparable-after-alignment');
    expect(tpot.difference!.detected).toBe(false);
    expect(tpot.alignment!.words).toMatch(/^\d+\.\d % -> .*token-source \d+\.\d$/);
    expect(row(after, 'ttft', 'mean').verdict).toBe('comparable');
    addUp(after);
  });

  it('without a common counter, says which run needs what', () => {
    const comparison = aligned({ tokenizer: false }, { usage: false }, ['token-source']);
    const { state, alignable } = finding(comparison, 'token-source');
    expect(state).toBe('confounds');
    expect(alignable!.possible).toBe(false);
    expect(alignable!.words).toMatch(/A has no client count and B no server usage; run A with tokenizer/);
    expect(comparison.notes.join()).toMatch(/Not aligned: token counter/);
  });

  it('without records, asks for the file', () => {
    const bare = (run: Run): Run =>
      Object.fromEntries(Object.entries(run).filter(([key]) => key !== 'records')) as unknown as Run;
    const comparison = compare(bare(syntheticRun({ seed: 1 })), syntheticRun({ seed: 2, usage: false }));
    expect(finding(comparison, 'token-source').alignable!.words).toMatch(/records\.jsonl/);
  });
});

describe('the window', () => {
  const WARMUP = { rateRps: 20, durationSeconds: 5, warmup: true } as const;
  const STAGE = { rateRps: 20, durationSeconds: 20 } as const;
  const cold = { coldSeconds: 0.3, coldRequests: 60 } as const;

  it('a warm-up on one side: the other side’s start is cut, and they are equal', () => {
    const [a, b] = [
      { ...cold, stages: [WARMUP, STAGE] },
      { ...cold, stages: [STAGE] },
    ];
    expect(row(aligned(a, b, []), 'ttft', 'mean').difference!.percentOfA).toBeGreaterThan(40);
    const after = aligned(a, b, ['warmup-window']);
    expect(finding(after, 'warmup-window')).toMatchObject({ state: 'aligned' });
    expect(finding(after, 'warmup-window').message).toMatch(
      /first \d+ requests of B’s window are left out.*What remains/,
    );
    expect(row(after, 'ttft', 'mean').difference!.detected).toBe(false);
    expect(after.verdict.exitCode).toBe(0);
    addUp(after);
  });

  it('a longer run with a drift: the same length of both is the same', () => {
    const drifting = (seed: number, durationSeconds: number): Run => {
      const run = syntheticRun({ seed, stages: [{ rateRps: 20, durationSeconds }] });
      const records = run.records!.map((record) => ({
        ...record,
        firstTokenSeconds: record.firstTokenSeconds! + 0.001 * record.scheduledSeconds,
      }));
      return { ...run, records };
    };
    const [a, b] = [drifting(1, 20), drifting(2, 60)];
    expect(row(compare(a, b, { resamples: 200 }), 'ttft', 'mean').difference!.percentOfA).toBeGreaterThan(20);
    const after = compare(a, b, { resamples: 400, align: ['warmup-window'] });
    expect(Math.abs(row(after, 'ttft', 'mean').difference!.percentOfA!)).toBeLessThan(6);
    expect(row(after, 'ttft', 'mean').difference!.detected).not.toBe(true);
    expect(after.notes.join()).toMatch(/both windows are \d+(\.\d)? s of sending/);
  });

  it('both at once: every step has its share', () => {
    const a = { ...cold, clientFactor: 0.9, stages: [WARMUP, STAGE] };
    const b = { ...cold, clientFactor: 0.9, outputSource: 'client-tokenizer', stages: [STAGE] } as const;
    const after = aligned(a, b, ['token-source', 'warmup-window']);
    expect(after.verdict.exitCode).toBe(0);
    expect(row(after, 'ntpot', 'mean').alignment!.words).toMatch(/warmup-window.*token-source/);
    addUp(after);
  });
});

describe('failures', () => {
  it('counted as slower than every answer, percentiles stay and means go', () => {
    const after = aligned({}, { failureShare: 0.1 }, ['completeness']);
    expect(finding(after, 'completeness').state).toBe('aligned');
    expect(row(after, 'ttft', 'mean').b.missing).toMatch(/\d+ of 400 requests failed/);
    expect(row(after, 'ttft', 'p50').b.value).toBeGreaterThan(
      row(aligned({}, { failureShare: 0.1 }, []), 'ttft', 'p50').b.value!,
    );
    expect(row(after, 'ttft', 'p95').b.missing).toMatch(/requests failed/);
  });

  it('a killed run cannot be aligned', () => {
    const comparison = aligned({}, { stopAfter: 200 }, ['completeness']);
    expect(comparison.verdict.exitCode).toBe(3);
    expect(finding(comparison, 'completeness').alignable!.words).toMatch(/B was stopped before its end/);
  });
});

describe('where a run settles', () => {
  const series = (n: number, cold: number): number[] => {
    const random = randomStream(n + cold);
    return Array.from({ length: n }, (_, i) => (i < cold ? 3 : 1) * Math.exp(0.1 * normalFrom(random)));
  };

  it.each([
    [400, 0],
    [400, 40],
    [400, 120],
    [1000, 200],
  ])('MSER-5 and the largest shift: of %i, %i cold', (n, cold) => {
    const values = series(n, cold);
    const cut = mser5(values);
    expect(cut).toBeGreaterThanOrEqual(cold);
    expect(cut).toBeLessThanOrEqual(cold + n / 4);
    if (cold > 0) expect(Math.abs(changePoint(values)!.at - cold)).toBeLessThanOrEqual(5);
  });

  it('what is not slower is not cut', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const run = syntheticRun({ seed });
      expect(suggestedCut(timeSeriesOf(run.records!))!.requests).toBe(0);
    }
    const cut = suggestedCut(timeSeriesOf(syntheticRun({ coldSeconds: 0.3, coldRequests: 60 }).records!))!;
    expect(cut.requests).toBeGreaterThanOrEqual(60);
    expect(cut.ratioBefore).toBeGreaterThan(3);
    expect(cut.ratioAfter).toBeLessThan(1.2);
  });
});
