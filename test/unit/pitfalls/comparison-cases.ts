// One pair of runs that shows a pitfall only together, and one as close as possible that does not; for every such pitfall.
import { compare, type CompareOptions } from '../../../src/comparability/compare';
import type { Comparison } from '../../../src/comparability/comparison';
import type { RunManifest } from '../../../src/folder/manifest';
import { readRun } from '../../../src/readers/read';
import type { Run } from '../../../src/readers/run';
import { memoryFolder } from '../support/memory-folder';
import { merge, perfFolder, stat, type Json, type Patch, type PerfFolder } from '../support/perf-folder';
import { syntheticRun } from '../support/synthetic-run';

type Source = PerfFolder | Run | { readonly file: string; readonly text: string };

export interface PairCase {
  readonly a: Source;
  readonly b: Source;
  readonly options?: CompareOptions;
}

export async function runOf(source: Source): Promise<Run> {
  if ('tool' in source) return source;
  const files = 'text' in source ? { [source.file]: source.text } : perfFolder(source);
  const read = await readRun(memoryFolder(files));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

export async function compared({ a, b, options }: PairCase): Promise<Comparison> {
  return compare(await runOf(a), await runOf(b), { resamples: 20, ...options });
}

const config = (patch: Patch, stage: Patch = {}): PerfFolder => ({ stages: [stage], config: patch });
const pair = (a: Patch, b: Patch): PairCase => ({ a: config(a), b: config(b) });
const alike = (patch: Patch): PairCase => pair(patch, patch);

/** Layouts by generation, over main's. */
const V05: Patch = { successes: { request_size_bytes: undefined, prompt_len: stat(90, 110) } };
const V060: Patch = {
  successes: {
    prompt_len: stat(90, 110),
    prompt_tokens: { ...Object.fromEntries(Object.keys(stat(1)).map((key) => [key, undefined])), total: 40_000 },
  },
};
const V061: Patch = { successes: { prompt_len: stat(90, 110) } };

const interval = (seconds: number): Json => ({
  load: { interval: seconds },
  metrics: { type: 'prometheus', prometheus: { scrape_interval: 15 } },
  report: { prometheus: { per_stage: true } },
});
const input = (type: string): Json => ({ data: { input_distribution: { type } } });
const shared = (block: Json, more: Json = {}): Json => ({
  ...more,
  data: {
    type: 'shared_prefix',
    input_distribution: null,
    output_distribution: null,
    shared_prefix: { num_unique_system_prompts: 100, num_users_per_system_prompt: 10, seed: null, ...block },
  },
});
const data = (type: string): Json => ({ data: { type } });
const otel = (block: Json): Json => ({
  data: { type: 'otel_trace_replay', input_distribution: null, output_distribution: null, otel_trace_replay: block },
});
const slo = (limit: string): Json => ({
  api: { headers: { 'x-slo-ttft-ms': limit } },
  report: { goodput: { constraints: { ttft: 0.2 } } },
});
const address = (url: string): Json => ({ server: { base_url: url } });
const version = (name: string): Run =>
  syntheticRun({
    manifest: (manifest: RunManifest) => ({
      ...manifest,
      endpoint: { ...manifest.endpoint, server: { version: name, notes: [] } },
    }),
  });
const stacked = (run: Run): Run => ({ ...run, stack: { source: 'stack.yaml', engine: 'vllm' } });
const sampledRun = (run: Run): Run => ({
  ...run,
  manifest: {
    ...run.manifest!,
    workload: { ...run.manifest!.workload, parameters: { ...run.manifest!.workload.parameters, temperature: 0 } },
  },
});

const VLLM = {
  date: '20260722-060114',
  backend: 'openai',
  model_id: 'm',
  tokenizer_id: 'm',
  num_prompts: 400,
  request_rate: 20,
  burstiness: 1,
  max_concurrency: null,
  duration: 22,
  completed: 400,
  total_input_tokens: 40_000,
  total_output_tokens: 40_400,
  request_throughput: 18.2,
  output_throughput: 1836,
  mean_ttft_ms: 100,
  mean_tpot_ms: 20,
  mean_itl_ms: 20,
  mean_e2el_ms: 2100,
};
const vllm = { file: 'vllm.json', text: JSON.stringify(VLLM) };
const sglang = {
  file: 'sglang.jsonl',
  text: `${JSON.stringify({
    backend: 'sglang',
    request_rate: 20,
    max_concurrency: null,
    random_range_ratio: 1,
    duration: 22,
    completed: 400,
    total_input_tokens: 40_000,
    total_output_tokens: 40_400,
    total_output_tokens_retokenized: 40_000,
    request_throughput: 18.2,
    mean_e2e_latency_ms: 2100,
    mean_ttft_ms: 100,
    mean_tpot_ms: 20,
    mean_itl_ms: 20,
    accept_length: 2.5,
  })}\n`,
};

const served = (model: string, args?: readonly string[]): Run => {
  const run = syntheticRun();
  return {
    ...run,
    config: merge(run.config!, { server: { model_name: 'org/one' } }),
    stack: { source: 'stack.yaml', model, ...(args ? { args: [...args] } : {}) },
  };
};
const started = (...args: readonly string[]): Run => ({
  ...syntheticRun(),
  stack: { source: 'stack.yaml', args: [...args] },
});
/** MLPerf's server scenario: latency from the scheduled time. */
const loadGen = (scenario: string): Source => ({
  file: 'mlperf_log_summary.txt',
  text: [
    '================================================',
    'MLPerf Results Summary',
    '================================================',
    'SUT name : x',
    `Scenario : ${scenario}`,
    'Mode     : PerformanceOnly',
    'Result is : VALID',
    '50.00 percentile latency (ns)   : 2100000000',
    '99.00 percentile latency (ns)   : 2200000000',
  ].join('\n'),
});
const genai = {
  file: 'profile_export_genai_perf.json',
  text: JSON.stringify({
    input_config: { endpoint: { model_names: ['m'] } },
    request_latency: { unit: 'ms', avg: 2100 },
    time_to_first_token: { unit: 'ms', avg: 100 },
    request_count: { unit: 'requests', avg: 400 },
  }),
};
/** GuideLLM before 0.4: means by token, percentiles by weighted rank. */
const guideBlock = (mean: number): Json => ({ successful: { mean, median: mean, min: mean, max: mean, count: 400 } });
const guidellm = {
  file: 'benchmarks.json',
  text: JSON.stringify({
    benchmarks: [
      {
        type_: 'generative_benchmark',
        args: { strategy: { type_: 'constant', rate: 20 } },
        run_stats: {
          start_time: 1_700_000_000,
          end_time: 1_700_000_022,
          requests_made: { successful: 400, errored: 0, incomplete: 0, total: 400 },
        },
        metrics: {
          time_to_first_token_ms: guideBlock(100),
          inter_token_latency_ms: guideBlock(20),
          request_latency: guideBlock(2.1),
          output_token_count: guideBlock(101),
        },
      },
    ],
  }),
};

const gaps = (key: string): Patch => ({ successes: { latency: { [key]: null } } });

/** [pitfall, the pair where it fires, the pair where it must not]. */
export const PAIR_CASES: readonly (readonly [number, PairCase, PairCase])[] = [
  [1, { a: syntheticRun(), b: syntheticRun({ law: 'even' }) }, { a: syntheticRun(), b: syntheticRun({ seed: 2 }) }],
  [
    2,
    {
      a: config({}),
      b: config(
        { load: { type: 'concurrent', stages: [{ num_requests: 400, concurrency_level: 40 }] } },
        { load_summary: { concurrency: 40, requested_rate: undefined } },
      ),
    },
    pair({}, { load: { type: 'poisson' } }),
  ],
  [6, pair({}, { load: { num_workers: 8 } }), pair({}, { load: { worker_max_concurrency: 120 } })],
  [21, pair(interval(15), interval(1)), alike(interval(15))],
  [26, pair(input('lognormal'), shared({})), pair(input('normal'), shared({}))],
  [
    27,
    { a: config(input('lognormal'), V05), b: config(input('lognormal')) },
    { a: config(input('lognormal'), V060), b: config(input('lognormal')) },
  ],
  [
    28,
    { a: config({}), b: config({}, { load_summary: { send_duration: 19.9 } }) },
    { a: config({}), b: config({ load: { base_seed: 8 } }, { load_summary: { send_duration: 19.9 } }) },
  ],
  [
    29,
    pair({ load: { base_seed: 1_764_000_000_123 } }, { load: { base_seed: 1_764_000_900_456 } }),
    pair({ load: { base_seed: 7 } }, { load: { base_seed: 8 } }),
  ],
  [30, alike(shared({})), alike(shared({ seed: 3 }))],
  [32, { a: config({}, V05), b: config({}) }, { a: config({}, V05), b: config({}, V05) }],
  [
    39,
    { a: config({}), b: config({}, { successes: { prompt_tokens: stat(91, 111) } }) },
    { a: config({}), b: config({}, { successes: { prompt_tokens: stat(91.2, 111.2) } }) },
  ],
  [43, alike(shared({}, { api: { type: 'chat' } })), alike(shared({}, { api: { type: 'completion' } }))],
  [
    46,
    pair(otel({ max_wait_ms: 15_000 }), otel({ max_wait_ms: 5000 })),
    pair(otel({ max_wait_ms: 15_000 }), otel({ max_wait_ms: 15_000, include_errors: true })),
  ],
  [47, alike(otel({ disable_output_substitution: false })), alike(otel({ disable_output_substitution: true }))],
  [
    51,
    { a: version('0.10.0'), b: version('0.11.0') },
    { a: sampledRun(version('0.10.0')), b: sampledRun(version('0.11.0')) },
  ],
  [53, pair({}, { api: { streaming: false } }), pair({}, { api: { type: 'chat' } })],
  [57, pair({ tokenizer: null }, {}), pair({ tokenizer: { pretrained_model_name_or_path: 'org/other' } }, {})],
  [59, { a: config({}, V061), b: config({}) }, { a: config({}, V061), b: config({}, V060) }],
  [
    62,
    { a: config({}, gaps('inter_token_latency')), b: config({}, gaps('time_per_output_token')) },
    { a: config({}, gaps('inter_token_latency')), b: config({}) },
  ],
  [68, pair(slo('200'), slo('300')), alike(slo('200'))],
  [
    80,
    { a: stacked(syntheticRun()), b: syntheticRun() },
    { a: stacked(syntheticRun()), b: stacked(syntheticRun({ seed: 2 })) },
  ],
  [
    86,
    pair(address('http://localhost:8000'), address('http://vllm.bench.svc:8000')),
    pair(address('http://10.0.0.5:8000'), address('http://vllm.bench.svc:8000')),
  ],
  [88, { a: vllm, b: config({}) }, { a: sglang, b: config({}) }],
  [89, { a: vllm, b: config({}) }, { a: vllm, b: config({ tokenizer: null }) }],
  [
    90,
    { a: syntheticRun(), b: syntheticRun({ seed: 2 }), options: { repeatsA: [syntheticRun({ seed: 3 })] } },
    {
      a: syntheticRun(),
      b: syntheticRun({ seed: 2 }),
      options: { repeatsA: [syntheticRun({ seed: 3 })], repeatsB: [syntheticRun({ seed: 4 })] },
    },
  ],
  [
    91,
    { a: config({ data: { use_chat_template: true } }, V060), b: config({}) },
    { a: config({ data: { use_chat_template: true } }), b: config({}) },
  ],
  [93, { a: sglang, b: config({}) }, { a: genai, b: sglang }],
  [94, { a: loadGen('Server'), b: config({}) }, { a: loadGen('SingleStream'), b: config({}) }],
  [95, { a: guidellm, b: config({}) }, { a: vllm, b: config({}) }],
  [96, { a: guidellm, b: config({}) }, { a: vllm, b: config({}) }],
  [
    98,
    { a: served('org/two'), b: syntheticRun() },
    { a: served('org/two', ['--served-model-name', 'org/one']), b: syntheticRun() },
  ],
  [
    99,
    { a: started('--quantization bitsandbytes'), b: syntheticRun() },
    { a: started('--quantization', 'bitsandbytes'), b: syntheticRun() },
  ],
  [
    100,
    { a: syntheticRun(), b: syntheticRun({ maxTokens: 40 }) },
    // As long asked for, shorter in what came: that is another pitfall.
    { a: syntheticRun(), b: syntheticRun({ earlyStop: 0.6 }) },
  ],
  [101, pair({}, data('synthetic')), pair({}, data('random'))],
];

/** The honest run a report case is compared with. */
export const HONEST: PerfFolder = config(merge({}, {}));
