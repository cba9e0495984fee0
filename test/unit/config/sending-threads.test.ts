// How many threads a planned load needs, and what a user may ask for.
import { describe, expect, it } from 'vitest';
import { threadsAsked, threadsFor, tokensPerSecond } from '../../../src/config/will/sending-threads';

describe('threads for a load', () => {
  it('open loops: requests a second, each with its answer; the busiest stage decides', () => {
    expect(tokensPerSecond({ requestsPerSecond: 20, tokensPerAnswer: 90 })).toBe(2000);
    const stages = [
      { requestsPerSecond: 20, tokensPerAnswer: 90 },
      { requestsPerSecond: 250, tokensPerAnswer: 90 },
    ];
    expect(threadsFor(stages, 64).count).toBe(3);
    expect(threadsFor(stages.slice(0, 1), 64).count).toBe(1);
  });

  it('closed loops: what their slots are taken to bring', () => {
    expect(threadsFor([{ slots: 200, isStreaming: true }], 64).count).toBe(1);
    expect(threadsFor([{ slots: 201, isStreaming: true }], 64).count).toBe(2);
    expect(threadsFor([{ slots: 201, isStreaming: false }], 64).count).toBe(1);
  });

  it('one core is left for everything else, and one thread always sends', () => {
    const storm = [{ requestsPerSecond: 5000, tokensPerAnswer: 500 }];
    expect([1, 2, 3, 8, 1000].map((cores) => threadsFor(storm, cores).count)).toEqual([1, 1, 2, 7, 255]);
    expect(threadsFor(storm, 1).reason).toContain('there is one core');
    expect(threadsFor(storm, 8).reason).toContain('one less than the 8 cores');
    expect(threadsFor([], 8)).toMatchObject({ count: 1 });
  });
});

describe('a number of threads, as written', () => {
  it.each([
    ['auto', 'auto'],
    ['3', 3],
    [3, 3],
    [' 12 ', 12],
    [256, 256],
    [257, undefined],
    [0, undefined],
    ['-1', undefined],
    [2.5, undefined],
    ['2.5', undefined],
    ['many', undefined],
    ['', undefined],
    [undefined, undefined],
    [Number.NaN, undefined],
    [true, undefined],
  ])('%j is %j', (value, asked) => {
    expect(threadsAsked(value)).toBe(asked);
  });
});
