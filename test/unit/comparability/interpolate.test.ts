// Loads that do not coincide: interpolated only when asked, labelled, and outside verdict, claim and gate; a cut that the user sets.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { Comparison } from '../../../src/comparability/comparison';
import { parseCut, type WarmupCut } from '../../../src/comparability/cut';
import { gate, parseThreshold, type Threshold } from '../../../src/comparability/gate';
import type { Run } from '../../../src/readers/run';
import { syntheticRun } from '../support/synthetic-run';

const stages = (...rates: number[]) => rates.map((rateRps) => ({ rateRps, durationSeconds: 300 / rateRps }));

/** TTFT that grows with the load, as a server's does: 2 ms a request per second, without noise. */
function loaded(seed: number, rates: readonly number[]): Run {
  const run = syntheticRun({ seed, jitter: 0, stages: stages(...rates) });
  const records = run.records!.map((record) => {
    const later = 0.002 * rates[record.stage]!;
    return { ...record, firstTokenSeconds: record.firstTokenSeconds! + later };
  });
  return { ...run, records };
}

describe('interpolation', () => {
  const [a, b] = [loaded(1, [10, 12, 20, 50]), loaded(2, [10, 20, 30])];
  const plain = compare(a, b, { resamples: 50 });
  const asked = compare(a, b, { resamples: 50, interpolate: true });

  it('is there only when asked for, and changes nothing else', () => {
    expect(plain.interpolated).toBeUndefined();
    const { interpolated, ...rest } = asked;
    expect(rest).toEqual(plain);
    expect(interpolated!.map(({ label, measured }) => `${label} ${measured}`)).toEqual([
      '12 rps A',
      '30 rps B',
      '50 rps A',
    ]);
  });

  it('is a line between the two nearest loads of the other side, and says between which', () => {
    const [twelve, thirty] = asked.interpolated!;
    expect(twelve).toMatchObject({
      between: [0, 1],
      words: 'B interpolated between its stages 0 (10 rps) and 1 (20 rps)',
    });
    expect(thirty).toMatchObject({
      between: [2, 3],
      words: 'A interpolated between its stages 2 (20 rps) and 3 (50 rps)',
    });
    const value = (comparison: Comparison, stage: number, side: 'a' | 'b'): number =>
      comparison.metrics.find((row) => row.stage === stage && row.metric === 'ttft' && row.statistic === 'mean')![side]
        .value!;
    const row = twelve!.rows.find(({ metric, statistic }) => metric === 'ttft' && statistic === 'mean')!;
    const at = (label: string): number => asked.stages.findIndex((stage) => stage.label === label);
    const [ten, twenty] = [value(asked, at('10 rps'), 'b'), value(asked, at('20 rps'), 'b')];
    expect(row.b).toBeCloseTo(ten + 0.2 * (twenty - ten), 9);
    // The truth is a line here, so both sides agree up to the lengths of their prompts.
    expect(Math.abs(row.percentOfA!)).toBeLessThan(2);
  });

  it('outside the measured loads there is nothing but the reason', () => {
    expect(asked.interpolated![2]).toMatchObject({
      rows: [],
      words: expect.stringMatching(
        /^not interpolated: 50 rps is outside what B measured \(10 rps, 20 rps, 30 rps\)$/,
      ) as string,
    });
  });

  it('is in no gate: a limit finds only what was measured', () => {
    const limit = parseThreshold('ttft.mean=0.0001%') as Threshold;
    expect(gate(asked, ['regression'], [limit])).toEqual(gate(plain, ['regression'], [limit]));
  });

  it('what else differs is named', () => {
    const other = compare(
      a,
      { ...b, manifest: { ...b.manifest!, endpoint: { ...b.manifest!.endpoint, model: 'x' } } },
      { resamples: 50, interpolate: true },
    );
    for (const row of other.interpolated![0]!.rows) expect(row.because).toContain('server');
  });
});

describe('a cut that the user sets', () => {
  const cold = { coldSeconds: 0.3, coldRequests: 60 } as const;
  const [a, b] = [syntheticRun({ seed: 1, ...cold }), syntheticRun({ seed: 2, ...cold })];
  const cut = (text: string): Comparison =>
    compare(a, b, { resamples: 50, align: ['warmup-window'], cut: parseCut(text) as WarmupCut });
  const size = (comparison: Comparison): number =>
    comparison.metrics.find((row) => row.metric === 'ttft' && row.statistic === 'mean')!.a.n ?? 0;

  it('of requests, of seconds, and by MSER-5', () => {
    expect(size(cut('50'))).toBe(350);
    const seconds = a.records!.filter((record) => record.sentSeconds! - a.records![0]!.sentSeconds! >= 5).length;
    expect(size(cut('5s'))).toBe(seconds);
    expect(size(cut('auto'))).toBe(size(compare(a, b, { resamples: 50, align: ['warmup-window'] })));
    expect(cut('50').notes.join()).toMatch(
      /the first 50 requests of A’s window are left out; the first 50 requests of B’s/,
    );
  });

  it('never takes more than half', () => {
    expect(size(cut('1000'))).toBe(200);
  });
});
