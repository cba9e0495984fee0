// One side sent by more threads than the other: no difference of what was sent, and said.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { Finding } from '../../../src/comparability/comparison';
import { syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

function host(a: number | undefined, b: number | undefined): Finding {
  const sent = (workers: number | undefined): SyntheticOptions => ({
    stages: [{ rateRps: 20, durationSeconds: 20 }],
    manifest: ({ runtime, ...rest }) => ({ ...rest, runtime: { ...runtime, ...(workers ? { workers } : {}) } }),
  });
  const comparison = compare(syntheticRun({ ...sent(a), seed: 3 }), syntheticRun({ ...sent(b), seed: 4 }), {
    resamples: 20,
  });
  return comparison.findings.find(({ dimension }) => dimension === 'client-host')!;
}

describe('sending threads of two sides', () => {
  it('are named where they differ, and confound nothing', () => {
    const finding = host(1, 3);
    expect(finding.state).toBe('same');
    expect(JSON.stringify(finding)).toContain('Sending threads: 1 on A, 3 on B');
  });

  it('are no word where they are equal or one side does not say', () => {
    for (const finding of [host(2, 2), host(undefined, 3)]) {
      expect(finding.state).toBe('same');
      expect(JSON.stringify(finding)).not.toContain('Sending threads');
    }
  });
});
