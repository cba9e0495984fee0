// A cold start on one side, however short, confounds; the swing of an honest queue is none.
import { expect, it } from 'vitest';
import { warmupWindow } from '../../../src/comparability/dimensions/warmup-window';
import { sideOf } from '../../../src/comparability/side';
import { matchStages } from '../../../src/comparability/stages';
import type { Run } from '../../../src/readers/run';
import { randomStream, syntheticRun } from '../support/synthetic-run';

const OPTIONS = { stages: [{ rateRps: 25, durationSeconds: 14 }] };

function examine(runA: Run, runB: Run) {
  const [a, b] = [sideOf('A', runA), sideOf('B', runB)];
  return warmupWindow.examine({ a, b, matching: matchStages(a, b) });
}

it.each([
  [5, 1.5],
  [12, 0.5],
])('the first %d of 350 requests of one side wait %d s longer', (coldRequests, coldSeconds) => {
  const cold = syntheticRun({ ...OPTIONS, seed: 2, coldRequests, coldSeconds });
  const finding = examine(syntheticRun({ ...OPTIONS, seed: 1 }), cold);
  expect(finding.state).toBe('confounds');
  expect(finding.message).toMatch(/B starts cold inside its window: the first \d+ requests have/);
  expect(finding.moves.map(({ metric }) => metric)).toContain('ttft');
});

it.each([0.75, 0.9])('honest queues at a load of %d are called cold in at most two of a hundred pairs', (load) => {
  const queued = (seed: number): Run => {
    const run = syntheticRun({ ...OPTIONS, seed, maxTokens: 1 });
    const random = randomStream(seed + 9000);
    let wait = 0;
    const step = (): number => {
      const service = -Math.log(1 - random()) * load * 0.04;
      const latency = wait + service;
      wait = Math.max(0, latency + Math.log(1 - random()) * 0.04);
      return latency;
    };
    for (let i = 0; i < 1000; i++) step();
    const records = run.records!.map((record) => {
      const end = record.sentSeconds! + step();
      return { ...record, firstTokenSeconds: end, chunkSeconds: [end], lastTokenSeconds: end, endSeconds: end };
    });
    return { ...run, records };
  };
  let cold = 0;
  const pairs = 150;
  for (let k = 0; k < pairs; k++) if (examine(queued(2 * k + 1), queued(2 * k + 2)).state === 'confounds') cold++;
  expect(cold / pairs).toBeLessThanOrEqual(0.02);
});
