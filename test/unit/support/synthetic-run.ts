// Runs out of thin air: seeded records and a manifest from parameters, so that a test can plant exactly one difference.
import { createHash } from 'node:crypto';
import type { Outcome, RequestRecord, ServerUsage } from '../../../src/metrics/record';
import { coefficientOfVariation, distributionOf } from '../../../src/metrics/statistics';
import type { RunManifest, StageManifest, TokenSource } from '../../../src/folder/manifest';
import type { Run } from '../../../src/readers/run';

export interface SyntheticStage {
  readonly rateRps?: number;
  readonly durationSeconds?: number;
  readonly concurrency?: number;
  readonly requests?: number;
  readonly warmup?: boolean;
}

export type Law = 'exponential-gaps-rescaled' | 'poisson-per-second' | 'even';

export interface SyntheticOptions {
  readonly seed?: number;
  readonly stages?: readonly SyntheticStage[];
  readonly law?: Law;
  readonly api?: 'completion' | 'chat';
  readonly streaming?: boolean;
  readonly promptTokens?: LengthLaw;
  readonly maxTokens?: LengthLaw;
  readonly ignoreEos?: boolean;
  /** Chance that an answer ends before max_tokens; by default 0 with ignore_eos, 0.5 without. */
  readonly earlyStop?: number;
  readonly outputSource?: TokenSource['source'];
  readonly inputSource?: TokenSource['source'];
  readonly usage?: boolean;
  readonly tokenizer?: boolean;
  readonly ttftSeconds?: number;
  readonly tpotSeconds?: number;
  /** Spread of TTFT and TPOT as a share, lognormal. */
  readonly jitter?: number;
  /** Added to the TTFT of the first requests of the run. */
  readonly coldSeconds?: number;
  readonly coldRequests?: number;
  readonly failureShare?: number;
  /** Seconds every request leaves late. */
  readonly lagSeconds?: number;
  /** Template tokens the server adds. */
  readonly template?: number;
  readonly tokensPerChunk?: number;
  /** Share of requests that repeat the first prompts of the run. */
  readonly repeatShare?: number;
  /** The seed of the prompts' hashes, when it is not the run's. */
  readonly promptSeed?: number;
  /** Share of each prompt that the server says it had cached; absent: it says nothing. */
  readonly cachedShare?: number;
  /** Factor of the client's over the server's count of output tokens. */
  readonly clientFactor?: number;
  /** Put over the manifest at the end. */
  readonly manifest?: (manifest: RunManifest) => RunManifest;
  /** The run ends after this many requests: killed. */
  readonly stopAfter?: number;
}

export type LengthLaw =
  number | { readonly from: number; readonly to: number } | { readonly mean: number; readonly stdDev: number };

/** Uniform in [0, 1), from a linear congruential stream mixed well enough for tests. */
export function randomStream(seed: number): () => number {
  let state = (seed * 2654435761 + 1013904223) >>> 0;
  const step = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x7feb352d);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x846ca68b);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 4294967296;
  };
  for (let i = 0; i < 8; i++) step();
  return step;
}

export function normalFrom(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function draw(law: LengthLaw, random: () => number): number {
  if (typeof law === 'number') return law;
  if ('from' in law) return Math.round(law.from + (law.to - law.from) * random());
  return Math.max(1, Math.round(law.mean + law.stdDev * normalFrom(random)));
}

function offsets(stage: SyntheticStage, law: Law, random: () => number): number[] {
  if (stage.concurrency !== undefined) return Array.from({ length: stage.requests ?? 0 }, () => 0);
  const rate = stage.rateRps ?? 1;
  const duration = stage.durationSeconds ?? 1;
  const count = Math.floor(rate * duration);
  if (law === 'even') return Array.from({ length: count }, (_, i) => (i + 1) / rate);
  if (law === 'exponential-gaps-rescaled') return block(count, duration, random);
  const times: number[] = [];
  for (let second = 0; times.length < count; second++) {
    let arrivals = 0;
    for (let product = random(), limit = Math.exp(-rate); product > limit; product *= random()) arrivals++;
    for (const time of block(arrivals, 1, random)) if (times.length < count) times.push(second + time);
  }
  return times;
}

function block(count: number, length: number, random: () => number): number[] {
  let total = 0;
  const sums = Array.from({ length: count }, () => (total += -Math.log(1 - random())));
  return sums.map((value) => (value / total) * length);
}

type Optional = 'stopAfter' | 'cachedShare' | 'promptSeed' | 'manifest';
type Settings = Required<Omit<SyntheticOptions, Optional>> & Pick<SyntheticOptions, Optional>;

function settings(options: SyntheticOptions): Settings {
  const usage = options.usage ?? true;
  const tokenizer = options.tokenizer ?? true;
  const counter: TokenSource['source'] = usage ? 'server-usage' : tokenizer ? 'client-tokenizer' : 'not-counted';
  const ignoreEos = options.ignoreEos ?? true;
  return {
    seed: 1,
    stages: [{ rateRps: 20, durationSeconds: 20 }],
    law: 'exponential-gaps-rescaled',
    api: 'completion',
    streaming: true,
    promptTokens: { mean: 128, stdDev: 30 },
    maxTokens: 32,
    ignoreEos,
    earlyStop: ignoreEos ? 0 : 0.5,
    outputSource: counter,
    inputSource: counter,
    usage,
    tokenizer,
    ttftSeconds: 0.05,
    tpotSeconds: 0.01,
    jitter: 0.2,
    coldSeconds: 0,
    coldRequests: 0,
    failureShare: 0,
    lagSeconds: 0.0002,
    template: 0,
    tokensPerChunk: 1,
    repeatShare: 0,
    clientFactor: 1,
    ...options,
  };
}

export function syntheticRun(options: SyntheticOptions = {}): Run {
  const set = settings(options);
  const random = randomStream(set.seed);
  const records: RequestRecord[] = [];
  let zero = 0;
  set.stages.forEach((stage, index) => {
    const own = stageRecords(set, stage, index, zero, records.length, random);
    records.push(...own);
    zero = Math.max(zero, ...own.map((record) => record.endSeconds ?? 0)) + 1;
  });
  const planned = set.stages.map((_, stage) => records.filter((record) => record.stage === stage).length);
  const kept = set.stopAfter === undefined ? records : records.slice(0, set.stopAfter);
  const manifest = (set.manifest ?? ((own: RunManifest) => own))(manifestOf(set, kept, planned));
  return {
    folder: `run-${set.seed}`,
    tool: { name: 'isoperf', version: '0.1.0' },
    manifest,
    config: manifest.config.effective,
    records: kept,
    stages: new Map(),
    files: ['run.json', 'records.jsonl'],
    problems: [],
  };
}

function stageRecords(
  set: Settings,
  stage: SyntheticStage,
  index: number,
  zero: number,
  firstId: number,
  random: () => number,
): RequestRecord[] {
  const slots = Array.from({ length: stage.concurrency ?? 0 }, () => zero);
  return offsets(stage, set.law, random).map((offset, i) => {
    const slot = slots.indexOf(Math.min(...slots));
    const scheduledSeconds = stage.concurrency === undefined ? zero + offset : slots[slot]!;
    const record = oneRecord(set, index, firstId + i, scheduledSeconds, random);
    if (stage.concurrency !== undefined) slots[slot] = record.endSeconds!;
    return record;
  });
}

function oneRecord(
  set: Settings,
  stage: number,
  id: number,
  scheduledSeconds: number,
  random: () => number,
): RequestRecord {
  const spread = (): number => Math.exp(set.jitter * normalFrom(random));
  const askedPromptTokens = draw(set.promptTokens, random);
  const maxTokens = draw(set.maxTokens, random);
  const early = random() < set.earlyStop;
  const tokens = early ? Math.max(1, Math.floor(maxTokens * random())) : maxTokens;
  const cold = id < set.coldRequests ? set.coldSeconds : 0;
  const sentSeconds = scheduledSeconds + set.lagSeconds * spread();
  const first = sentSeconds + cold + set.ttftSeconds * spread() + askedPromptTokens * 2e-5;
  const gap = set.tpotSeconds * spread();
  const chunks = Math.ceil(tokens / set.tokensPerChunk);
  const chunkSeconds = Array.from({ length: chunks }, (_, k) => first + k * set.tokensPerChunk * gap);
  const lastTokenSeconds = first + (tokens - 1) * gap;
  const failed = random() < set.failureShare;
  const outcome: Outcome = failed
    ? {
        kind: 'failed',
        errorType: 'HTTP Error 503',
        label: '503 - Service Unavailable',
        message: 'busy',
        httpStatus: 503,
      }
    : { kind: 'ok' };
  const planned = {
    id,
    stage,
    scheduledSeconds,
    sentSeconds,
    askedPromptTokens,
    maxTokens,
    promptHash: `h${set.promptSeed ?? set.seed}-${id % 100 < set.repeatShare * 100 ? 0 : id}`,
  };
  const base = { ...planned, requestBytes: 200 + 5 * askedPromptTokens, outcome };
  if (failed) return { ...base, chunkSeconds: [], endSeconds: first };
  const perChunk = chunkSeconds.map((_, k) => Math.min(set.tokensPerChunk, tokens - k * set.tokensPerChunk));
  return {
    ...base,
    firstByteSeconds: first,
    ...(set.streaming ? { firstTokenSeconds: first, firstContentSeconds: first } : {}),
    chunkSeconds: set.streaming ? chunkSeconds : [],
    ...(set.streaming && set.tokenizer ? { chunkTokens: perChunk } : {}),
    lastTokenSeconds,
    endSeconds: lastTokenSeconds + 0.0001,
    ...(set.usage ? { usage: usageOf(set, askedPromptTokens, tokens) } : {}),
    finishReason: early ? 'stop' : 'length',
    ...(set.tokenizer
      ? { clientPromptTokens: askedPromptTokens, clientOutputTokens: Math.round(tokens * set.clientFactor) }
      : {}),
  };
}

function usageOf(set: Settings, askedPromptTokens: number, tokens: number): ServerUsage {
  const promptTokens = askedPromptTokens + set.template;
  return {
    promptTokens,
    completionTokens: tokens,
    ...(set.cachedShare === undefined ? {} : { cachedPromptTokens: Math.round(promptTokens * set.cachedShare) }),
  };
}

/** As `isoperf run` computes it. */
function promptsHash(records: readonly RequestRecord[]): string {
  const hash = createHash('sha256');
  for (const { promptHash } of records) hash.update(`${promptHash}\n`);
  return hash.digest('hex');
}

function manifestOf(set: Settings, records: readonly RequestRecord[], planned: readonly number[]): RunManifest {
  const stages = set.stages.map((stage, id) => stageManifest(set, stage, id, records, planned[id]!));
  const warmupStages = stages.filter((stage) => stage.warmup).map((stage) => stage.id);
  const source = (which: 'input' | 'output'): TokenSource => ({
    source: which === 'input' ? set.inputSource : set.outputSource,
    ...(set.tokenizer ? { tokenizer: { source: 'tokenizer.json', sha256: 'abc' } } : {}),
    serverCounted: set.usage ? records.length : 0,
    clientCounted: set.tokenizer ? records.length : 0,
  });
  const ended = distributionOf(records.flatMap((record) => record.usage?.completionTokens ?? []));
  return {
    format: 'isoperf-run',
    version: 1,
    id: `id-${set.seed}-${JSON.stringify(set).length}`,
    name: 'synthetic',
    state: set.stopAfter === undefined ? 'complete' : 'running',
    tool: { name: 'isoperf', version: '0.1.0' },
    runtime: {
      node: 'v20.18.1',
      undici: '7',
      platform: 'linux',
      arch: 'x64',
      cpus: 2,
      host: 'bench',
      inCluster: false,
    },
    clock: { startedAt: '2026-11-29T12:00:00Z', zeroMonotonicSeconds: 1 },
    config: {
      file: 'config.yaml',
      sha256: '0',
      target: 'main',
      overrides: [],
      directives: [],
      effective: effective(set),
    },
    workload: {
      fingerprint: `f${set.seed}`,
      promptsHash: promptsHash(records.filter(({ stage }) => !warmupStages.includes(stage))),
      seed: set.seed,
      dataType: 'random',
      distinctPrompts: records.length,
      parameters: { ignore_eos: set.ignoreEos, stream: set.streaming },
    },
    stages,
    tokens: { input: source('input'), output: source('output'), itl: set.tokenizer ? 'tokens' : 'chunks' },
    lengths: { ...(ended ? { output: ended } : {}), finishReasons: {} },
    window: {
      warmupStages,
      warmupRequests: warmupStages.reduce((total, id) => total + planned[id]!, 0),
    },
    health: stages.map(({ id }) => ({ stage: id, verdict: 'ok' as const, reasons: [], eventLoopUse: 0.1 })),
    endpoint: {
      kind: 'config',
      baseUrl: 'http://127.0.0.1:8000',
      route: set.api === 'chat' ? '/v1/chat/completions' : '/v1/completions',
      serverType: 'vllm',
      apiType: set.api,
      streaming: set.streaming,
      model: 'm',
      modelSource: 'config',
      ignoreEos: set.ignoreEos,
      requestTimeoutSeconds: 300,
      tls: false,
    },
    problems: [],
  };
}

function stageManifest(
  set: Settings,
  stage: SyntheticStage,
  id: number,
  records: readonly RequestRecord[],
  planned: number,
): StageManifest {
  const own = records.filter((record) => record.stage === id);
  const times = own.map((record) => record.sentSeconds!).sort((a, b) => a - b);
  const cv = coefficientOfVariation(times.slice(1).map((time, i) => time - times[i]!));
  const of = (kind: string): number => own.filter(({ outcome }) => outcome.kind === kind).length;
  const closed = stage.concurrency !== undefined;
  return {
    id,
    warmup: stage.warmup ?? false,
    loadType: closed ? 'concurrent' : set.law === 'poisson-per-second' ? 'poisson' : 'constant',
    arrivalLaw: closed ? 'closed-loop' : set.law,
    seed: set.seed,
    ...(stage.rateRps === undefined ? {} : { requestedRateRps: stage.rateRps }),
    ...(stage.durationSeconds === undefined ? {} : { requestedDurationSeconds: stage.durationSeconds }),
    ...(stage.concurrency === undefined ? {} : { requestedConcurrency: stage.concurrency }),
    planned,
    state: 'complete',
    counts: { planned, ok: of('ok'), failed: of('failed'), cancelled: of('cancelled'), notSent: of('notSent') },
    ...(cv === undefined ? {} : { gapCv: cv }),
  };
}

function effective(set: Settings): Record<string, unknown> {
  const distribution = (law: LengthLaw): unknown => law;
  return {
    load: { type: 'constant', num_workers: 1, worker_max_concurrency: 1000, stages: set.stages },
    api: { type: set.api, streaming: set.streaming },
    data: {
      type: 'random',
      input_distribution: distribution(set.promptTokens),
      output_distribution: distribution(set.maxTokens),
    },
    server: { ignore_eos: set.ignoreEos },
  };
}
