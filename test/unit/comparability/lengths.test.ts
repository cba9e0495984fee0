// Lengths by share: a token or two on short texts is a difference, whatever a file keeps of them; a sample's luck is none.
import { describe, expect, it } from 'vitest';
import { inputLength } from '../../../src/comparability/dimensions/input-length';
import { outputLength } from '../../../src/comparability/dimensions/output-length';
import { compareLengths, type LengthSummary } from '../../../src/comparability/lengths';
import { sideOf } from '../../../src/comparability/side';
import { matchStages } from '../../../src/comparability/stages';
import { distributionOf, sortedValues } from '../../../src/metrics/statistics';
import type { Run } from '../../../src/readers/run';
import { normalFrom, randomStream, syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

function examined(runA: Run, runB: Run) {
  const [a, b] = [sideOf('A', runA), sideOf('B', runB)];
  const context = { a, b, matching: matchStages(a, b) };
  return { input: inputLength.examine(context), output: outputLength.examine(context) };
}

describe('short lengths', () => {
  it.each([
    [1, 3],
    [8, 10],
    [16, 18],
    [20, 22],
    [36, 38],
  ])('%d against %d tokens differ, of prompts as of answers', (x, y) => {
    const prompts = examined(syntheticRun({ promptTokens: x }), syntheticRun({ seed: 2, promptTokens: y })).input;
    expect(prompts).toMatchObject({ state: 'confounds' });
    expect(prompts.message).toContain(`mean ${x} against ${y}`);
    const answers = examined(syntheticRun({ maxTokens: x }), syntheticRun({ seed: 2, maxTokens: y })).output;
    expect(answers).toMatchObject({ state: 'confounds' });
  });

  const of = (values: readonly number[]): LengthSummary => distributionOf(Float64Array.from(values))!;
  const apart = (a: LengthSummary, b: LengthSummary): boolean =>
    compareLengths({ summary: a }, { summary: b }, 0).differs;
  const cycle = (...values: number[]): LengthSummary =>
    of(Array.from({ length: 350 }, (_, i) => values[i % values.length]!));

  it('in a summary, with quantiles alone or with a mean that is the same', () => {
    const { p5, p50, p95, count } = cycle(20);
    expect(apart({ p5: p5!, p50: p50!, p95: p95!, count: count! }, { p5: 22, p50: 22, p95: 22, count: 350 })).toBe(
      true,
    );
    expect(apart(cycle(10), cycle(8, 12))).toBe(true);
    expect(apart(cycle(20, 22), cycle(20, 22))).toBe(false);
  });
});

/** Lengths as data sets have them: spread, skewed, in lumps. */
const LAWS: Readonly<Record<string, (random: () => number) => number>> = {
  normal: (random) => Math.max(1, Math.round(128 + 30 * normalFrom(random))),
  lognormal: (random) => Math.max(1, Math.round(Math.exp(4 + 0.8 * normalFrom(random)))),
  'a few tokens': (random) => 1 + Math.floor(-Math.log(1 - random()) * 4),
  'two lengths': (random) => (random() < 0.5 ? 8 : 128),
  'a length and some long ones': (random) => (random() < 0.9 ? 20 : 400),
};

describe('one law, 350 requests against 120', () => {
  it.each(Object.entries(LAWS))(
    '%s: at most two of a hundred pairs differ, by values or by their summary',
    (_, law) => {
      const random = randomStream(71);
      const pairs = 300;
      const found = { values: 0, summary: 0, quantiles: 0 };
      for (let k = 0; k < pairs; k++) {
        const [a, b] = [350, 120].map((n) => {
          const values = sortedValues(Array.from({ length: n }, () => law(random)));
          return { values, summary: distributionOf(values)! };
        });
        const bare = ({ min, p5, p25, p50, p75, p95, max, count }: LengthSummary) =>
          ({ summary: { min, p5, p25, p50, p75, p95, max, count } }) as { summary: LengthSummary };
        if (compareLengths(a!, b!, 0).differs) found.values++;
        if (compareLengths({ summary: a!.summary }, { summary: b!.summary }, 0).differs) found.summary++;
        if (compareLengths(bare(a!.summary), bare(b!.summary), 0).differs) found.quantiles++;
      }
      for (const [what, count] of Object.entries(found)) expect(count / pairs, what).toBeLessThanOrEqual(0.02);
    },
  );

  it('of two runs with equal configs no length differs', () => {
    const options: SyntheticOptions = { maxTokens: { from: 8, to: 56 } };
    const lasting = (seed: number, durationSeconds: number): Run =>
      syntheticRun({ ...options, seed, stages: [{ rateRps: 25, durationSeconds }] });
    const pairs = 60;
    const states = Array.from({ length: pairs }, (_, k) => examined(lasting(2 * k + 1, 14), lasting(2 * k + 2, 4.8)));
    const differing = states.filter(({ input, output }) => input.state !== 'same' || output.state !== 'same');
    expect(differing.length / pairs).toBeLessThanOrEqual(0.02);
  });
});
