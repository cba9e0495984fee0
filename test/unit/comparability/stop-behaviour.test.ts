// Why answers end: the share that ran to max_tokens, the reasons servers give, and answers that end without one.
import { describe, expect, it } from 'vitest';
import { judgeReport } from '../../../src/audit/identities';
import { compare } from '../../../src/comparability/compare';
import type { RequestRecord } from '../../../src/metrics/record';
import { reportOf } from '../../../src/readers/own';
import type { Run } from '../../../src/readers/run';
import type { RunManifest } from '../../../src/folder/manifest';
import { without } from '../support/lacking';
import { syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

const run = (seed: number, options: SyntheticOptions = {}): Run => syntheticRun({ seed, promptSeed: 1, ...options });

function finding(a: Run, b: Run) {
  return compare(a, b, { resamples: 20 }).findings.find(({ dimension }) => dimension === 'stop-behaviour')!;
}

/** Each answer's record changed; undefined values are left out. */
function changed(own: Run, change: (record: RequestRecord) => Partial<Record<keyof RequestRecord, unknown>>): Run {
  const records = own.records!.map((record) => {
    const entries = Object.entries({ ...record, ...change(record) }).filter(([, value]) => value !== undefined);
    return Object.fromEntries(entries) as unknown as RequestRecord;
  });
  return { ...own, records };
}

const free = { ignoreEos: false } as const;
const silent = (own: Run): Run => changed(own, () => ({ finishReason: undefined }));

describe('other shares that ran to max_tokens', () => {
  it('confound though max_tokens differ and realised lengths do not: nothing else would say it', () => {
    // Every answer has 40 tokens: A's because the model ends there, B's because it may not go on.
    const a = changed(run(1, { ...free, earlyStop: 0, maxTokens: 40 }), () => ({
      maxTokens: 64,
      finishReason: 'stop',
    }));
    const b = run(2, { ...free, earlyStop: 0, maxTokens: 40 });
    expect(finding(a, b)).toMatchObject({
      state: 'confounds',
      message: expect.stringMatching(/at another max_tokens.*0 % of A’s and 100 % of B’s/) as string,
    });
    expect(finding(a, b).follows).toBeUndefined();
  });

  it.each([
    [1, 'unknown'],
    [3, 'unknown'],
    [8, 'unknown'],
    [9, 'confounds'],
    [20, 'confounds'],
  ])('of %d answers a side, none against all is %s', (count, state) => {
    const few = { stages: [{ rateRps: count, durationSeconds: 1 }], ...free, earlyStop: 0 };
    const none = changed(run(1, few), () => ({ finishReason: 'stop' }));
    expect(none.records).toHaveLength(count);
    const found = finding(none, run(2, few));
    expect(found.state).toBe(state);
    if (state === 'unknown') expect(found.message).toContain(`None of A’s ${count} and all of B’s ${count} answers`);
  });

  it.each([
    ['a full answer', 0.95, 'same'],
    ['merged tokens, or an early end', 0.8, 'unknown'],
    ['merged tokens, or an early end', 0.55, 'unknown'],
    ['an early end', 0.4, 'confounds'],
  ])('a client’s recount of %s (%d of max_tokens) is %s', (_, share, state) => {
    const options = { ...free, earlyStop: 0, maxTokens: 40 };
    const recounted = changed(run(1, options), ({ maxTokens }) => ({
      finishReason: undefined,
      usage: undefined,
      clientOutputTokens: Math.round(share * maxTokens!),
    }));
    expect(finding(recounted, run(2, options)).state).toBe(state);
  });

  it('are judged where ignore_eos is recorded on neither side', () => {
    const unset = (own: Run): Run => {
      const endpoint: Partial<RunManifest['endpoint']> = { ...own.manifest!.endpoint };
      delete endpoint.ignoreEos;
      return { ...own, manifest: { ...own.manifest!, endpoint: endpoint as never } };
    };
    expect(finding(unset(run(1, { ...free, earlyStop: 1 })), unset(run(2, { ...free, earlyStop: 0 }))).state).toBe(
      'confounds',
    );
  });

  it('come from a manifest alone, where what was not reported is no reason', () => {
    const bare = (reasons: Record<string, number>): Run => {
      const own = without(run(1, free), 'records');
      return { ...own, manifest: { ...own.manifest!, lengths: { finishReasons: reasons } } };
    };
    expect(finding(bare({ length: 400 }), bare({ stop: 390, length: 10 })).state).toBe('confounds');
    expect(finding(bare({ length: 400 }), bare({ 'not reported': 400 }))).toMatchObject({
      state: 'unknown',
      message: expect.stringContaining('on B') as string,
    });
    expect(finding(bare({ 'not reported': 400 }), bare({ 'not reported': 400 })).state).toBe('unknown');
  });

  it.each(['length', 'max_tokens', 'MAX_TOKENS'])('%s is the limit', (reason) => {
    expect(
      finding(
        changed(run(1), () => ({ finishReason: reason })),
        run(2),
      ).state,
    ).toBe('same');
  });
});

describe('answers without a finish reason', () => {
  it('that were cut off on one side confound under ignore_eos', () => {
    const cut = changed(run(2), ({ id, usage }) =>
      id % 4 === 0 ? { finishReason: undefined, usage: { ...usage, completionTokens: 31 } } : {},
    );
    const found = finding(run(1), cut);
    expect(found).toMatchObject({
      state: 'confounds',
      note: expect.stringContaining('100 of 400 of B’s answers (100 of them') as string,
    });
    // Too few to change the share that ran to max_tokens: named all the same.
    const one = changed(run(2), ({ id }) => (id === 0 ? { finishReason: undefined } : {}));
    expect(finding(run(1), one)).toMatchObject({
      state: 'same',
      note: expect.stringContaining('1 of 400 of B’s answers ended') as string,
    });
  });

  it('that may have been ended by the model leave it open', () => {
    const early = { ...free, earlyStop: 0.5 };
    expect(finding(run(1, early), silent(run(2, early)))).toMatchObject({
      state: 'unknown',
      note: expect.any(String) as string,
    });
  });

  it('that nobody counted leave it open', () => {
    const uncounted = { usage: false, tokenizer: false };
    expect(finding(run(1, uncounted), silent(run(2, uncounted)))).toMatchObject({ state: 'unknown' });
  });

  it('of a whole body are no cut stream', () => {
    const whole = { streaming: false };
    expect(finding(run(1, whole), silent(run(2, whole))).note).toBeUndefined();
  });

  it('are said by the report alone', () => {
    const own = run(1);
    const manifest = {
      ...own.manifest!,
      answers: { answered: 400, models: { m: 400 }, withoutFinishReason: 30, cutShort: 12 },
    };
    const report = reportOf({ ...own, manifest });
    expect(report.facts).toContainEqual(expect.objectContaining({ value: '30 of 400, 12 of them cut short' }));
    const scope = {
      id: 'summary',
      label: 'all',
      kind: 'summary',
      file: 'x',
      load: { model: 'open', words: '' },
      counts: {},
      measures: [],
    };
    const { cautions } = judgeReport({ ...report, scopes: [scope as never] });
    expect(cautions.map(({ message }) => message).join()).toMatch(
      /30 of 400 answers ended with no finish reason.*12 of them/,
    );
  });
});
