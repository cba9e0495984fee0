// Honest repeats: the same benchmark twice, other draws. Nothing is named, over many seeds and kinds of load.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import { syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

const WARMUP = { rateRps: 5, durationSeconds: 5, warmup: true } as const;
const STAGE = { rateRps: 20, durationSeconds: 20 } as const;
const CLOSED = { concurrency: 8, requests: 400 } as const;

const HONEST: Readonly<Record<string, SyntheticOptions>> = {
  'constant rate': {},
  'poisson, drawn lengths': { law: 'poisson-per-second', maxTokens: { from: 8, to: 56 } },
  'natural stops': { ignoreEos: false, maxTokens: { from: 8, to: 100 } },
  'closed loop': { stages: [CLOSED] },
  'warm-up and two stages': { stages: [WARMUP, { rateRps: 10, durationSeconds: 30 }, STAGE] },
  'one request in twenty fails': { failureShare: 0.05 },
  'just enough for p99, a failure now and then': {
    stages: [{ rateRps: 10, durationSeconds: 30 }],
    failureShare: 0.005,
  },
  'heavy noise': { jitter: 1 },
  'nobody counts': { usage: false, tokenizer: false },
  short: { stages: [{ rateRps: 10, durationSeconds: 8 }] },
};

describe.each(Object.entries(HONEST))('an honest repeat: %s', (_, options) => {
  it('has no finding over 20 seeds, and few differences', () => {
    let different = 0;
    let rows = 0;
    for (let seed = 1; seed <= 20; seed++) {
      const comparison = compare(syntheticRun({ ...options, seed }), syntheticRun({ ...options, seed: seed + 500 }), {
        resamples: 200,
      });
      const named = comparison.findings.filter(
        (finding) => finding.assumed === undefined && (finding.state !== 'same' || finding.follows !== undefined),
      );
      expect(
        named.map((finding) => finding.dimension),
        `seed ${seed}: ${comparison.findings[0]!.message}`,
      ).toEqual([]);
      expect(comparison.verdict).toMatchObject({ state: 'comparable', exitCode: 0 });
      expect(comparison.claim.text).toMatch(/Run-to-run noise is unknown.*23\.5 %/);
      for (const { difference } of comparison.metrics) {
        if (!difference?.interval) continue;
        rows++;
        if (difference.interval.low > 0 || difference.interval.high < 0) different++;
      }
    }
    expect(rows).toBeGreaterThan(100);
    expect(different / rows).toBeLessThan(0.08);
  });
});

it('a cold start on both sides is no steady state: means and tails carry no claim, medians do', () => {
  const cold = { coldSeconds: 0.08, coldRequests: 20 };
  const { findings, metrics, verdict } = compare(
    syntheticRun({ ...cold, seed: 1 }),
    syntheticRun({ ...cold, seed: 501 }),
    { resamples: 200 },
  );
  expect(findings.find(({ dimension }) => dimension === 'warmup-window')).toMatchObject({ state: 'unknown' });
  expect(verdict).toMatchObject({ state: 'undetermined', exitCode: 4 });
  const of = (statistic: string) => metrics.find((row) => row.metric === 'ttft' && row.statistic === statistic);
  expect(of('mean')).toMatchObject({ verdict: 'undetermined', because: ['warmup-window'] });
  expect(of('p50')).toMatchObject({ verdict: 'comparable' });
});

describe('certificate checks switched off by the environment', () => {
  it('are another way to the server, and not recorded where an older run did not say', () => {
    const stateOf = (a: 'on' | 'off' | undefined, b: 'on' | 'off' | undefined): string => {
      const [left, right] = [a, b].map((tlsChecks, i) => {
        const run = syntheticRun({ seed: i + 1 });
        const { manifest } = run;
        return tlsChecks === undefined
          ? run
          : { ...run, manifest: { ...manifest!, endpoint: { ...manifest!.endpoint, tlsChecks } } };
      });
      return compare(left!, right!, { resamples: 50 }).findings.find(({ dimension }) => dimension === 'network-path')!
        .state;
    };
    expect(stateOf('on', 'off')).toBe('confounds');
    expect(stateOf('off', 'off')).toBe('same');
    expect(stateOf(undefined, 'on')).toBe('same');
  });
});

describe('a proxy that the environment names', () => {
  const withProxy = (seed: number, proxy: string | undefined): ReturnType<typeof syntheticRun> => {
    const run = syntheticRun({ seed });
    const { endpoint } = run.manifest!;
    return proxy === undefined ? run : { ...run, manifest: { ...run.manifest!, endpoint: { ...endpoint, proxy } } };
  };
  const stateOf = (a: string | undefined, b: string | undefined): string | undefined =>
    compare(withProxy(1, a), withProxy(2, b), { resamples: 50 }).findings.find(
      ({ dimension }) => dimension === 'network-path',
    )?.state;

  it('and that was passed by is none; one that was used is another way to the server', () => {
    const bypassed = 'not used, though HTTP_PROXY is set: 127.0.0.1 is a local address';
    expect(stateOf(undefined, bypassed)).toBe('same');
    expect(stateOf(undefined, 'http://proxy.example:3128 (HTTP_PROXY)')).toBe('confounds');
  });
});
