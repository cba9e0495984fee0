// The simulator through the real client, on time: its ticker, first tokens, gaps, prefill, load, slots and cache.
import { describe, expect } from 'vitest';
import type { WireResult } from '../../src/client/types';
import { expectedAnswer } from '../../src/simulator/model';
import type { SimulatorOptions } from '../../src/simulator/options';
import { createTicker } from '../../src/simulator/ticker';
import { WORDS } from '../../src/simulator/vocabulary';
import { bench, median, requestText, type Bench } from '../unit/simulator/helpers';
import { onTheClock } from './on-the-clock';

const prompt = (tokens: number): string => Array.from({ length: tokens }, (_, i) => WORDS[i % 1000]).join(' ');
const ttft = (result: WireResult): number => result.firstTokenSeconds! - result.sentSeconds!;
const tpot = (result: WireResult, tokens: number): number =>
  (result.lastTokenSeconds! - result.firstTokenSeconds!) / (tokens - 1);

async function withBench<T>(options: Partial<SimulatorOptions>, measure: (under: Bench) => Promise<T>): Promise<T> {
  const under = await bench(options);
  try {
    // The first few warm the code up on both sides.
    for (let i = 0; i < 5; i++) await under.send({ prompt: `warm ${i}`, max_tokens: 4 });
    return await measure(under);
  } finally {
    await under.close();
  }
}

onTheClock(
  'the ticker is on time in the median',
  async () => {
    const ticker = createTicker();
    const late: number[] = [];
    await new Promise<void>((resolve) => {
      const next = (dueMs: number): void => {
        ticker.at({
          dueMs,
          fire(nowMs) {
            late.push(nowMs - dueMs);
            if (late.length === 40) resolve();
            else next(dueMs + 7.3);
          },
        });
      };
      next(performance.now() + 7.3);
    });
    ticker.close();
    return median(late);
  },
  (late) => expect(late).toBeLessThan(1),
);

describe('times', () => {
  onTheClock(
    'are the truth in the median',
    () =>
      withBench({ ttftSeconds: 0.04, tokenSeconds: 0.008 }, async (under) => {
        const results: WireResult[] = [];
        for (let i = 0; i < 25; i++) results.push(await under.send({ prompt: `p ${i}`, max_tokens: 6 }));
        return { first: median(results.map(ttft)), gap: median(results.map((each) => tpot(each, 6))) };
      }),
    ({ first, gap }) => {
      expect(first).toBeGreaterThan(0.0399);
      expect(first).toBeLessThan(0.045);
      expect(gap).toBeGreaterThan(0.0075);
      expect(gap).toBeLessThan(0.0085);
    },
  );

  onTheClock(
    'include prefill',
    () =>
      withBench({ ttftSeconds: 0.01, prefillSecondsPerToken: 0.0005 }, async (under) => {
        const body = { prompt: prompt(200), max_tokens: 1 };
        const asked = { maxTokens: 1, minTokens: 0, ignoreEos: true, promptTokens: 200, cachedTokens: 0 };
        const truth = expectedAnswer(under.simulator.options, requestText(body), asked);
        expect(truth.chunkSeconds[0]).toBeCloseTo(0.11, 9);
        return ttft(await under.send(body));
      }),
    (first) => {
      expect(first).toBeGreaterThan(0.1099);
      expect(first).toBeLessThan(0.13);
    },
  );

  onTheClock(
    'grow with the load when there is a load factor',
    () =>
      withBench({ ttftSeconds: 0.001, tokenSeconds: 0.002, loadFactor: 1 }, async (under) => {
        const one = await under.send({ prompt: 'x', max_tokens: 10 });
        const many = await Promise.all(
          Array.from({ length: 8 }, (_, i) => under.send({ prompt: `p ${i}`, max_tokens: 10 })),
        );
        return median(many.map((each) => tpot(each, 10))) / tpot(one, 10);
      }),
    (factor) => expect(factor).toBeGreaterThan(3),
  );

  onTheClock(
    'hold the wait for a slot',
    () =>
      withBench({ slots: 2, ttftSeconds: 0.1, tokenSeconds: 0.001 }, async (under) => {
        const results = await Promise.all(
          Array.from({ length: 6 }, (_, i) => under.send({ prompt: `p ${i}`, max_tokens: 2 })),
        );
        return results.map(ttft).sort((a, b) => a - b);
      }),
    (waits) => {
      for (const [index, rounds] of [1, 1, 2, 2, 3, 3].entries()) {
        expect(waits[index]).toBeGreaterThan(0.095 * rounds);
        expect(waits[index]).toBeLessThan(0.1 * rounds + 0.05);
      }
    },
  );

  onTheClock(
    'hold no prefill of what the cache knows',
    () =>
      withBench({ prefixCache: true, ttftSeconds: 0.005, prefillSecondsPerToken: 0.001 }, async (under) => {
        const cold = ttft(await under.send({ prompt: prompt(100), max_tokens: 1 }));
        return { cold, warm: ttft(await under.send({ prompt: prompt(100), max_tokens: 1 })) };
      }),
    ({ cold, warm }) => {
      expect(cold).toBeGreaterThan(0.1049);
      expect(warm).toBeLessThan(0.03);
    },
  );
});
