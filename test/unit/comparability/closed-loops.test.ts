// Closed loops of other tools: nothing is due there, so nobody is late; and a repeat that had another day is a repeat all the same.
import { describe, expect, it } from 'vitest';
import { judgeReport } from '../../../src/audit/identities';
import { compare } from '../../../src/comparability/compare';
import type { Comparison, Finding } from '../../../src/comparability/comparison';
import { measureOf } from '../../../src/readers/canonical';
import { readRun } from '../../../src/readers/read';
import { withRecords } from '../../../src/readers/records/attach';
import type { Run } from '../../../src/readers/run';
import { aiperfLines, trueRequests } from '../support/foreign-results';
import { memoryFolder, type MemoryFiles } from '../support/memory-folder';
import { CONFIG, perfFolder, stat } from '../support/perf-folder';
import { syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

async function opened(files: MemoryFiles): Promise<Run> {
  const read = await readRun(memoryFolder(files));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return withRecords(read.value);
}

const finding = ({ findings }: Comparison, id: string): Finding => findings.find(({ dimension }) => dimension === id)!;
const few = { resamples: 20 } as const;

/** Every request is due at the start, and the last waits for five minutes. */
const QUEUED = { load_summary: { schedule_delay: stat(0, 608), requested_rate: 400, concurrency: 40 } };
const concurrent = { load: { type: 'concurrent', stages: [{ concurrency_level: 40, num_requests: 400 }] } };

describe('a closed loop of inference-perf', () => {
  const closed = (): Promise<Run> =>
    opened(
      perfFolder({ stages: [QUEUED], summary: { load_summary: { schedule_delay: stat(0, 608) } }, config: concurrent }),
    );

  it('has no schedule delay, in import as in compare, and says why', async () => {
    const run = await closed();
    for (const scope of run.canonical!.scopes) {
      expect(measureOf(scope, 'schedule_delay'), scope.id).toBeUndefined();
      expect(scope.unmeasured?.schedule_delay).toMatch(/closed loop.*place in the queue/);
    }
    expect(run.canonical!.assumptions.join()).toMatch(/schedule_delay is left out/);
    const rows = compare(run, run, few).metrics.filter(({ metric }) => metric === 'schedule_delay');
    expect(rows.flatMap(({ a, b }) => [a.value, b.value]).filter((value) => value !== undefined)).toEqual([]);
  });

  it('at a rate it keeps it', async () => {
    const run = await opened(perfFolder({ stages: [{ load_summary: { schedule_delay: stat(0, 0.002) } }] }));
    expect(measureOf(run.canonical!.scopes[0]!, 'schedule_delay')?.stats['max']).toBe(0.002);
  });

  it('has its arrival process: a request goes when a slot is free', async () => {
    const run = await closed();
    expect(finding(compare(run, run, few), 'arrival-process')).toMatchObject({ state: 'same' });
    expect(finding(compare(run, run, few), 'arrival-process').a.summary).toMatch(/^closed loop/);
  });

  it('where the load is not recorded, nobody is accused, and the words are conditional', async () => {
    const delayed = { load_summary: { ...QUEUED.load_summary, requested_rate: undefined, concurrency: undefined } };
    const run = await opened(perfFolder({ stages: [], summary: delayed, config: null }));
    const comparison = compare(run, run, few);
    expect(finding(comparison, 'client-limit').state).toBe('unknown');
    const words = judgeReport(run.canonical!).cautions.filter(({ pitfall }) => /CMP00[35]/.test(pitfall));
    expect(words).toHaveLength(2);
    for (const { message } of words) expect(message).toMatch(/^if they were sent at a rate, .*in a closed loop/);
  });

  it('a summary of stages at a rate is as late as they are', async () => {
    const late = { load_summary: { schedule_delay: stat(0, 40) } };
    const run = await opened(perfFolder({ stages: [late, late], summary: late, config: null }));
    const words = judgeReport(run.canonical!).cautions.filter(({ pitfall }) => pitfall === 'CMP003');
    expect(words.map(({ message }) => message.slice(0, 18))).toEqual(Array(3).fill('requests were sent'));
  });
});

describe('requests of another tool that left after their due time', () => {
  const requests = trueRequests({ seed: 5, requests: 120, rateRps: 20, ttftSeconds: 0.05, gapSeconds: 0.01 });
  /** Each got its credit 81 ms before it was sent. */
  const lines = aiperfLines(requests)
    .split('\n')
    .map((line) => {
      const value = JSON.parse(line) as { metadata: { request_start_ns: number; credit_issued_ns?: number } };
      value.metadata.credit_issued_ns = value.metadata.request_start_ns - 81e6;
      return JSON.stringify(value);
    })
    .join('\n');
  const run = (load: object): Promise<Run> =>
    opened({
      'profile_export.jsonl': lines,
      'profile_export_aiperf.json': JSON.stringify({
        schema_version: '1.4',
        request_latency: { unit: 'ms', avg: 240, p50: 240, p99: 260, min: 230, max: 270, std: 5 },
        input_config: { endpoint: { type: 'completions', streaming: true }, loadgen: load },
      }),
    });

  it.each([
    ['in a closed loop', { concurrency: 8 }],
    ['where the load is not recorded', {}],
  ])('%s accuse nobody', async (_, load) => {
    const one = await run(load);
    expect(one.records).toHaveLength(120);
    expect(finding(compare(one, one, few), 'client-limit').state).toBe('unknown');
  });

  it('at a rate are a slow client', async () => {
    const one = await run({ request_rate: 20 });
    expect(finding(compare(one, one, few), 'client-limit').message).toMatch(/left 81 ms late on average/);
  });
});

describe('requests that a tool planned and did not report', () => {
  const vllm = (completed: number): Promise<Run> =>
    opened({
      'result.json': JSON.stringify({
        ...{ request_rate: 5, burstiness: 1, max_concurrency: null, num_prompts: 40, completed, failed: 0 },
        ...{ duration: 10, total_input_tokens: 1000, total_output_tokens: 500, mean_ttft_ms: 20, p99_ttft_ms: 40 },
        model_id: 'small',
      }),
    });

  it('one of forty is no loss; ten are', async () => {
    const [whole, short, half] = [await vllm(40), await vllm(39), await vllm(30)];
    expect(finding(compare(whole, short, few), 'completeness').state).toBe('same');
    expect(finding(compare(whole, half, few), 'completeness').message).toMatch(/10 requests of B were planned/);
  });
});

describe('a repeat that had another day', () => {
  const stages = [{ rateRps: 40, durationSeconds: 15 }];
  const of = (seed: number, more: SyntheticOptions = {}): Run => ({
    ...syntheticRun({ seed, stages, ...more }),
    folder: `run-${seed}`,
  });
  const against = (repeat: Run): Comparison => compare(of(1), of(2), { ...few, repeatsA: [of(3)], repeatsB: [repeat] });

  it('a cold start is one, and a note', () => {
    const cold = of(4, { coldSeconds: 0.4, coldRequests: 60 });
    expect(finding(compare(of(2), cold, few), 'warmup-window').state).toBe('confounds');
    const comparison = against(cold);
    expect(finding(comparison, 'warmup-window').state).not.toBe('confounds');
    expect(comparison.notes.join('\n')).toMatch(/Repeats differ \(run-2 and run-4 as A and B\).*noise from run to run/);
    expect(JSON.stringify(comparison)).not.toMatch(/is no repeat/);
  });

  it('a warm-up on one of them only is another configuration', () => {
    const warmed = of(4, { stages: [{ rateRps: 40, durationSeconds: 5, warmup: true }, ...stages] });
    expect(finding(against(warmed), 'warmup-window').message).toMatch(/run-4 is no repeat of run-2/);
  });
});

it('a name that may stand for two formulas is said once', async () => {
  const requests = trueRequests({ seed: 5, requests: 30, rateRps: 20, ttftSeconds: 0.05, gapSeconds: 0.01 });
  const alone = await opened({ 'profile_export.jsonl': aiperfLines(requests) });
  const other = await opened(perfFolder({ config: CONFIG }));
  expect(finding(compare(alone, other, few), 'metric-definition').message).toMatch(/two formulas\.$/);
});
