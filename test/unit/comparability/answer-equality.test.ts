// The answers themselves: same stream, no chance in sampling -> share that is equal, the first that differs; else why it cannot be said.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import { comparisonSchema } from '../../../src/comparability/comparison-schema';
import type { RequestRecord } from '../../../src/metrics/record';
import type { Run } from '../../../src/readers/run';
import { comparisonMarkdown } from '../../../src/views/comparison/markdown';
import { comparisonView } from '../../../src/views/comparison/view';
import { comparisonTable } from '../../../src/cli/compare-table';
import { without } from '../support/lacking';
import { syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

interface Answering extends SyntheticOptions {
  readonly sent?: Readonly<Record<string, unknown>>;
  /** The text of a request; undefined: no hash was kept. */
  readonly says?: (record: RequestRecord) => string | undefined;
  readonly args?: readonly string[];
}

function answering({ sent = {}, says = ({ promptHash }) => promptHash, args, ...options }: Answering): Run {
  const own = syntheticRun({
    promptSeed: 1,
    ...options,
    manifest: (manifest) => ({
      ...manifest,
      workload: { ...manifest.workload, parameters: { ignore_eos: true, ...sent } },
    }),
  });
  const records = own.records!.map((record): RequestRecord => {
    const text = says(record);
    return text === undefined || record.outcome.kind !== 'ok' ? record : { ...record, answerHash: text };
  });
  return { ...own, records, ...(args ? { stack: { source: 'stack.yaml', args: [...args] } } : {}) };
}

const answers = (a: Answering, b: Answering) =>
  compare(answering({ seed: 1, ...a }), answering({ seed: 2, ...b }), { resamples: 20 }).answers!;

const GREEDY = { sent: { temperature: 0 } };
const other = (...ids: number[]): Pick<Answering, 'says'> => ({
  says: ({ id, promptHash }) => (ids.includes(id) ? `${promptHash}!` : promptHash),
});

describe('the same stream', () => {
  it('greedy, with other answers: share, first difference, lengths, a quality evaluation; and no confounder', () => {
    const [a, b] = [answering({ seed: 1, ...GREEDY }), answering({ seed: 2, ...GREEDY, ...other(17, 30) })];
    const shorter = b.records!.map((record) =>
      record.id === 30 ? { ...record, usage: { ...record.usage, completionTokens: 3 } } : record,
    );
    const result = compare(a, { ...b, records: shorter }, { resamples: 20 });
    expect(result.answers).toMatchObject({
      state: 'different',
      pairs: 400,
      equal: 398,
      otherLength: 1,
      first: { stage: 0, a: 17, b: 17 },
    });
    const { words } = result.answers!;
    expect(words).toMatch(/398 of 400 \(99\.5 %\).*request 17 of A;.*1 of those.*quality evaluation is due/);
    expect(result.findings.filter(({ state }) => state === 'confounds')).toEqual([]);
    expect(comparisonTable(result, 120, false).replace(/\s+/g, ' ')).toContain('a quality evaluation is due');
    expect(comparisonMarkdown(result)).toContain('a quality evaluation is due');
    expect(comparisonView(result, a, b).notes).toContain(words);
    expect(comparisonSchema.parse(result).answers).toEqual(result.answers);
  });

  it.each<[string, Answering]>([
    ['temperature 0', GREEDY],
    ['top_k 1', { sent: { top_k: 1 } }],
    ['a seed', { sent: { seed: 7, temperature: 0.7 } }],
    ['a server whose default is greedy', { args: ['--override-generation-config', '{"temperature": 0}'] }],
  ])('%s leaves nothing to chance', (_name, how) => {
    expect(answers(how, { ...how, ...other(3) })).toMatchObject({ state: 'different', equal: 399 });
  });

  it('sampled by chance says so', () => {
    for (const sent of [{}, { temperature: 0.7 }]) {
      expect(answers({ sent }, { sent, ...other(3) })).toMatchObject({
        state: 'not-comparable',
        reason: 'sampling',
        words: expect.stringContaining('sampling is random') as string,
      });
    }
    expect(answers(GREEDY, other(3)).reason).toBe('sampling');
  });

  it('with equal answers says that, whatever the sampling', () => {
    expect(answers({}, {})).toMatchObject({ state: 'equal', pairs: 400, equal: 400 });
  });

  it('pairs by what was sent, whatever the order: a closed loop, a longer run, failures, the same prompt twice', () => {
    const loop = { stages: [{ concurrency: 4, requests: 60 }], ...GREEDY };
    expect(answers(loop, { ...loop, stages: [{ concurrency: 4, requests: 60 }] })).toMatchObject({
      pairs: 60,
      equal: 60,
    });
    const long = { stages: [{ rateRps: 20, durationSeconds: 25 }], ...GREEDY };
    expect(answers(GREEDY, long)).toMatchObject({ state: 'equal', pairs: 400 });
    const failing = answers(GREEDY, { ...GREEDY, failureShare: 0.2 });
    expect(failing.state).toBe('equal');
    expect(failing.pairs).toBeLessThan(400);
    expect(answers({ ...GREEDY, repeatShare: 0.5 }, { ...GREEDY, repeatShare: 0.5 })).toMatchObject({
      pairs: 400,
      equal: 400,
    });
  });
});

describe('answers that cannot be held against each other', () => {
  it('other prompts', () => {
    expect(answers(GREEDY, { ...GREEDY, promptSeed: 2 })).toMatchObject({
      state: 'not-comparable',
      reason: 'other-requests',
    });
  });

  it('no hash on a side, no records at all', () => {
    expect(answers(GREEDY, { ...GREEDY, says: () => undefined })).toMatchObject({
      reason: 'not-kept',
      words: expect.stringContaining('on B') as string,
    });
    const bare = without(answering({ seed: 1 }), 'records');
    expect(compare(bare, bare, { resamples: 20 }).answers).toMatchObject({ reason: 'not-kept' });
  });
});
