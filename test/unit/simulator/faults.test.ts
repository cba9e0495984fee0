// Injected faults: what each of them looks like to the real client, in a stream and in a whole answer.
import { afterEach, describe, expect, it } from 'vitest';
import { FAULT_KINDS, type FaultKind } from '../../../src/simulator/options';
import { bench, type Bench } from './helpers';

let under: Bench;

afterEach(() => under.close());

const EXPECTED: Record<FaultKind, { stream: string; whole: string; tokens: number }> = {
  http429: { stream: '429 - Rate Limit', whole: '429 - Rate Limit', tokens: 0 },
  http500: { stream: '500 - Internal Server Error', whole: '500 - Internal Server Error', tokens: 0 },
  http503: { stream: '503 - Service Unavailable', whole: '503 - Service Unavailable', tokens: 0 },
  reset: { stream: 'Connection Error', whole: 'Connection Error', tokens: 4 },
  stall: { stream: 'Timeout', whole: 'Timeout', tokens: 4 },
  truncate: { stream: 'stream ended early', whole: 'Connection Error', tokens: 4 },
  'error-in-stream': { stream: 'error in stream', whole: 'error in answer', tokens: 4 },
  empty: { stream: 'empty answer', whole: 'empty answer', tokens: 0 },
  'ok-with-error-body': { stream: 'error in answer', whole: 'error in answer', tokens: 0 },
  slow: { stream: 'ok', whole: 'ok', tokens: 8 },
};

describe.each(FAULT_KINDS)('%s', (kind) => {
  it.each([true, false])('with stream: %s', async (stream) => {
    under = await bench({ faultRate: 1, faultKinds: [kind] });
    const result = await under.send({ prompt: 'x', stream }, {}, kind === 'stall' ? 1.5 : 20);
    const label = result.outcome.kind === 'failed' ? result.outcome.label : result.outcome.kind;
    expect(label).toBe(stream ? EXPECTED[kind].stream : EXPECTED[kind].whole);
    // A reset may overtake the tokens that were written before it.
    if (stream && kind !== 'reset') expect(result.chunkSeconds).toHaveLength(EXPECTED[kind].tokens);
    expect(under.simulator.stats().faults).toEqual({ [kind]: 1 });
    await expect.poll(() => under.simulator.stats().running).toBe(0);
  });
});

describe('a fault rate', () => {
  it('hits the same requests every time, and about as many as it says', async () => {
    under = await bench({ faultRate: 0.3, faultKinds: ['http500', 'http429'] });
    const kinds = async (): Promise<string[]> => {
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, i) => under.send({ prompt: `p ${i}`, max_tokens: 1 })),
      );
      return results.map((each) => (each.outcome.kind === 'failed' ? each.outcome.label : 'ok'));
    };
    const once = await kinds();
    expect(await kinds()).toEqual(once);
    const failed = once.filter((kind) => kind !== 'ok').length;
    expect(failed).toBeGreaterThan(15);
    expect(failed).toBeLessThan(50);
    expect(new Set(once).size).toBe(3);
  });
});
