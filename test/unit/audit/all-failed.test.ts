// A run whose every request failed has no survivors: nobody says that its latencies are theirs.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import { judgeReport } from '../../../src/audit/identities';
import { readRun } from '../../../src/readers/read';
import type { Run } from '../../../src/readers/run';
import { reportView } from '../../../src/views/report/view';
import { memoryFolder } from '../support/memory-folder';
import { summarize } from '../../../src/metrics/summarize';
import { measureOf } from '../../../src/readers/canonical';
import { reportOf } from '../../../src/readers/own';
import { syntheticRun } from '../support/synthetic-run';

const FAILED = { kind: 'failed', errorType: 'HTTPError', label: 'http_500', message: 'x' } as const;

/** As vLLM writes it. */
async function vllm(ok: number, failed: number): Promise<Run> {
  const value = {
    date: '20261129-120000',
    num_prompts: ok + failed,
    request_rate: 10,
    burstiness: 1,
    duration: 5,
    completed: ok,
    failed,
    total_input_tokens: ok * 10,
    total_output_tokens: ok * 10,
    request_throughput: ok / 5,
    mean_ttft_ms: ok === 0 ? 0 : 100,
  };
  const read = await readRun(memoryFolder({ 'r.json': JSON.stringify(value) }));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

const caution = (run: Run): string | undefined =>
  judgeReport(run.canonical!).cautions.find(({ id }) => id === 'failures')?.message;

describe('a run of failures alone', () => {
  it('is said to have no answer, and one with survivors to have survivors', async () => {
    expect(caution(await vllm(0, 8))).toBe(
      'all 8 requests failed: there is no answer that a latency, a length or a rate could be of',
    );
    expect(caution(await vllm(0, 1))).toMatch(/^the only request failed: there is no answer/);
    expect(caution(await vllm(6, 2))).toBe('2 of 8 requests failed (25.0 %): latencies are those of the survivors');
  });

  it('of ours: the note of the view says so, too', () => {
    const run = syntheticRun({ seed: 1 });
    const title = (keep: number): string =>
      reportView({
        ...run,
        records: run.records!.map((record, i) => (i < keep ? record : { ...record, outcome: FAILED })),
      })
        .notes.map((note) => note.title)
        .find((text) => /failed: (?:every|there)/.test(text))!;
    expect(title(0)).toMatch(/^All [\d,]+ requests that ended failed: there is no answer that a latency could be of$/);
    expect(title(1)).toMatch(/every latency here is over the 1 that was answered$/);
    expect(title(2)).toMatch(/every latency here is over the 2 that were answered$/);
  });

  it('is nothing that can be compared, on one side or on both', async () => {
    const state = (a: Run, b: Run) => compare(a, b).findings.find(({ dimension }) => dimension === 'completeness')!;
    const [good, none] = [await vllm(8, 0), await vllm(0, 8)];
    expect(state(good, none)).toMatchObject({
      state: 'confounds',
      message: 'No request of B succeeded: it has no latency, length or rate that could be compared.',
    });
    expect(state(none, none)).toMatchObject({
      state: 'unknown',
      message: 'No request of A or B succeeded: they have no latency, length or rate that could be compared.',
    });
    expect(state(good, good).state).toBe('same');
  });
});

it('of ours, a part without a success has no 0 tokens/s and no length of 0, and says why', () => {
  const run = syntheticRun({});
  const records = run.records!.map((record) => ({ ...record, outcome: FAILED }));
  const report = summarize(records, {
    percentiles: [50],
    outputTokenSource: 'server-usage',
    inputTokenSource: 'server-usage',
    itlBasis: 'tokens',
    stage: {},
  });
  const { scopes } = reportOf({ ...run, records, stages: new Map([[0, report]]) });
  for (const id of ['output_tokens_per_sec', 'total_tokens_per_sec', 'requests_per_sec', 'output_tokens'] as const) {
    expect([id, measureOf(scopes[0]!, id)]).toEqual([id, undefined]);
    expect(scopes[0]!.unmeasured?.[id]).toBe('no request succeeded');
  }
  expect(scopes[0]!.counts).toMatchObject({ ok: 0, failed: records.length });
});
