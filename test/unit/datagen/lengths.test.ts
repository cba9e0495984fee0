// Both length samplers against the laws of the reference: moments, quantiles, mass at the bounds, refusals.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  presampledLengths,
  presampledRefusal,
  roundHalfEven,
  sampledLength,
  sampledRefusal,
  type LengthDistribution,
} from '../../../src/datagen/lengths';
import { stream } from '../../../src/datagen/random';

const COUNT = 100_000;
const base: LengthDistribution = { type: 'normal', min: 10, max: 1024, mean: 512, std_dev: 200, skew: 0 };

function drawA(part: Partial<LengthDistribution>): number[] {
  return [...presampledLengths({ ...base, ...part }, COUNT, stream(42, 'a'))];
}
function drawB(part: Partial<LengthDistribution>): number[] {
  const rng = stream(42, 'b');
  return Array.from({ length: COUNT }, () => sampledLength({ ...base, ...part }, rng));
}
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
function stdDev(values: readonly number[]): number {
  const centre = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - centre) ** 2)));
}
const share = (values: readonly number[], value: number) => values.filter((other) => other === value).length / COUNT;
const quantile = (values: readonly number[], q: number) => [...values].sort((a, b) => a - b)[Math.floor(q * COUNT)]!;

/** Chi-square of observed counts against equal weights with given relative end weights. */
function chiSquare(observed: readonly number[], expected: readonly number[]): number {
  return observed.reduce((sum, value, index) => sum + (value - expected[index]!) ** 2 / expected[index]!, 0);
}

describe('sampler A (random, synthetic)', () => {
  it('normal is clamped, not truncated: mass piles up at the bounds', () => {
    // The reference's worked example: N(300, 850) clamped to [50, 4000] has mean about 529 and 38 % of values at 50.
    const values = drawA({ mean: 300, std_dev: 850, min: 50, max: 4000 });
    expect(Math.abs(mean(values) - 529)).toBeLessThan(8);
    expect(share(values, 50)).toBeCloseTo(0.384, 2);
  });

  it('normal inside wide bounds keeps mean and standard deviation', () => {
    const values = drawA({ mean: 500, std_dev: 50, min: 0, max: 1000 });
    expect(Math.abs(mean(values) - 500)).toBeLessThan(1);
    expect(Math.abs(stdDev(values) - 50)).toBeLessThan(1);
  });

  it('uniform gives the two end values half the weight of the others', () => {
    const values = drawA({ type: 'uniform', min: 1, max: 5 });
    const observed = [1, 2, 3, 4, 5].map((value) => values.filter((other) => other === value).length);
    const quarter = COUNT / 4;
    // 99.9 % point of chi-square with 4 degrees of freedom: 18.47.
    expect(chiSquare(observed, [quarter / 2, quarter, quarter, quarter, quarter / 2])).toBeLessThan(18.47);
  });

  it('lognormal is shifted by min', () => {
    const values = drawA({ type: 'lognormal', min: 100, max: 100_000, mean: 300, std_dev: 100 });
    expect(Math.abs(mean(values) - 300)).toBeLessThan(2);
    expect(Math.abs(stdDev(values) - 100)).toBeLessThan(3);
    // Median of the shifted variable: 200 / sqrt(1 + (100/200)^2) = 178.9.
    expect(Math.abs(quantile(values, 0.5) - 278.9)).toBeLessThan(2);
  });

  it('lognormal with mean at or under min is min plus a lognormal of mean 1', () => {
    const values = drawA({ type: 'lognormal', min: 100, max: 1000, mean: 50, std_dev: 0 });
    expect(new Set(values)).toEqual(new Set([101]));
  });

  it('fixed is int(mean), bounds ignored', () => {
    expect(drawA({ type: 'fixed', mean: 7.9 })[0]).toBe(7);
    expect(drawA({ type: 'fixed', mean: 9999 })[0]).toBe(9999);
  });

  it('refuses what inference-perf refuses, and only that', () => {
    expect(presampledRefusal({ ...base, type: 'poisson' })).toContain('unknown dist_type');
    expect(presampledRefusal({ ...base, type: 'skew_normal' })).toContain('unknown dist_type');
    expect(presampledRefusal({ ...base, mean: 2000 })).toContain('outside');
    expect(presampledRefusal({ ...base, type: 'uniform', mean: 2000 })).toBeUndefined();
    expect(presampledRefusal(base)).toBeUndefined();
    expect(() => presampledLengths({ ...base, mean: 2000 }, 1, stream(1, 'x'))).toThrow(RangeError);
  });

  it('a longer array starts with the shorter one', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('normal' as const, 'lognormal' as const, 'uniform' as const),
        fc.integer({ min: 1, max: 50 }),
        (type, count) => {
          const short = presampledLengths({ ...base, type }, count, stream(9, 'p'));
          const long = presampledLengths({ ...base, type }, count + 17, stream(9, 'p'));
          expect([...long.subarray(0, count)]).toEqual([...short]);
        },
      ),
    );
  });
});

describe('sampler B (shared_prefix)', () => {
  it('lognormal is matched to mean and standard deviation without a shift', () => {
    const values = drawB({ type: 'lognormal', min: 1, max: 100_000, mean: 300, std_dev: 100 });
    expect(Math.abs(mean(values) - 300)).toBeLessThan(2);
    // Median 300 / sqrt(1 + (100/300)^2) = 284.6; the shifted law of sampler A would give another one.
    expect(Math.abs(quantile(values, 0.5) - 284.6)).toBeLessThan(2);
  });

  it('uniform is U(min, max + 1), rounded and clamped: a little extra mass at max', () => {
    const values = drawB({ type: 'uniform', min: 1, max: 4 });
    const observed = [1, 2, 3, 4].map((value) => values.filter((other) => other === value).length);
    // U(1, 5) rounded: 1 from [1, 1.5], 2 and 3 a full unit, 4 from [3.5, 5].
    const unit = COUNT / 4;
    expect(chiSquare(observed, [unit / 2, unit, unit, unit * 1.5])).toBeLessThan(16.27);
  });

  it('skew_normal: mean and std_dev are location and scale', () => {
    const values = drawB({ type: 'skew_normal', min: -100_000, max: 100_000, mean: 1000, std_dev: 100, skew: 5 });
    const delta = 5 / Math.sqrt(26);
    expect(Math.abs(mean(values) - (1000 + 100 * delta * Math.sqrt(2 / Math.PI)))).toBeLessThan(2);
    expect(Math.abs(stdDev(values) - 100 * Math.sqrt(1 - (2 * delta * delta) / Math.PI))).toBeLessThan(2);
  });

  it('skew_normal leans left for a negative skew', () => {
    const values = drawB({ type: 'skew_normal', min: -100_000, max: 100_000, mean: 1000, std_dev: 100, skew: -5 });
    expect(mean(values)).toBeLessThan(950);
  });

  it('poisson has variance equal to its mean, and mean 1 when none is given', () => {
    const values = drawB({ type: 'poisson', min: 0, max: 10_000, mean: 80 });
    expect(Math.abs(mean(values) - 80)).toBeLessThan(0.3);
    expect(Math.abs(stdDev(values) ** 2 - 80)).toBeLessThan(2);
    expect(Math.abs(mean(drawB({ type: 'poisson', min: 0, mean: 0 })) - 1)).toBeLessThan(0.02);
  });

  it('normal may have its mean outside the bounds', () => {
    const values = drawB({ mean: 2000, std_dev: 10, max: 1024 });
    expect(new Set(values)).toEqual(new Set([1024]));
  });

  it('refuses a lognormal without a positive mean', () => {
    expect(sampledRefusal({ ...base, type: 'lognormal', mean: 0 })).toContain('above 0');
    expect(sampledRefusal(base)).toBeUndefined();
  });

  it('always gives integers inside the bounds', () => {
    const rng = stream(4, 'bounds');
    const types = ['normal', 'lognormal', 'uniform', 'skew_normal', 'poisson'] as const;
    fc.assert(
      fc.property(
        fc.constantFrom(...types),
        fc.integer({ min: 0, max: 500 }),
        fc.integer({ min: 0, max: 500 }),
        fc.double({ min: 0.5, max: 600, noNaN: true }),
        fc.double({ min: 0, max: 300, noNaN: true }),
        (type, min, width, centre, spread) => {
          const value = sampledLength({ type, min, max: min + width, mean: centre, std_dev: spread, skew: 2 }, rng);
          expect(Number.isInteger(value)).toBe(true);
          expect(value).toBeGreaterThanOrEqual(min);
          expect(value).toBeLessThanOrEqual(min + width);
        },
      ),
    );
  });
});

it('rounds halves to the even neighbour, as numpy does', () => {
  expect([0.5, 1.5, 2.5, 3.5, -0.5, -1.5, 2.4, 2.6].map(roundHalfEven)).toEqual([0, 2, 2, 4, 0, -2, 2, 3]);
});
