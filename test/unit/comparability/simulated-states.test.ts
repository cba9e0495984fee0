// Windows that are no state, planted on the simulator's own engine: each is seen, and honest ones beside them are not.
import { describe, expect, it } from 'vitest';
import { steadyState } from '../../../src/comparability/dimensions/steady-state';
import { warmupWindow } from '../../../src/comparability/dimensions/warmup-window';
import { sideOf } from '../../../src/comparability/side';
import { matchStages } from '../../../src/comparability/stages';
import type { Run } from '../../../src/readers/run';
import { simulatedRun, type Served } from '../support/simulated-run';
import type { SyntheticStage } from '../support/synthetic-run';

function judged(runA: Run, runB: Run) {
  const [a, b] = [sideOf('A', runA), sideOf('B', runB)];
  const context = { a, b, matching: matchStages(a, b) };
  return { state: steadyState.examine(context), start: warmupWindow.examine(context) };
}

const run = (seed: number, stages: readonly SyntheticStage[], served: Served = {}): Promise<Run> =>
  simulatedRun({ seed, stages, law: 'poisson-per-second' }, served);

/** Of 0.2 s each: four tokens, the first after 0.05 s. */
const slotsFor = (capacityRps: number): Served => ({ slots: Math.round(capacityRps / 5) });
const open = (rateRps: number, durationSeconds: number): SyntheticStage[] => [{ rateRps, durationSeconds }];

describe('overload', () => {
  it('35 of 50 a second, 6 s against 14 s: TTFT is a function of the duration', async () => {
    const [a, b] = [await run(1, open(50, 6), slotsFor(35)), await run(2, open(50, 14), slotsFor(35))];
    const { state } = judged(a, b);
    expect(state).toMatchObject({ state: 'confounds', pitfall: 'CMP010' });
    expect(state.message).toContain('the backlog grows');
  });

  it('of a quarter, on one side alone, confounds; on both no claim is left', async () => {
    const [calm, mild, again] = [
      await run(3, open(50, 14), slotsFor(100)),
      await run(4, open(50, 14), slotsFor(40)),
      await run(5, open(50, 14), slotsFor(40)),
    ];
    expect(judged(calm, mild).state.state).toBe('confounds');
    expect(judged(mild, again).state.state).toBe('unknown');
  });
});

describe('a server that changes under way', () => {
  const stage = open(25, 14);
  const slowing = (from: number, to: number) => ({
    ttftSeconds: (at: number) => 0.05 * (from + ((to - from) * at) / 14),
    tokenSeconds: (at: number) => 0.05 * (from + ((to - from) * at) / 14),
  });

  it('slows to twice during B', async () => {
    const { state } = judged(await run(1, stage), await run(2, stage, slowing(1, 2)));
    expect(state.state).toBe('confounds');
    expect(state.message).toMatch(/On B TTFT drifts by \+/);
    expect(state.message).toMatch(/the time between tokens drifts by \+/);
  });

  it('gets as much faster during A', async () => {
    expect(judged(await run(1, stage, slowing(2, 1)), await run(2, stage)).state.state).toBe('confounds');
  });
});

describe('a cold start inside the window', () => {
  const stage = open(25, 14);
  it.each([
    ['the first 5 of 350 wait 1.5 s longer', 5, (usual: number) => usual + 1.5],
    ['the first 12 take ten times as long', 12, (usual: number) => 10 * usual],
  ])('%s', async (_, cold, slow) => {
    const served: Served = { ttftSeconds: (_at, admitted) => (admitted < cold ? slow(0.05) : 0.05) };
    const { start } = judged(await run(1, stage), await run(2, stage, served));
    expect(start.state).toBe('confounds');
    expect(start.message).toMatch(/^B starts cold inside its window/);
  });

  it('of a ladder: the first stage warms the second', async () => {
    const served: Served = { ttftSeconds: (_at, admitted) => (admitted < 30 ? 0.4 : 0.05) };
    const ladder = (seed: number, ...rates: number[]) =>
      run(
        seed,
        rates.map((rateRps) => ({ rateRps, durationSeconds: 15 })),
        served,
      );
    const { start } = judged(await ladder(1, 20), await ladder(2, 10, 20));
    expect(start.state).toBe('confounds');
    expect(start.message).toMatch(/^A starts cold inside its window/);
    expect(judged(await ladder(3, 10, 20), await ladder(4, 10, 20)).start.state).toBe('unknown');
  });
});

describe('a closed loop', () => {
  const loop = (seed: number, requests: number) => run(seed, [{ concurrency: 32, requests }]);
  it('of 640 requests against 64: drain halves the rate of the shorter one', async () => {
    const [long, short, again] = [await loop(1, 640), await loop(2, 64), await loop(3, 640)];
    const { state } = judged(long, short);
    expect(state.state).toBe('confounds');
    expect(state.message).toMatch(/lie after the last send/);
    expect(state.moves.map(({ metric }) => metric)).toContain('requests_per_sec');
    expect(judged(long, again).state.state).toBe('same');
  });
});

describe.each([0.75, 0.9])('honest queues on the engine, at a load of %d', (load) => {
  it('are called nothing', async () => {
    const runs: Run[] = [];
    for (let seed = 1; seed <= 6; seed++) runs.push(await run(100 + seed, open(25, 14), slotsFor(25 / load)));
    const found = runs.slice(1).map((other, i) => judged(runs[i]!, other));
    expect(found.filter(({ state }) => state.state !== 'same')).toEqual([]);
    expect(found.filter(({ start }) => start.state !== 'same')).toEqual([]);
  });
});
