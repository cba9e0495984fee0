// What is known of one run beside its numbers: each fact with the place it was read, or why it is missing. Dimensions read nothing else.
import type { MediaMeans } from '../metrics/media';
import type { CountSource } from '../metrics/request-metrics';
import type { ConfigPath } from '../problem';
import type { StackRecord } from '../folder/stack';

/** Where a fact stands, or would stand if it were recorded. */
export interface Place {
  /** Name inside the report folder. */
  readonly file: string;
  /** Dotted, or what was computed. */
  readonly key: string;
  /** The same setting in the run's config, to click. */
  readonly configPath?: ConfigPath;
}

export interface Fact<T> {
  readonly value: T;
  readonly at: Place;
}

/** `reason` says why nobody can know, in a few words: "vLLM does not write it", "not in the file". */
export interface Missing {
  readonly value?: undefined;
  readonly reason: string;
  readonly at: Place;
}

/** `.value` is the value or undefined; `.at` its place either way. */
export type Known<T> = Fact<T> | Missing;

/** Who counted tokens. `asked`: where the server sent no count, the length asked for stands in its place. */
export interface Counter {
  readonly source: CountSource;
  /** The file or name, and a hash where there is one. */
  readonly tokenizer?: { readonly source: string; readonly sha256: string } | undefined;
  readonly serverCounted: number;
  readonly clientCounted: number;
  readonly otherwise?: 'asked';
}

export interface ClientHost {
  readonly cpus?: number | undefined;
  readonly cpuModel?: string | undefined;
  readonly platform?: string | undefined;
  readonly arch?: string | undefined;
  readonly node?: string | undefined;
  readonly undici?: string | undefined;
  readonly host?: string | undefined;
  readonly memoryBytes?: number | undefined;
  readonly workers?: number | undefined;
}

/** The counters of one of the server's own caches over the measured window. */
export interface CacheCounters {
  readonly hits: number;
  readonly queries: number;
}

type Json = Readonly<Record<string, unknown>>;

/** Units are in the names; texts are the tool's own unless a comment says otherwise. */
export interface FactTypes {
  tool: string;
  toolVersion: string;
  /** ISO 8601 where the tool has a zone. */
  startedAt: string;
  endedAt: string;
  /** Whether the run came to its end. */
  complete: boolean;
  model: string;
  /** What /v1/models lists. */
  modelsListed: readonly string[];
  /** Answers by the model they name. */
  modelsAnswered: Readonly<Record<string, number>>;
  /** Answers of a stream that ended without a finish reason, and how many of those are short of what ignore_eos asks for. */
  unsaidEnds: { readonly answered: number; readonly without: number; readonly cutShort: number };
  serverType: string;
  serverVersion: string;
  /** The stack record: image, flags, accelerator and the like. */
  stack: StackRecord;
  /** Base URL. */
  endpoint: string;
  tls: boolean;
  /** Whether the server's certificate was checked. */
  tlsChecks: 'on' | 'off';
  /** 'none', or the proxy that was used. */
  proxy: string;
  clientInCluster: boolean;
  /** How requests reach the server: direct, port-forward, gateway, in-cluster. */
  networkRoute: string;
  /** `completion`, `chat`, or the tool's own word. */
  apiType: string;
  /** Path of the request. */
  apiRoute: string;
  streaming: boolean;
  tokenizer: string;
  inputCounter: Counter;
  outputCounter: Counter;
  /** What inter-token gaps are between. */
  gapBasis: 'tokens' | 'chunks';
  /** inference-perf's word for it: constant, poisson, concurrent, trace_replay. */
  loadType: string;
  arrivalLaw: string;
  /** Digits where a number would lose some. */
  seed: number | string;
  /** "directive", "load.base_seed", "clock". */
  seedSource: string;
  sweep: Json;
  clientWorkers: number;
  /** Most requests in flight that the client allows. */
  clientCap: number;
  requestTimeoutSeconds: number;
  inputAsked: Json;
  outputAsked: Json;
  ignoreEos: boolean;
  /** What every body carries beside prompt, model and max_tokens. */
  sampling: Json;
  promptsHash: string;
  /** Where prompts come from. */
  dataType: string;
  dataPath: string;
  distinctPrompts: number;
  sharedPrefixTokens: number;
  /** Images, videos and sounds of a request, on average; `filling`: what pictures hold. */
  media: MediaMeans & { readonly filling?: string | undefined };
  /** Seconds by metric; empty: none. */
  goodputLimits: Json;
  sloLimits: { readonly ttftSeconds?: number | undefined; readonly tpotSeconds?: number | undefined };
  /** Requests sent before the window and left out of it. */
  warmupRequests: number;
  warmupStages: readonly number[];
  warmupSeconds: number;
  /** Share of prompt tokens that came out of the prefix cache, as the answers say it. */
  cachedShare: number;
  cacheCounters: CacheCounters;
  /** Of processed pictures, frames and sounds. */
  mediaCacheCounters: CacheCounters;
  clientHost: ClientHost;
  /** Requests of the summary that were sent more than once; absent where none was, or nobody says. */
  retried: { readonly requests: number; readonly attempts: number };
  failuresByLabel: Readonly<Record<string, number>>;
  /** Percentiles the report was asked for. */
  percentiles: unknown;
  metricsType: string;
}

export type FactId = keyof FactTypes;
export type RunFacts = { readonly [K in FactId]: Known<FactTypes[K]> };

export function fact<T>(value: T, file: string, key: string, configPath?: ConfigPath): Fact<T> {
  return { value, at: { file, key, ...(configPath ? { configPath } : {}) } };
}

export function missing(reason: string, file: string, key: string, configPath?: ConfigPath): Missing {
  return { reason, at: { file, key, ...(configPath ? { configPath } : {}) } };
}

/** The fact, or its absence with the reason. */
export function known<T>(
  value: T | null | undefined,
  file: string,
  key: string,
  {
    reason = 'not recorded',
    configPath,
  }: { readonly reason?: string; readonly configPath?: ConfigPath | undefined } = {},
): Known<T> {
  return value === undefined || value === null
    ? missing(reason, file, key, configPath)
    : fact(value, file, key, configPath);
}

/** The same place, another view of the value. */
export function mapped<T, U>(from: Known<T>, to: (value: T) => U): Known<U> {
  return from.value === undefined ? (from as Missing) : { value: to(from.value), at: from.at };
}
