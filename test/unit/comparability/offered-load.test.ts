// The load that was offered: what one side's schedule did while the other side kept no times.
import { expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { Run } from '../../../src/readers/run';
import { drop, withoutRecords } from '../support/lacking';
import { syntheticRun } from '../support/synthetic-run';

const STAGES = [
  { rateRps: 10, durationSeconds: 20 },
  { rateRps: 20, durationSeconds: 10 },
];

/** @param sent as a share of what was asked; undefined: not recorded */
function run(seed: number, sent: number | undefined, stages = STAGES): Run {
  return drop(withoutRecords(syntheticRun({ seed, promptSeed: 1, stages })), (manifest) => {
    manifest.stages.forEach((stage, i) => {
      delete stage['scheduleHash'];
      if (sent === undefined) delete stage['achievedRateRps'];
      else stage['achievedRateRps'] = sent * stages[i]!.rateRps;
    });
  });
}

function finding(a: Run, b: Run) {
  return compare(a, b, { resamples: 20 }).findings.find(({ dimension }) => dimension === 'offered-load')!;
}

it.each([0.5, 1.6])('sent at %d times what was asked, and not recorded on the other side: unknown', (share) => {
  for (const [a, b, name, other] of [
    [run(1, share), run(2, undefined), 'A', 'B'],
    [run(1, undefined), run(2, share), 'B', 'A'],
  ] as const) {
    const found = finding(a, b);
    expect(found.state).toBe('unknown');
    expect(found.assumed).toBeUndefined();
    expect(found.message).toContain(`${name} was asked for 10 rps and sent ${share * 10}`);
    expect(found.message).toContain(`not recorded on ${other}`);
  }
});

it('sent as asked on one side, or recorded on neither: assumed, and loads without a counterpart are named', () => {
  for (const [a, b] of [
    [run(1, 1.01), run(2, undefined, STAGES.slice(0, 1))],
    [run(1, undefined), run(2, undefined, STAGES.slice(0, 1))],
  ]) {
    const found = finding(a!, b!);
    expect(found.assumed).toContain('at the rate that was asked');
    expect(found.message).toContain('A’s 20 rps has no counterpart and is not compared');
  }
});
