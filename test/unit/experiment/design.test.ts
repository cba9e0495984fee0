// The slots: their order, their streams, and that the same file always has the same ones.
import { describe, expect, it } from 'vitest';
import { discardedSlots, slotsOfBlock } from '../../../src/experiment/design';
import { experimentOf } from './experiments';

const order = (more: string, blocks = 40): string[] =>
  Array.from({ length: blocks }, (_, i) =>
    slotsOfBlock(experimentOf(more), 'block', i + 1)
      .map(({ side }) => side)
      .join(''),
  );
const seeds = (more: string): number[][] =>
  [1, 2, 3].map((block) => slotsOfBlock(experimentOf(more), 'block', block).map(({ seed }) => seed));

describe('slots of an experiment', () => {
  it('are blocks of A B B A, so that a steady drift cancels', () => {
    expect(new Set(order(''))).toEqual(new Set(['abba']));
  });

  it('or begin with either side by chance, the same chance every time', () => {
    const drawn = order('design: { order: balanced-random, seed: 3 }\n');
    expect(new Set(drawn)).toEqual(new Set(['abba', 'baab']));
    expect(order('design: { order: balanced-random, seed: 3 }\n')).toEqual(drawn);
    expect(order('design: { order: balanced-random, seed: 4 }\n')).not.toEqual(drawn);
  });

  it('send one stream in a block and another in the next', () => {
    const drawn = seeds('');
    for (const block of drawn) expect(new Set(block).size).toBe(1);
    expect(new Set(drawn.flat()).size).toBe(3);
    expect(new Set(seeds('design: { workload: new-per-slot }\n').flat()).size).toBe(12);
    expect(new Set(seeds('design: { workload: same, reason: why }\n').flat()).size).toBe(1);
  });

  it('of A against A all run on A, and share no stream with the blocks', () => {
    const experiment = experimentOf('calibrate: { aa: 2 }\n');
    const own = slotsOfBlock(experiment, 'aa', 1);
    expect(own.map(({ side }) => side)).toEqual(['a', 'a', 'a', 'a']);
    expect(own.map(({ role }) => role)).toEqual(['a', 'b', 'b', 'a']);
    expect(seeds('').flat()).not.toContain(own[0]!.seed);
  });

  it('in front are discarded, one a side', () => {
    expect(discardedSlots(experimentOf()).map(({ id, side }) => `${id}${side}`)).toEqual(['d1a', 'd2b']);
  });
});
