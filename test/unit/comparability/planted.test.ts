// One difference planted: exactly that dimension is named.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { Comparison, DimensionId, MetricName } from '../../../src/comparability/comparison';
import type { RunManifest } from '../../../src/folder/manifest';
import type { StackRecord } from '../../../src/folder/stack';
import { syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

const WARMUP = { rateRps: 5, durationSeconds: 5, warmup: true } as const;
const STAGE = { rateRps: 20, durationSeconds: 20 } as const;
const CLOSED = { concurrency: 8, requests: 400 } as const;

function named(comparison: Comparison): string[] {
  return comparison.findings
    .filter((finding) => finding.state !== 'same' && finding.state !== 'follows' && finding.assumed === undefined)
    .map((finding) => `${finding.dimension} ${finding.state}`)
    .sort();
}

function pair(a: SyntheticOptions, b: SyntheticOptions, seed: number): Comparison {
  return compare(syntheticRun({ ...a, seed }), syntheticRun({ ...b, seed: seed + 500 }), { resamples: 50 });
}

interface Planted {
  readonly name: string;
  readonly a?: SyntheticOptions;
  readonly b: SyntheticOptions;
  readonly finds: readonly string[];
  readonly exit?: 0 | 3 | 4;
  /** Metrics of which at least one row must be confounded, and metrics of which none may be. */
  readonly moves?: readonly MetricName[];
  readonly spares?: readonly MetricName[];
}

const stack = (more: Partial<StackRecord>): SyntheticOptions => ({
  manifest: (manifest) => ({
    ...manifest,
    stack: {
      source: 'stack.yaml',
      model: 'm',
      image: 'vllm/vllm-openai:v0.11.0',
      args: ['--max-num-seqs=128'],
      accelerator: 'H100',
      replicas: 1,
      ...more,
    },
  }),
});

const within = (change: (manifest: RunManifest) => Partial<RunManifest>): SyntheticOptions => ({
  manifest: (manifest) => ({ ...manifest, ...change(manifest) }),
});

const limits = (constraints: Record<string, number>): SyntheticOptions =>
  within(({ config }) => ({
    config: { ...config, effective: { ...config.effective, report: { goodput: { constraints } } } },
  }));

/** What the server's counters grew by in the one stage. */
const scraped = (requests: number, tokens: number): SyntheticOptions =>
  within(() => ({
    serverMetrics: [
      {
        stage: 0,
        source: 'scrape',
        url: 'http://127.0.0.1:8000/metrics',
        startSeconds: 0,
        endSeconds: 20,
        metrics: {
          requests: { kind: 'counter', name: 'vllm:request_success', total: requests },
          output_tokens: { kind: 'counter', name: 'vllm:generation_tokens', total: tokens },
        },
        absent: [],
      },
    ],
  }));

const PLANTED: readonly Planted[] = [
  {
    name: 'another model',
    b: within(({ endpoint }) => ({ endpoint: { ...endpoint, model: 'm-awq' } })),
    finds: ['server confounds'],
    moves: ['ttft', 'output_tokens_per_sec'],
  },
  {
    name: 'another server version',
    a: within(({ endpoint }) => ({ endpoint: { ...endpoint, server: { version: '0.10.0', notes: [] } } })),
    b: within(({ endpoint }) => ({ endpoint: { ...endpoint, server: { version: '0.11.0', notes: [] } } })),
    finds: ['server confounds'],
  },
  {
    name: 'a flag of the server',
    a: stack({}),
    b: stack({ args: ['--max-num-seqs=256'] }),
    finds: ['server confounds'],
  },
  { name: 'twice the replicas', a: stack({}), b: stack({ replicas: 2 }), finds: ['topology confounds'] },
  {
    name: 'tensor parallel, given as a flag',
    a: stack({ args: ['--tensor-parallel-size', '1'] }),
    b: stack({ args: ['--tensor-parallel-size', '2'] }),
    finds: ['topology confounds'],
  },
  {
    name: 'another engine and another accelerator: two things',
    a: stack({}),
    b: stack({ image: 'vllm/vllm-openai:v0.9.0', accelerator: 'A100' }),
    finds: ['server confounds', 'topology confounds'],
  },
  { name: 'a stack record on one side', a: stack({}), b: {}, finds: ['server unknown', 'topology unknown'], exit: 4 },
  {
    name: 'another address, and nothing that says what answers there',
    b: within(({ endpoint }) => ({ endpoint: { ...endpoint, baseUrl: 'http://127.0.0.1:9000' } })),
    finds: ['server unknown', 'topology unknown'],
    exit: 4,
  },
  {
    name: 'TLS and another network',
    a: stack({}),
    b: within(({ endpoint }) => ({
      ...stack({}).manifest!({} as RunManifest),
      endpoint: { ...endpoint, baseUrl: 'https://llm.example.com', tls: true },
    })),
    finds: ['network-path confounds'],
    moves: ['ttft', 'itl'],
    spares: ['error_rate'],
  },
  {
    name: 'a client inside the cluster',
    b: within(({ runtime }) => ({ runtime: { ...runtime, inCluster: true } })),
    finds: ['network-path confounds'],
  },
  {
    name: 'tokens in bundles',
    b: { tokensPerChunk: 4 },
    finds: ['network-path confounds'],
    moves: ['itl'],
    spares: ['tpot'],
  },
  {
    name: 'another client machine',
    b: within(({ runtime }) => ({ runtime: { ...runtime, cpus: 64, host: 'other' } })),
    finds: ['client-host confounds'],
    moves: ['ttft'],
    spares: ['requests_per_sec'],
  },
  {
    name: 'a sampling parameter',
    b: within(({ workload }) => ({
      workload: { ...workload, parameters: { ...workload.parameters, temperature: 0 } },
    })),
    finds: ['sampling confounds'],
    moves: ['tpot'],
    spares: ['ttft'],
  },
  {
    name: 'another data set',
    b: within(({ workload }) => ({ workload: { ...workload, dataType: 'shareGPT' } })),
    finds: ['prompt-identity confounds'],
    moves: ['ttft'],
    spares: ['tpot'],
  },
  { name: 'prompts that repeat', b: { repeatShare: 0.3 }, finds: ['prompt-identity confounds'], moves: ['ttft'] },
  {
    name: 'a warm prefix cache',
    a: { cachedShare: 0 },
    b: { cachedShare: 0.5 },
    finds: ['cache-state confounds'],
    moves: ['ttft', 'input_tokens_per_sec'],
    spares: ['tpot', 'itl'],
  },
  { name: 'cached tokens on one side only', b: { cachedShare: 0 }, finds: ['cache-state unknown'], exit: 4 },
  {
    name: 'other goodput limits',
    a: limits({ ttft: 0.1 }),
    b: limits({ ttft: 0.2 }),
    finds: ['goodput-definition confounds'],
    moves: ['request_goodput'],
    spares: ['ttft', 'requests_per_sec'],
  },
  {
    name: 'other limits in the SLO headers of every request',
    a: within(() => ({ slo: { ttftSeconds: 0.05 } })),
    b: within(() => ({ slo: { ttftSeconds: 0.2, tpotSeconds: 0.02 } })),
    finds: ['goodput-definition confounds'],
    moves: ['request_goodput'],
    spares: ['ttft', 'requests_per_sec'],
  },
  {
    name: 'a server that counts tokens the client does not see',
    b: { clientFactor: 0.8 },
    finds: ['telemetry confounds'],
    moves: ['tpot'],
    spares: ['ttft'],
  },
  {
    name: 'somebody else on the server of one side',
    a: scraped(400, 32 * 400),
    b: scraped(620, 32 * 620),
    finds: ['telemetry confounds'],
    moves: ['ttft', 'requests_per_sec'],
    spares: ['schedule_delay'],
  },
  {
    name: 'a server whose own counter has more tokens than anybody sent',
    a: scraped(400, 32 * 400),
    b: scraped(400, 40 * 400),
    finds: ['telemetry confounds'],
    moves: ['tpot'],
    spares: ['ttft'],
  },
  {
    name: 'two at once: longer answers and a warm cache',
    a: { cachedShare: 0 },
    b: { cachedShare: 0.4, maxTokens: { from: 8, to: 56 } },
    finds: ['cache-state confounds', 'output-length confounds'],
  },
  {
    name: 'closed loop',
    b: { stages: [CLOSED] },
    finds: ['load-model confounds'],
    moves: ['ttft', 'requests_per_sec'],
  },
  {
    name: 'another law of arrivals',
    b: { law: 'poisson-per-second' },
    finds: ['arrival-process confounds'],
    moves: ['ttft'],
    spares: ['output_tokens_per_sec'],
  },
  { name: 'an even spacing', b: { law: 'even' }, finds: ['arrival-process confounds'] },
  { name: 'another rate', b: { stages: [{ rateRps: 25, durationSeconds: 16 }] }, finds: ['offered-load confounds'] },
  {
    name: 'another concurrency',
    a: { stages: [CLOSED] },
    b: { stages: [{ ...CLOSED, concurrency: 16 }] },
    finds: ['offered-load confounds'],
  },
  { name: 'a late client', b: { lagSeconds: 0.05 }, finds: ['client-limit confounds'], moves: ['ttft', 'error_rate'] },
  {
    name: 'a warm-up on one side',
    a: { stages: [WARMUP, STAGE] },
    b: { stages: [STAGE] },
    finds: ['warmup-window confounds'],
    moves: ['ttft', 'output_tokens_per_sec'],
    spares: ['error_rate'],
  },
  {
    name: 'a cold start that nobody declared',
    b: { coldSeconds: 0.3, coldRequests: 40 },
    finds: ['warmup-window confounds'],
  },
  {
    name: 'failures',
    b: { failureShare: 0.1 },
    finds: ['completeness confounds'],
    moves: ['request_latency'],
    spares: ['error_rate'],
  },
  { name: 'a killed run', b: { stopAfter: 200 }, finds: ['completeness confounds'] },
  { name: 'longer prompts', b: { promptTokens: { mean: 200, stdDev: 30 } }, finds: ['input-length confounds'] },
  {
    name: 'prompts of equal mean and another spread',
    a: { promptTokens: 128 },
    b: { promptTokens: { from: 64, to: 192 } },
    finds: ['input-length confounds'],
  },
  {
    name: 'answers of equal mean and another spread',
    b: { maxTokens: { from: 8, to: 56 } },
    finds: ['output-length confounds'],
  },
  {
    name: 'longer answers that may stop by themselves',
    a: { ignoreEos: false, maxTokens: { from: 8, to: 56 } },
    b: { ignoreEos: false, maxTokens: { from: 80, to: 120 } },
    finds: ['output-length confounds'],
  },
  {
    name: 'ignore_eos on one side',
    b: { ignoreEos: false },
    finds: ['stop-behaviour confounds'],
    moves: ['tpot', 'request_latency'],
    spares: ['ttft'],
  },
  { name: 'a server that does not honour it', b: { earlyStop: 0.5 }, finds: ['stop-behaviour confounds'] },
  {
    name: 'another counter with equal counts',
    b: { outputSource: 'client-tokenizer' },
    finds: ['token-source confounds'],
    moves: ['tpot', 'ntpot', 'output_tokens_per_sec'],
    spares: ['ttft', 'itl', 'request_latency', 'requests_per_sec', 'input_tokens_per_sec'],
  },
  {
    name: 'a server that keeps its counts to itself',
    b: { usage: false },
    finds: ['token-source confounds'],
    moves: ['tpot', 'input_tokens_per_sec'],
    spares: ['ttft', 'request_latency'],
  },
  {
    name: 'nobody counted on one side',
    b: { usage: false, tokenizer: false },
    finds: ['token-source unknown'],
    exit: 4,
  },
  { name: 'chat', b: { api: 'chat', template: 14 }, finds: ['endpoint-mode confounds'], moves: ['ttft'] },
  { name: 'no streaming', b: { streaming: false }, finds: ['endpoint-mode confounds'], moves: ['ttft', 'tpot'] },
  {
    name: 'fewer requests',
    b: { stages: [{ rateRps: 20, durationSeconds: 5 }] },
    finds: ['sample-size confounds'],
    spares: ['requests_per_sec'],
  },
  {
    name: 'too few requests on both sides',
    a: { stages: [{ rateRps: 20, durationSeconds: 2 }] },
    b: { stages: [{ rateRps: 20, durationSeconds: 2 }] },
    finds: ['sample-size unknown'],
    exit: 4,
  },
  {
    name: 'the three of the demonstration',
    a: { stages: [WARMUP, STAGE], law: 'poisson-per-second' },
    b: { stages: [STAGE], law: 'poisson-per-second', usage: false, maxTokens: { from: 8, to: 56 } },
    finds: ['output-length confounds', 'token-source confounds', 'warmup-window confounds'],
  },
];

describe.each(PLANTED)('planted: $name', ({ a = {}, b, finds, exit = 3, moves = [], spares = [] }) => {
  it('is named, and nothing else is', () => {
    for (let seed = 1; seed <= 3; seed++) {
      const there = pair(a, b, seed);
      expect(named(there)).toEqual([...finds].sort());
      expect(there.verdict.exitCode).toBe(exit);
      expect(there.claim.text).toBeUndefined();
      const back = pair(b, a, seed);
      expect(named(back)).toEqual([...finds].sort());
    }
  });

  it('moves what it must and spares the rest', () => {
    const { metrics } = pair(a, b, 1);
    const verdicts = (metric: MetricName) => metrics.filter((row) => row.metric === metric).map((row) => row.verdict);
    for (const metric of moves) expect(verdicts(metric), metric).toContain('confounded');
    for (const metric of spares) expect(verdicts(metric), metric).not.toContain('confounded');
  });
});

describe('what follows from another finding is said, not counted', () => {
  const followers = (comparison: Comparison): (readonly [DimensionId, DimensionId])[] =>
    comparison.findings.flatMap((finding) => (finding.follows ? [[finding.dimension, finding.follows] as const] : []));

  it.each<[string, SyntheticOptions, readonly (readonly [DimensionId, DimensionId])[]]>([
    ['stop behaviour', { ignoreEos: false }, [['output-length', 'stop-behaviour']]],
    ['chat template', { api: 'chat', template: 14 }, [['input-length', 'endpoint-mode']]],
    ['killed', { stopAfter: 200 }, [['sample-size', 'completeness']]],
    [
      'closed loop',
      { stages: [CLOSED] },
      [
        ['arrival-process', 'load-model'],
        ['offered-load', 'load-model'],
      ],
    ],
  ])('%s', (_, b, expected) => {
    const comparison = pair({}, b, 3);
    expect(followers(comparison)).toEqual(expected);
    for (const finding of comparison.findings.filter((entry) => entry.follows)) {
      expect(finding.message).toContain(`see ${finding.follows!}`);
    }
  });
});
