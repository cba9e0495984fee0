// Repeats: noise from run to run is learned, strays are named, chance over many looks is paid for.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { Comparison } from '../../../src/comparability/comparison';
import { adjusted, levelsOf } from '../../../src/comparability/uncertainty';
import { studentQuantile, twoSidedStudent } from '../../../src/metrics/student';
import type { Run } from '../../../src/readers/run';
import { normalFrom, randomStream, syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

/** A run whose server has a good or a bad day: a level of its own that no request of it can show. */
function day(seed: number, spread: number, options: SyntheticOptions = {}): Run {
  const level = Math.exp(spread * normalFrom(randomStream(seed + 7000)));
  const run = syntheticRun({
    ...options,
    seed,
    ttftSeconds: 0.05 * level,
    stages: [{ rateRps: 20, durationSeconds: 15 }],
  });
  const startedAt = new Date(Date.UTC(2026, 10, 29, 12, seed)).toISOString();
  return {
    ...run,
    folder: `run-${seed}`,
    manifest: { ...run.manifest!, clock: { ...run.manifest!.clock, startedAt } },
  };
}

const row = (comparison: Comparison, metric: string, statistic: string) =>
  comparison.metrics.find((entry) => entry.metric === metric && entry.statistic === statistic)!;

describe('noise from run to run', () => {
  it('one run a side takes a bad day for a difference; repeats do not', () => {
    let single = 0;
    let repeated = 0;
    const pairs = 20;
    for (let k = 0; k < pairs; k++) {
      const runs = [0, 1, 2, 3, 4, 5].map((i) => day(100 * k + i, 0.15));
      const [a, b, ...rest] = runs;
      const { difference } = row(compare(a!, b!, { resamples: 100 }), 'ttft', 'mean');
      if (difference!.detected === true) single++;
      expect(difference!.detected === true && difference!.answer.kind === 'inconclusive').toBe(
        /single-runs|beyond-known-noise/.test(difference!.answer.reason),
      );
      const comparison = compare(a!, b!, {
        resamples: 100,
        repeatsA: [rest[0]!, rest[2]!],
        repeatsB: [rest[1]!, rest[3]!],
      });
      if (row(comparison, 'ttft', 'mean').difference!.detected === true) repeated++;
    }
    expect(single).toBeGreaterThan(pairs / 3);
    expect(repeated).toBeLessThanOrEqual(3);
  });

  it('is shown per metric, in the claim, with the order of the runs', () => {
    const at = [1, 2, 3, 4, 5, 6].map((seed) => day(seed, 0.1));
    const comparison = compare(at[0]!, at[1]!, {
      resamples: 100,
      repeatsA: [at[2]!, at[4]!],
      repeatsB: [at[3]!, at[5]!],
    });
    expect(comparison.repeats).toEqual({
      a: ['run-1', 'run-3', 'run-5'],
      b: ['run-2', 'run-4', 'run-6'],
      order: 'alternating (A B A B A B)',
      balance: 'leaning',
    });
    const { difference, a } = row(comparison, 'ttft', 'mean');
    expect(difference!.noise!.percentOfA).toBeGreaterThan(2);
    expect(difference!.interval!.method).toMatch(/repeats/);
    expect(difference!.detectable!.percentOfA).toBeGreaterThan(difference!.noise!.percentOfA!);
    expect(a.n).toBe(900);
    expect(comparison.claim.text).toMatch(/learned from 3 and 3 runs.*TTFT p95/);
  });

  it('a real difference is still seen', () => {
    const runs = [1, 3, 5].map((seed) => day(seed, 0.02));
    const slow = [2, 4, 6].map((seed) => {
      const run = day(seed, 0.02);
      const later = run.records!.map((record) => ({ ...record, firstTokenSeconds: record.firstTokenSeconds! + 0.03 }));
      return { ...run, records: later };
    });
    const comparison = compare(runs[0]!, slow[0]!, {
      resamples: 100,
      repeatsA: runs.slice(1),
      repeatsB: slow.slice(1),
    });
    expect(row(comparison, 'ttft', 'mean').difference!.words).toMatch(/B is higher by \d+.*worse/);
  });

  it('a run of another configuration is no repeat', () => {
    const comparison = compare(day(1, 0), day(2, 0), {
      resamples: 100,
      repeatsB: [day(3, 0, { maxTokens: { from: 8, to: 56 } })],
    });
    const finding = comparison.findings.find((entry) => entry.dimension === 'output-length')!;
    expect(finding.state).toBe('confounds');
    expect(finding.message).toMatch(/run-3 is no repeat of run-2/);
    expect(comparison.verdict.exitCode).toBe(3);
  });
});

it('over 25 honest pairs, none is called different', () => {
  let detected = 0;
  let rows = 0;
  let pairs = 0;
  for (let seed = 1; seed <= 25; seed++) {
    const comparison = compare(syntheticRun({ seed }), syntheticRun({ seed: seed + 900 }), { resamples: 200 });
    expect(comparison.verdict.exitCode).toBe(0);
    const called = comparison.metrics.filter(({ difference }) => difference?.answer.kind === 'different');
    rows += comparison.metrics.filter(({ difference }) => difference?.interval).length;
    detected += called.length;
    if (called.length > 0) pairs++;
  }
  expect(rows).toBeGreaterThan(500);
  expect(detected).toBe(0);
  expect(pairs).toBe(0);
});

it('p-values are adjusted as Benjamini and Hochberg say', () => {
  expect(adjusted([0.01, 0.04, 0.03, 0.5])).toEqual([0.04, expect.closeTo(0.0533, 3), expect.closeTo(0.0533, 3), 0.5]);
  expect(adjusted([])).toEqual([]);
  // 0.01 is found; 0.04 and 0.03 are not, and their intervals are as wide as that asks for: at the level of the second of four.
  expect(levelsOf([0.01, 0.04, 0.03, 0.5])).toEqual([0.95, 0.975, 0.975, 0.95]);
  expect(studentQuantile(0.05, 1)).toBeCloseTo(12.706, 3);
  expect(studentQuantile(0.05, 4)).toBeCloseTo(2.776, 3);
  expect(studentQuantile(0.01, 30)).toBeCloseTo(2.75, 3);
  expect(studentQuantile(0.05, Infinity)).toBeCloseTo(1.96, 3);
  expect(twoSidedStudent(2.042, 30)).toBeCloseTo(0.05, 4);
});
