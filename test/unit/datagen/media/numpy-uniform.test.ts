// numpy's own draw of a uniform position, digit by digit.
import { describe, expect, it } from 'vitest';
import { numpyFirstUniform } from '../../../../src/datagen/media/numpy-uniform';

describe('the first uniform number of numpy’s default_rng', () => {
  // numpy 2: np.random.default_rng(seed).uniform(0, 1)
  it.each([
    [0, 0.6369616873214543],
    [1, 0.5118216247002567],
    [2, 0.2616121342493164],
    [42, 0.7739560485559633],
    [1000, 0.5213857379750627],
  ])('of seed %i', (seed, first) => {
    expect(numpyFirstUniform(seed)).toBe(first);
  });
});
