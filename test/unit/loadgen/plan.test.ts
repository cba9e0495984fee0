// Load sections to planned stages: counts, laws, caps, labels, refusals, and arrivals that a warm-up does not move.
import { describe, expect, it } from 'vitest';
import {
  connectionsFor,
  loadInWords,
  planLoad,
  type LoadInput,
  type PlannedLoadStage,
} from '../../../src/loadgen/plan';

const base: LoadInput = {
  type: 'constant',
  stages: [{ rate: 10, duration: 3 }],
  warmupStages: [],
  workers: 2,
  workerMaxConcurrency: 5,
  seed: 1,
};
function plan(changes: Partial<LoadInput> = {}): readonly PlannedLoadStage[] {
  const planned = planLoad({ ...base, ...changes });
  if (!planned.ok) throw new Error(planned.problems[0]!.message);
  return planned.value;
}
const offsets = (stage: PlannedLoadStage) => (stage.pacing.kind === 'open' ? [...stage.pacing.offsets] : []);

describe('planning', () => {
  it('constant: the law by its true name, the cap from workers and their limit', () => {
    const [stage] = plan();
    expect(stage).toMatchObject({
      id: 0,
      count: 30,
      label: '10 rps for 3 s',
      law: 'exponential-gaps-rescaled',
      requestedRateRps: 10,
      requestedDurationSeconds: 3,
    });
    expect(stage!.pacing).toMatchObject({ kind: 'open', inFlightCap: 10 });
    expect(offsets(stage!).at(-1)).toBe(3);
  });

  it('poisson', () => {
    const [stage] = plan({ type: 'poisson' });
    expect(stage).toMatchObject({ count: 30, law: 'poisson-per-second' });
    expect(offsets(stage!)).not.toEqual(offsets(plan()[0]!));
  });

  it('concurrent: exact slots, no schedule', () => {
    const [stage] = plan({ type: 'concurrent', stages: [{ num_requests: 40, concurrency_level: 8 }] });
    expect(stage).toMatchObject({
      count: 40,
      label: '8 concurrent, 40 requests',
      law: 'closed-loop',
      pacing: { kind: 'closed', concurrency: 8 },
      requestedConcurrency: 8,
    });
    expect(stage!.scheduleHash).toBeUndefined();
  });

  it('a single process has no cap', () => {
    const [stage] = plan({ workers: 0 });
    expect(stage!.pacing).toMatchObject({ inFlightCap: Number.MAX_SAFE_INTEGER });
    expect(connectionsFor([stage!])).toBe(30);
  });

  it('connections follow the most that can be in flight', () => {
    expect(connectionsFor(plan())).toBe(10);
    expect(connectionsFor(plan({ workers: 100 }))).toBe(30);
    expect(connectionsFor(plan({ type: 'concurrent', stages: [{ num_requests: 40, concurrency_level: 8 }] }))).toBe(8);
  });

  it('a warm-up stage before the others does not move their arrivals', () => {
    const two = [
      { rate: 10, duration: 3 },
      { rate: 20, duration: 2 },
    ];
    const plain = plan({ stages: two });
    const warmed = plan({ stages: [{ rate: 5, duration: 2 }, ...two], warmupStages: [0] });
    expect(warmed.map(({ warmup }) => warmup)).toEqual([true, false, false]);
    expect(offsets(warmed[1]!)).toEqual(offsets(plain[0]!));
    expect(warmed[2]!.scheduleHash).toBe(plain[1]!.scheduleHash);
    expect(plan({ stages: two, seed: 2 })[0]!.scheduleHash).not.toBe(plain[0]!.scheduleHash);
  });
});

describe('what is refused or warned of', () => {
  it.each([
    ['no stage', { stages: [] }, 'RUN002'],
    ['too many requests', { stages: [{ rate: 1e6, duration: 100 }] }, 'RUN003'],
    ['an endless rate', { stages: [{ rate: Infinity, duration: 1 }] }, 'RUN003'],
    ['not one request', { stages: [{ rate: 0.05, duration: 10 }] }, 'RUN004'],
  ])('%s', (_, changes, code) => {
    const planned = planLoad({ ...base, ...changes });
    expect(planned.ok).toBe(false);
    expect(planned.problems[0]!.code).toBe(code);
  });

  it('a stage without a request among others', () => {
    const planned = planLoad({ ...base, stages: [...base.stages, { rate: 0.1, duration: 5 }] });
    expect(planned.ok).toBe(true);
    expect(planned.problems[0]).toMatchObject({ code: 'RUN005', path: ['load', 'stages', 1] });
  });
});

it('load in words', () => {
  const stages = [
    { rate: 5, duration: 30 },
    { rate: 20, duration: 60 },
  ];
  expect(loadInWords('poisson', plan({ stages }))).toBe('poisson, 2 stages, 5 -> 20 rps, 90 s');
  expect(loadInWords('constant', plan({ stages, warmupStages: [0] }))).toBe('constant, 20 rps, 60 s, 1 warm-up stage');
  const closed = plan({ type: 'concurrent', stages: [{ num_requests: 40, concurrency_level: 8 }] });
  expect(loadInWords('concurrent', closed)).toBe('concurrent, 8 in flight, 40 requests');
});
