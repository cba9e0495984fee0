// Every bound of a dimension, just under, at and just over: what is one load, one machine, one cache, one size, one way.
import { describe, expect, it } from 'vitest';
import type { DimensionId, Finding } from '../../../src/comparability/comparison';
import { DIMENSIONS } from '../../../src/comparability/dimensions';
import { parseThreshold } from '../../../src/comparability/gate';
import { compareLengths, type LengthSummary } from '../../../src/comparability/lengths';
import { balanceOf, fitRuns, type Observation } from '../../../src/comparability/run-fit';
import { sideOf } from '../../../src/comparability/side';
import { matchStages } from '../../../src/comparability/stages';
import { changePoint, mser5 } from '../../../src/comparability/warmup-detection';
import type { RunManifest } from '../../../src/folder/manifest';
import type { Run } from '../../../src/readers/run';
import { syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

const PLAIN: SyntheticOptions = { stages: [{ rateRps: 20, durationSeconds: 5 }], promptTokens: 1000, maxTokens: 8 };

function examined(id: DimensionId, runA: Run, runB: Run): Finding {
  const [a, b] = [sideOf('A', runA), sideOf('B', runB)];
  return DIMENSIONS.find((one) => one.id === id)!.examine({ a, b, matching: matchStages(a, b) });
}
const judged = (id: DimensionId, a: SyntheticOptions, b: SyntheticOptions): Finding =>
  examined(id, syntheticRun({ ...PLAIN, seed: 1, ...a }), syntheticRun({ ...PLAIN, seed: 2, ...b }));
/** Both ways round: a judgement has no favourite. */
function stateOf(id: DimensionId, a: SyntheticOptions, b: SyntheticOptions): Finding['state'] {
  const { state } = judged(id, a, b);
  expect(judged(id, b, a).state).toBe(state);
  return state;
}
const put = (change: (manifest: RunManifest) => Partial<RunManifest>): SyntheticOptions => ({
  manifest: (manifest) => ({ ...manifest, ...change(manifest) }),
});

describe('one load', () => {
  const rates = (a: number, b: number) => {
    const run = (rateRps: number) => syntheticRun({ ...PLAIN, stages: [{ rateRps, durationSeconds: 1 }] });
    return matchStages(sideOf('A', run(a)), sideOf('B', run(b))).pairs.map(({ sameLoad, label }) => [sameLoad, label]);
  };
  it.each([
    [100, 100, true, '100 rps'],
    [100, 101, true, '100 rps'],
    [101, 100, true, '101 rps'],
    [100, 101.1, false, '100 rps against 101 rps'],
    [101.1, 100, false, '101 rps against 100 rps'],
  ])('%d and %d a second: %s', (a, b, isOne, label) => {
    expect(rates(a, b)).toEqual([[isOne, label]]);
  });

  it('of a closed loop is the number at a time, exactly', () => {
    const run = (...levels: number[]) =>
      sideOf('A', syntheticRun({ ...PLAIN, stages: levels.map((concurrency) => ({ concurrency, requests: 8 })) }));
    const { pairs, unmatchedA, unmatchedB } = matchStages(run(4, 8, 16), run(8, 4, 100));
    expect(pairs.map(({ sameLoad, label, index }) => [index, sameLoad, label])).toEqual([
      [0, true, '4 concurrent'],
      [1, true, '8 concurrent'],
      [2, false, '16 concurrent against 100 concurrent'],
    ]);
    expect([unmatchedA, unmatchedB]).toEqual([[], []]);
    const left = matchStages(run(4), run(4, 8));
    expect([left.pairs.length, left.unmatchedA.length, left.unmatchedB.length]).toEqual([1, 0, 1]);
  });
});

describe('one machine', () => {
  const on = (runtime: Partial<RunManifest['runtime']>) =>
    put((manifest) => ({ runtime: { ...manifest.runtime, ...runtime } }));
  const GIB = 1024 ** 3;
  it.each([
    [{}, {}, 'same'],
    [{ cpus: 2 }, { cpus: 4 }, 'confounds'],
    [{ cpuModel: 'x' }, { cpuModel: 'y' }, 'confounds'],
    [{ cpuModel: 'x' }, {}, 'unknown'],
    [{ platform: 'linux' }, { platform: 'darwin' }, 'confounds'],
    [{ arch: 'x64' }, { arch: 'arm64' }, 'confounds'],
    [{ node: 'v20.1.0' }, { node: 'v20.9.3' }, 'same'],
    [{ node: 'v20.1.0' }, { node: 'v22.1.0' }, 'confounds'],
    [{ memoryBytes: 100 * GIB }, { memoryBytes: 95 * GIB }, 'same'],
    [{ memoryBytes: 100 * GIB }, { memoryBytes: 94.9 * GIB }, 'confounds'],
    [{ memoryBytes: 100 * GIB }, {}, 'unknown'],
    [{ host: 'bench' }, { host: 'other' }, 'confounds'],
    // Pods of one workload and containers have names of chance.
    [{ host: 'load-7d9c5b8f6d-x2x4z' }, { host: 'load-7d9c5b8f6d-aaaaa' }, 'same'],
    [{ host: 'load-7d9c5b8f6d-x2x4z' }, { host: 'load-6f5b4c9d8e-qqqqq' }, 'same'],
    [{ host: 'load-7d9c5b8f6d-x2x4z' }, { host: 'else-7d9c5b8f6d-x2x4z' }, 'confounds'],
    [{ host: '0123456789ab' }, { host: 'ba9876543210' }, 'same'],
    [{ host: '0123456789ab' }, { host: '0123456789a' }, 'confounds'],
    [{ workers: 1 }, { workers: 4 }, 'same'],
  ] as const)('%j and %j: %s', (a, b, state) => {
    expect(stateOf('client-host', on(a), on(b))).toBe(state);
  });
});

describe('one cache', () => {
  it.each([
    [0.5, 0.5, 'same'],
    [0.5, 0.519, 'same'],
    [0.5, 0.521, 'confounds'],
    [0, 0.019, 'same'],
    [0, 0.021, 'confounds'],
  ] as const)('%d and %d of the prompt tokens cached: %s', (a, b, state) => {
    expect(stateOf('cache-state', { cachedShare: a }, { cachedShare: b })).toBe(state);
  });
  it('that only one side reports is not known', () => {
    expect(stateOf('cache-state', { cachedShare: 0.5 }, {})).toBe('unknown');
  });
  it('that neither reports is open for the same prompts to one address, and assumed for others', () => {
    const same = judged('cache-state', { promptSeed: 7 }, { promptSeed: 7 });
    expect([same.state, same.assumed]).toEqual(['unknown', undefined]);
    const other = judged('cache-state', {}, {});
    expect(other.state).toBe('unknown');
    expect(other.assumed).toBeDefined();
  });
});

describe('one kind of request', () => {
  it.each([
    [{}, {}, 'same', undefined],
    [{ api: 'chat' }, { api: 'completion' }, 'confounds', 'CMP038'],
    [{ streaming: true }, { streaming: false }, 'confounds', 'CMP053'],
    [{ api: 'chat', template: 10 }, { api: 'chat', template: 12 }, 'same', undefined],
    [{ api: 'chat', template: 10 }, { api: 'chat', template: 13 }, 'confounds', 'CMP038'],
    [{ template: 0 }, { template: 3 }, 'confounds', 'CMP038'],
    [{ api: 'chat', template: 10 }, { api: 'chat', tokenizer: false }, 'unknown', undefined],
    [{ tokenizer: false }, { template: 0 }, 'same', undefined],
  ] as const)('%j and %j: %s', (a, b, state, pitfall) => {
    expect(stateOf('endpoint-mode', a, b)).toBe(state);
    if (pitfall !== undefined) expect(judged('endpoint-mode', a, b).pitfall).toBe(pitfall);
  });
  it('without any count of a chat’s template is assumed to be one', () => {
    const { state, assumed } = judged(
      'endpoint-mode',
      { api: 'chat', tokenizer: false },
      { api: 'chat', tokenizer: false },
    );
    expect(state).toBe('unknown');
    expect(assumed).toContain('template');
  });
});

describe('one sampling', () => {
  const sent = (more: Record<string, unknown>) =>
    put(({ workload }) => ({ workload: { ...workload, parameters: { ...workload.parameters, ...more } } }));
  it.each([
    [{}, {}, 'same'],
    [{ temperature: 0 }, { temperature: 0 }, 'same'],
    [{ temperature: 0 }, { temperature: 1 }, 'confounds'],
    [{ temperature: 0 }, {}, 'confounds'],
    [{ seed: 1 }, { seed: 2 }, 'confounds'],
    [{ stop: ['a'] }, { stop: ['a'] }, 'same'],
    // Judged elsewhere.
    ...['cache_salt', 'ignore_eos', 'stream', 'stream_options', 'max_tokens', 'model', 'prompt', 'messages'].map(
      (name) => [{ [name]: 'x' }, { [name]: 'y' }, 'same'] as const,
    ),
  ] as const)('%j and %j: %s', (a, b, state) => {
    expect(stateOf('sampling', sent(a), sent(b))).toBe(state);
  });
});

describe('one way to the server', () => {
  const to = (endpoint: Partial<RunManifest['endpoint']>) =>
    put((manifest) => ({ endpoint: { ...manifest.endpoint, ...endpoint } }));
  it.each([
    [to({}), to({}), 'same'],
    [to({}), to({ baseUrl: 'https://127.0.0.1:8000', tls: true }), 'confounds'],
    [to({ baseUrl: 'http://10.0.0.1:8000' }), to({}), 'confounds'],
    [{ tokensPerChunk: 1 }, { tokensPerChunk: 2 }, 'confounds'],
    [{ maxTokens: 12, tokensPerChunk: 2 }, { maxTokens: 12, tokensPerChunk: 3 }, 'same'],
    [{ maxTokens: 12, tokensPerChunk: 2 }, { maxTokens: 12, tokensPerChunk: 4 }, 'confounds'],
  ] as const)('%#: %s', (a, b, state) => {
    expect(stateOf('network-path', a, b)).toBe(state);
  });
  it('a chunk’s size moves what is measured of single tokens', () => {
    const { moves } = judged('network-path', { tokensPerChunk: 1 }, { tokensPerChunk: 2 });
    expect(moves.map(({ metric }) => metric)).toEqual(['ttft', 'itl']);
  });
});

describe('enough requests', () => {
  const sized = (n: number) => ({ ...PLAIN, stages: [{ rateRps: 10, durationSeconds: n / 10 }], law: 'even' as const });
  it.each([
    [300, 300, 'same'],
    [59, 59, 'same'],
    [58, 58, 'unknown'],
    [59, 58, 'unknown'],
    [59, 300, 'confounds'],
    [300, 298, 'same'],
    [58, 70, 'confounds'],
  ] as const)('%d and %d: %s', (a, b, state) => {
    expect(stateOf('sample-size', sized(a), sized(b))).toBe(state);
  });
});

describe('one share of losses', () => {
  /** So many of n failed; so many have no record at all. */
  function losing(n: number, failed: number, lost = 0): Run {
    const run = syntheticRun({ ...PLAIN, stages: [{ rateRps: n, durationSeconds: 1 }], law: 'even' });
    const outcome = { kind: 'failed', errorType: 'x', label: 'x', message: 'x' } as const;
    const records = run.records!.slice(lost).map((record, i) => (i < failed ? { ...record, outcome } : record));
    return { ...run, records };
  }
  const state = (a: Run, b: Run) => {
    const found = examined('completeness', a, b).state;
    expect(examined('completeness', b, a).state).toBe(found);
    return found;
  };
  it.each([
    // Over one point, and surely.
    [1000, 9, 'same'],
    [1000, 10, 'same'],
    [1000, 11, 'confounds'],
    // Over five points, and likely.
    [100, 5, 'same'],
    [100, 6, 'confounds'],
    [40, 3, 'same'],
    [40, 4, 'confounds'],
    [40, 40, 'confounds'],
  ] as const)('of %d none and %d failed: %s', (n, failed, expected) => {
    expect(state(losing(n, 0), losing(n, failed))).toBe(expected);
  });
  it('alike on both sides is no difference, and none at all on both is nothing to compare', () => {
    expect(state(losing(100, 30), losing(100, 30))).toBe('same');
    expect(state(losing(40, 40), losing(40, 40))).toBe('unknown');
  });
  it('a journal lacks up to one line in a hundred', () => {
    expect(state(losing(1000, 0), losing(1000, 0, 10))).toBe('same');
    expect(state(losing(1000, 0), losing(1000, 0, 11))).toBe('confounds');
  });
  it('a run that was stopped is none that came to its end', () => {
    expect(stateOf('completeness', {}, { stopAfter: 50 })).toBe('confounds');
  });
});

describe('one length', () => {
  const fixed = (value: number, n = 400) => {
    const values = new Float64Array(n).fill(value);
    const summary: LengthSummary = {
      count: n,
      mean: value,
      stdDev: 0,
      min: value,
      p5: value,
      p25: value,
      p50: value,
      p75: value,
      p95: value,
      max: value,
    };
    return { values, summary };
  };
  it.each([
    [100, 103, 0, false],
    [100, 104, 0, true],
    [104, 100, 0, true],
    [10, 11, 0, true],
    [10, 12, 2, false],
    [10, 13, 2, true],
    [1000, 1003, 2, false],
  ])('%d against %d tokens with a slack of %d: %s', (a, b, slack, differs) => {
    expect(compareLengths(fixed(a), fixed(b), slack)).toMatchObject({ differs, apart: differs, open: false });
  });
  it('a little off beyond chance is worth a note', () => {
    expect(compareLengths(fixed(100), fixed(101), 0).slight).toBe(true);
    expect(compareLengths(fixed(100), fixed(100.4), 0).slight).toBe(false);
    expect(compareLengths(fixed(100), fixed(110), 0).slight).toBe(false);
  });
  it('of a mean alone rests on its spread and its count', () => {
    const mean = (value: number, more: LengthSummary = {}) => ({ summary: { mean: value, ...more } });
    expect(compareLengths(mean(100), mean(104), 0)).toMatchObject({ differs: false, apart: true, open: true });
    // Spread taken for half the mean: 10 of 100 is 4.47 standard errors at 1050 each, and over 4.5 at 1100.
    const at = (count: number) => compareLengths(mean(100, { count, stdDev: 50 }), mean(110, { count, stdDev: 50 }), 0);
    expect(at(1000)).toMatchObject({ differs: false, apart: true, open: false });
    expect(at(1100)).toMatchObject({ differs: true });
    expect(compareLengths(mean(100, { count: 1000 }), mean(110, { count: 1000 }), 0).differs).toBe(false);
  });
});

describe('a warm-up in a series', () => {
  it('is cut where the rest is steadiest, by fives, in the first half', () => {
    const series = (n: number, slow: number) =>
      Array.from({ length: n }, (_, i) => (i < slow ? 10 : 1) + (i % 5) * 0.01);
    expect(mser5(series(100, 0))).toBe(0);
    expect(mser5(series(100, 20))).toBe(20);
    expect(mser5(series(100, 22))).toBe(25);
    expect(mser5(series(100, 50))).toBe(50);
    expect(mser5(series(100, 80))).toBeLessThanOrEqual(50);
  });
  it('a shift is found where it is, with both levels', () => {
    const step = (n: number) => Array.from({ length: n }, (_, i) => (i < 24 ? 5 : 2));
    expect(changePoint(step(60))).toEqual({ at: 24, before: 5, after: 2 });
    expect(changePoint(step(59))).toBeUndefined();
  });
});

describe('repeats', () => {
  const runs = (...values: number[]): Observation[] => values.map((value) => ({ value }));
  const placed = (...pairs: (readonly [number, number])[]): Observation[] =>
    pairs.map(([position, value]) => ({ position, value }));

  it('share one spread, over all runs less two', () => {
    // Squares around the means: 2 + 0.5, over 3 degrees.
    const fit = fitRuns(runs(1, 2, 3), runs(10, 11))!;
    expect(fit).toMatchObject({ meanA: 2, meanB: 10.5, freedom: 3, covariance: 0, open: true });
    expect(fit.noise).toBeCloseTo(Math.sqrt(2.5 / 3), 12);
    expect(fit.varianceA).toBeCloseTo(2.5 / 9, 12);
    expect(fit.varianceB).toBeCloseTo(2.5 / 6, 12);
  });
  it('are too few with one on each side, or none on one', () => {
    expect(fitRuns(runs(1), runs(2))).toBeUndefined();
    expect(fitRuns(runs(1, 2, 3), [])).toBeUndefined();
    expect(fitRuns(runs(1, 2), runs(2))).toBeDefined();
  });
  it('in four blocks are compared within each', () => {
    // A B, B A, A B, B A with levels 1, 2, 3, 4 and B always 10 more: means vary by the block, their difference does not.
    const a = placed([0, 1], [3, 2], [4, 3], [7, 4]);
    const b = placed([1, 11], [2, 12], [5, 13], [6, 14]);
    const fit = fitRuns(a, b)!;
    expect(fit).toMatchObject({ freedom: 3, meanA: 2.5, meanB: 12.5 });
    // Sample variance of 1..4 is 5/3; of a mean of four, a quarter.
    for (const value of [fit.varianceA, fit.varianceB, fit.covariance]) expect(value).toBeCloseTo(5 / 12, 12);
    expect(fitRuns(a.slice(0, 3), b.slice(0, 3))!.method).toContain('over repeats');
  });
  it('that drift say so, as a share of A from run to run', () => {
    const fit = fitRuns(placed([0, 10], [2, 12], [4, 14]), placed([1, 11], [3, 13], [5, 15]))!;
    expect(fit.drift).toBeCloseTo(1 / 12, 9);
    expect(fit.open).toBe(true);
    const still = fitRuns(placed([0, 10], [2, 12], [4, 10]), placed([1, 11], [3, 10], [5, 12]))!;
    expect(still.drift).toBeUndefined();
    expect(still.open).toBe(false);
  });
  it.each([
    [[0, 3], [1, 2], 'even'],
    [[0, 2], [1, 3], 'leaning'],
    [[0, 1], [2, 3], 'open'],
    [[2, 3], [0, 1], 'open'],
    [[0, 2, 4], [1, 3, 5], 'leaning'],
    [[0, 1, 5], [2, 3, 4], 'leaning'],
    [[0, 1, 2, 7], [3, 4, 5, 6], 'leaning'],
    [[0, 1, 2, 6], [3, 4, 5, 7], 'open'],
    [[0, undefined], [1, 2], 'open'],
  ] as const)('at %j and %j are %s', (a, b, balance) => {
    const at = (places: readonly (number | undefined)[]) =>
      places.map((position) => (position === undefined ? {} : { position }));
    expect(balanceOf(at(a), at(b))).toBe(balance);
  });
});

describe('a limit for a gate', () => {
  it.each([
    ['ttft.p95=5%', { metric: 'ttft', statistic: 'p95', amount: 5, unit: '%' }],
    [' ttft.p99.9 = 0.5 ms ', { metric: 'ttft', statistic: 'p99.9', amount: 0.5, unit: 'ms' }],
    ['tpot.mean=2s', { metric: 'tpot', statistic: 'mean', amount: 2, unit: 's' }],
    ['requests_per_sec=3%', { metric: 'requests_per_sec', statistic: 'value', amount: 3, unit: '%' }],
    ['requests_per_sec=3', { metric: 'requests_per_sec', statistic: 'value', amount: 3, unit: '' }],
    ['requests_per_sec.value=3', { metric: 'requests_per_sec', statistic: 'value', amount: 3, unit: '' }],
  ])('%s', (text, threshold) => {
    expect(parseThreshold(text)).toEqual({ ...threshold, text });
  });
  it.each([
    'nothing.p95=5%',
    'ttft=5%',
    'ttft.value=5%',
    'ttft.p42=5%',
    'ttft.p95=5',
    'ttft.p95=',
    'ttft.p95=-5%',
    'ttft.p95=5 %%',
    'ttft.p95=5.%',
    'requests_per_sec.p95=5%',
    'requests_per_sec=5ms',
  ])('%s is none', (text) => {
    expect(parseThreshold(text)).toBeTypeOf('string');
  });
});
