// What will really happen when a config runs: requests, tokens, lengths, limits, seeds. Computed from the config, never guessed.
// Pure: `isoperf plan`, inlay hints and hover all read this. What cannot be known beforehand is undefined, with the reason.
import type { Seed } from '../model/lax';
import { minimumCountFor } from '../../sample-size';
import { distributionsOf, lengthsOf, type DistributionExpectation, type LengthOfOne } from './expected-lengths';
import type { Realised } from './realised';
import type { Config } from '../model/schema';
import { chooseThreads, ONE_THREAD, type StageDemand, type ThreadsAsked, type ThreadsChosen } from './sending-threads';

export interface Circumstances {
  /** CPUs of the machine that would run it: the default of num_workers. */
  readonly cpus?: number;
  /** How long a request is assumed to take, for the in-flight need. */
  readonly assumedLatencySeconds?: number;
  /** From `# isoperf: seed=N`. */
  readonly seed?: Seed;
  readonly warmupStages?: ReadonlySet<number>;
  /** How IsoPerf would send it: threads asked for, and the cores of this machine. */
  readonly sending?: { readonly asked: ThreadsAsked; readonly cores: number };
}

export interface StageExpectation {
  readonly index: number;
  readonly warmup: boolean;
  /** Whole part of rate x duration, or num_requests; undefined where a trace decides. */
  readonly requests: number | undefined;
  /** rate x duration before the floor. */
  readonly product?: number;
  readonly rateRps?: number;
  readonly durationSeconds?: number;
  /** Slots of a closed loop, or sessions. */
  readonly concurrency?: number;
  /** Highest of 50, 90, 95, 99, 99.9 with enough requests for a 95 % bound; undefined when not even the median has. */
  readonly safePercentile: number | undefined;
  /** rate x assumed latency: requests in flight at once (Little's law). */
  readonly inFlightNeed?: number;
  /** Longest request for which an open loop stays open: cap / rate. */
  readonly openUpToSeconds?: number;
  /** How often each prompt is sent within the stage, on average; only where prompts are a fixed list. */
  readonly sendsPerPrompt?: number;
}

export interface LengthExpectation extends LengthOfOne {
  /** Over all stages. */
  readonly totalTokens: number | undefined;
}

export interface Expectations {
  readonly stages: readonly StageExpectation[];
  /** undefined when one stage's is. */
  readonly totalRequests: number | undefined;
  /** Scheduled time with the second before each stage and the pause after it; without the drain. Undefined for closed loops and traces. */
  readonly durationSeconds: number | undefined;
  readonly input: LengthExpectation;
  readonly output: LengthExpectation;
  readonly distributions: readonly DistributionExpectation[];
  readonly workers: { readonly count: number | undefined; readonly written: boolean; readonly perWorker: number };
  /** Most requests in flight; Infinity for the single process. Undefined when the number of workers is not known. */
  readonly inFlightCap: number | undefined;
  readonly timeout: { readonly seconds: number; readonly written: boolean };
  readonly arrivals: string;
  readonly seeds: readonly string[];
  /** Which prompts come again, in words; undefined: none that the config shows. */
  readonly repeats: string | undefined;
  /** Threads IsoPerf would send with; undefined where the load is not known beforehand. */
  readonly threads: ThreadsChosen | undefined;
}

export const DEFAULT_TIMEOUT_SECONDS = 300;
const DEFAULT_ASSUMED_LATENCY_SECONDS = 10;
const PERCENTILES = [99.9, 99, 95, 90, 50] as const;

export function expectationsOf(config: Config, given: Circumstances = {}): Expectations {
  const { load } = config;
  const count = load.num_workers ?? given.cpus;
  const cap = inFlightCap(config, count);
  const prompts = promptCount(config);
  const stages = load.stages.map((_, index) => stageOf(config, index, given, cap, prompts));
  const requests = stages.map((stage) => stage.requests);
  const known = load.sweep === null && requests.every((value) => value !== undefined);
  const totalRequests = known ? requests.reduce((sum, value) => sum + value, 0) : undefined;
  const total = (length: Realised | undefined): number | undefined =>
    length === undefined || totalRequests === undefined ? undefined : length.mean * totalRequests;
  const lengths = lengthsOf(config);
  return {
    stages,
    totalRequests,
    durationSeconds: durationOf(config, stages),
    input: { ...lengths.input, totalTokens: total(lengths.input.perRequest) },
    output: { ...lengths.output, totalTokens: total(lengths.output.perRequest) },
    distributions: distributionsOf(config),
    workers: { count, written: load.num_workers !== undefined, perWorker: load.worker_max_concurrency },
    inFlightCap: cap,
    timeout: timeoutOf(config),
    arrivals: arrivalsOf(config),
    seeds: seedsOf(config, given.seed),
    repeats: repeatsOf(config, stages, prompts),
    threads: given.sending && threadsOf(config, stages, lengths.output.perRequest?.mean, cap, given.sending),
  };
}

function inFlightCap({ load }: Config, workers: number | undefined): number | undefined {
  if (load.type === 'concurrent') return Math.max(0, ...load.stages.map((stage) => stage.concurrency_level));
  if (workers === undefined) return undefined;
  return workers <= 0 ? Infinity : workers * load.worker_max_concurrency;
}

function stageOf(
  { load }: Config,
  index: number,
  given: Circumstances,
  cap: number | undefined,
  prompts: number | undefined,
): StageExpectation {
  const warmup = given.warmupStages?.has(index) === true;
  const finish = (
    requests: number | undefined,
    more: Partial<Omit<StageExpectation, 'index' | 'warmup' | 'requests' | 'safePercentile'>>,
  ): StageExpectation => ({
    index,
    warmup,
    requests,
    safePercentile: requests === undefined ? undefined : PERCENTILES.find((p) => requests >= minimumCountFor(p)),
    ...(prompts === undefined || requests === undefined ? {} : { sendsPerPrompt: requests / prompts }),
    ...more,
  });
  if (load.type === 'concurrent') {
    const stage = load.stages[index]!;
    return finish(stage.num_requests, { concurrency: stage.concurrency_level, inFlightNeed: stage.concurrency_level });
  }
  if (load.type === 'trace_session_replay')
    return finish(undefined, { concurrency: load.stages[index]!.concurrent_sessions });
  const { rate, duration } = load.stages[index]!;
  if (load.type === 'trace_replay') return finish(undefined, {});
  const latency = given.assumedLatencySeconds ?? DEFAULT_ASSUMED_LATENCY_SECONDS;
  return finish(Math.floor(rate * duration), {
    product: rate * duration,
    rateRps: rate,
    durationSeconds: duration,
    inFlightNeed: rate * latency,
    ...(cap === undefined || !Number.isFinite(cap) ? {} : { openUpToSeconds: cap / rate }),
  });
}

/** One second before each stage (the queue is filled) and `interval` after it; Prometheus reports per stage may raise that. */
function durationOf({ load, metrics, report }: Config, stages: readonly StageExpectation[]): number | undefined {
  const scrape = metrics?.prometheus && report.prometheus?.per_stage === true ? metrics.prometheus.scrape_interval : 0;
  const pause = 1 + Math.max(load.interval, scrape);
  if (load.sweep) return undefined;
  let sum = 0;
  for (const stage of stages) {
    if (stage.durationSeconds === undefined) return undefined;
    sum += stage.durationSeconds + pause;
  }
  return sum;
}

/** As the run itself chooses them (src/run/workers.ts), from what the config alone says. */
function threadsOf(
  { load, data, api, server }: Config,
  stages: readonly StageExpectation[],
  tokensPerAnswer: number | undefined,
  cap = Infinity,
  { asked, cores }: NonNullable<Circumstances['sending']>,
): ThreadsChosen | undefined {
  if (server?.type === 'mock') return { count: 1, reason: ONE_THREAD.mock };
  const isTalk =
    data.type === 'conversation_replay' ||
    (data.type === 'shared_prefix' && data.shared_prefix?.enable_multi_turn_chat === true);
  if (load.type === 'concurrent' && isTalk) return { count: 1, reason: ONE_THREAD.conversations };
  if (load.sweep || stages.length === 0) return undefined;
  const isStreaming = api.streaming;
  const demands = stages.map(({ concurrency, rateRps }): StageDemand | undefined => {
    if (load.type === 'concurrent' && concurrency !== undefined) return { slots: concurrency, isStreaming };
    if (rateRps === undefined) return undefined;
    if (isStreaming && tokensPerAnswer === undefined) return undefined;
    return { requestsPerSecond: rateRps, tokensPerAnswer: isStreaming ? tokensPerAnswer! : 0 };
  });
  if (demands.includes(undefined)) return undefined;
  const inFlight = Math.max(...stages.map(({ concurrency, requests = 0 }) => Math.min(concurrency ?? cap, requests)));
  const known = demands.filter((demand) => demand !== undefined);
  return chooseThreads(asked, known, { cores, inFlight, connections: Infinity });
}

function timeoutOf({ load }: Config): Expectations['timeout'] {
  const written = load.request_timeout !== null && load.request_timeout > 0;
  return { seconds: written ? load.request_timeout! : DEFAULT_TIMEOUT_SECONDS, written };
}

function arrivalsOf({ load }: Config): string {
  switch (load.type) {
    case 'constant':
      return 'exponential gaps scaled to end with the stage: bursty, not even';
    case 'poisson':
      return 'each second a Poisson number of requests; their total is fixed, the time varies';
    case 'trace_replay':
      return 'the times of load.trace, the whole trace in every stage';
    case 'concurrent':
      return 'closed loop: a request starts when one ends';
    case 'trace_session_replay':
      return 'sessions, each event after the ones it depends on';
  }
}

/** What each seed reaches, in the order: arrivals, data (reference inference-perf.md, 2.3). */
function seedsOf({ load, data }: Config, directive: Seed | undefined): readonly string[] {
  const open = load.type === 'constant' || load.type === 'poisson';
  const base = directive ?? load.base_seed;
  const seed = base === undefined ? 'the clock: other values in every run' : String(base);
  const lines: string[] = [];
  if (open)
    lines.push(`arrivals: ${seed}${base === undefined ? '' : ' in IsoPerf; inference-perf never seeds arrivals'}`);
  if (data.type === 'random' || data.type === 'synthetic')
    lines.push(
      `lengths: ${seed}`,
      `prompts: ${seed}${base === undefined ? '' : '; in inference-perf only with 1 worker'}`,
    );
  if (data.type === 'shared_prefix') {
    const own = directive ?? data.shared_prefix?.seed ?? undefined;
    lines.push(`prompts and lengths: ${own === undefined ? 'none: other prompts in every run' : own}`);
  }
  if (data.type === 'conversation_replay') lines.push(`conversations: ${data.conversation_replay?.seed ?? 42}`);
  if (data.type === 'synthetic_agentic') lines.push(`sessions: ${data.synthetic_agentic?.seed ?? 42}`);
  if (data.type === 'otel_trace_replay' || data.type === 'weka_trace_replay') lines.push(`order of sessions: ${seed}`);
  if (load.lora_traffic_split) lines.push('LoRA choice: never seeded in inference-perf');
  return lines;
}

/** Prompts of a data type that has a fixed list of them. */
function promptCount({ data }: Config): number | undefined {
  if (data.type !== 'shared_prefix' || !data.shared_prefix) return undefined;
  const count = data.shared_prefix.num_groups * data.shared_prefix.num_prompts_per_group;
  return count > 0 ? count : undefined;
}

function repeatsOf(
  { data }: Config,
  stages: readonly StageExpectation[],
  prompts: number | undefined,
): string | undefined {
  const sending = stages.filter((stage) => stage.requests === undefined || stage.requests > 0).length;
  switch (data.type) {
    case 'shared_prefix': {
      const most = Math.max(0, ...stages.map((stage) => stage.sendsPerPrompt ?? 0));
      if (most > 1) return `each of the ${prompts} prompts up to ${Math.ceil(most)} times in one stage, word for word`;
      return sending > 1
        ? `from the second stage on all prompts, word for word: each stage begins with the first`
        : undefined;
    }
    case 'mock':
      return sending > 1 ? 'the counted prompts, from 1 in every stage' : undefined;
    case 'random':
    case 'synthetic':
      return sending > 1 ? 'the lengths: every stage begins with the first (prompt texts differ)' : undefined;
    case 'conversation_replay':
      return 'a conversation begins again with the same texts when its turns are used up';
    case 'shareGPT':
    case 'cnn_dailymail':
    case 'billsum_conversations':
    case 'visionarena':
      return 'the records, when all were sent';
    case 'infinity_instruct':
      return 'nothing: the run stops when the records are used up';
    case 'synthetic_agentic':
      return undefined;
    case 'otel_trace_replay':
    case 'weka_trace_replay':
      return data[data.type]?.duplicate_sessions_target ? 'sessions, as tagged copies' : undefined;
  }
}
