// Ranks are put where sorting would put them, whatever the values are.
import { describe, expect, it } from 'vitest';
import { placeRanks, ranksOfPercents } from '../../../src/metrics/ranks';
import { percentile, sortFinite } from '../../../src/metrics/statistics';
import { Draw } from '../support/seeded';

const N = 60_000;
const draw = new Draw(11);
const random = (): number => draw.next();

const KINDS: Readonly<Record<string, (index: number) => number>> = {
  'gaps of some milliseconds': () => 0.004 + 0.02 * random(),
  'zeros between them': (index) => (index % 3 === 0 ? 0.01 + 0.001 * random() : 0),
  'one value over and over': () => 0.25,
  'many powers of ten': () => 10 ** (20 * random() - 12),
  'whole numbers': () => Math.floor(50 * random()),
  'some that are negative': () => random() - 0.1,
  'a negative zero': (index) => (index === 7 ? -0 : random()),
  'hardly above nothing': () => 5e-324 * Math.floor(9 * random()),
};

describe('ranks in their places', () => {
  it.each(Object.keys(KINDS))('as sorting puts them: %s', (kind) => {
    const values = Float64Array.from({ length: N }, (_, index) => KINDS[kind]!(index));
    const sorted = sortFinite(values.slice());
    const percents = [0, 1, 50, 95, 99, 99.9, 100];
    const ranks = [...Array.from({ length: 240 }, () => Math.floor(N * random())), 0, N - 1];
    const placed = placeRanks(values, [...ranks, ...ranksOfPercents(N, percents)]);
    for (const rank of ranks) expect(placed[rank]).toBe(sorted[rank]);
    for (const percent of percents) expect(percentile(placed, percent)).toBe(percentile(sorted, percent));
  });

  it('of few values too, and of part of a buffer', () => {
    expect([...placeRanks(Float64Array.of(3, 1, 2), [1])]).toEqual([1, 2, 3]);
    expect(placeRanks(new Float64Array(0), []).length).toBe(0);
    const whole = Float64Array.from({ length: N + 10 }, () => random());
    const part = whole.subarray(10);
    const sorted = sortFinite(part.slice());
    expect(placeRanks(part, [123])[123]).toBe(sorted[123]);
  });

  it('refuses what is no number, as sorting does', () => {
    for (const bad of [NaN, Infinity, -Infinity]) {
      const values = Float64Array.from({ length: N }, (_, index) => (index === 5 ? bad : random()));
      expect(() => placeRanks(values, [3])).toThrow(RangeError);
      expect(() => sortFinite(values)).toThrow(RangeError);
    }
  });
});
