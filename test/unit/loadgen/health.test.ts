// Was the client the bottleneck? Each limit with evidence on both sides of it.
import { describe, expect, it } from 'vitest';
import { judgeHealth, slope } from '../../../src/loadgen/health';
import { planLoad, type PlannedLoadStage } from '../../../src/loadgen/plan';
import type { RequestRecord } from '../../../src/metrics/record';
import { StageTally } from '../../../src/loadgen/tally';

function stageOf(concurrency?: number): PlannedLoadStage {
  const planned = planLoad({
    type: concurrency === undefined ? 'constant' : 'concurrent',
    stages: [{ rate: 10, duration: 10, num_requests: 100, concurrency_level: concurrency ?? 1 }],
    warmupStages: [],
    workers: 1,
    workerMaxConcurrency: 50,
    seed: 3,
  });
  if (!planned.ok) throw new Error('no plan');
  return planned.value[0]!;
}
const stage = stageOf();
const offsets = stage.pacing.kind === 'open' ? stage.pacing.offsets : new Float64Array();
const calm = { eventLoopUse: 0.1, eventLoopDelayP99Seconds: 0.001, cpuUse: 0.2 };

function records(delay: (id: number) => number, latency = 0.5): RequestRecord[] {
  return [...offsets].map((scheduledSeconds, id) => ({
    id,
    stage: 0,
    scheduledSeconds,
    sentSeconds: scheduledSeconds + delay(id),
    endSeconds: scheduledSeconds + delay(id) + latency,
    chunkSeconds: [],
    outcome: { kind: 'ok' },
    promptHash: String(id),
  }));
}
/** What a stage keeps of such records. */
function tallyOf(list: readonly RequestRecord[]): StageTally {
  const tally = new StageTally(list.length);
  for (const record of list) tally.add(record);
  return tally;
}
const judge = (
  delay: (id: number) => number,
  { use = calm, maxInFlight = 9, of = stage }: { use?: typeof calm; maxInFlight?: number; of?: PlannedLoadStage } = {},
) => judgeHealth(of, tallyOf(records(delay)), { maxInFlight }, use);

describe('stages too small to judge', () => {
  it('a stage that sent nothing was not limited by the client', () => {
    const busy = { ...calm, eventLoopUse: 1 };
    expect(judgeHealth(stage, tallyOf([]), { maxInFlight: 0 }, busy)).toMatchObject({ verdict: 'ok', reasons: [] });
  });

  it('one late send near the end of a short stage is no lower rate', () => {
    const planned = planLoad({
      type: 'constant',
      stages: [{ rate: 20, duration: 1, num_requests: 20, concurrency_level: 1 }],
      warmupStages: [],
      workers: 1,
      workerMaxConcurrency: 50,
      seed: 3,
    });
    if (!planned.ok) throw new Error('no plan');
    const short = planned.value[0]!;
    const at = short.pacing.kind === 'open' ? short.pacing.offsets : new Float64Array();
    const late = (by: number): RequestRecord[] =>
      [...at].map((scheduledSeconds, id) => {
        const sentSeconds = scheduledSeconds + (id >= 17 ? by : 0.001);
        const base = { id, stage: 0, scheduledSeconds, sentSeconds, endSeconds: sentSeconds + 0.1 };
        return { ...base, chunkSeconds: [], outcome: { kind: 'ok' }, promptHash: String(id) };
      });
    expect(judgeHealth(short, tallyOf(late(0.04)), { maxInFlight: 3 }, calm).verdict).toBe('ok');
    expect(judgeHealth(short, tallyOf(late(0.4)), { maxInFlight: 3 }, calm).verdict).toBe('client-limited');
  });
});

describe('verdicts', () => {
  it('ok, with all its figures', () => {
    const health = judge(() => 0.0001);
    expect(health).toMatchObject({ stage: 0, verdict: 'ok', reasons: [], maxInFlight: 9, inFlightCap: 50, ...calm });
    expect(health.scheduleDelay!.count).toBe(100);
    // 10 requests/s of 0.5 s each: 5 in flight on average.
    expect(health.littlesLaw!).toBeGreaterThan(4);
    expect(health.littlesLaw!).toBeLessThan(6);
  });

  it('half of the requests late by more than 10 ms', () => {
    const health = judge((id) => (id % 2 === 0 ? 0.02 : 0.011));
    expect(health.verdict).toBe('client-limited');
    expect(health.reasons.join()).toMatch(/half of the requests/);
    expect(judge(() => 0.009).verdict).toBe('ok');
  });

  it('one in a hundred late by more than a second', () => {
    expect(judge((id) => (id >= 98 ? 1.5 : 0)).reasons.join()).toMatch(/1 % of the requests/);
    expect(judge((id) => (id >= 98 ? 0.9 : 0)).verdict).toBe('warning');
  });

  it('an event loop that stood still now and then is warned about', () => {
    const use = { ...calm, eventLoopDelayP99Seconds: 0.2 };
    expect(judge(() => 0, { use }).reasons).toEqual([expect.stringMatching(/event loop was 200 ms or more late/)]);
    expect(judge(() => 0, { use, of: stageOf(10) }).verdict).toBe('warning');
    expect(judge(() => 0, { use: { ...use, eventLoopDelayP99Seconds: 0.04 } }).verdict).toBe('ok');
  });

  it('a stage whose tail was late is warned about in an open loop, where nothing else explains it', () => {
    const tail = (by: number) => (id: number) => (id < 3 ? by : 0);
    expect(judge(tail(0.04)).verdict).toBe('ok');
    const { verdict, reasons } = judge(tail(0.4));
    expect(verdict).toBe('warning');
    expect(reasons).toEqual([expect.stringMatching(/^1 % of the requests were sent 400 ms or more late: /)]);
    expect(judge(tail(0.4), { of: stageOf(10) }).verdict).toBe('ok');
  });

  it('says when the lateness grows', () => {
    const health = judge((id) => id * 0.01);
    expect(health.scheduleDelayGrowth!).toBeGreaterThan(0.05);
    expect(health.reasons.join()).toMatch(/growing by/);
    expect(health.reasons.join()).toMatch(/% of the planned rate/);
  });

  it.each([
    [0.59, 'ok'],
    [0.7, 'warning'],
    [0.9, 'client-limited'],
  ])('event-loop use %d is %s', (eventLoopUse, verdict) => {
    expect(judge(() => 0, { use: { ...calm, eventLoopUse } }).verdict).toBe(verdict);
  });

  it('the cap in flight was reached in an open loop, but is the point of a closed one', () => {
    expect(judge(() => 0, { maxInFlight: 50 }).reasons.join()).toMatch(/cap of 50 requests/);
    expect(judge(() => 0, { maxInFlight: 8, of: stageOf(8) }).verdict).toBe('ok');
  });

  it('has nothing to say of a stage that sent nothing', () => {
    expect(judgeHealth(stage, tallyOf([]), { maxInFlight: 0 }, calm)).toMatchObject({ verdict: 'ok', reasons: [] });
  });
});

it('the slope of a line is its slope, and of one point nothing', () => {
  expect(slope([0, 1, 2], [1, 3, 5])).toBeCloseTo(2, 12);
  expect(slope([1], [1])).toBeUndefined();
  expect(slope([1, 1], [1, 2])).toBeUndefined();
});
