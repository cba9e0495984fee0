// One server, as far as it is recorded: what differs, what one side leaves open, what both leave open. And when a warm-up cut is sure.
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/comparability/comparison';
import { server } from '../../../src/comparability/dimensions/server';
import { sideOf } from '../../../src/comparability/side';
import { matchStages } from '../../../src/comparability/stages';
import { suggestedCut } from '../../../src/comparability/warmup-detection';
import type { StackRecord } from '../../../src/folder/stack';
import type { RunManifest } from '../../../src/folder/manifest';
import type { RequestRecord } from '../../../src/metrics/record';
import { syntheticRun } from '../support/synthetic-run';

interface Served {
  readonly endpoint?: Partial<RunManifest['endpoint']>;
  readonly stack?: Partial<StackRecord>;
}

function judged(a: Served, b: Served): Finding {
  const run = ({ endpoint, stack }: Served, seed: number) =>
    syntheticRun({
      seed,
      stages: [{ rateRps: 10, durationSeconds: 2 }],
      manifest: (manifest) => ({
        ...manifest,
        endpoint: { ...manifest.endpoint, ...endpoint },
        ...(stack ? { stack: { source: 'stack.yaml', ...stack } } : {}),
      }),
    });
  const [x, y] = [sideOf('A', run(a, 1)), sideOf('B', run(b, 2))];
  return server.examine({ a: x, b: y, matching: matchStages(x, y) });
}

const FULL = { image: 'vllm:1', args: ['--x'] };
describe('one server', () => {
  it.each<[string, Served, Served, string]>([
    ['the same stack', { stack: FULL }, { stack: FULL }, 'same'],
    ['another image', { stack: FULL }, { stack: { ...FULL, image: 'vllm:2' } }, 'confounds'],
    ['another flag', { stack: FULL }, { stack: { ...FULL, args: ['--y'] } }, 'confounds'],
    ['a stack on one side', { stack: FULL }, {}, 'unknown'],
    ['another model', { endpoint: { model: 'm' } }, { endpoint: { model: 'n' } }, 'confounds'],
    ['another engine', { endpoint: { serverType: 'vllm' } }, { endpoint: { serverType: 'sglang' } }, 'confounds'],
  ])('%s', (_, a, b, state) => {
    expect(judged(a, b)).toMatchObject({ state });
    expect(judged(b, a)).toMatchObject({ state });
    if (state === 'unknown') expect(judged(a, b).assumed).toBeUndefined();
  });

  it('that neither side describes is taken for one at one address, and open at two', () => {
    expect(judged({}, {}).assumed).toContain('build and flags');
    expect(judged({ stack: { image: 'vllm:1' } }, { stack: { image: 'vllm:1' } }).assumed).toContain('flags');
    expect(judged({ stack: { args: ['--x'] } }, { stack: { args: ['--x'] } }).assumed).toContain('build');
    const apart = judged({}, { endpoint: { baseUrl: 'http://127.0.0.1:9000' } });
    expect([apart.state, apart.assumed]).toEqual(['unknown', undefined]);
  });
});

describe('a suggested cut', () => {
  const cut = (values: number[]) => {
    const records = values.map((_, i) => ({ sentSeconds: i / 2 }) as RequestRecord);
    return suggestedCut({ metric: 'TTFT', values: Float64Array.from(values), records } as never);
  };
  const slow = (n: number, first: number, factor: number) =>
    Array.from({ length: n }, (_, i) => (i < first ? factor : 1) * (1 + ((i * 7) % 11) * 0.001));

  it.each([
    [60, 20, 2, 20],
    [60, 20, 1.25, 20],
    // Slower by less than a fifth is no warm-up.
    [60, 20, 1.15, 0],
    [60, 0, 1, 0],
    // Faster at first is none either.
    [60, 20, 0.5, 0],
  ])('of %d requests, the first %d of them %d times as slow: %d', (n, first, factor, requests) => {
    const found = cut(slow(n, first, factor))!;
    expect(found.requests).toBe(requests);
    expect(found.seconds).toBe(requests / 2);
    expect(found.ratioBefore).toBeCloseTo(requests > 0 ? factor : 1, 2);
  });

  it('needs sixty requests', () => {
    expect(cut(slow(59, 20, 2))).toBeUndefined();
  });
});
