// Pairs of requests: intervals cover, what both sides share cancels, and where they share nothing nothing is lost.
import { describe, expect, it } from 'vitest';
import { differenceInterval, resample, seriesOf, type Quantity } from '../../../src/metrics/bootstrap';
import { resampleTogether } from '../../../src/metrics/paired-bootstrap';
import { compare } from '../../../src/comparability/compare';
import { pairRequests } from '../../../src/comparability/request-pairs';
import { sideOf } from '../../../src/comparability/side';
import { normalFrom, randomStream, syntheticRun } from '../support/synthetic-run';

const QUANTITIES: readonly Quantity[] = [
  { kind: 'mean' },
  { kind: 'percentile', percent: 50 },
  { kind: 'percentile', percent: 95 },
];

/** Request i takes so long by what it asks for, and by the luck of the run; neighbours share luck. */
function pair(seed: number, n: number, own: number, shared: number, phi = 0) {
  const random = randomStream(seed);
  const luck = () => {
    let state = normalFrom(random);
    return () => (state = phi * state + Math.sqrt(1 - phi * phi) * normalFrom(random));
  };
  const [left, right] = [luck(), luck()];
  const sides: [number[][], number[][]] = [[], []];
  for (let i = 0; i < n; i++) {
    const asked = shared * normalFrom(random);
    sides[0].push([Math.exp(asked + own * left())]);
    sides[1].push([Math.exp(asked + own * right())]);
  }
  return { a: seriesOf(sides[0]), b: seriesOf(sides[1]) };
}

describe('coverage of no difference', () => {
  it.each([
    ['much in common', 0.1, 0.5, 0],
    ['nothing in common', 0.5, 0, 0],
    ['neighbours that share their luck', 0.3, 0.4, 0.7],
  ])('%s', (_, own, shared, phi) => {
    const hits = [0, 0, 0];
    const runs = 200;
    for (let k = 1; k <= runs; k++) {
      const { a, b } = pair(k, 300, own, shared, phi);
      const joint = resampleTogether(a, b, QUANTITIES, { resamples: 300, seed: k });
      QUANTITIES.forEach((__, q) => {
        const { low, high } = differenceInterval(joint.a[q]!, joint.b[q]!);
        if (low <= 0 && high >= 0) hits[q]!++;
      });
    }
    for (const hit of hits) expect(hit / runs, hits.join(' ')).toBeGreaterThanOrEqual(0.91);
    expect(hits[0]! / runs).toBeLessThan(0.995);
  });
});

it('what both sides share cancels; where they share nothing the width is that of two samples', () => {
  const width = (a: Float64Array, b: Float64Array): number => {
    const { low, high } = differenceInterval(a, b);
    return high - low;
  };
  for (const [own, shared, from, to] of [
    [0.02, 0.5, 5, 100],
    [0.5, 0, 0.8, 1.25],
  ] as const) {
    const { a, b } = pair(5, 480, own, shared);
    const joint = resampleTogether(a, b, QUANTITIES, { seed: 1 });
    const apart = [resample(a, QUANTITIES, { seed: 1 }), resample(b, QUANTITIES, { seed: 2 })] as const;
    const gain = width(apart[0].draws[0]!, apart[1].draws[0]!) / width(joint.a[0]!, joint.b[0]!);
    expect(gain).toBeGreaterThan(from);
    expect(gain).toBeLessThan(to);
    expect(joint.correlation! > 0.9).toBe(shared > 0);
  }
});

describe('requests of two runs', () => {
  const options = {
    stages: [{ rateRps: 20, durationSeconds: 20 }],
    maxTokens: { from: 8, to: 120 },
    seed: 1,
    jitter: 0.02,
  };

  it('of one stream and schedule are pairs: 2 % of TPOT is seen, with correlation and both widths', () => {
    const b = syntheticRun({ ...options, tpotSeconds: 0.0102 });
    const luck = randomStream(9);
    const records = b.records!.map((record) => {
      const later = 1 + 0.01 * normalFrom(luck);
      return { ...record, endSeconds: record.sentSeconds! + (record.endSeconds! - record.sentSeconds!) * later };
    });
    const { difference } = compare(syntheticRun(options), { ...b, records }, { resamples: 300 }).metrics.find(
      ({ metric, statistic }) => metric === 'request_latency' && statistic === 'mean',
    )!;
    const { interval, paired } = difference!;
    expect(interval!.method).toContain('request by request');
    expect(difference!.detected).toBe(true);
    expect(paired!.pairs).toBe(400);
    expect(paired!.correlation).toBeGreaterThan(0.95);
    expect(paired!.apart!.high - paired!.apart!.low).toBeGreaterThan(5 * (interval!.high - interval!.low));
    expect(difference!.answer).toMatchObject({ kind: 'inconclusive', reason: 'single-runs' });
  });

  it('unmatched and failed ones leave both sides, counted; other prompts or other times are no pairs', () => {
    const stage = (run: ReturnType<typeof syntheticRun>) => sideOf('A', run).stages[0]!;
    const a = syntheticRun(options);
    const failed = {
      ...a,
      records: a.records!.map((record, i) => (i % 40 === 3 ? { ...record, outcome: FAILED } : record)),
    };
    const short = { ...failed, records: failed.records.slice(0, 390) };
    const pairing = pairRequests(stage(a), stage(short));
    expect(pairing.ok && pairing.pairs).toMatchObject({ unmatchedA: 10, unmatchedB: 0, failed: 10 });
    expect(pairing.ok && pairing.pairs.a.length).toBe(380);
    expect(pairRequests(stage(a), stage(syntheticRun({ ...options, seed: 2 }))).ok).toBe(false);
    expect(pairRequests(stage(a), stage(syntheticRun({ ...options, promptSeed: 2 }))).ok).toBe(false);
  });
  const FAILED = { kind: 'failed', errorType: 'TimeoutError', label: 'Timeout', message: 'late' } as const;
});
