// Synthetic runs for the view tests: seeded, with every part of a Run filled, so that figures can be checked by hand.
import type { RequestRecord } from '../../src/metrics/record';
import type { RunManifest } from '../../src/folder/manifest';
import type { Run } from '../../src/readers/run';

export interface SampleOptions {
  readonly name: string;
  readonly warmup: boolean;
  readonly ttftSeconds: number;
  readonly tokenSeconds: number;
  readonly tokens: (random: () => number) => number;
  readonly rates: readonly number[];
  readonly failing: number;
  readonly counter: 'server-usage' | 'client-tokenizer';
  readonly state?: RunManifest['state'];
}

export const USUAL: SampleOptions = {
  name: 'chat-8b',
  warmup: true,
  ttftSeconds: 0.05,
  tokenSeconds: 0.01,
  tokens: () => 32,
  rates: [5, 10, 20],
  failing: 0.01,
  counter: 'server-usage',
};

const STAGE_SECONDS = 20;

/** Small, seeded, good enough for pictures (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function sampleRun(options: SampleOptions = USUAL): Run {
  const random = seeded(7);
  const records: RequestRecord[] = [];
  const rates = options.warmup ? [options.rates[0]!, ...options.rates] : options.rates;
  rates.forEach((rate, stage) => {
    for (let i = 0; i < rate * STAGE_SECONDS; i++) {
      records.push(sampleRecord(options, records.length, stage, stage * STAGE_SECONDS + i / rate, rate, random));
    }
  });
  return {
    folder: `reports-${options.name}`,
    tool: { name: 'isoperf', version: '0.1.0' },
    manifest: sampleManifest(options, rates, records),
    configText: 'load:\n  type: poisson\n',
    records,
    stages: new Map(),
    files: ['config.yaml', 'records.jsonl', 'run.json', 'summary_lifecycle_metrics.json'],
    problems: [],
  };
}

function sampleRecord(
  options: SampleOptions,
  id: number,
  stage: number,
  scheduled: number,
  rate: number,
  random: () => number,
): RequestRecord {
  const sent = scheduled + 0.0004 + random() * 0.002;
  const cold = stage === 0 && options.warmup ? 1.8 : 1;
  const first = sent + options.ttftSeconds * cold * (1 + rate / 40) * (0.85 + 0.4 * random() ** 3);
  const tokens = options.tokens(random);
  const gap = options.tokenSeconds * (1 + rate / 60);
  const chunks = Array.from({ length: tokens }, (_, k) => first + k * gap * (0.97 + 0.06 * random())).sort(
    (a, b) => a - b,
  );
  const fails = random() < options.failing;
  const base = {
    id,
    stage,
    scheduledSeconds: scheduled,
    sentSeconds: sent,
    promptHash: `p${id}`,
    askedPromptTokens: Math.round(96 + 64 * random()),
    maxTokens: 32,
    requestBytes: 800,
  };
  if (fails) {
    return {
      ...base,
      chunkSeconds: [],
      endSeconds: sent + 0.02,
      outcome: {
        kind: 'failed',
        errorType: 'HTTP Error 429',
        label: '429 - Rate Limit',
        message: 'slow down',
        httpStatus: 429,
      },
    };
  }
  const last = chunks.at(-1)!;
  return {
    ...base,
    firstByteSeconds: first,
    firstTokenSeconds: first,
    firstContentSeconds: first,
    chunkSeconds: chunks,
    chunkTokens: chunks.map(() => 1),
    lastTokenSeconds: last,
    endSeconds: last + 0.001,
    outcome: { kind: 'ok' },
    usage: { promptTokens: base.askedPromptTokens, completionTokens: tokens },
    clientPromptTokens: base.askedPromptTokens,
    clientOutputTokens: tokens,
    finishReason: 'length',
  };
}

function sampleManifest(
  options: SampleOptions,
  rates: readonly number[],
  records: readonly RequestRecord[],
): RunManifest {
  const failed = records.filter((record) => record.outcome.kind === 'failed').length;
  const counts = { planned: records.length, ok: records.length - failed, failed, cancelled: 0, notSent: 0 };
  const counter = {
    source: options.counter,
    serverCounted: counts.ok,
    clientCounted: counts.ok,
    reason:
      options.counter === 'server-usage'
        ? 'report.request_lifecycle.use_server_output_tokens is true'
        : 'tokenizer.json at hand',
  };
  return {
    format: 'isoperf-run',
    version: 1,
    id: 'a1b2c3',
    name: options.name,
    state: options.state ?? 'complete',
    tool: { name: 'isoperf', version: '0.1.0' },
    runtime: { node: '20.20.2', undici: '7.30.2', platform: 'linux', arch: 'x64', cpus: 2, host: 'bench-1' },
    clock: {
      startedAt: '2026-11-29T16:54:00.000Z',
      zeroMonotonicSeconds: 12,
      durationSeconds: rates.length * STAGE_SECONDS,
    },
    config: {
      file: `${options.name}.yaml`,
      sha256: '0123456789abcdef'.repeat(4),
      target: '0.7.0',
      overrides: [],
      directives: options.warmup ? [{ name: 'warmup', path: ['load', 'stages', 0] }] : [],
      effective: {},
    },
    workload: {
      fingerprint: 'f'.repeat(64),
      promptsHash: 'e'.repeat(64),
      seed: 7,
      seedSource: 'directive',
      dataType: 'random',
      distinctPrompts: records.length,
    },
    stages: rates.map((rate, id) => ({
      id,
      warmup: options.warmup && id === 0,
      loadType: 'poisson',
      arrivalLaw: 'poisson-per-second',
      seed: 7,
      requestedRateRps: rate,
      requestedDurationSeconds: STAGE_SECONDS,
      planned: rate * STAGE_SECONDS,
      state: 'complete' as const,
      startSeconds: id * STAGE_SECONDS,
      achievedRateRps: rate * 0.998,
    })),
    counts,
    tokens: { input: counter, output: counter, itl: 'tokens' },
    lengths: { finishReasons: { length: counts.ok } },
    window: options.warmup
      ? { warmupStages: [0], warmupRequests: rates[0]! * STAGE_SECONDS, note: 'directive on load.stages[0]' }
      : { warmupStages: [], warmupRequests: 0 },
    health: rates.map((_, stage) => ({
      stage,
      verdict: 'ok' as const,
      reasons: [],
      eventLoopUse: 0.12,
      maxInFlight: 14,
      inFlightCap: 256,
    })),
    endpoint: {
      kind: 'simulator',
      baseUrl: 'http://127.0.0.1:8000',
      route: '/v1/completions',
      serverType: 'vllm',
      apiType: 'completion',
      streaming: true,
      model: 'sim-model',
      modelSource: 'server.model_name',
      ignoreEos: true,
      requestTimeoutSeconds: 30,
      server: { version: '0.9.0', models: ['sim-model'], notes: [] },
      tls: false,
    },
    problems: [],
  };
}
