// Streams are reproducible, independent of each other, and follow their laws.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  integerBelow,
  nameStages,
  poisson,
  shuffle,
  stageStream,
  standardExponential,
  standardNormal,
  stream,
  uniform01,
} from '../../../src/datagen/random';

function draw(count: number, next: () => number): number[] {
  return Array.from({ length: count }, next);
}
function moments(values: readonly number[]): { mean: number; variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { mean, variance: values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length };
}

describe('streams', () => {
  it('gives the same numbers for the same name and others for another', () => {
    const first = draw(8, () => 0);
    const streams = [stream(1, 'a'), stream(1, 'a'), stream(2, 'a'), stream(1, 'b'), stream(1, 'a', 0)];
    const drawn = streams.map((rng) => draw(first.length, () => rng.next()).join());
    expect(drawn[0]).toBe(drawn[1]);
    expect(new Set(drawn).size).toBe(4);
  });

  it('does not move a measured stage when a warm-up stage is put before it', () => {
    const plain = nameStages([false, false]);
    const warmed = nameStages([true, false, true, false]);
    expect(warmed.filter((name) => name.kind === 'measured')).toEqual(plain);
    const a = stageStream(5, 'arrivals', plain[1]!);
    const b = stageStream(5, 'arrivals', warmed[3]!);
    expect(draw(5, () => a.next())).toEqual(draw(5, () => b.next()));
  });

  it('tells names apart that would run together as text', () => {
    expect(stream(1, 'a', 'b').next()).not.toBe(stream(1, 'ab').next());
    expect(stream(1, 'a', 1, 2).next()).not.toBe(stream(1, 'a', 12).next());
  });
});

describe('laws', () => {
  const count = 200_000;

  it('uniform: moments and range', () => {
    const rng = stream(11, 'uniform');
    const values = draw(count, () => uniform01(rng));
    const { mean, variance } = moments(values);
    expect(mean).toBeCloseTo(0.5, 2);
    expect(variance).toBeCloseTo(1 / 12, 3);
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
  });

  it('normal: moments and the 97.5 % quantile', () => {
    const rng = stream(11, 'normal');
    const values = draw(count, () => standardNormal(rng));
    const { mean, variance } = moments(values);
    expect(Math.abs(mean)).toBeLessThan(0.01);
    expect(variance).toBeCloseTo(1, 1);
    expect(values.filter((value) => value > 1.959964).length / count).toBeCloseTo(0.025, 2);
  });

  it('exponential: mean 1, variance 1, median ln 2', () => {
    const rng = stream(11, 'exponential');
    const values = draw(count, () => standardExponential(rng));
    const { mean, variance } = moments(values);
    expect(mean).toBeCloseTo(1, 1);
    expect(variance).toBeGreaterThan(0.97);
    expect(variance).toBeLessThan(1.03);
    expect(values.filter((value) => value < Math.LN2).length / count).toBeCloseTo(0.5, 2);
  });

  it.each([0.3, 4, 60, 1234])('poisson with mean %d: mean and variance are the mean', (lambda) => {
    const rng = stream(11, 'poisson', lambda);
    const values = draw(4_000, () => poisson(rng, lambda));
    const { mean, variance } = moments(values);
    expect(Math.abs(mean - lambda)).toBeLessThan(4 * Math.sqrt(lambda / 4_000));
    expect(variance / lambda).toBeGreaterThan(0.9);
    expect(variance / lambda).toBeLessThan(1.1);
  });

  it('poisson with mean 0 is 0', () => {
    expect(poisson(stream(1, 'x'), 0)).toBe(0);
  });

  it('integers stay below their bound', () => {
    const rng = stream(3, 'integers');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (bound) => {
        const value = integerBelow(rng, bound);
        expect(Number.isInteger(value) && value >= 0 && value < bound).toBe(true);
      }),
    );
  });

  it('a shuffle keeps what there was, and reaches every order about equally often', () => {
    const rng = stream(3, 'shuffle');
    const seen = new Map<string, number>();
    for (let round = 0; round < 6_000; round++) {
      const values = [1, 2, 3];
      shuffle(rng, values);
      expect([...values].sort()).toEqual([1, 2, 3]);
      seen.set(values.join(), (seen.get(values.join()) ?? 0) + 1);
    }
    expect(seen.size).toBe(6);
    for (const times of seen.values()) expect(Math.abs(times - 1_000)).toBeLessThan(130);
  });
});
