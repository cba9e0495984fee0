// The judged comparison as a whole: stages, intent, intervals, words, and its schema.
import Ajv from 'ajv/dist/2020';
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { compare } from '../../../src/comparability/compare';
import { DIMENSIONS } from '../../../src/comparability/dimensions';
import type { Comparison, DimensionId } from '../../../src/comparability/comparison';
import { comparisonSchema } from '../../../src/comparability/comparison-schema';
import { summarize } from '../../../src/metrics/summarize';
import type { Run } from '../../../src/readers/run';
import { drop, withoutRecords } from '../support/lacking';
import { syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

const run = (options: SyntheticOptions = {}): Run => syntheticRun(options);

function stateOf(comparison: Comparison, dimension: DimensionId): string {
  return comparison.findings.find((finding) => finding.dimension === dimension)!.state;
}

describe('stages are matched by load', () => {
  const stage = (rateRps: number, more = {}) => ({ rateRps, durationSeconds: 400 / rateRps, ...more });

  it('never by index, and a stage alone is named', () => {
    const a = run({ stages: [stage(20), stage(10)], seed: 1 });
    const b = run({ stages: [stage(10), stage(20), stage(40)], seed: 2 });
    const comparison = compare(a, b);
    expect(comparison.stages).toEqual([
      { a: 0, b: 1, label: '20 rps' },
      { a: 1, b: 0, label: '10 rps' },
    ]);
    expect(comparison.unmatched).toEqual(['B’s stage 2 (40 rps) has no counterpart and is not compared.']);
    expect(comparison.verdict.exitCode).toBe(0);
  });

  it('a rate repeated is matched in order; a warm-up is matched with nothing', () => {
    const a = run({ stages: [stage(5, { warmup: true }), stage(10), stage(10)], seed: 1 });
    const b = run({ stages: [stage(5, { warmup: true }), stage(10), stage(10)], seed: 2 });
    expect(compare(a, b).stages).toEqual([
      { a: 1, b: 1, label: '10 rps' },
      { a: 2, b: 2, label: '10 rps' },
    ]);
  });

  it('where some loads differ, only those stages are confounded', () => {
    const comparison = compare(
      run({ stages: [stage(20), stage(10)], seed: 1 }),
      run({ stages: [stage(20), stage(12)], seed: 2 }),
    );
    expect(stateOf(comparison, 'offered-load')).toBe('confounds');
    const verdicts = (index: number) =>
      new Set(comparison.metrics.filter((m) => m.stage === index).map((m) => m.verdict));
    expect(verdicts(0)).toEqual(new Set(['comparable']));
    expect(verdicts(1)).toEqual(new Set(['confounded']));
    expect(comparison.stages[1]).toMatchObject({ label: '10 rps against 12 rps', differ: true });
    expect(comparison.stages[0]).not.toHaveProperty('differ');
  });
});

describe('intent', () => {
  const a = run({ seed: 1 });
  const b = run({ seed: 2, maxTokens: { from: 8, to: 56 } });

  it('one declared change confounds nothing and is claimed with its bounds', () => {
    const comparison = compare(a, b, { intended: ['output-length'] });
    expect(stateOf(comparison, 'output-length')).toBe('intended');
    expect(comparison.verdict).toMatchObject({ exitCode: 0, state: 'comparable' });
    expect(comparison.verdict.sentence).toMatch(/differ only in answer length, as intended/);
    expect(comparison.claim.text).toMatch(/% of A.*95 % interval.*Run-to-run noise/);
  });

  it('a second difference still confounds', () => {
    const comparison = compare(a, run({ seed: 2, maxTokens: { from: 8, to: 56 }, usage: false }), {
      intended: ['output-length'],
    });
    expect(comparison.verdict.exitCode).toBe(3);
    expect(comparison.verdict.sentence).toMatch(/besides the intended change \(answer length\) in token counter/);
  });

  it('nothing changed though you meant to', () => {
    expect(compare(a, run({ seed: 2 }), { intended: ['output-length'] }).notes[0]).toMatch(
      /Nothing changed in answer length/,
    );
  });

  it('two changes at once are no comparison, however they were declared', () => {
    const two = compare(a, run({ seed: 2, maxTokens: 64, stages: [{ rateRps: 30, durationSeconds: 20 }] }), {
      intended: ['output-length', 'offered-load', 'load-model', 'arrival-process'],
    });
    expect(two.findings.filter(({ state }) => state === 'intended').map(({ dimension }) => dimension)).toEqual(
      expect.arrayContaining(['offered-load', 'output-length']),
    );
    expect(two.verdict.exitCode).toBe(3);
    expect(two.claim.text).toBeUndefined();
    expect(two.notes.join(' ')).toMatch(/things changed/);
  });

  it('what says how a run was measured stays what it is, declared or not', () => {
    const failing = run({ seed: 2, failureShare: 0.3, usage: false });
    const declared = compare(a, failing, { intended: DIMENSIONS.map(({ id }) => id) });
    expect(stateOf(declared, 'completeness')).toBe('confounds');
    expect(stateOf(declared, 'token-source')).toBe('confounds');
    expect(declared.verdict.exitCode).toBe(3);
  });
});

describe('lengths are judged by share', () => {
  it.each([
    [1, 3],
    [8, 10],
    [16, 18],
    [36, 38],
  ])('%i against %i tokens differ', (x, y) => {
    const comparison = compare(run({ seed: 1, maxTokens: x }), run({ seed: 1, maxTokens: y }));
    expect(stateOf(comparison, 'output-length')).toBe('confounds');
  });
});

describe('endpoints', () => {
  const at = (baseUrl: string, kind: string): Run =>
    drop(run({ seed: 1 }), (m) => {
      m.endpoint['baseUrl'] = baseUrl;
      m.endpoint['kind'] = kind;
    });

  it('the port of the embedded simulator is no difference; another server’s address is one', () => {
    const [a, b] = [at('http://127.0.0.1:40001', 'simulator'), at('http://127.0.0.1:40002', 'simulator')];
    const same = compare(a, b, { resamples: 50 });
    expect(same.a.endpoint).toMatch(/^embedded simulator \//);
    expect(same.b.endpoint).toBe(same.a.endpoint);
    expect(same.notes.join()).not.toMatch(/endpoint differs/);
    const other = compare(a, at('http://127.0.0.1:40001', 'config'), { resamples: 50 });
    expect(other.notes.join()).toMatch(/endpoint differs \(A: embedded simulator, B: http:/);
  });
});

describe('metrics', () => {
  const row = (comparison: Comparison, metric: string, statistic: string) =>
    comparison.metrics.find((entry) => entry.metric === metric && entry.statistic === statistic)!;

  it('a faster B is seen, with its base and its direction', () => {
    const comparison = compare(run({ seed: 1 }), run({ seed: 2, ttftSeconds: 0.03 }));
    const ttft = row(comparison, 'ttft', 'p50');
    expect(ttft.unit).toBe('ms');
    expect(ttft.difference!.percentOfA).toBeCloseTo((ttft.b.value! / ttft.a.value! - 1) * 100, 9);
    expect(ttft.difference!.interval!.high).toBeLessThan(0);
    expect(ttft.difference!.words).toMatch(/^this pair differs: B is lower by 3\d(\.\d)? % of A, beyond the/);
    expect(row(comparison, 'tpot', 'mean').difference!.words).toMatch(
      /no detectable difference \(up to .* % of A could hide\)/,
    );
    expect(comparison.verdict.exitCode).toBe(0);
  });

  it('a confounded difference is shown but neither better nor worse', () => {
    const comparison = compare(run({ seed: 1 }), run({ seed: 2, ttftSeconds: 0.03, lagSeconds: 0.05 }));
    expect(row(comparison, 'ttft', 'p50')).toMatchObject({ verdict: 'confounded', because: ['client-limit'] });
    expect(row(comparison, 'ttft', 'p50').difference!.words).not.toMatch(/better|worse/);
  });

  it('a percentile without its requests is withheld on both sides and confounds nothing', () => {
    const short = { stages: [{ rateRps: 20, durationSeconds: 5 }] };
    const comparison = compare(run({ ...short, seed: 1 }), run({ ...short, seed: 2 }));
    expect(row(comparison, 'ttft', 'p99')).toMatchObject({ verdict: 'undetermined', because: ['sample-size'] });
    expect(row(comparison, 'ttft', 'p99').a).toEqual({ n: 100, missing: 'n = 100 is under the 299 that p99 needs' });
    expect(comparison.verdict.exitCode).toBe(0);
  });

  it('no failures is not proof of none', () => {
    const difference = row(compare(run({ seed: 1 }), run({ seed: 2 })), 'error_rate', 'value').difference!;
    expect(difference.interval).toBeUndefined();
    expect(difference.noInterval).toMatch(/0\.75 % could show none/);
  });

  it('without records the reports are compared, without intervals and without a claim to have looked', () => {
    const reported = (options: SyntheticOptions): Run => {
      const whole = run(options);
      const report = summarize(whole.records!, {
        percentiles: [5, 25, 50, 75, 90, 95, 99],
        outputTokenSource: 'server-usage',
        stage: { requestedRateRps: 20 },
      });
      return { ...withoutRecords(whole), stages: new Map([[0, report]]), summary: report };
    };
    const comparison = compare(reported({ seed: 1 }), reported({ seed: 2 }));
    const ttft = row(comparison, 'ttft', 'p95');
    expect(ttft.a.value).toBeCloseTo(row(compare(run({ seed: 1 }), run({ seed: 2 })), 'ttft', 'p95').a.value!, 9);
    expect(ttft.difference!.noInterval).toBe('no per-request records');
    expect(stateOf(comparison, 'output-length')).toBe('same');
    expect(
      stateOf(compare(reported({ seed: 1 }), reported({ seed: 2, maxTokens: { from: 8, to: 56 } })), 'output-length'),
    ).toBe('confounds');
    expect(stateOf(comparison, 'arrival-process')).toBe('same');
  });

  it('nothing succeeded: there is no verdict to give', () => {
    const comparison = compare(run({ seed: 1, failureShare: 1 }), run({ seed: 2, failureShare: 1 }));
    expect(comparison.verdict.exitCode).toBe(4);
    expect(comparison.claim.text).toBeUndefined();
  });
});

describe('findings', () => {
  const comparison = compare(run({ seed: 1 }), run({ seed: 2, usage: false }));

  it('every dimension, once, worst first, with evidence, tolerance, pitfall', () => {
    expect(comparison.findings.map((finding) => finding.dimension).sort()).toEqual(
      DIMENSIONS.map(({ id }) => id).sort(),
    );
    expect(comparison.findings[0]!.dimension).toBe('token-source');
    for (const finding of comparison.findings) {
      expect(finding.a.evidence.length, finding.dimension).toBeGreaterThan(0);
      expect(finding.tolerance.length).toBeGreaterThan(20);
      expect(finding.pitfall).toMatch(/^CMP\d{3}$/);
      expect(finding.moves.length).toBeGreaterThan(0);
    }
    const different = comparison.findings.filter((finding) => finding.state !== 'same');
    for (const finding of different) {
      expect(finding.remedy).toBeTruthy();
      expect(finding.a.evidence.some((entry) => entry.configPath)).toBe(true);
    }
  });

  it('the same two runs give the same comparison, to the last digit', () => {
    expect(compare(run({ seed: 1 }), run({ seed: 2, usage: false }))).toEqual(comparison);
  });

  it('a run against itself is comparable, and that is said', () => {
    const same = compare(run({ seed: 1 }), run({ seed: 1 }));
    expect(same.verdict.exitCode).toBe(0);
    expect(same.notes[0]).toMatch(/same run/);
  });
});

/** Without `readonly` and without the `undefined` that zod puts beside optional keys. */
type Plain<T> = T extends readonly (infer U)[]
  ? Plain<U>[]
  : T extends object
    ? { -readonly [K in keyof T]: Plain<Exclude<T[K], undefined>> }
    : T;

describe('schema', () => {
  it('is the type', () => {
    expectTypeOf<Plain<z.output<typeof comparisonSchema>>>().toEqualTypeOf<Plain<Comparison>>();
  });

  it('accepts what compare makes, as zod and as JSON Schema', () => {
    const made = [
      compare(run({ seed: 1 }), run({ seed: 2 })),
      compare(run({ seed: 1 }), run({ seed: 2, stopAfter: 50 })),
    ];
    const validate = new Ajv({ strict: false }).compile(z.toJSONSchema(comparisonSchema));
    for (const comparison of made) {
      const text = JSON.parse(JSON.stringify(comparison)) as unknown;
      expect(comparisonSchema.parse(text)).toEqual(text);
      expect(validate(text), JSON.stringify(validate.errors)).toBe(true);
    }
    expect(validate({ format: 'isoperf-comparison' })).toBe(false);
  });
});
