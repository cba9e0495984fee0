// The head start settles where few requests are faster, whatever the law of the times, and never beyond its limit.
import { describe, expect, it } from 'vitest';
import { stream, standardExponential, uniform01 } from '../../../src/datagen/random';
import { HeadStart } from '../../../src/loadgen/head-start';

const US = 1e-6;

describe('the head start', () => {
  it.each([
    ['times around 12 us with a long tail', (u: () => number, e: () => number) => (10 + 4 * u() + 20 * e()) * US],
    ['evenly spread times', (u: () => number) => 40 * u() * US],
  ])('%s: about one request in ten is faster', (_, law) => {
    const rng = stream(5, 'head-start');
    const draw = (): number =>
      law(
        () => uniform01(rng),
        () => standardExponential(rng),
      );
    const start = new HeadStart();
    for (let index = 0; index < 3000; index++) start.learn(draw());
    let faster = 0;
    for (let index = 0; index < 5000; index++) {
      const took = draw();
      if (took < start.seconds) faster++;
      start.learn(took);
    }
    expect(faster / 5000).toBeGreaterThan(0.04);
    expect(faster / 5000).toBeLessThan(0.2);
  });

  it('is never more than 50 us, and nothing before anything was seen', () => {
    const start = new HeadStart();
    expect(start.seconds).toBe(0);
    for (let index = 0; index < 10_000; index++) start.learn(1);
    expect(start.seconds).toBeCloseTo(50 * US, 9);
    for (let index = 0; index < 10_000; index++) start.learn(0);
    expect(start.seconds).toBeLessThan(3 * US);
  });
});
