// What a run takes and gives: the contract between the shells and the use case.
import type { Client, ClientOptions } from '../client/types';
import type { EffectiveConfig } from '../config/will/runtime';
import type { RunEvent } from '../events';
import type { StopControl } from '../loadgen/stop';
import type { LifecycleReport } from '../metrics/lifecycle';
import type { Problem } from '../problem';
import type { RunManifest } from '../folder/manifest';
import type { StackRecord } from '../folder/stack';
import type { Upload } from '../folder/storage/upload';
import type { SavedDirective } from '../folder/write-config';
import type { FailureLimit } from './failures';
import type { FrozenStream } from './frozen';
import type { WorkersAsked } from './workers';

/** A config that was read, checked and filled, and where it came from. */
export interface RunInput {
  readonly config: EffectiveConfig;
  /** As the user named it. */
  readonly file: string;
  readonly text: string;
  /** inference-perf version whose rules judged it. */
  readonly target: string;
  /** `--set` arguments, as given; secrets in them are removed before they are saved. */
  readonly overrides: readonly string[];
  readonly directives: readonly SavedDirective[];
  /** Pitfalls that the config accepts, each with its reason. */
  readonly suppressions?: readonly { readonly codes: readonly string[]; readonly reason: string }[] | undefined;
  readonly warmupStages: readonly number[];
  /** Where `config.load.base_seed` came from. */
  readonly seedSource: 'directive' | 'load.base_seed' | 'clock';
  /** What is sent, as it was frozen; `config` is then the one it was frozen from. */
  readonly frozen?: FrozenStream | undefined;
}

export interface RunOptions {
  readonly version: { readonly isoperf: string; readonly undici: string };
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Report folder; else the config's storage path. Relative to `cwd`. */
  readonly out?: string | undefined;
  readonly endpointKind: RunManifest['endpoint']['kind'];
  /** Wins over `server.api_key`. */
  readonly apiKey?: string | undefined;
  /** Name of the environment variable an API key may come from, for messages. */
  readonly apiKeyVariable: string;
  /** What serves, where somebody wrote it down; kept in run.json. */
  readonly stack?: StackRecord | undefined;
  readonly stop: StopControl;
  readonly onEvent: (event: RunEvent) => void;
  /** Rates for the stages of a sweep and where they came from (`--pin-sweep`): no probe is sent. */
  readonly pinnedSweep?: { readonly ratesRps: readonly number[]; readonly source: string } | undefined;
  /** Sent as `cache_salt` with every request: a repeat of the same prompts does not find the earlier ones in the prefix cache. */
  readonly cacheSalt?: string | undefined;
  /** The tokenizer and a public data set may be fetched from the Hugging Face hub; without it nothing ever is. */
  readonly download?: boolean | undefined;
  /** Certificate authorities of the server beside the system's (`--ca-file`). */
  readonly caPath?: string | undefined;
  readonly clientFactory: (options: ClientOptions) => Client;
  /** False: the server's /metrics is not read. Default true. */
  readonly serverMetrics?: boolean | undefined;
  /** Sending threads; without this the engine's own loop sends. */
  readonly workers?: WorkersAsked | undefined;
  /** More failures of measured requests than this make the run invalid; default `DEFAULT_MAX_FAILURES`. */
  readonly maxFailures?: FailureLimit | undefined;
  /** Seconds given to what is in flight after a graceful stop. */
  readonly graceSeconds: number;
  readonly now: () => Date;
}

/** What of a run's options a stream depends on. */
export type StreamOptions = Pick<
  RunOptions,
  'cwd' | 'env' | 'stop' | 'onEvent' | 'pinnedSweep' | 'download' | 'cacheSalt'
>;

/** What the table at the end of a run shows of a stage. */
export interface StageFigures {
  /** Seconds, ascending. */
  readonly ttft: StageQuantiles;
  /** Only where it is not TTFT. */
  readonly ttfc?: StageQuantiles;
  readonly tpot: StageQuantiles;
  readonly itl: StageQuantiles;
  readonly latency: StageQuantiles;
  readonly outputTokensPerSecond?: number;
}

export interface StageQuantiles {
  /** Answers behind them: gaps of one answer are not independent of each other. */
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface FinishedRun {
  readonly folder: string;
  readonly manifest: RunManifest;
  /** Of each stage with an ended request: what the table at the end shows. */
  readonly figures: ReadonlyMap<number, StageFigures>;
  readonly stages: ReadonlyMap<number, LifecycleReport>;
  readonly summary?: LifecycleReport;
  /** Why the run is not valid, in words; absent when it is. */
  readonly invalid?: string;
  /** One for each bucket the config names; the local folder is whole whatever became of them. */
  readonly uploads: readonly Upload[];
}

export type RunResult =
  /** Nothing was sent. `unusable`: the config cannot be run; `failed`: the server or the disk did not take part. */
  | { readonly kind: 'refused'; readonly why: 'unusable' | 'failed'; readonly problems: readonly Problem[] }
  | { readonly kind: 'ran'; readonly run: FinishedRun; readonly problems: readonly Problem[] };
