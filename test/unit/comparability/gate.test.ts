// A gate for CI: what fails it, with which code, and that nobody is called worse by chance.
import { describe, expect, it } from 'vitest';
import { comparisonMarkdown } from '../../../src/views/comparison/markdown';
import { compare } from '../../../src/comparability/compare';
import { gate, parseThreshold, type Threshold } from '../../../src/comparability/gate';
import type { Comparison, MetricComparison } from '../../../src/comparability/comparison';
import { syntheticRun } from '../support/synthetic-run';

const limit = (text: string): Threshold => {
  const parsed = parseThreshold(text);
  if (typeof parsed === 'string') throw new Error(parsed);
  return parsed;
};

const comparison = compare(syntheticRun({ seed: 1 }), syntheticRun({ seed: 2 }), { resamples: 200 });

const REPEATS = { a: ['a', 'a2'], b: ['b', 'b2'], order: 'alternating (A B B A)', balance: 'even' } as const;

/** TTFT p95 of the first stage as it is, with another difference. */
function withTtft(
  difference: Partial<NonNullable<MetricComparison['difference']>>,
  drop: readonly string[] = [],
): Comparison {
  const metrics = comparison.metrics.map((row) => {
    if (row.metric !== 'ttft' || row.statistic !== 'p95') return row;
    const changed = Object.fromEntries(
      Object.entries({ ...row.difference!, ...difference }).filter(([key]) => !drop.includes(key)),
    ) as unknown as NonNullable<MetricComparison['difference']>;
    return { ...row, difference: changed };
  });
  return { ...comparison, metrics };
}

describe('a threshold', () => {
  const ask = (of: Comparison) => gate(of, ['regression'], [limit('ttft.p95=5%')]);

  it('fails with 5 where the difference is larger and no chance', () => {
    const worse = withTtft({
      absolute: 20,
      percentOfA: 40,
      detected: true,
      answer: { kind: 'different', reason: 'repeats' },
      words: 'B is higher by 40 % of A (worse)',
    });
    expect(ask(worse)).toMatchObject({ passed: false, exitCode: 5 });
  });

  it('with 4, and the reason, where nobody can tell it from chance', () => {
    const open = withTtft(
      {
        absolute: 20,
        percentOfA: 40,
        noInterval: 'worth about 27 independent requests, needs 30',
        words: 'B is higher',
      },
      ['interval', 'detected'],
    );
    const result = ask(open);
    expect(result).toMatchObject({ passed: false, exitCode: 4 });
    expect(result.reasons[0]).toContain('27 independent requests');
  });

  it('with 4 where these two runs differ, but not by more than two runs of one kind may', () => {
    const within = withTtft({
      absolute: 20,
      percentOfA: 40,
      detected: true,
      answer: { kind: 'inconclusive', reason: 'single-runs' },
    });
    expect(ask(within)).toMatchObject({ passed: false, exitCode: 4 });
    expect(gate(within, ['regression'], [])).toMatchObject({ passed: false, exitCode: 4 });
    expect(gate(within, ['difference'], [])).toMatchObject({ passed: false, exitCode: 4 });
  });

  it('and passes where repeats say that chance explains it, or it is small', () => {
    const chance = withTtft({ absolute: 20, percentOfA: 40, detected: false });
    expect(ask({ ...chance, repeats: REPEATS })).toMatchObject({ passed: true, exitCode: 0 });
    const small = withTtft({ absolute: 1, percentOfA: 2 }, ['interval', 'detected']);
    expect(ask({ ...small, repeats: REPEATS })).toMatchObject({ passed: true });
    // The same of one run a side: nobody knows what it would be of the next.
    expect(ask(chance)).toMatchObject({ passed: false, exitCode: 4 });
    expect(ask(small)).toMatchObject({ passed: false, exitCode: 4 });
  });

  it('of one run a side that are the same to the last digit passes', () => {
    const same = compare(syntheticRun({ seed: 1 }), syntheticRun({ seed: 1 }), { resamples: 50 });
    expect(gate(same, ['regression', 'difference'], [])).toMatchObject({ passed: true, exitCode: 0 });
  });
});

describe('a difference without an interval', () => {
  it('is never called better or worse, in no table and no claim', () => {
    const few = { stages: [{ rateRps: 10, durationSeconds: 3 }], jitter: 0.2, seed: 3 };
    const short = compare(syntheticRun(few), syntheticRun({ ...few, seed: 4 }), { resamples: 200 });
    const open = short.metrics.filter(
      ({ difference }) => difference && difference.absolute !== 0 && !difference.interval,
    );
    expect(open.length).toBeGreaterThan(0);
    for (const { difference } of open) {
      expect(difference!.words).not.toMatch(/better|worse/);
      expect(difference!.words).toMatch(/may be chance|no difference/);
    }
    expect(comparisonMarkdown(short)).not.toMatch(/\((?:better|worse)\)/);
    expect(short.claim.text ?? short.claim.noClaim).not.toMatch(/% of A(?:;|\.|$)/);
  });

  it('a verdict that nobody could give is no "not confounded": 4, and what 0 would have meant', () => {
    const open = withTtft({ absolute: 0, percentOfA: 0, detected: false });
    const undetermined: Comparison = { ...open, verdict: { ...open.verdict, state: 'undetermined' } };
    const result = gate(undetermined, ['confounded'], []);
    expect(result).toMatchObject({ passed: false, exitCode: 4 });
    expect(result.reasons.join(' ')).toContain('exit 0 would have meant');
    expect(gate({ ...undetermined, repeats: REPEATS }, ['regression'], [])).toMatchObject({ exitCode: 0 });
  });
});
