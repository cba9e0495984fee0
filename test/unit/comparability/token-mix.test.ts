// A mixture of counters is one counter only where the server counted as large a share on both sides, within one point in a hundred.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { Finding } from '../../../src/comparability/comparison';
import type { RunManifest, TokenSource } from '../../../src/folder/manifest';
import { syntheticRun } from '../support/synthetic-run';

type Tokens = NonNullable<RunManifest['tokens']>;
const mixed = (manifest: RunManifest, output: Partial<TokenSource>): RunManifest => ({
  ...manifest,
  tokens: {
    ...(manifest.tokens as Tokens),
    output: { ...(manifest.tokens as Tokens).output, source: 'mixed', clientCounted: 200, ...output },
  },
});

function found(countedA: number, countedB: number, more: Partial<TokenSource> = {}): Finding {
  const run = (seed: number, serverCounted: number, other: Partial<TokenSource> = {}) =>
    syntheticRun({
      seed,
      stages: [{ rateRps: 20, durationSeconds: 10 }],
      manifest: (manifest) => mixed(manifest, { serverCounted, ...other }),
    });
  const { findings } = compare(run(1, countedA), run(2, countedB, more), { resamples: 20 });
  return findings.find(({ dimension }) => dimension === 'token-source')!;
}

describe('a mixture of counters', () => {
  it.each([
    [100, 100, 'same'],
    [100, 101, 'same'],
    [101, 100, 'same'],
    [100, 103, 'confounds'],
    [103, 100, 'confounds'],
    [100, 108, 'confounds'],
    [20, 180, 'confounds'],
  ] as const)('of which the server counted %d and %d in 200 is %s', (a, b, state) => {
    expect(found(a, b).state).toBe(state);
  });

  it('moves the output’s metrics and names both shares', () => {
    const { message, moves } = found(100, 120);
    expect(message).toContain('the server counted 50.0 % of the answers on A and 60.0 % on B, the client the rest');
    expect(moves.map(({ metric }) => metric)).toEqual(
      expect.arrayContaining(['tpot', 'ntpot', 'output_tokens_per_sec']),
    );
    expect(moves.map(({ metric }) => metric)).not.toContain('input_tokens_per_sec');
  });

  it('of which one side says no count is not known to be the same', () => {
    expect(found(100, 0, { clientCounted: 0 }).state).toBe('unknown');
    expect(found(100, 0, { clientCounted: 0 }).message).toContain('is not recorded on B');
  });

  it('is not the server’s count alone', () => {
    expect(found(100, 200, { source: 'server-usage' }).state).toBe('confounds');
  });
});
