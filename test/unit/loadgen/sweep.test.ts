// A sweep's probe against queues of known capacity, and the ladders.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stream } from '../../../src/datagen/random';
import { rescaledExponentialOffsets } from '../../../src/loadgen/schedule';
import { estimateSaturation, sweepRates, type ProbeRequest } from '../../../src/loadgen/sweep';

interface Queue {
  readonly requests: number;
  readonly servers: number;
  readonly serviceSeconds: number;
  /** Before this moment a service takes five times as long. */
  readonly coldUntil?: number;
  /** The client's limit in flight. */
  readonly cap?: number;
}

/** First come, first served: what a probe of 5 s would see. */
function probe({ requests, servers, serviceSeconds, coldUntil = 0, cap = Infinity }: Queue): ProbeRequest[] {
  const arrivals = rescaledExponentialOffsets(requests, 5, stream(3, 'arrivals', 'probe', 0));
  const free = new Array<number>(servers).fill(0);
  const result: ProbeRequest[] = [];
  for (const [index, due] of arrivals.entries()) {
    const ended = result.map(({ endSeconds }) => endSeconds).sort((a, b) => a - b);
    const slot = index >= cap ? ended[index - cap]! : 0;
    const sentSeconds = Math.max(due, slot);
    const server = free.indexOf(Math.min(...free));
    const start = Math.max(sentSeconds, free[server]!);
    free[server] = start + serviceSeconds * (start < coldUntil ? 5 : 1);
    result.push({ sentSeconds, endSeconds: free[server] });
  }
  return result;
}

describe('estimateSaturation', () => {
  it.each([
    ['a saturated server', { requests: 400, servers: 8, serviceSeconds: 0.2 }, 40],
    ['one server', { requests: 200, servers: 1, serviceSeconds: 0.05 }, 20],
    ['a cold start', { requests: 400, servers: 8, serviceSeconds: 0.2, coldUntil: 3 }, 40],
    ['a client cap above the servers', { requests: 400, servers: 8, serviceSeconds: 0.2, cap: 16 }, 40],
    ['bunches: all slots end together', { requests: 500, servers: 32, serviceSeconds: 1 }, 32],
  ])('%s', (_, queue, capacity) => {
    const estimate = estimateSaturation(probe(queue), 95, 'cap' in queue);
    expect(estimate!.saturated).toBe(true);
    expect(estimate!.rateRps / capacity).toBeGreaterThan(0.9);
    expect(estimate!.rateRps / capacity).toBeLessThan(1.2);
  });

  it('a cap below the servers gives the rate of the cap', () => {
    const estimate = estimateSaturation(probe({ requests: 400, servers: 64, serviceSeconds: 0.2, cap: 4 }), 95, true);
    expect(estimate!.rateRps / 20).toBeGreaterThan(0.9);
    expect(estimate!.rateRps / 20).toBeLessThan(1.2);
  });

  it('a server that keeps up is not called saturated; the rate is what was sent', () => {
    const estimate = estimateSaturation(probe({ requests: 400, servers: 64, serviceSeconds: 0.2 }), 95, false);
    expect(estimate!.saturated).toBe(false);
    expect(estimate!.rateRps / 80).toBeGreaterThan(0.8);
    expect(estimate!.rateRps / 80).toBeLessThan(1.2);
  });

  it('says nothing from a handful', () => {
    expect(estimateSaturation(probe({ requests: 19, servers: 1, serviceSeconds: 0.1 }), 95, true)).toBeUndefined();
  });
});

describe('sweepRates', () => {
  it('is inference-perf’s ladder', () => {
    expect(sweepRates('linear', 100, 5)).toEqual([1, 25.75, 50.5, 75.25, 100]);
    expect(sweepRates('geometric', 100, 5)).toEqual([1, 69.38, 91, 97.84, 100]);
    expect(sweepRates('linear', 100, 1)).toEqual([1]);
  });

  it('always ascends, ends at the rate found, and is never 0', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('linear', 'geometric'),
        fc.double({ min: 0.1, max: 5000, noNaN: true }),
        fc.integer({ min: 2, max: 20 }),
        (type: 'linear' | 'geometric', rate, stages) => {
          const rates = sweepRates(type, rate, stages);
          expect(rates).toHaveLength(stages);
          expect(rates.at(-1)).toBeCloseTo(Math.max(0.01, rate), 1);
          for (const [index, each] of rates.entries()) {
            expect(each).toBeGreaterThan(0);
            if (index > 0) expect(each).toBeGreaterThanOrEqual(rates[index - 1]!);
          }
        },
      ),
    );
  });
});
