// Small results of every tool, written for the tests: what each writes beside its numbers, and what users add to it.
import type { MemoryFiles } from '../support/memory-folder';

const block = (unit: string, avg: number) => ({
  unit,
  avg,
  p50: avg,
  p99: avg * 1.2,
  min: avg,
  max: avg * 1.3,
  std: 1,
});

const VLLM = {
  date: '20260101-000000',
  endpoint_type: 'openai-chat',
  model_id: 'm',
  tokenizer_id: 'm',
  num_prompts: 100,
  request_rate: 10,
  burstiness: 1,
  max_concurrency: null,
  duration: 11,
  completed: 100,
  failed: 0,
  total_input_tokens: 10_000,
  total_output_tokens: 20_000,
  request_throughput: 100 / 11,
  request_goodput: null,
  output_throughput: 20_000 / 11,
  total_token_throughput: 30_000 / 11,
  mean_ttft_ms: 50,
  p99_ttft_ms: 70,
  mean_tpot_ms: 10,
  p99_tpot_ms: 12,
  mean_itl_ms: 10,
  p99_itl_ms: 14,
};

/** As `--metadata a=b` writes them: texts, in the user's spelling. */
export const VLLM_METADATA = {
  ...VLLM,
  ...{ ignore_eos: 'True', temperature: '0.7', seed: '7', dataset_name: 'random', 'random-input-len': '100' },
  ...{ random_output_len: '200', num_warmups: '5', gpu: 'H100', tp: '2', endpoint: '/v1/chat/completions' },
  base_url: 'http://10.0.0.1:8000',
};

export const SGLANG = {
  backend: 'sglang-oai',
  dataset_name: 'random',
  request_rate: 5,
  max_concurrency: null,
  random_input_len: 64,
  random_output_len: 32,
  random_range_ratio: 1,
  seed: 3,
  extra_request_body: { ignore_eos: true, temperature: 0 },
  server_info: { model_path: 'org/m', tokenizer_path: 'org/m', tp_size: 4, version: '0.5.1', random_seed: 99 },
  duration: 10,
  completed: 50,
  total_input_tokens: 3200,
  total_output_tokens: 1600,
  total_output_tokens_retokenized: 1600,
  request_throughput: 5,
  mean_ttft_ms: 40,
  mean_tpot_ms: 9,
};

export const LLMPERF = {
  version: '2023-08-31',
  name: 'x',
  model: 'm',
  mean_input_tokens: 100,
  stddev_input_tokens: 10,
  mean_output_tokens: 50,
  stddev_output_tokens: 5,
  num_concurrent_requests: 4,
  additional_sampling_params_temperature: 0.7,
  results_num_requests_started: 100,
  results_num_completed_requests: 98,
  results_number_errors: 2,
  results_num_completed_requests_per_min: 60,
  results_ttft_s_mean: 0.1,
  results_number_input_tokens_mean: 101,
  results_number_output_tokens_mean: 50,
};

/** No input config: the command line is all that says how it was run. */
export const AIPERF_COMMAND = {
  schema_version: '1.5',
  request_latency: block('ms', 300),
  time_to_first_token: block('ms', 50),
  output_sequence_length: block('tokens', 32),
  input_sequence_length: block('tokens', 64),
  request_count: { unit: 'requests', avg: 100 },
  error_summary: [],
  run_info: {
    random_seed: 7,
    cli_command:
      "aiperf profile --model 'org/m' --url http://10.0.0.1:8000 --endpoint-type chat --streaming --concurrency 8 " +
      '--request-count 100 --isl 64 --osl 32 --tokenizer org/m --extra-inputs temperature:0.5 --extra-inputs ignore_eos:true ' +
      '--use-server-token-count ' +
      "--warmup-request-count 10 --goodput 'time_to_first_token:100 request_latency:900'",
  },
};

const distribution = (mean: number) => ({ mean, std_dev: 0, min: mean, max: mean, count: 40, total_sum: 40 * mean });
const successful = (mean: number) => ({ successful: distribution(mean) });

const guidellmRequest = (start: number) => ({
  request_args: '{"body": {"ignore_eos": true, "stream": true}}',
  info: {
    timings: {
      request_start: start,
      first_token_iteration: start + 0.05,
      last_token_iteration: start + 0.36,
      request_end: start + 0.36,
      token_iterations: 32,
    },
  },
  input_metrics: { total_tokens: 64 },
  output_metrics: { total_tokens: 32 },
});

/** Version 0.5: settings are `args`; ten of fifty requests are warm-up and in no number. */
export const GUIDELLM = {
  metadata: { version: 1, guidellm_version: '0.5.0' },
  args: {
    target: 'http://10.0.0.1:8000',
    request_format: '/v1/completions',
    backend_kwargs: { stream: true },
    model: 'm',
    processor: 'm',
    random_seed: 42,
    data: ['prompt_tokens=64,output_tokens=32'],
  },
  benchmarks: [
    {
      type_: 'generative_benchmark',
      config: {
        strategy: { type_: 'concurrent', max_concurrency: 4, streams: 4 },
        constraints: { max_requests: { type_: 'max_number', max_num: 50 } },
        warmup: { percent: 0.2, value: null },
        cooldown: { percent: null, value: null },
      },
      scheduler_metrics: {
        measure_start_time: 1000.9,
        measure_end_time: 1004.8,
        requests_made: { successful: 50, errored: 0, incomplete: 0, total: 50 },
      },
      start_time: 1000,
      end_time: 1004.5,
      duration: 3.6,
      warmup_duration: 0.9,
      metrics: {
        request_totals: { successful: 40, errored: 0, incomplete: 0, total: 40 },
        request_latency: successful(0.36),
        time_to_first_token_ms: successful(50),
        inter_token_latency_ms: successful(10),
        prompt_token_count: successful(64),
        output_token_count: successful(32),
      },
      requests: {
        // Four at a time, 0.36 s each.
        successful: Array.from({ length: 50 }, (_, i) => guidellmRequest(1000 + 0.09 * i)),
        errored: [],
        incomplete: [],
      },
    },
  ],
};

/** Two loads and no summary: lengths are those of both together. */
const GUIDELLM_SWEEP = { ...GUIDELLM, benchmarks: [...GUIDELLM.benchmarks, ...GUIDELLM.benchmarks] };

const requests = {
  total: 100,
  failures: 2,
  input_length: { units: 'count', mean: 64 },
  output_length: { units: 'count', mean: 32 },
};

/** 0.1 of inference-perf: `args` is its config. */
export const REPORT_01 = {
  version: '0.1',
  scenario: {
    host: {
      type: ['replica'],
      accelerator: [{ model: 'H100', count: 2, parallelism: { tp: 2, pp: 1, dp: 1, ep: 1 } }],
    },
    platform: { engine: [{ name: 'vllm', version: '0.9.0', args: { '--max-model-len': 4096 } }] },
    model: { name: 'org/m' },
    load: {
      name: 'inference-perf',
      args: {
        api: { type: 'completion', streaming: true },
        data: { type: 'random', input_distribution: { mean: 64 }, output_distribution: { mean: 32 } },
        load: { type: 'constant', stages: [{ rate: 5, duration: 20 }], base_seed: 11 },
        server: { type: 'vllm', model_name: 'org/m', base_url: 'http://10.0.0.1:8000', ignore_eos: true },
        tokenizer: { pretrained_model_name_or_path: 'org/m' },
      },
    },
  },
  metrics: {
    time: { duration: 20 },
    requests,
    latency: { request_latency: { units: 'ms', mean: 400 }, time_to_first_token: { units: 'ms', mean: 50 } },
    throughput: { requests_per_sec: 4.9 },
  },
};

/** 0.1 of vLLM's benchmark: `args` are its flags. */
export const REPORT_01_FLAGS = {
  ...REPORT_01,
  scenario: {
    ...REPORT_01.scenario,
    load: {
      name: 'vllm-benchmark',
      args: {
        '--model': 'org/m',
        '--base-url': 'http://10.0.0.1:8000',
        '--dataset-name': 'random',
        '--random-input-len': 64,
        '--random-output-len': 32,
        '--ignore-eos': true,
        '--endpoint-type': 'openai-chat',
        '--seed': 5,
        '--temperature': 0.5,
        '--tokenizer': 'org/m',
      },
    },
  },
};

export const REPORT_02 = {
  version: '0.2',
  run: { time: { duration: 'PT20S', start: '2026-01-01T00:00:00Z' } },
  scenario: {
    load: {
      standardized: {
        tool: 'inference-perf',
        concurrency: 4,
        input_seq_len: { distribution: 'fixed', value: 64 },
        output_seq_len: { distribution: 'gaussian', value: 32, std_dev: 4 },
        source: 'random',
      },
      native: { args: { streaming: true, ignore_eos: true, temperature: 0, seed: 5 } },
    },
    stack: [
      {
        metadata: { label: 'vllm-0' },
        standardized: {
          kind: 'inference_engine',
          tool: 'vllm',
          tool_version: '0.9.0',
          model: { name: 'org/m' },
          accelerator: { model: 'H100', count: 2, parallelism: { tp: 2 } },
          replicas: 2,
        },
        native: { args: { '--max-model-len': 4096 }, envars: { HF_TOKEN: 'hf_secret' } },
      },
    ],
  },
  results: {
    observability: { components: [{ aggregate: { cache_hit_rate: { mean: 37.5, units: 'percent' } } }] },
    request_performance: {
      aggregate: {
        requests,
        latency: { request_latency: { units: 's', mean: 0.4 }, time_to_first_token: { units: 's', mean: 0.05 } },
        throughput: { request_rate: { units: 'queries/s', mean: 4.9 } },
      },
    },
  },
};

export const INFERENCEX = {
  ...{ hw: 'mi300x', conc: 8, isl: 1024, osl: 512, framework: 'vllm', image: 'org/vllm:1', model: 'org/m', tp: 8 },
  ...{ precision: 'fp8', tput_per_gpu: 100, mean_ttft: 1, median_ttft: 0.9, mean_tpot: 0.1, median_tpot: 0.1 },
};

const file = (name: string, value: unknown): MemoryFiles => ({ [name]: JSON.stringify(value) });

export const TOOL_FILES: readonly (readonly [string, MemoryFiles])[] = [
  ['vLLM', file('r.json', VLLM)],
  ['vLLM with metadata', file('r.json', VLLM_METADATA)],
  ['vLLM, all at once', file('r.json', { ...VLLM, request_rate: 'inf' })],
  ['SGLang', file('r.jsonl', SGLANG)],
  ['llmperf', file('r_summary.json', LLMPERF)],
  ['AIPerf by its command', file('profile_export_aiperf.json', AIPERF_COMMAND)],
  ['GuideLLM', file('benchmarks.json', GUIDELLM)],
  ['GuideLLM, two loads', file('benchmarks.json', GUIDELLM_SWEEP)],
  ['Benchmark Report 0.1 of inference-perf', file('br.json', REPORT_01)],
  ['Benchmark Report 0.1 of vLLM', file('br.json', REPORT_01_FLAGS)],
  ['Benchmark Report 0.2', file('br.json', REPORT_02)],
  ['InferenceX', file('row.json', INFERENCEX)],
];
