// Statistics against numpy's definitions (values computed by hand from them) and against their own laws.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  coefficientOfVariation,
  distributionOf,
  mean,
  percentile,
  percentileKey,
  sortedValues,
  standardDeviation,
  statOf,
  sum,
} from '../../../src/metrics/statistics';
import { minimumCountFor } from '../../../src/sample-size';

const finite = fc.double({ min: -1e9, max: 1e9, noNaN: true });

describe('percentile', () => {
  it('interpolates linearly between closest ranks, as numpy does', () => {
    const sorted = sortedValues([40, 10, 20, 30]);
    // np.percentile([10, 20, 30, 40], q): position q/100 x 3
    expect(percentile(sorted, 0)).toBe(10);
    expect(percentile(sorted, 25)).toBe(17.5);
    expect(percentile(sorted, 50)).toBe(25);
    expect(percentile(sorted, 90)).toBeCloseTo(37, 12);
    expect(percentile(sorted, 99.9)).toBeCloseTo(39.97, 12);
    expect(percentile(sorted, 100)).toBe(40);
    expect(percentile(sortedValues([7]), 99)).toBe(7);
  });

  it('refuses nothing and percents outside 0..100', () => {
    expect(() => percentile(new Float64Array(), 50)).toThrow(RangeError);
    expect(() => percentile(sortedValues([1]), 101)).toThrow(/101/);
    expect(() => percentile(sortedValues([1]), NaN)).toThrow(RangeError);
    expect(() => sortedValues([1, NaN])).toThrow(/NaN/);
  });

  it('stays inside the values and never falls with the percent', () => {
    fc.assert(
      fc.property(fc.array(finite, { minLength: 1, maxLength: 60 }), fc.nat(100), fc.nat(100), (values, p, q) => {
        const sorted = sortedValues(values);
        const [low, high] = [percentile(sorted, Math.min(p, q)), percentile(sorted, Math.max(p, q))];
        expect(low).toBeGreaterThanOrEqual(sorted[0]!);
        expect(high).toBeLessThanOrEqual(sorted.at(-1)!);
        expect(low).toBeLessThanOrEqual(high);
      }),
    );
  });
});

describe('stat objects', () => {
  it('have the keys of inference-perf, in its order', () => {
    const stat = statOf([3, 1, 2], [0.1, 50, 99, 99.9, 99.99]);
    expect(Object.keys(stat!)).toEqual(['mean', 'min', 'max', 'p0.1', 'median', 'p99', 'p99.9', 'p99.99']);
    expect(stat).toMatchObject({ mean: 2, min: 1, max: 3, median: 2 });
  });

  it('are null over nothing, and have no median when 50 was not asked for', () => {
    expect(statOf([], [50])).toBeNull();
    expect(statOf([1], [90])).toEqual({ mean: 1, min: 1, max: 1, p90: 1 });
  });

  it.each([
    [50, 'median'],
    [0.1, 'p0.1'],
    [99, 'p99'],
    [99.9, 'p99.9'],
    [99.9999999, 'p100'], // Python's general format keeps six digits
  ])('%s is called %s', (percent, key) => {
    expect(percentileKey(percent)).toBe(key);
  });
});

describe('moments', () => {
  it('population standard deviation and coefficient of variation', () => {
    expect(standardDeviation([2, 4, 4, 4, 5, 5, 7, 9])).toBe(2);
    expect(coefficientOfVariation([2, 4, 4, 4, 5, 5, 7, 9])).toBe(0.4);
    expect(coefficientOfVariation([1])).toBeUndefined();
    expect(coefficientOfVariation([-1, 1])).toBeUndefined();
  });

  it('sums a million tenths without losing a digit that matters', () => {
    const tenths = new Float64Array(1_000_000).fill(0.1);
    expect(Math.abs(sum(tenths) - 100_000)).toBeLessThan(1e-8);
    expect(mean(tenths)).toBeCloseTo(0.1, 14);
  });

  it('a distribution summary holds what it says', () => {
    const summary = distributionOf(Array.from({ length: 101 }, (_, i) => i));
    expect(summary).toMatchObject({
      count: 101,
      mean: 50,
      min: 0,
      p5: 5,
      p25: 25,
      p50: 50,
      p75: 75,
      p95: 95,
      p99: 99,
      max: 100,
    });
    expect(distributionOf([])).toBeUndefined();
  });
});

it('fewest values per percentile, distribution-free at 95 %', () => {
  expect([50, 90, 95, 99, 99.9].map(minimumCountFor)).toEqual([5, 29, 59, 299, 2995]);
  expect(minimumCountFor(1)).toBe(299);
  expect(minimumCountFor(100)).toBe(Infinity);
});
