// Identity checks: honest runs violate none, and each kind of lie is found by the check that is meant for it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { summarize } from '../../../src/metrics/summarize';
import type { CanonicalReport, Measure, QuantityId, ReportScope } from '../../../src/readers/canonical';
import { reportOf } from '../../../src/readers/own';
import { judgeReport, violated } from '../../../src/audit/identities';
import { shareBelow, spreadOf } from '../../../src/audit/identity-math';
import type { Run } from '../../../src/readers/run';
import { syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

/** A run with the report files our own writer would leave. */
function written(options: SyntheticOptions): Run {
  const run = syntheticRun(options);
  const records = run.records ?? [];
  const common = { percentiles: [1, 5, 25, 50, 75, 95, 99], outputTokenSource: 'server-usage' } as const;
  const stages = new Map(
    (run.manifest?.stages ?? []).map((stage) => [
      stage.id,
      summarize(
        records.filter((record) => record.stage === stage.id),
        { ...common, stage: stage.requestedRateRps === undefined ? {} : { requestedRateRps: stage.requestedRateRps } },
      ),
    ]),
  );
  return { ...run, stages, summary: summarize(records, common) };
}

describe('our own runs', () => {
  it('violate no identity, whatever the workload', () => {
    fc.assert(
      fc.property(
        fc.record({
          seed: fc.integer({ min: 1, max: 10_000 }),
          tokens: fc.integer({ min: 8, max: 80 }),
          spread: fc.integer({ min: 0, max: 40 }),
          ttft: fc.double({ min: 0.01, max: 0.5, noNaN: true }),
          tpot: fc.double({ min: 0.002, max: 0.05, noNaN: true }),
          jitter: fc.double({ min: 0, max: 0.4, noNaN: true }),
          failures: fc.constantFrom(0, 0.05),
        }),
        ({ seed, tokens, spread, ttft, tpot, jitter, failures }) => {
          const run = written({
            seed,
            maxTokens: { from: tokens, to: tokens + spread },
            ttftSeconds: ttft,
            tpotSeconds: tpot,
            jitter,
            failureShare: failures,
            stages: [{ rateRps: 20, durationSeconds: 10 }],
          });
          const judgement = judgeReport(reportOf(run));
          expect(violated(judgement)).toEqual([]);
          expect(judgement.identities.length).toBeGreaterThan(8);
        },
      ),
      { numRuns: 25 },
    );
  });
});

const measure = (quantity: QuantityId, stats: Record<string, number>, more: Partial<Measure> = {}): Measure => ({
  quantity,
  stats,
  source: { file: 'x.json', key: `${quantity}.*`, factor: 1 },
  definition: {},
  ...more,
});

/** 1,000 answers of 101 tokens: 0.1 s to the first, 0.02 s each, over 100 s. */
const TRUTH: Readonly<Record<string, Measure>> = {
  ttft: measure('ttft', { mean: 0.1, min: 0.09, p50: 0.1, max: 0.12 }),
  tpot: measure('tpot', { mean: 0.02, min: 0.019, p50: 0.02, max: 0.021 }),
  e2e: measure('e2e', { mean: 2.1, min: 2, p50: 2.1, max: 2.2 }),
  output: measure('output_tokens', { mean: 101, min: 101, p50: 101, max: 101, total: 101_000 }),
  gap: measure('token_gap', { mean: 0.02, min: 0.01, p5: 0.015, p50: 0.02, p95: 0.03, max: 0.05 }),
  requests: measure('requests_per_sec', { value: 10 }),
  sends: measure('sends_per_sec', { value: 10.2 }),
  outputRate: measure('output_tokens_per_sec', { value: 1010 }),
  delay: measure('schedule_delay', { mean: 0.001, p99: 0.01 }),
};

function report(
  changes: Partial<Record<keyof typeof TRUTH, Measure>> = {},
  scope: Partial<ReportScope> = {},
): CanonicalReport {
  return {
    tool: 'x',
    versionClass: { name: '1', evidence: [] },
    place: 'x',
    name: 'x',
    files: ['x.json'],
    scopes: [
      {
        id: 'run',
        label: 'run',
        kind: 'run',
        file: 'x.json',
        load: { model: 'open', requestedRateRps: 10, words: '', cap: { value: 100, from: 'config' } },
        counts: { total: 1000, ok: 1000, failed: 0, planned: 1000 },
        windowSeconds: { value: 100, from: 'duration' },
        measures: Object.values({ ...TRUTH, ...changes }) as Measure[],
        ...scope,
      },
    ],
    assumptions: [],
    notRecorded: [],
    facts: [],
    problems: [],
  };
}

const ids = (of: CanonicalReport): string[] => violated(judgeReport(of)).map(({ id }) => id);

describe('planted lies', () => {
  it('the truth has none', () => {
    expect(ids(report())).toEqual([]);
  });

  it.each<[string, string[], CanonicalReport]>([
    ['TPOT halved', ['latency-sum'], report({ tpot: measure('tpot', { mean: 0.0095, p50: 0.0095 }) })],
    [
      'gaps and TPOT halved together',
      ['latency-sum', 'pooled-gaps', 'same-as-gap'],
      report({
        tpot: measure('tpot', { mean: 0.01, p50: 0.01 }),
        gap: measure('token_gap', { mean: 0.01, min: 0.005, p50: 0.01, max: 0.05 }),
      }),
    ],
    [
      'half of the gaps within a packet',
      ['tiny-gaps'],
      report({ gap: measure('token_gap', { mean: 0.02, min: 0, p25: 0.00001, p50: 0.0004, p75: 0.03, max: 0.05 }) }),
    ],
    [
      'a total over other requests',
      ['token-rate', 'rate-length', 'token-total'],
      report({
        output: measure('output_tokens', { mean: 101, min: 101, max: 101, total: 95_000 }),
        outputRate: measure('output_tokens_per_sec', { value: 900 }),
      }),
    ],
    [
      'a rate over another window',
      ['request-rate', 'rate-length'],
      report({ requests: measure('requests_per_sec', { value: 12 }) }),
    ],
    [
      'requests that were lost',
      ['counts'],
      report(
        {},
        {
          counts: { total: 990, ok: 990, failed: 0, planned: 1000 },
          windowSeconds: { value: 99, from: 'duration' },
          measures: [],
        },
      ),
    ],
    [
      'an open loop against its cap',
      ['in-flight'],
      report({}, { load: { model: 'open', requestedRateRps: 40, words: '', cap: { value: 22, from: 'config' } } }),
    ],
    [
      'a closed loop that did not keep its users',
      ['in-flight'],
      report({}, { load: { model: 'closed', concurrency: 64, words: '' } }),
    ],
    ['percentiles that fall', ['order'], report({ ttft: measure('ttft', { mean: 0.1, p50: 0.2, p99: 0.1 }) })],
    [
      'a server that counted twice',
      ['server-count'],
      report({}, { server: { file: 'p', count: 2000, measures: [], zeros: [], misnamed: [] } }),
    ],
    [
      'a server that decoded slower',
      ['server-decode'],
      report(
        {},
        { server: { file: 'p', count: 1000, measures: [measure('tpot', { mean: 0.041 })], zeros: [], misnamed: [] } },
      ),
    ],
  ])('%s', (_, expected, lie) => {
    expect(ids(lie)).toEqual(expected);
  });

  it('accuses the count, not TPOT, where the length that was asked for closes the sum', () => {
    // The client counted 101 tokens as 68; server, latencies and config agree.
    const counted = measure(
      'output_tokens',
      { mean: 68, min: 68, max: 68, total: 68_000 },
      { definition: { tokens: 'client' } },
    );
    const config = { data: { type: 'shared_prefix', shared_prefix: { output_len: 101 } } };
    const lie = {
      ...report({ output: counted, outputRate: measure('output_tokens_per_sec', { value: 680 }) }),
      config,
    };
    const [identity, ...others] = violated(judgeReport(lie));
    expect(others.map(({ id }) => id)).toEqual([]);
    expect(identity).toMatchObject({ id: 'latency-sum', unit: 'tokens', left: 68, right: 101, pitfall: 'CMP058' });
    expect(identity?.message).toContain('1.49 times too small');
    expect(identity?.message).toContain('agree at 101');
  });

  it('says by how much TPOT is wrong with the count that can be trusted, not with an undercount', () => {
    const counted = measure('output_tokens', { mean: 68, total: 68_000 }, { definition: { tokens: 'client' } });
    const server = measure('output_tokens', { mean: 101, total: 101_000 }, { definition: { tokens: 'server' } });
    const half = report({ tpot: measure('tpot', { mean: 0.01, p50: 0.01 }), output: counted, other: server });
    const identity = violated(judgeReport(half)).find(({ id }) => id === 'latency-sum');
    expect(identity?.factor).toBeCloseTo(2, 9);
  });

  it('knows how long streams stayed open after the last token', () => {
    const late = { e2e: measure('e2e', { mean: 2.4, min: 2.3, p50: 2.4, max: 2.5 }) };
    expect(ids(report(late))).toEqual(['latency-sum', 'pooled-gaps']);
    expect(ids(report(late, { extras: { streamTailSeconds: 0.3 } }))).toEqual([]);
  });

  it.each<[string, string[], Partial<Record<keyof typeof TRUTH, Measure>>]>([
    [
      'parts that add up',
      [],
      {
        total: measure('total_tokens_per_sec', { value: 1020 }),
        input: measure('input_tokens_per_sec', { value: 10 }),
      },
    ],
    [
      'a part above the whole',
      ['rate-parts'],
      {
        total: measure('total_tokens_per_sec', { value: 1020 }),
        input: measure('input_tokens_per_sec', { value: 14_100 }),
      },
    ],
    [
      'a whole that is too large',
      ['rate-parts'],
      {
        total: measure('total_tokens_per_sec', { value: 2040 }),
        input: measure('input_tokens_per_sec', { value: 10 }),
      },
    ],
    [
      'a token rate of other requests',
      ['rate-length'],
      {
        output: measure('output_tokens', { mean: 101 }),
        outputRate: measure('output_tokens_per_sec', { value: 1300 }),
        window: measure('ttft_schedule', { mean: 0.1 }),
      },
    ],
  ])('rates: %s', (_, expected, changes) => {
    const found = ids(report(changes)).filter((id) => id !== 'token-rate');
    expect(found).toEqual(expected);
  });

  it('every violation says what, why and which pitfall', () => {
    const broken = violated(judgeReport(report({ tpot: measure('tpot', { mean: 0.0095 }) })));
    for (const identity of broken) {
      expect(identity.message).toMatch(/2\.11 times too small|19\.|20\.0 ms/);
      expect(identity.cause).toBeTruthy();
      expect(identity.pitfall).toMatch(/^CMP\d{3}$/);
      expect(identity.tolerance).toContain('%');
    }
  });

  it('without a recorded cap, requests held back are still found', () => {
    const lie = report(
      { delay: measure('schedule_delay', { mean: 20, p99: 40 }) },
      { load: { model: 'open', requestedRateRps: 40, words: '' } },
    );
    const [identity] = violated(judgeReport(lie));
    expect(identity?.message).toContain('about 21 requests were in flight, and only 10.2 of 40.0 requests/s were sent');
  });
});

describe('figures from a table of percentiles', () => {
  it('the spread of a uniform distribution', () => {
    expect(spreadOf({ min: 0, p50: 0.5, max: 1 })).toBeCloseTo(1 / Math.sqrt(12), 12);
    expect(spreadOf({ mean: 3 })).toBeUndefined();
  });

  it('the share below a limit, and silence where the table says nothing', () => {
    expect(shareBelow({ min: 0, p50: 1, max: 2 }, 0.5)).toBe(0.25);
    expect(shareBelow({ p50: 10, p90: 20, p99: 30 }, 0.5)).toBeUndefined();
    expect(shareBelow({ p50: 10 }, 0.5)).toBeUndefined();
  });
});

describe('chunks of our own run that were read together', () => {
  const gap = measure('token_gap', { mean: 0.02, min: 0, p25: 0.00001, p50: 0.0004, p75: 0.03, max: 0.05 });
  const own = (loopDelayP99Seconds?: number): CanonicalReport => ({
    ...report({ gap }, loopDelayP99Seconds === undefined ? {} : { extras: { loopDelayP99Seconds } }),
    tool: 'isoperf',
  });
  const words = (of: CanonicalReport): string | undefined =>
    judgeReport(of).cautions.find(({ pitfall }) => pitfall === 'CMP056')?.message;

  it('are no contradiction, and the client is named where it was late enough', () => {
    for (const of of [own(), own(0.001), own(0.2)]) expect(ids(of)).toEqual([]);
    expect(words(own(0.2))).toContain('the client read late: its event loop was 200 ms late at p99');
    expect(words(own(0.001))).toContain('the client is not late enough');
    expect(words(own())).toContain('a busy client read late, a proxy');
    expect(words({ ...report(), tool: 'isoperf' })).toBeUndefined();
  });

  it('of another tool stay an identity, with the client among the causes', () => {
    const [found] = violated(judgeReport(report({ gap })));
    expect(found?.id).toBe('tiny-gaps');
    expect(found?.cause).toContain('busy client read late');
    expect(words(report({ gap }))).toBeUndefined();
  });
});
