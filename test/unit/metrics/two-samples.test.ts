// Two-sample tests: known cases, and the false-alarm rate they promise.
import { describe, expect, it } from 'vitest';
import { sortedValues } from '../../../src/metrics/statistics';
import {
  kolmogorovSmirnov,
  mannKendall,
  mannWhitney,
  proportionsZ,
  twoSidedNormal,
} from '../../../src/metrics/two-samples';
import { normalFrom, randomStream } from '../support/synthetic-run';

describe('Kolmogorov-Smirnov', () => {
  it('the distance counts ties once', () => {
    expect(kolmogorovSmirnov(sortedValues([1, 1, 2, 2]), sortedValues([1, 1, 2, 2]))).toEqual({ statistic: 0, p: 1 });
    expect(kolmogorovSmirnov(sortedValues([1, 2]), sortedValues([3, 4])).statistic).toBe(1);
    expect(kolmogorovSmirnov(sortedValues([1, 2, 3, 4]), sortedValues([3, 4, 5, 6])).statistic).toBe(0.5);
  });

  it('knows the critical value: lambda 1.358 has p 0.05', () => {
    // n = m = 2000: root of the effective size 31.62, so D = 1.358 / (31.62 + 0.12 + ...) = 0.0428
    const a = sortedValues(Array.from({ length: 2000 }, (_, i) => i));
    const b = sortedValues(Array.from({ length: 2000 }, (_, i) => i + 85.6));
    expect(kolmogorovSmirnov(a, b).p).toBeGreaterThan(0.04);
    expect(kolmogorovSmirnov(a, b).p).toBeLessThan(0.06);
  });

  it('alarms falsely about as often as it says', () => {
    let alarms = 0;
    for (let seed = 1; seed <= 400; seed++) {
      const random = randomStream(seed);
      const draw = () => sortedValues(Array.from({ length: 120 }, random));
      if (kolmogorovSmirnov(draw(), draw()).p < 0.05) alarms++;
    }
    expect(alarms).toBeGreaterThan(4);
    expect(alarms).toBeLessThan(36);
  });
});

describe('Mann-Whitney', () => {
  it('sees a shift, and none in one value repeated', () => {
    const shifted = mannWhitney([11, 12, 13, 14, 15, 16, 17, 18, 19, 20], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    // U = 100, mean 50, variance 10 x 10 x 21 / 12 = 175
    expect(shifted.statistic).toBeCloseTo(50 / Math.sqrt(175), 10);
    expect(shifted.p).toBeLessThan(0.001);
    expect(mannWhitney([1, 1, 1], [1, 1])).toEqual({ statistic: 0, p: 1 });
  });
});

describe('trend', () => {
  it('rising, falling, flat', () => {
    const rising = Array.from({ length: 20 }, (_, i) => i);
    expect(mannKendall(rising).statistic).toBeGreaterThan(5);
    expect(mannKendall([...rising].reverse()).statistic).toBeLessThan(-5);
    expect(mannKendall(new Array<number>(20).fill(3))).toEqual({ statistic: 0, p: 1 });
    const random = randomStream(5);
    expect(mannKendall(Array.from({ length: 60 }, () => normalFrom(random))).p).toBeGreaterThan(0.01);
  });
});

it('normal tails and proportions', () => {
  expect(twoSidedNormal(1.959964)).toBeCloseTo(0.05, 6);
  expect(twoSidedNormal(0)).toBeCloseTo(1, 6);
  expect(proportionsZ(10, 100, 10, 100)).toBe(0);
  // pooled 0.15, standard error sqrt(0.15 x 0.85 / 50) = 0.0505
  expect(proportionsZ(10, 100, 20, 100)).toBeCloseTo(0.1 / Math.sqrt((0.15 * 0.85) / 50), 12);
});

it.each([
  // Score 6 of variance 26/3; 5 of 23/3 with one tie; falling as rising.
  [[1, 2, 3, 4], 5 / Math.sqrt(26 / 3)],
  [[4, 3, 2, 1], -5 / Math.sqrt(26 / 3)],
  [[1, 1, 2, 3], 4 / Math.sqrt(23 / 3)],
  [[1, 2, 2, 1], 0],
  [[1, 2, 3], 0],
  [[2, 2, 2, 2], 0],
])('Mann and Kendall’s trend of %j is %d', (series, z) => {
  expect(mannKendall(series).statistic).toBeCloseTo(z, 12);
});
