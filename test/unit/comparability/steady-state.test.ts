// A window that is no state: seen at each matched load, on one side or on both, and never in an honest queue.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { Comparison, DimensionId } from '../../../src/comparability/comparison';
import { steadyState } from '../../../src/comparability/dimensions/steady-state';
import { warmupWindow } from '../../../src/comparability/dimensions/warmup-window';
import { sideOf } from '../../../src/comparability/side';
import { matchStages } from '../../../src/comparability/stages';
import type { RequestRecord } from '../../../src/metrics/record';
import type { Run } from '../../../src/readers/run';
import { randomStream, syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

/** TTFT of each request of each stage, by its place there and when it was sent; the answer moves along. */
function withWaits(run: Run, wait: (stage: number, i: number, sent: number, record: RequestRecord) => number): Run {
  const counts = new Map<number, number>();
  const records = run.records!.map((record) => {
    const i = counts.get(record.stage) ?? 0;
    counts.set(record.stage, i + 1);
    const sent = record.sentSeconds!;
    const later = sent + wait(record.stage, i, sent, record) - record.firstTokenSeconds!;
    return {
      ...record,
      firstTokenSeconds: record.firstTokenSeconds! + later,
      chunkSeconds: Array.from(record.chunkSeconds, (time) => time + later),
      lastTokenSeconds: record.lastTokenSeconds! + later,
      endSeconds: record.endSeconds! + later,
    };
  });
  return { ...run, records };
}

/** First in, first out on one server that answers so many a second. */
function queued(run: Run, capacityRps: number, luck: number, warm = true): Run {
  const random = randomStream(luck);
  const rate = run.manifest!.stages[0]!.requestedRateRps!;
  let free = 0;
  let now = 0;
  const service = (): number => -Math.log(1 - random()) / capacityRps;
  for (let i = 0; warm && i < 2000; i++) {
    now -= Math.log(1 - random()) / rate;
    free = Math.max(now, free) + service();
  }
  free -= now;
  return withWaits(run, (_stage, _i, sent) => {
    free = Math.max(sent, free) + service();
    return free - sent;
  });
}

const slower = (run: Run, factor: (i: number) => number): Run => {
  let i = 0;
  const records = run.records!.map((record) => {
    const by = factor(i++);
    const at = (time: number): number => record.sentSeconds! + by * (time - record.sentSeconds!);
    return {
      ...record,
      firstTokenSeconds: at(record.firstTokenSeconds!),
      chunkSeconds: Array.from(record.chunkSeconds, at),
      lastTokenSeconds: at(record.lastTokenSeconds!),
      endSeconds: at(record.endSeconds!),
    };
  });
  return { ...run, records };
};

function judged(a: Run, b: Run): Comparison {
  return compare(a, b, { resamples: 50 });
}

function stateOf({ findings }: Comparison, dimension: DimensionId) {
  return findings.find((finding) => finding.dimension === dimension)!;
}

function verdicts({ metrics }: Comparison, metric: string): string[] {
  return metrics.filter((row) => row.metric === metric && row.a.value !== undefined).map(({ verdict }) => verdict);
}

const POISSON: SyntheticOptions = { law: 'poisson-per-second', maxTokens: 1 };
const overloaded = (seed: number, durationSeconds: number, capacity = 35): Run =>
  queued(syntheticRun({ ...POISSON, seed, stages: [{ rateRps: 50, durationSeconds }] }), capacity, seed, false);

describe('capacity 35 of 50 requests a second', () => {
  it('6 s against 14 s: TTFT is a function of the duration, and confounded by it', () => {
    const comparison = judged(overloaded(1, 6), overloaded(2, 14));
    const finding = stateOf(comparison, 'steady-state');
    expect(finding).toMatchObject({ state: 'confounds', pitfall: 'CMP010' });
    expect(finding.message).toMatch(/the backlog grows: .* A sent for \d\.\d+ s and B for 1\d/);
    expect(verdicts(comparison, 'ttft')).not.toContain('comparable');
    expect(comparison.verdict.exitCode).toBe(3);
  });

  it('on both sides alike: no steady state, no claim on what it moves', () => {
    const comparison = judged(overloaded(1, 14), overloaded(2, 14));
    expect(stateOf(comparison, 'steady-state')).toMatchObject({ state: 'unknown' });
    expect(stateOf(comparison, 'steady-state').assumed).toBeUndefined();
    expect(verdicts(comparison, 'ttft')).not.toContain('comparable');
    expect(comparison.verdict.exitCode).toBe(4);
    expect(comparison.claim.text).toBeUndefined();
  });

  it('on one side alone confounds', () => {
    const comparison = judged(overloaded(1, 14, 100), overloaded(2, 14));
    expect(stateOf(comparison, 'steady-state')).toMatchObject({ state: 'confounds' });
    expect(stateOf(comparison, 'steady-state').message).toMatch(/^On B the backlog grows/);
  });
});

describe('a server that slows during its window', () => {
  const steady = (seed: number): Run => syntheticRun({ seed });
  it.each([
    ['to twice, all of it', (seed: number) => slower(steady(seed), (i) => 1 + i / 400), ['ttft', 'tpot']],
    [
      'in a step half way',
      (seed: number) => slower(steady(seed), (i) => (i < 200 ? 1 : 2)),
      ['ttft', 'tpot', 'request_latency'],
    ],
    [
      'in the first token alone',
      (seed: number) =>
        withWaits(steady(seed), (_s, i, sent, { firstTokenSeconds }) => (firstTokenSeconds! - sent) * (1 + i / 400)),
      ['ttft'],
    ],
  ])('%s', (_, slowing, moves) => {
    const comparison = judged(steady(1), slowing(2));
    expect(stateOf(comparison, 'steady-state').state).toBe('confounds');
    expect(comparison.verdict.exitCode).toBe(3);
    for (const metric of moves) expect(new Set(verdicts(comparison, metric))).toEqual(new Set(['confounded']));
    const both = judged(slowing(3), slowing(4));
    expect(stateOf(both, 'steady-state').state).toBe('unknown');
    expect(both.verdict.exitCode).toBe(4);
  });

  it('in the time per token spares the first token', () => {
    const comparison = judged(
      steady(1),
      (() => {
        let i = 0;
        const run = steady(2);
        const records = run.records!.map((record) => {
          const by = 1 + i++ / 400;
          const at = (time: number): number => record.firstTokenSeconds! + by * (time - record.firstTokenSeconds!);
          return {
            ...record,
            chunkSeconds: Array.from(record.chunkSeconds, at),
            lastTokenSeconds: at(record.lastTokenSeconds!),
            endSeconds: at(record.endSeconds!),
          };
        });
        return { ...run, records };
      })(),
    );
    expect(stateOf(comparison, 'steady-state').message).toMatch(/On B the time between tokens drifts by \+\d+/);
    expect(verdicts(comparison, 'tpot')).not.toContain('comparable');
    expect(verdicts(comparison, 'ttft')).not.toContain('confounded');
  });
});

describe('a ladder whose first stage warms the second', () => {
  const cold = (run: Run): Run => {
    const first = run.records!.filter(({ stage }) => stage === run.manifest!.stages[0]!.id);
    const slow = new Set(first.slice(0, 30).map(({ id }) => id));
    return withWaits(run, (_s, _i, sent, record) => (record.firstTokenSeconds! - sent) * (slow.has(record.id) ? 8 : 1));
  };
  const ladder = (seed: number, rates: readonly number[]): Run =>
    cold(syntheticRun({ seed, stages: rates.map((rateRps) => ({ rateRps, durationSeconds: 20 })) }));

  it('is seen at the load that came first on one side and later on the other', () => {
    const comparison = judged(ladder(1, [10, 20]), ladder(2, [20, 10]));
    const finding = stateOf(comparison, 'warmup-window');
    expect(finding.state).toBe('confounds');
    expect(finding.message).toMatch(/A starts cold inside its window at 10 rps/);
    expect(finding.message).toMatch(/B starts cold inside its window at 20 rps/);
    expect(stateOf(comparison, 'steady-state').state).toBe('same');
  });

  it('touches only that load', () => {
    const comparison = judged(ladder(1, [20]), ladder(2, [10, 20]));
    expect(stateOf(comparison, 'warmup-window').message).toMatch(/^A starts cold inside its window/);
    const three = judged(ladder(1, [20, 30]), ladder(2, [10, 20, 30]));
    expect(stateOf(three, 'warmup-window')).toMatchObject({ state: 'confounds', stages: [0] });
  });

  it('on both sides at the same load: no claim on means and tails', () => {
    const comparison = judged(ladder(1, [20]), ladder(2, [20]));
    expect(stateOf(comparison, 'warmup-window').state).toBe('unknown');
    expect(comparison.verdict.exitCode).toBe(4);
    const cut = compare(ladder(1, [20]), ladder(2, [20]), { resamples: 50, align: ['warmup-window'] });
    expect(stateOf(cut, 'warmup-window').state).toBe('aligned');
    expect(cut.verdict.exitCode).toBe(0);
  });
});

describe('a closed loop', () => {
  const loop = (seed: number, requests: number): Run =>
    syntheticRun({ seed, stages: [{ concurrency: 32, requests }], maxTokens: 16 });

  it('of 640 requests against 64: the drain of the shorter one halves its rates', () => {
    const comparison = judged(loop(1, 640), loop(2, 64));
    const finding = stateOf(comparison, 'steady-state');
    expect(finding.state).toBe('confounds');
    expect(finding.message).toMatch(/of A’s window and .* of B’s lie after the last send/);
    expect(new Set(verdicts(comparison, 'requests_per_sec'))).toEqual(new Set(['confounded']));
    expect(stateOf(judged(loop(1, 640), loop(2, 640)), 'steady-state').state).toBe('same');
  });
});

describe('what cannot be seen', () => {
  const bare = (run: Run): Run =>
    Object.fromEntries(Object.entries(run).filter(([key]) => key !== 'records')) as unknown as Run;
  it('is assumed where neither side could record it, and unknown where one did', () => {
    const [a, b] = [syntheticRun({ seed: 1 }), syntheticRun({ seed: 2 })];
    expect(stateOf(judged(bare(a), bare(b)), 'steady-state')).toMatchObject({
      state: 'unknown',
      assumed: 'that both windows were a steady state',
    });
    const half = stateOf(judged(a, bare(b)), 'steady-state');
    expect(half.state).toBe('unknown');
    expect(half.assumed).toBeUndefined();
  });
});

// Seeds that no threshold was tuned on (tuning: 1,000 to 5,000 and 1 to 400).
describe.each([0.75, 0.9])('honest queues at a load of %d', (load) => {
  it('are called cold or unsteady in at most two of a hundred pairs', () => {
    const stages = [{ rateRps: 25, durationSeconds: 14 }];
    const run = (seed: number): Run => queued(syntheticRun({ ...POISSON, seed, stages }), 25 / load, seed + 40_000);
    let [cold, unsteady] = [0, 0];
    const pairs = 200;
    for (let k = 0; k < pairs; k++) {
      const [a, b] = [sideOf('A', run(820_000 + 2 * k)), sideOf('B', run(820_001 + 2 * k))];
      const context = { a, b, matching: matchStages(a, b) };
      if (warmupWindow.examine(context).state !== 'same') cold++;
      if (steadyState.examine(context).state !== 'same') unsteady++;
    }
    const words = `${cold} cold and ${unsteady} unsteady of ${pairs}`;
    expect(cold / pairs, words).toBeLessThanOrEqual(0.02);
    expect(unsteady / pairs, words).toBeLessThanOrEqual(0.02);
  });
});
