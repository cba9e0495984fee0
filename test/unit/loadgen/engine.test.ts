// Stages one after the other: events, records, and planned = ok + failed + cancelled + not sent, always.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunEvent } from '../../../src/events';
import { runStages, type EngineStage, type StageOutcome } from '../../../src/loadgen/engine';
import { LEAD_SECONDS } from '../../../src/loadgen/flights';
import { planLoad } from '../../../src/loadgen/plan';
import { StopControl } from '../../../src/loadgen/stop';
import type { RequestRecord } from '../../../src/metrics/record';
import { virtualClock, type VirtualClock } from '../support/virtual-clock';
import { fakeClient, requests, type FakeClient } from './fake-client';

// The pause between stages, on the clock of this test.
vi.mock('node:timers/promises', () => ({
  setTimeout: (milliseconds: number, _value: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, milliseconds);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(new Error('aborted'));
      });
    }),
}));
let clock: VirtualClock;
beforeEach(() => {
  clock = virtualClock();
});
afterEach(() => {
  clock.remove();
});

function stagesOf(counts: readonly number[]): EngineStage[] {
  const planned = planLoad({
    type: 'concurrent',
    stages: counts.map((count) => ({ num_requests: count, concurrency_level: 4 })),
    warmupStages: [0],
    workers: 1,
    workerMaxConcurrency: 10,
    seed: 1,
  });
  if (!planned.ok) throw new Error('no plan');
  let first = 0;
  return planned.value.map((plan) => {
    const list = requests(plan.count, plan.id, first);
    first += plan.count;
    return { plan, requests: list };
  });
}

async function run(
  client: FakeClient,
  counts: readonly number[],
  stop = new StopControl(),
  intervalSeconds = 0,
): Promise<{ outcomes: readonly StageOutcome[]; records: RequestRecord[]; events: RunEvent[]; zero: number }> {
  const records: RequestRecord[] = [];
  const events: RunEvent[] = [];
  const zero = performance.now() / 1000;
  const running = runStages({
    stages: stagesOf(counts),
    client,
    intervalSeconds,
    timeoutSeconds: 5,
    answers: { texts: false, raw: false },
    graceSeconds: 0.05,
    stop,
    zeroSeconds: zero,
    onEvent: (event) => events.push(event),
    onEnded: ({ line }) => records.push(JSON.parse(line) as RequestRecord),
  });
  const outcomes = await clock.until(running);
  return { outcomes, records, events, zero };
}

describe('stages', () => {
  it('run in order with the interval between them', async () => {
    const { outcomes, records, events } = await run(fakeClient(0.01), [6, 4], new StopControl(), 0.2);
    expect(outcomes.map(({ counts }) => counts.ok)).toEqual([6, 4]);
    expect(events.map(({ type }) => type).filter((type) => type !== 'health')).toEqual([
      'stageStarted',
      'stageFinished',
      'stageStarted',
      'stageFinished',
    ]);
    const ends = records.filter(({ stage }) => stage === 0).map(({ endSeconds }) => endSeconds!);
    const starts = records.filter(({ stage }) => stage === 1).map(({ sentSeconds }) => sentSeconds!);
    expect(Math.min(...starts) - Math.max(...ends)).toBeCloseTo(0.2 + LEAD_SECONDS, 3);
  });

  it('give records whose times count from the run’s zero', async () => {
    const client = fakeClient(0.01, () => {
      const now = performance.now() / 1000;
      return {
        firstTokenSeconds: now + 0.001,
        chunkSeconds: [now + 0.001, now + 0.002],
        finishReason: 'length',
        usage: { promptTokens: 3, completionTokens: 2 },
      };
    });
    const { records } = await run(client, [1]);
    const [record] = records;
    expect(record).toMatchObject({ id: 0, stage: 0, outcome: { kind: 'ok' }, finishReason: 'length', maxTokens: 1 });
    expect(record!.usage).toEqual({ promptTokens: 3, completionTokens: 2 });
    for (const seconds of [record!.scheduledSeconds, record!.sentSeconds!, ...record!.chunkSeconds]) {
      expect(seconds).toBeGreaterThanOrEqual(0);
      // Of the run's clock, not of the process's or the day's.
      expect(seconds).toBeLessThan(30);
    }
    expect(record!.chunkSeconds[1]! - record!.chunkSeconds[0]!).toBeCloseTo(0.001, 6);
    expect('firstByteSeconds' in record!).toBe(false);
  });

  it('tick once a second with counts and live figures', async () => {
    const { events } = await run(fakeClient(0.3), [20]);
    const tick = events.find((event) => event.type === 'tick');
    expect(tick).toBeDefined();
    // Of 4 at a time, 0.3 s each: the fourth round began after 0.95 s.
    expect(tick!.counts.sent).toBe(16);
    expect(tick!.counts.planned).toBe(20);
    expect(tick!.counts.inFlight).toBe(4);
    expect(tick!.stageElapsedSeconds).toBeCloseTo(1, 6);
    expect(tick!.ttftMs!).toBeCloseTo(300, 3);
  });

  it('that a stop prevents are accounted for as not sent', async () => {
    const stop = new StopControl();
    setTimeout(() => stop.stop('enough', false), 75);
    const { outcomes, records } = await run(fakeClient(0.02), [10, 7, 5], stop, 60);
    expect(outcomes).toHaveLength(3);
    expect(outcomes[1]).toMatchObject({ complete: false, counts: { planned: 7, notSent: 7 } });
    expect(outcomes[1]!.startSeconds).toBeUndefined();
    expect(records).toHaveLength(22);
    expect(records.at(-1)!.outcome).toEqual({ kind: 'notSent', reason: 'enough' });
  });
});

it('planned = ok + failed + cancelled + not sent, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 25 }), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 0, max: 120 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 7 }),
      async (counts, stopAfterMs, now, every) => {
        fc.pre(counts.some((count) => count > 0));
        const stop = new StopControl();
        const client = fakeClient(0.002, ({ id }) => {
          if (id % every === 0) return 'never';
          if (id % 3 !== 0) return {};
          return { outcome: { kind: 'failed', errorType: 'X', label: 'x', message: 'x' } };
        });
        setTimeout(() => stop.stop('enough', now), stopAfterMs);
        const { outcomes, records } = await run(client, counts, stop);
        const planned = counts.reduce((sum, count) => sum + count, 0);
        expect(records).toHaveLength(planned);
        expect(new Set(records.map(({ id }) => id)).size).toBe(planned);
        for (const { counts: each, stage } of outcomes) {
          expect(each.ok + each.failed + each.cancelled + each.notSent).toBe(each.planned);
          expect(each.planned).toBe(stage.count);
        }
      },
    ),
    { numRuns: 100 },
  );
});
