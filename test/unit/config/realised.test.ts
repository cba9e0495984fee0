// Realised lengths against what the samplers really draw, and against figures measured upstream.
import { describe, expect, it } from 'vitest';
import { realisedLengths, type Sampler } from '../../../src/config/will/realised';
import { distributionSchema, type Distribution } from '../../../src/config/model/schema/distribution';
import { presampledLengths, sampledLength } from '../../../src/datagen/lengths';
import { stream } from '../../../src/datagen/random';

const of = (values: object): Distribution => distributionSchema.parse(values);

function drawn(distribution: Distribution, sampler: Sampler, count: number): readonly number[] {
  const rng = stream(7, 'test', sampler, JSON.stringify(distribution));
  if (sampler === 'presampled') return [...presampledLengths(distribution, count, rng)];
  return Array.from({ length: count }, () => sampledLength(distribution, rng));
}

describe('realised lengths', () => {
  it('mean: 100 alone is about 143', () => {
    const found = realisedLengths(of({ mean: 100 }), 'presampled');
    expect(found.mean).toBeGreaterThan(141);
    expect(found.mean).toBeLessThan(145);
    expect(found.atMin).toBeCloseTo(0.327, 2);
  });
  it('the upstream workload deep-research: mean about 529, 38 % exactly 50', () => {
    const found = realisedLengths(of({ mean: 300, std_dev: 850, min: 50, max: 4000 }), 'sampled');
    expect(Math.abs(found.mean - 529)).toBeLessThan(3);
    expect(found.atMin).toBeCloseTo(0.38, 2);
  });

  const cases: readonly (readonly [string, object, Sampler])[] = [
    ['normal in the middle', { mean: 500, std_dev: 100 }, 'presampled'],
    ['normal cut on both sides', { mean: 100, std_dev: 300, min: 50, max: 400 }, 'presampled'],
    ['normal outside its bounds', { mean: 20, std_dev: 30, min: 50, max: 100 }, 'sampled'],
    ['normal without spread', { mean: 77, std_dev: 0 }, 'sampled'],
    ['lognormal shifted', { type: 'lognormal', mean: 200, std_dev: 300, min: 20, max: 2000 }, 'presampled'],
    [
      'lognormal with nothing left to shift',
      { type: 'lognormal', mean: 15, std_dev: 3, min: 20, max: 90 },
      'presampled',
    ],
    ['lognormal unshifted', { type: 'lognormal', mean: 200, std_dev: 300, min: 20, max: 2000 }, 'sampled'],
    ['uniform', { type: 'uniform', min: 10, max: 30 }, 'presampled'],
    ['uniform with the extra end', { type: 'uniform', min: 10, max: 13 }, 'sampled'],
    ['skewed', { type: 'skew_normal', mean: 100, std_dev: 50, skew: 4, min: 80, max: 300 }, 'sampled'],
    ['skewed the other way', { type: 'skew_normal', mean: 300, std_dev: 90, skew: -2, min: 10, max: 900 }, 'sampled'],
    ['poisson', { type: 'poisson', mean: 12, min: 8, max: 14 }, 'sampled'],
    ['poisson, large', { type: 'poisson', mean: 900, min: 10, max: 1024 }, 'sampled'],
    ['fixed', { type: 'fixed', mean: 64.9 }, 'presampled'],
  ];
  it.each(cases)('%s: as drawn', (_name, values, sampler) => {
    const distribution = of(values);
    const sample = drawn(distribution, sampler, 40_000);
    const mean = sample.reduce((sum, value) => sum + value, 0) / sample.length;
    const spread = Math.sqrt(sample.reduce((sum, value) => sum + (value - mean) ** 2, 0) / sample.length);
    const share = (bound: number): number => sample.filter((value) => value === bound).length / sample.length;
    const found = realisedLengths(distribution, sampler);
    const error = (4 * spread) / Math.sqrt(sample.length);
    expect(Math.abs(found.mean - mean)).toBeLessThan(error + 0.02);
    // Rounding adds at most 1/12 to the variance.
    expect(Math.abs(found.spread ** 2 - spread ** 2)).toBeLessThan(0.1 + 0.05 * spread ** 2);
    if (distribution.type === 'fixed') return;
    expect(Math.abs(found.atMin - share(distribution.min))).toBeLessThan(0.012);
    expect(Math.abs(found.atMax - share(distribution.max))).toBeLessThan(0.012);
  });
});
