// The prefix cache is evidence or a question: counters of the server, or an unknown that holds the verdict up.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { Comparison } from '../../../src/comparability/comparison';
import type { RunManifest, ServerMetricsWindow } from '../../../src/folder/manifest';
import { aiperfReader } from '../../../src/readers/readers/aiperf';
import { telemetryOf } from '../../../src/readers/readers/inference-perf-server';
import { syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

type Totals = Readonly<Record<string, number>>;

const window = (stage: number | undefined, totals: Totals, source: ServerMetricsWindow['source'] = 'scrape') => ({
  ...(stage === undefined ? {} : { stage }),
  source,
  url: 'http://127.0.0.1:8000/metrics',
  startSeconds: 0,
  endSeconds: 20,
  metrics: Object.fromEntries(
    Object.entries(totals).map(([key, total]) => [
      key,
      key === 'cache_hit_rate'
        ? { kind: 'gauge' as const, name: key, mean: total }
        : { kind: 'counter' as const, name: key, total },
    ]),
  ),
  absent: [],
});

const within =
  (change: (manifest: RunManifest) => Partial<RunManifest>) =>
  (manifest: RunManifest): RunManifest => ({
    ...manifest,
    ...change(manifest),
  });

const counters = (totals: Totals): SyntheticOptions => ({
  manifest: within(() => ({ serverMetrics: [window(undefined, totals), window(0, totals)] })),
});

/** One stream of prompts, two runs. */
function again(a: SyntheticOptions, b: SyntheticOptions): Comparison {
  const left = syntheticRun({ promptSeed: 7, ...a, seed: 1 });
  const right = syntheticRun({ promptSeed: 7, ...b, seed: 501 });
  return compare(left, right, { resamples: 50 });
}

const cacheOf = (comparison: Comparison) => comparison.findings.find(({ dimension }) => dimension === 'cache-state')!;
const rowsOf = (comparison: Comparison, metric: string) => comparison.metrics.filter((row) => row.metric === metric);

describe('the server’s counters over the window', () => {
  const PAIRS: Readonly<Record<string, readonly [Totals, Totals]>> = {
    'vLLM, none against all': [
      { prefix_cache_hits: 0, prefix_cache_queries: 6246 },
      { prefix_cache_hits: 6246, prefix_cache_queries: 6246 },
    ],
    'vLLM, a tenth against a half': [
      { prefix_cache_hits: 600, prefix_cache_queries: 6000 },
      { prefix_cache_hits: 3000, prefix_cache_queries: 6000 },
    ],
    'an external cache': [
      { prefix_cache_hits: 0, external_prefix_cache_hits: 0, prefix_cache_queries: 6000 },
      { prefix_cache_hits: 0, external_prefix_cache_hits: 4000, prefix_cache_queries: 6000 },
    ],
    'cached prompt tokens without lookups': [
      { prompt_tokens_cached: 0, prompt_tokens: 6000 },
      { prompt_tokens_cached: 5000, prompt_tokens: 6000 },
    ],
    'SGLang, tokens': [
      { cached_tokens: 0, prompt_tokens: 6000 },
      { cached_tokens: 5900, prompt_tokens: 6000 },
    ],
    'SGLang, the gauge': [
      { cache_hit_rate: 0, prompt_tokens: 6000 },
      { cache_hit_rate: 0.9, prompt_tokens: 6000 },
    ],
    'a cache that is off against a warm one': [
      { prefix_cache_hits: 0, prefix_cache_queries: 0, prompt_tokens: 6000 },
      { prefix_cache_hits: 5000, prefix_cache_queries: 6000, prompt_tokens: 6000 },
    ],
  };

  it.each(Object.entries(PAIRS))('confound: %s', (_, [a, b]) => {
    for (const pair of [again(counters(a), counters(b)), again(counters(b), counters(a))]) {
      expect(cacheOf(pair).state).toBe('confounds');
      expect(pair.verdict).toMatchObject({ state: 'confounded', exitCode: 3 });
      for (const metric of ['ttft', 'request_latency', 'ntpot', 'requests_per_sec']) {
        expect(
          rowsOf(pair, metric).every(({ verdict }) => verdict === 'confounded'),
          metric,
        ).toBe(true);
      }
      expect(rowsOf(pair, 'tpot').some(({ verdict }) => verdict === 'confounded')).toBe(false);
    }
  });

  it('agree: the same stream may be sent again', () => {
    const cold = counters({ prefix_cache_hits: 12, prefix_cache_queries: 6246 });
    const pair = again(cold, cold);
    expect(cacheOf(pair).state).toBe('same');
    expect(pair.verdict.exitCode).toBe(0);
    expect(cacheOf(pair).a.evidence.some(({ value }) => value === '12 of 6,246')).toBe(true);
  });

  it('are those of the measured stages: what the warm-up found is not in the window', () => {
    const staged = (warm: number): SyntheticOptions => ({
      stages: [
        { rateRps: 5, durationSeconds: 5, warmup: true },
        { rateRps: 20, durationSeconds: 20 },
      ],
      manifest: within(() => ({
        serverMetrics: [
          window(0, { prefix_cache_hits: warm, prefix_cache_queries: 1000 }),
          window(1, { prefix_cache_hits: 0, prefix_cache_queries: 6000 }),
        ],
      })),
    });
    expect(cacheOf(again(staged(0), staged(1000))).state).toBe('same');
  });

  it('stand in for answers that say it of some requests only, and come from Prometheus where nobody scraped', () => {
    const asked: SyntheticOptions = {
      manifest: within(() => ({
        serverMetrics: [window(undefined, { prefix_cache_hits: 9, prefix_cache_queries: 10 }, 'prometheus')],
      })),
    };
    const cold = counters({ prefix_cache_hits: 0, prefix_cache_queries: 6000 });
    expect(cacheOf(again(cold, asked)).state).toBe('confounds');
  });
});

describe('nobody says what the cache held', () => {
  it('the same prompts to the same address: unknown, exit 4, no claim, and TPOT alone stands', () => {
    const pair = again({}, {});
    expect(cacheOf(pair)).toMatchObject({ state: 'unknown' });
    expect(cacheOf(pair).assumed).toBeUndefined();
    expect(pair.verdict).toMatchObject({ state: 'undetermined', exitCode: 4 });
    expect(pair.claim.text).toBeUndefined();
    for (const metric of ['ttft', 'request_latency', 'ntpot', 'requests_per_sec']) {
      expect(
        rowsOf(pair, metric).every(({ verdict }) => verdict === 'undetermined'),
        metric,
      ).toBe(true);
    }
    expect(rowsOf(pair, 'tpot').some(({ verdict }) => verdict.startsWith('comparable'))).toBe(true);
  });

  it('says which side came later', () => {
    const at = (startedAt: string): SyntheticOptions => ({
      manifest: within(({ clock }) => ({ clock: { ...clock, startedAt } })),
    });
    const pair = again(at('2026-11-30T12:00:00Z'), at('2026-11-30T11:00:00Z'));
    expect(cacheOf(pair).message).toMatch(/^A sent the very prompts of B to the same address/);
  });

  const elsewhere = (change: Partial<RunManifest['endpoint']>): SyntheticOptions => ({
    manifest: within(({ endpoint }) => ({ endpoint: { ...endpoint, ...change } })),
  });
  const flags = (args: string[]): SyntheticOptions => ({
    manifest: within(() => ({ stack: { source: 'stack.yaml', image: 'i', args, accelerator: 'H100', replicas: 1 } })),
  });

  it.each([
    ['other prompts', { promptSeed: 8 }, {}],
    ['another address', elsewhere({ baseUrl: 'http://127.0.0.1:8001' }), {}],
    ['an embedded simulator each', elsewhere({ kind: 'simulator' }), elsewhere({ kind: 'simulator' })],
  ] as const)('%s: taken for equal, by name, as before', (_, a, b) => {
    expect(cacheOf(again(a, b)).assumed).toBeDefined();
  });

  it('caching proven off: nothing to ask', () => {
    const off = flags(['--no-enable-prefix-caching']);
    expect(cacheOf(again(off, off)).state).toBe('same');
  });
});

describe('other tools’ files', () => {
  it('AIPerf: the counters of server_metrics_export.json', () => {
    const series = (total: number) => ({ series: [{ stats: { total } }, { stats: { total } }] });
    const server = {
      aiperf_version: '0.13.0',
      summary: {},
      metrics: { 'vllm:prefix_cache_hits': series(10), 'vllm:prefix_cache_queries': series(40) },
    };
    const block = { unit: 'ms', avg: 100 };
    const profile = { schema_version: '1.1', aiperf_version: '0.13.0', request_latency: block, input_config: {} };
    const documents = [
      { file: 'profile_export_aiperf.json', value: profile },
      { file: 'server_metrics_export.json', value: server },
    ].map((document) => ({ ...document, format: 'json' as const }));
    const { reports } = aiperfReader.read({
      place: 'x',
      documents: documents.map((document) => ({ ...document, recognition: aiperfReader.recognise(document)! })),
    });
    expect(reports[0]!.said?.cacheCounters).toMatchObject({
      value: { hits: 20, queries: 80 },
      at: { file: 'server_metrics_export.json' },
    });
  });

  it('inference-perf: a hit share of Prometheus', () => {
    const report = { load_summary: {}, successes: { rate: 1, count: 2, prefix_cache_hit_percent: { mean: 40 } } };
    expect(telemetryOf(report, 'p.json', undefined).cacheHitShare).toBe(0.4);
  });
});

describe('the media cache', () => {
  const sent = (totals: Totals | undefined, bytes = 4475): SyntheticOptions => ({
    manifest: within(({ workload }) => ({
      workload: {
        ...workload,
        media: {
          filling: 'solid',
          imagesPerRequest: 1,
          videosPerRequest: 0,
          soundsPerRequest: 0,
          bytesPerRequest: bytes,
          pixelsPerImage: 262144,
        },
      },
      ...(totals && { serverMetrics: [window(undefined, totals), window(0, totals)] }),
    })),
  });
  const off = { prefix_cache_hits: 0, prefix_cache_queries: 0, prompt_tokens: 6000 };

  it('confounds where one side found its pictures and the other did not', () => {
    const [cold, warm] = [0, 390].map((hits) => sent({ ...off, mm_cache_hits: hits, mm_cache_queries: 400 }));
    for (const pair of [again(cold!, warm!), again(warm!, cold!)]) {
      expect(cacheOf(pair).state).toBe('confounds');
      expect(cacheOf(pair).message).toContain('media cache');
    }
    expect(cacheOf(again(cold!, cold!)).state).toBe('same');
    expect(cacheOf(again(cold!, cold!)).a.evidence.some(({ value }) => value === '0 of 400')).toBe(true);
  });

  it('is open where one side says nothing, or neither does and the stream went to one address again', () => {
    const said = sent({ ...off, mm_cache_hits: 0, mm_cache_queries: 400 });
    expect(cacheOf(again(said, sent(off))).state).toBe('unknown');
    expect(cacheOf(again(sent(off), sent(off))).state).toBe('unknown');
    expect(again(sent(off), sent(off)).verdict.exitCode).toBe(4);
  });

  it('is no question where no media were sent', () => {
    const text = counters({ ...off, mm_cache_hits: 0, mm_cache_queries: 0 });
    expect(cacheOf(again(text, counters(off))).state).toBe('same');
  });
});
