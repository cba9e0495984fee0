// The truth itself: lengths, ends, jitter, faults, cache, all functions of seed and body.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SLOW_FACTOR, bodyKey, expectedAnswer, planAnswer } from '../../../src/simulator/model';
import { DEFAULT_OPTIONS, FAULT_KINDS } from '../../../src/simulator/options';
import { createPrefixCache } from '../../../src/simulator/prefix-cache';
import { WORDS } from '../../../src/simulator/vocabulary';

const TRUTH = DEFAULT_OPTIONS;
const ask = { maxTokens: 50, minTokens: 0, ignoreEos: true };
const keys = Array.from({ length: 2000 }, (_, i) => bodyKey(`body ${i}`));

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

describe('answers', () => {
  it('are a function of seed and body', () => {
    fc.assert(
      fc.property(fc.nat(), fc.string(), (seed, body) => {
        const once = planAnswer({ ...TRUTH, seed }, bodyKey(body), ask);
        expect(planAnswer({ ...TRUTH, seed }, bodyKey(body), ask)).toEqual(once);
        expect(planAnswer({ ...TRUTH, seed: seed + 1 }, bodyKey(body), ask).words).not.toEqual(once.words);
        expect(planAnswer({ ...TRUTH, seed }, bodyKey(`${body}!`), ask).words).not.toEqual(once.words);
        expect(once.words.every((word) => WORDS.includes(word))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('have exactly max_tokens when ignore_eos is asked and honoured', () => {
    for (const key of keys.slice(0, 50)) {
      expect(planAnswer(TRUTH, key, ask)).toMatchObject({ finishReason: 'length', words: { length: 50 } });
    }
  });

  it('end by themselves around the mean otherwise, never empty, never above max_tokens', () => {
    const truth = { ...TRUTH, ignoreEos: 'ignore', eosMean: 100 } as const;
    const plans = keys.map((key) => planAnswer(truth, key, { ...ask, maxTokens: 100_000 }));
    const lengths = plans.map((plan) => plan.words.length);
    expect(mean(lengths)).toBeGreaterThan(96);
    expect(mean(lengths)).toBeLessThan(104);
    // Gamma of shape 4: coefficient of variation 0.5.
    const deviation = Math.sqrt(mean(lengths.map((length) => (length - 100) ** 2)));
    expect(deviation / 100).toBeGreaterThan(0.45);
    expect(deviation / 100).toBeLessThan(0.55);
    expect(plans.every((plan) => plan.finishReason === 'stop' && plan.words.length >= 1)).toBe(true);
    const cut = keys.map((key) => planAnswer(truth, key, { ...ask, maxTokens: 100 }));
    expect(cut.every((plan) => plan.words.length <= 100)).toBe(true);
    expect(cut.every((plan) => (plan.finishReason === 'length') === (plan.words.length === 100))).toBe(true);
    expect(new Set(cut.map((plan) => plan.finishReason)).size).toBe(2);
  });

  it('have at least min_tokens', () => {
    const truth = { ...TRUTH, eosMean: 1 };
    const plans = keys
      .slice(0, 50)
      .map((key) => planAnswer(truth, key, { maxTokens: 50, minTokens: 20, ignoreEos: false }));
    expect(plans.every((plan) => plan.words.length >= 20)).toBe(true);
  });
});

describe('times', () => {
  const request = { ...ask, maxTokens: 10, promptTokens: 100, cachedTokens: 40 };

  it('are TTFT plus prefill of what is not cached, then one step per token', () => {
    const truth = { ...TRUTH, ttftSeconds: 0.2, prefillSecondsPerToken: 0.001, tokenSeconds: 0.03 };
    const { chunkSeconds, endSeconds, completionTokens } = expectedAnswer(truth, 'b', request);
    expect(chunkSeconds).toHaveLength(10);
    chunkSeconds.forEach((due, i) => expect(due).toBeCloseTo(0.26 + 0.03 * i, 9));
    expect(endSeconds).toBe(chunkSeconds[9]);
    expect(completionTokens).toBe(10);
  });

  it('put an event of several tokens at the time of its last', () => {
    const { chunkSeconds, chunkTokens } = expectedAnswer({ ...TRUTH, tokensPerChunk: 4 }, 'b', request);
    expect(chunkTokens).toEqual([4, 4, 2]);
    [0.08, 0.12, 0.14].forEach((due, i) => expect(chunkSeconds[i]).toBeCloseTo(due, 9));
  });

  it('end one step later when the model stops by itself', () => {
    const truth = { ...TRUTH, eosMean: 3 };
    const { chunkSeconds, endSeconds } = expectedAnswer(truth, 'b', { ...request, maxTokens: 1000, ignoreEos: false });
    expect(endSeconds - chunkSeconds.at(-1)!).toBeCloseTo(0.01, 9);
  });

  it('vary by the jitter and no more, around the same mean, the same for the same body', () => {
    const truth = { ...TRUTH, jitter: 0.5 };
    const one = expectedAnswer(truth, 'b', { ...request, maxTokens: 2000 });
    expect(expectedAnswer(truth, 'b', { ...request, maxTokens: 2000 })).toEqual(one);
    const gaps = one.chunkSeconds.slice(1).map((due, i) => due - one.chunkSeconds[i]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0.005 - 1e-9);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(0.015 + 1e-9);
    expect(new Set(gaps).size).toBeGreaterThan(1900);
    expect(Math.abs(mean(gaps) - 0.01)).toBeLessThan(0.0004);
  });
});

describe('faults', () => {
  it('hit their share of requests, each kind of them', () => {
    const truth = { ...TRUTH, faultRate: 0.2 };
    const faults = keys.flatMap((key) => planAnswer(truth, key, ask).fault ?? []);
    expect(faults.length / keys.length).toBeGreaterThan(0.16);
    expect(faults.length / keys.length).toBeLessThan(0.24);
    expect(new Set(faults)).toEqual(new Set(FAULT_KINDS));
    expect(keys.some((key) => planAnswer(TRUTH, key, ask).fault !== undefined)).toBe(false);
  });

  it('do not change the answers of the others', () => {
    for (const key of keys.slice(0, 50)) {
      expect(planAnswer({ ...TRUTH, faultRate: 0.5 }, key, ask).words).toEqual(planAnswer(TRUTH, key, ask).words);
    }
  });

  it('make a slow answer slow by the factor', () => {
    const truth = { ...TRUTH, faultRate: 1, faultKinds: ['slow'] as const };
    const slow = expectedAnswer(truth, 'b', { ...ask, promptTokens: 1, cachedTokens: 0 });
    expect(slow.chunkSeconds[0]).toBeCloseTo(TRUTH.ttftSeconds * SLOW_FACTOR, 9);
  });
});

describe('the prefix cache', () => {
  const words = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `w${from + i}`);

  it('finds full blocks of what came before, up to the first difference', () => {
    const cache = createPrefixCache(10_000);
    expect(cache.lookUp(words(0, 40))).toBe(0);
    expect(cache.lookUp([...words(0, 40), 'x'])).toBe(32);
    expect(cache.lookUp([...words(0, 20), ...words(100, 140)])).toBe(16);
    expect(cache.lookUp(words(1, 40))).toBe(0);
  });

  it('never finds the last token: it must be computed', () => {
    const cache = createPrefixCache(10_000);
    cache.lookUp(words(0, 32));
    expect(cache.lookUp(words(0, 32))).toBe(16);
    expect(cache.lookUp(words(0, 33))).toBe(32);
  });

  it('forgets what was used longest ago, and everything when cleared', () => {
    const cache = createPrefixCache(64);
    cache.lookUp(words(0, 33));
    cache.lookUp(words(100, 165));
    expect(cache.lookUp(words(0, 33))).toBe(0);
    expect(cache.lookUp(words(0, 33))).toBe(32);
    cache.clear();
    expect(cache.lookUp(words(0, 33))).toBe(0);
  });
});
