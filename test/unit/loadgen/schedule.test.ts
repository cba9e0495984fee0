// Arrival schedules: their number, order, end points, reproducibility, and goodness of fit to the law they are named after.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stream } from '../../../src/datagen/random';
import {
  burstOffsets,
  evenOffsets,
  plannedCount,
  poissonBlockOffsets,
  rescaledExponentialOffsets,
} from '../../../src/loadgen/schedule';

/** Kolmogorov-Smirnov distance of ascending values in [0, 1] from the uniform law. */
function distanceFromUniform(sorted: readonly number[]): number {
  const n = sorted.length;
  return Math.max(...sorted.map((value, index) => Math.max(value - index / n, (index + 1) / n - value)));
}
function gaps(offsets: Float64Array): number[] {
  return [...offsets].map((offset, index) => offset - (index === 0 ? 0 : offsets[index - 1]!));
}
function variation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length) / mean;
}

describe('how many', () => {
  it.each([
    [1, 30, 30],
    [0.3, 10, 3],
    [0.05, 10, 0],
    [2.5, 3, 7],
    [0.29, 100, 28], // 28.999999999999996 in floating point, as in Python
  ])('rate %d for %d s is %d requests', (rate, duration, count) => {
    expect(plannedCount(rate, duration)).toBe(count);
  });
});

describe('constant: exponential gaps rescaled to the duration', () => {
  it('ascends, starts after zero, ends exactly at the duration', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 600 }),
        fc.nat(),
        (count, seconds, seed) => {
          const offsets = rescaledExponentialOffsets(count, seconds, stream(seed, 'arrivals'));
          expect(offsets).toHaveLength(count);
          expect(offsets[count - 1]).toBe(seconds);
          expect(gaps(offsets).every((gap) => gap >= 0)).toBe(true);
        },
      ),
    );
  });

  it('places arrivals uniformly over the stage (Poisson given their number)', () => {
    const count = 5_000;
    const offsets = rescaledExponentialOffsets(count, 100, stream(1, 'arrivals'));
    const inner = [...offsets.subarray(0, count - 1)].map((offset) => offset / 100);
    expect(distanceFromUniform(inner)).toBeLessThan(1.95 / Math.sqrt(count)); // 0.1 % point
  });

  it('has exponential gaps: variation 1, and gaps fit the exponential law', () => {
    const count = 5_000;
    const drawn = gaps(rescaledExponentialOffsets(count, 100, stream(2, 'arrivals')));
    expect(variation(drawn)).toBeGreaterThan(0.95);
    expect(variation(drawn)).toBeLessThan(1.05);
    const levels = drawn.map((gap) => 1 - Math.exp(-gap / (100 / count))).sort((a, b) => a - b);
    expect(distanceFromUniform(levels)).toBeLessThan(1.95 / Math.sqrt(count));
  });

  it('is empty when nothing is planned', () => {
    expect(rescaledExponentialOffsets(0, 10, stream(1, 'x'))).toHaveLength(0);
  });

  it('is the same for the same seed and another for another', () => {
    const draw = (seed: number) => [...rescaledExponentialOffsets(50, 5, stream(seed, 'arrivals'))];
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });
});

describe('poisson: blocks of one second', () => {
  it('ascends and has exactly the asked number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200 }), fc.double({ min: 0.2, max: 80, noNaN: true }), (count, rate) => {
        const offsets = poissonBlockOffsets(count, rate, stream(count, 'arrivals'));
        expect(offsets).toHaveLength(count);
        expect(gaps(offsets).every((gap) => gap >= 0)).toBe(true);
      }),
    );
  });

  it('has Poisson numbers in each second', () => {
    const rate = 20;
    const offsets = poissonBlockOffsets(40_000, rate, stream(3, 'arrivals'));
    const seconds = Math.floor(offsets.at(-1)!) - 1;
    const counts = new Array<number>(seconds).fill(0);
    // A block's last arrival sits on its end: (k, k + 1] belongs to block k.
    for (const offset of offsets) {
      const block = Math.ceil(offset) - 1;
      if (block < seconds) counts[block]!++;
    }
    const mean = counts.reduce((sum, value) => sum + value, 0) / seconds;
    const variance = counts.reduce((sum, value) => sum + (value - mean) ** 2, 0) / seconds;
    expect(Math.abs(mean - rate)).toBeLessThan(0.4);
    expect(variance / rate).toBeGreaterThan(0.88);
    expect(variance / rate).toBeLessThan(1.12);
  });

  it('puts the last arrival of every non-empty block on the block’s end', () => {
    const offsets = [...poissonBlockOffsets(500, 5, stream(4, 'arrivals'))];
    const blocks = new Set(offsets.map((offset) => Math.ceil(offset)));
    blocks.delete(Math.ceil(offsets.at(-1)!)); // the last block may be cut by the number of requests
    for (const end of blocks) expect(offsets).toContain(end);
  });

  it('leaves empty seconds silent at low rates', () => {
    const offsets = poissonBlockOffsets(50, 0.2, stream(5, 'arrivals'));
    expect(offsets.at(-1)!).toBeGreaterThan(100);
  });
});

describe('laws of directives', () => {
  it('even: equal gaps from the stage’s zero, the same count and duration', () => {
    const offsets = evenOffsets(200, 4);
    expect(offsets[0]).toBe(0);
    expect(offsets).toHaveLength(200);
    for (let index = 1; index < 200; index++) expect(offsets[index]! - offsets[index - 1]!).toBeCloseTo(0.02, 12);
  });

  it('burst:N: groups at once, evenly far apart, also when the last is smaller', () => {
    expect([...burstOffsets(7, 7, 3)]).toEqual([0, 0, 0, 3, 3, 3, 6]);
    expect([...burstOffsets(4, 2, 1)]).toEqual([...evenOffsets(4, 2)]);
    expect([...burstOffsets(3, 2, 9)]).toEqual([0, 0, 0]);
  });
});
