// What blocks can carry: drift cancels, levels hold, the three answers, exact tests, Stein's second stage.
import { describe, expect, it } from 'vitest';
import {
  blockDifferences,
  holmLevels,
  intervalOf,
  judgeLook,
  marginOfShare,
  signFlip,
  spreadOf,
  steinBlocks,
} from '../../../src/experiment/statistics';
import { noise } from './experiments';

/** Blocks of A B B A with noise, an effect and a drift per slot, as shares. */
function blocksOf(count: number, next: () => number, { sigma = 0.01, effect = 0, drift = 0 } = {}) {
  return Array.from({ length: count }, (_, block) => {
    const at = (place: number, side: number): number =>
      100 * Math.exp(sigma * next() + effect * side + drift * (block * 4 + place));
    return { a: [at(0, 0), at(3, 0)], b: [at(1, 1), at(2, 1)] };
  });
}

const margin = marginOfShare(0.05);
const kindOf = (blocks: ReturnType<typeof blocksOf>): string =>
  judgeLook([{ differences: blockDifferences(blocks), margin }], 0.05)[0]!.kind;

describe('differences of blocks', () => {
  it('leave a steady drift out, to the last digit', () => {
    const { values, scale } = blockDifferences(blocksOf(5, () => 0, { drift: 0.01, effect: 0.02 }));
    expect(scale).toBe('ratio');
    for (const value of values) expect(value).toBeCloseTo(0.02, 12);
  });

  it('are plain where a value is 0, and leave out a block without one side', () => {
    const { values, scale } = blockDifferences([
      { a: [0, 2], b: [3, 3] },
      { a: [1], b: [] },
    ]);
    expect([values, scale]).toEqual([[2], 'absolute']);
  });
});

describe('the three answers', () => {
  it('A against A under drift differs in about one case of twenty', () => {
    const next = noise(11);
    const kinds = Array.from({ length: 600 }, () => {
      const { values } = blockDifferences(blocksOf(4, next, { drift: 0.005 }));
      const { low, high } = intervalOf(spreadOf(values)!, 0.05);
      return low > 0 || high < 0;
    });
    const share = kinds.filter(Boolean).length / kinds.length;
    expect(share).toBeGreaterThan(0.02);
    expect(share).toBeLessThan(0.08);
  });

  it('3 % are found with four blocks, 0 % is equivalent within 5 %', () => {
    const next = noise(5);
    const many = (effect: number): string[] => Array.from({ length: 200 }, () => kindOf(blocksOf(4, next, { effect })));
    const apart = Array.from({ length: 200 }, () => {
      const { values } = blockDifferences(blocksOf(4, next, { effect: 0.03 }));
      const { low, high } = intervalOf(spreadOf(values)!, 0.05);
      return low > 0 || high < 0;
    });
    expect(apart.filter(Boolean).length).toBeGreaterThan(160);
    expect(many(0).filter((kind) => kind === 'equivalent').length).toBeGreaterThan(160);
    expect(many(0.2).filter((kind) => kind === 'different').length).toBeGreaterThan(190);
  });

  it('too much noise is neither, and says how many blocks more', () => {
    const [judged] = judgeLook([{ differences: { scale: 'ratio', values: [0.2, -0.1, 0.05, -0.02] }, margin }], 0.05);
    expect(judged!.kind).toBe('inconclusive');
    expect(judged!.furtherBlocks).toBeGreaterThan(1);
  });
});

describe('tests', () => {
  it('Holm: each at its level, and behind the first that is not found all at one', () => {
    expect(holmLevels([0.001, 0.04, 0.02], 0.05).map((level) => Number(level.toFixed(4)))).toEqual([
      0.0167, 0.05, 0.025,
    ]);
    const stopped = holmLevels([0.5, 0.6, 0.7], 0.05);
    expect(new Set(stopped).size).toBe(1);
    expect(stopped[0]).toBeCloseTo(0.05 / 3, 12);
  });

  it('the exact sign-flip test of few blocks says what it can reach', () => {
    expect(signFlip([1, 2, 3, 4])).toEqual({ p: 0.125, least: 0.125 });
    expect(signFlip([1, 2, 3, 4, 5, 6])).toBeUndefined();
    expect(signFlip([1, -1, 1, -1])!.p).toBe(1);
  });

  it('Stein: twice the noise asks for four times the blocks', () => {
    const pilot = [0.01, -0.01, 0.02, -0.02];
    const one = steinBlocks(pilot, 0.005, 0.05);
    expect(
      steinBlocks(
        pilot.map((value) => 2 * value),
        0.005,
        0.05,
      ) / one,
    ).toBeCloseTo(4, 0);
    expect(steinBlocks(pilot, 1, 0.05)).toBe(4);
  });
});
