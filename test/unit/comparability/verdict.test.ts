// One verdict out of many findings: what differs outweighs what is unknown, that what was aligned, and that what is assumed.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { Comparison, DimensionId, Finding, MetricComparison } from '../../../src/comparability/comparison';
import { claimOf, verdictOf } from '../../../src/comparability/verdict';
import type { RunManifest } from '../../../src/folder/manifest';
import { syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

const side = { summary: '', evidence: [] };
function finding(dimension: DimensionId, state: Finding['state'], more: Partial<Finding> = {}): Finding {
  const title = `The ${dimension}`;
  return {
    dimension,
    title,
    question: '',
    state,
    message: `${dimension}!`,
    tolerance: '',
    a: side,
    b: side,
    moves: [],
    ...more,
  };
}

const row = (verdict: MetricComparison['verdict'], hasDifference = true): MetricComparison => ({
  metric: 'ttft',
  statistic: 'mean',
  label: 'TTFT mean',
  unit: 'ms',
  stage: 0,
  better: 'lower',
  a: { value: 1, n: 9 },
  b: { value: 2, n: 9 },
  ...(hasDifference
    ? {
        difference: {
          absolute: 1,
          percentOfA: 100,
          answer: { kind: 'inconclusive' as const, reason: 'no-interval' as const },
          words: 'B is higher',
        },
      }
    : {}),
  verdict,
  because: [],
});

const DIFFERS = finding('cache-state', 'confounds', { remedy: 'Do the first thing' });
const UNKNOWN = finding('server', 'unknown');
const ASSUMED = finding('client-host', 'unknown', { assumed: 'that the host was one' });
const ALIGNED = finding('token-source', 'aligned');
const INTENDED = finding('sampling', 'intended');
const SAME = finding('load-model', 'same');

describe('the verdict', () => {
  it.each([
    [
      'a difference beside an unknown, an alignment and the intent',
      [SAME, ALIGNED, INTENDED, ASSUMED, UNKNOWN, DIFFERS],
      'confounded',
      3,
    ],
    ['an unknown beside an alignment and the intent', [SAME, ALIGNED, INTENDED, ASSUMED, UNKNOWN], 'undetermined', 4],
    ['what no run records beside the intent', [SAME, ALIGNED, INTENDED, ASSUMED], 'comparable', 0],
    ['an alignment', [SAME, ALIGNED], 'comparable', 0],
    ['nothing', [SAME], 'comparable', 0],
  ] as const)('%s', (_name, findings, state, exitCode) => {
    for (const list of [findings, [...findings].reverse()])
      expect(verdictOf(list, [row('comparable')], [])).toMatchObject({ state, exitCode });
  });

  it('without a number on both sides is none, unless something differs', () => {
    const none = [row('undetermined', false)];
    expect(verdictOf([SAME], none, [])).toMatchObject({ state: 'undetermined', exitCode: 4 });
    expect(verdictOf([SAME], none, []).sentence).toContain('no number on both sides');
    expect(verdictOf([SAME, DIFFERS], none, []).state).toBe('confounded');
  });

  it('says what differs, what else is not recorded, and how many numbers stand', () => {
    const metrics = [row('comparable'), row('confounded'), row('comparable-after-alignment'), row('comparable', false)];
    expect(verdictOf([DIFFERS, UNKNOWN], metrics, []).sentence).toBe(
      'Not comparable: A and B differ in the cache-state; the server is not recorded. 2 of 3 numbers are untouched by it.',
    );
    expect(verdictOf([DIFFERS], [row('confounded')], []).sentence).toBe(
      'Not comparable: A and B differ in the cache-state.',
    );
  });

  it('says what was intended before what was aligned, and what is assumed', () => {
    const said = (...findings: Finding[]): string => verdictOf(findings, [row('comparable')], ['sampling']).sentence;
    expect(said(SAME, ALIGNED, INTENDED)).toContain('differ only in the sampling, as intended');
    expect(said(SAME, ALIGNED)).toContain('Comparable after alignment in the token-source');
    expect(said(SAME, ASSUMED)).toContain('with the client-host assumed equal (no run records it)');
    expect(said(DIFFERS)).toContain('differ besides the intended change (sampling) in the cache-state');
  });

  it('that is no "comparable" makes no claim, and says what to do first', () => {
    const claim = (...findings: Finding[]): Comparison['claim'] => {
      const verdict = verdictOf(findings, [row('comparable')], []);
      return claimOf({
        verdict,
        findings,
        metrics: [],
        stages: [],
        intended: [],
        a: {} as never,
        b: {} as never,
        noise: '',
      });
    };
    expect(claim(UNKNOWN, DIFFERS).noClaim).toContain('First: Do the first thing');
    expect(claim(ASSUMED, UNKNOWN).noClaim).toContain('server!');
  });
});

describe('the verdict of one number', () => {
  const plain: SyntheticOptions = { stages: [{ rateRps: 20, durationSeconds: 10 }] };
  const seen = (b: SyntheticOptions): MetricComparison => {
    const pair = [syntheticRun({ ...plain, seed: 1 }), syntheticRun({ ...plain, seed: 2, ...b })] as const;
    return compare(...pair, { resamples: 20 }).metrics.find(({ metric }) => metric === 'ttft')!;
  };

  it('is confounded where something that moves it differs, whatever else is unknown', () => {
    const silent = (manifest: RunManifest): RunManifest => Object.assign({ ...manifest }, { stack: undefined });
    expect(seen({})).toMatchObject({ verdict: 'comparable', because: [] });
    const { verdict, because } = seen({ promptTokens: 400, manifest: silent });
    expect(verdict).toBe('confounded');
    expect(because).toContain('input-length');
  });
});
