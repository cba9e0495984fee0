// Which model answered: what was asked for, what /v1/models lists and what the answers name, in one run and between two.
import { describe, expect, it } from 'vitest';
import { judgeReport } from '../../../src/audit/identities';
import { isSuccess } from '../../../src/metrics/request-metrics';
import { compare } from '../../../src/comparability/compare';
import type { RunManifest } from '../../../src/folder/manifest';
import { reportOf } from '../../../src/readers/own';
import type { Run } from '../../../src/readers/run';
import { syntheticRun } from '../support/synthetic-run';

interface Named {
  readonly answers?: Readonly<Record<string, number>>;
  readonly listed?: readonly string[];
  readonly kind?: 'simulator';
  readonly adapters?: readonly string[];
  readonly stack?: NonNullable<RunManifest['stack']>;
}

const SUMMARY = { kind: 'summary' };

function run(seed: number, { answers, listed, kind, adapters, stack }: Named): Run {
  const own = syntheticRun({
    seed,
    promptSeed: 1,
    manifest: (manifest): RunManifest => ({
      ...manifest,
      ...(stack ? { stack } : {}),
      ...(answers ? { answers: { answered: 400, models: answers } } : {}),
      endpoint: {
        ...manifest.endpoint,
        ...(kind ? { kind } : {}),
        ...(listed ? { server: { models: [...listed], notes: [] } } : {}),
      },
    }),
  });
  if (!adapters) return own;
  const split = adapters.map((name) => ({ name, split: 1 / adapters.length }));
  return { ...own, config: { ...own.config, load: { ...(own.config!['load'] as object), lora_traffic_split: split } } };
}

function finding(a: Named, b: Named) {
  const result = compare(run(1, a), run(2, b), { resamples: 20 });
  return result.findings.find(({ dimension }) => dimension === 'server')!;
}

const M = { answers: { m: 400 } };

describe('two runs', () => {
  it.each<[string, Named, Named]>([
    ['answers name another model', M, { answers: { other: 400 } }],
    ['another tag of Ollama', M, { answers: { 'm:8b': 400 } }],
    ['folders that end with a slash', M, { answers: { '/models/n/': 400 } }],
    ['some answers name another model', M, { answers: { m: 390, other: 10 } }],
    ['another share of them does', { answers: { m: 300, x: 100 } }, { answers: { m: 100, x: 300 } }],
    ['the list has it on one side alone', { listed: ['m', 'n'] }, { listed: ['other'] }],
    ['both lists lack it and are not one', { ...M, listed: ['x'] }, { ...M, listed: ['y'] }],
    ['an adapter answers that was not asked for', M, { answers: { m: 200, tuned: 200 } }],
  ])('%s: confounds', (_name, a, b) => {
    for (const [x, y] of [[a, b] as const, [b, a] as const]) {
      expect(finding(x, y)).toMatchObject({ state: 'confounds' });
      expect(finding(x, y).changes).toHaveLength(1);
    }
  });

  it.each<[string, Named, Named]>([
    ['equal names', M, M],
    ['a folder, a date and a revision are no other model', M, { answers: { 'org/m-2024-08-06': 200, 'm@main': 200 } }],
    [
      'Ollama’s :latest and a folder’s last slash are none either',
      M,
      { answers: { 'm:latest': 200, '/models/m/': 200 } },
    ],
    ['a list that has more beside it', { ...M, listed: ['m'] }, { ...M, listed: ['m', 'n'] }],
    [
      'the embedded simulator lists what it likes',
      { ...M, kind: 'simulator', listed: ['x'] },
      { ...M, kind: 'simulator', listed: ['y'] },
    ],
    [
      'adapters that were asked for',
      { answers: { m: 400 }, adapters: ['t'] },
      { answers: { m: 380, t: 20 }, adapters: ['t'] },
    ],
    ['a mixture as near as chance', { answers: { m: 300, x: 100 } }, { answers: { m: 310, x: 90 } }],
  ])('%s: the same', (_name, a, b) => {
    expect(finding(a, b).changes).toBeUndefined();
    expect(['same', 'unknown']).toContain(finding(a, b).state);
    expect(finding(a, b).assumed ?? '').toContain('build and flags');
  });

  it('recorded on one side alone: unknown, and nothing is assumed', () => {
    expect(finding(M, {})).toMatchObject({
      state: 'unknown',
      message: expect.stringContaining('not recorded on B') as string,
    });
    expect(finding({}, M).assumed).toBeUndefined();
  });

  it('recorded on one side alone adds nothing to one full stack record on both, unless a stranger answered', () => {
    const stack = { source: 'stack.yaml', model: 'm', engine: 'vllm', image: 'org/vllm:1', args: ['--model', 'm'] };
    for (const [a, b] of [
      [{ ...M, stack }, { stack }],
      [{ stack }, { ...M, stack }],
    ]) {
      expect(finding(a!, b!).state).toBe('same');
    }
    const other = { answers: { m: 399, other: 1 }, stack };
    expect(finding(other, { stack })).toMatchObject({ state: 'unknown' });
    expect(finding(other, { stack }).assumed).toBeUndefined();
    expect(finding({ ...M, stack }, {}).state).toBe('unknown');
  });

  it.each(['other', 'constructor', '__proto__'])('of a killed run the records say it: %s', (name) => {
    const killed = run(2, {});
    const records = killed.records!.map((record) => ({ ...record, answeredModel: name }));
    const successes = records.filter(isSuccess).length;
    const result = compare(
      run(1, M),
      { ...killed, manifest: { ...killed.manifest!, state: 'running' }, records },
      { resamples: 20 },
    );
    expect(result.findings.find(({ dimension }) => dimension === 'server')).toMatchObject({
      state: 'confounds',
      message: expect.stringContaining(`${name} `) as string,
      b: { evidence: expect.arrayContaining([expect.objectContaining({ value: `${name} ${successes}` })]) as unknown },
    });
  });
});

describe('one run', () => {
  const cautions = (named: Named): string[] => {
    const own = run(1, named);
    const report = reportOf(own);
    const scopes = [
      {
        ...SUMMARY,
        id: 'summary',
        label: 'all',
        file: 'x',
        load: { model: 'open', words: '' },
        counts: {},
        measures: [],
      },
    ];
    const judged = judgeReport({ ...report, scopes: scopes as never });
    return judged.cautions.filter(({ id }) => id === 'CMP098').map(({ message }) => message);
  };

  it('that contradicts itself says so, with the share', () => {
    expect(cautions({ answers: { m: 390, other: 10 } })).toEqual([
      "'m' was asked for, and 10 of 400 answers name 'other': another model may have served",
    ]);
    expect(cautions({ ...M, listed: ['x'] })).toEqual([expect.stringContaining("/v1/models lists 'x'")]);
  });

  it('that does not, does not', () => {
    expect(cautions({ ...M, listed: ['m', 'x'] })).toEqual([]);
    expect(cautions({ ...M, listed: ['x'], kind: 'simulator' })).toEqual([]);
    expect(cautions({})).toEqual([]);
  });

  it('is a note of the comparison where both sides contradict themselves alike', () => {
    expect(finding({ answers: { other: 400 } }, { answers: { other: 400 } })).toMatchObject({
      state: 'unknown',
      assumed: expect.any(String) as string,
      note: expect.stringContaining("A: 'm' was asked for") as string,
    });
  });
});
