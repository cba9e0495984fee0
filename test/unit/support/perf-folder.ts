// Report folders of inference-perf out of thin air: one honest run, in any generation's layout, and what a test changes in it.
import { stringify } from 'yaml';

export type Json = Readonly<Record<string, unknown>>;
export type Patch = Json;

const PERCENTILES = [0.1, 1, 5, 10, 25, 50, 75, 90, 95, 99];

/** Evenly spread between low and high: mean, bounds and every percentile, main's order of keys. */
export function stat(low: number, high = low): Json {
  const at = (share: number): number => low + (high - low) * share;
  const quantiles = PERCENTILES.map((p) => [p === 50 ? 'median' : `p${p}`, at(p / 100)] as const);
  return { mean: at(0.5), min: low, max: high, ...Object.fromEntries(quantiles) };
}

/** Objects are merged, everything else replaced; `undefined` removes a key. */
export function merge(base: Json, patch: Patch): Json {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(patch)) {
    const before = merged.get(key);
    if (value === undefined) merged.delete(key);
    else merged.set(key, isObject(before) && isObject(value) ? merge(before, value) : value);
  }
  return Object.fromEntries(merged);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** 400 requests at 20 rps: TTFT 0.1 s, 101 tokens of 20 ms, 2.1 s in all; everything adds up, nothing is late. Layout of main. */
export const LIFECYCLE: Json = {
  benchmark_time_seconds: 22,
  load_summary: {
    count: 400,
    schedule_delay: stat(0, 0.002),
    send_duration: 19.95,
    requested_rate: 20,
    achieved_rate: 400 / 19.95,
  },
  successes: {
    count: 400,
    latency: {
      request_latency: stat(2.0, 2.2),
      normalized_time_per_output_token: stat(2.0 / 101, 2.2 / 101),
      time_per_output_token: stat(0.019, 0.021),
      time_to_first_token: stat(0.09, 0.11),
      inter_token_latency: stat(0.018, 0.022),
    },
    throughput: {
      input_tokens_per_sec: 40_000 / 22,
      output_tokens_per_sec: 40_400 / 22,
      total_tokens_per_sec: 80_400 / 22,
      requests_per_sec: 400 / 22,
    },
    request_size_bytes: stat(700),
    prompt_tokens: { total: 40_000, cached: 0, uncached: 40_000, ...stat(90, 110) },
    output_len: stat(101),
    output_tokens: { total: 40_400, ...stat(101) },
    token_count_mismatches: 0,
  },
  failures: { count: 0, request_latency: null, prompt_tokens: { total: 0 }, by_label: {} },
};

/** As inference-perf saves it: every default written. */
export const CONFIG: Json = {
  load: {
    type: 'constant',
    interval: 1,
    stages: [{ rate: 20, duration: 20 }],
    num_workers: 4,
    worker_max_concurrency: 110,
    request_timeout: null,
    base_seed: 7,
    sweep: null,
    lora_traffic_split: null,
  },
  api: { type: 'completion', streaming: true, headers: null },
  server: { type: 'vllm', model_name: 'org/model', base_url: 'http://vllm.bench.svc:8000', ignore_eos: true },
  tokenizer: { pretrained_model_name_or_path: 'org/model' },
  data: {
    type: 'random',
    input_distribution: { type: 'normal', min: 10, max: 400, mean: 100, std_dev: 6, skew: 0, total_count: 401 },
    output_distribution: { type: 'fixed', min: 101, max: 101, mean: 101, std_dev: 0, skew: 0, total_count: 401 },
  },
  report: { request_lifecycle: { summary: true, per_stage: true, use_server_output_tokens: false } },
};

export interface PerfFolder {
  /** Over LIFECYCLE, one per stage. Default: one stage, unchanged. */
  readonly stages?: readonly Patch[];
  /** Over LIFECYCLE without the stage's keys; absent: no summary is written. */
  readonly summary?: Patch;
  /** Over CONFIG; null: no config.yaml. */
  readonly config?: Patch | null;
  /** Other files: objects as JSON. */
  readonly files?: Readonly<Record<string, Json | readonly unknown[] | string>>;
}

export function perfFolder({ stages = [{}], summary, config = {}, files = {} }: PerfFolder): Record<string, string> {
  const written: Record<string, string> = {};
  stages.forEach((patch, stage) => {
    written[`stage_${stage}_lifecycle_metrics.json`] = JSON.stringify(merge(LIFECYCLE, patch));
  });
  const whole = merge(LIFECYCLE, {
    load_summary: { send_duration: undefined, requested_rate: undefined, achieved_rate: undefined },
  });
  if (summary) written['summary_lifecycle_metrics.json'] = JSON.stringify(merge(whole, summary));
  if (config !== null) written['config.yaml'] = stringify(merge(CONFIG, config));
  for (const [name, value] of Object.entries(files))
    written[name] = typeof value === 'string' ? value : JSON.stringify(value);
  return written;
}
