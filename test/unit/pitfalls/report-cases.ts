// One case where a report shows a pitfall and one, as close as possible, where it does not; for every pitfall seen in a report.
import { LIFECYCLE, merge, stat, tail, type Json, type Patch, type PerfFolder } from '../support/perf-folder';

const ttft = (value: Json): Patch => ({ successes: { latency: { time_to_first_token: value } } });
const e2e = (value: Json): Patch => ({ successes: { latency: { request_latency: value } } });
const tpot = (value: Json): Patch => ({ successes: { latency: { time_per_output_token: value } } });
const gaps = (value: Json): Patch => ({ successes: { latency: { inter_token_latency: value } } });
const delay = (value: Json): Patch => ({ load_summary: { schedule_delay: value } });
/** Client and server alike. */
const output = (value: Json): Patch => ({ successes: { output_len: value, output_tokens: value } });
const prompts = (value: Json): Patch => ({ successes: { prompt_tokens: value } });
const failed = (count: number, more: Json = {}): Patch => ({
  load_summary: { count: 400 + count },
  failures: { count, ...more },
});
const labels = (...names: readonly string[]): Patch =>
  failed(4, { by_label: Object.fromEntries(names.map((name) => [name, { count: 2, messages: [] }])) });
const goodput = (metrics: Json): Patch => ({ successes: { goodput_metrics: metrics } });
const one = (patch: Patch, config: Patch | null = {}): PerfFolder => ({ stages: [patch], config });
const two = (first: Patch, second: Patch = {}, config: Patch = {}): PerfFolder => ({
  stages: [first, second],
  config: merge({ load: { stages: [20, 20].map((rate) => ({ rate, duration: 20 })) } }, config),
});

const closed = (level: number, config: Patch = {}, rate?: number): PerfFolder =>
  one(
    { load_summary: { concurrency: level, requested_rate: rate } },
    merge({ load: { type: 'concurrent', stages: [{ num_requests: 400, concurrency_level: level }] } }, config),
  );
const SWEEP = { load: { sweep: { type: 'linear', num_requests: 2000, timeout: 60 }, stages: [] } };
const shared = (block: Json): Json => ({
  data: { type: 'shared_prefix', shared_prefix: { num_unique_system_prompts: 10, output_len: 101, ...block } },
});
const data = (type: string, more: Json = {}): Json => ({
  data: { type, input_distribution: null, output_distribution: null, ...more },
});
const otel = (more: Json = {}): Json => data('otel_trace_replay', { otel_trace_replay: more });
const prometheus = (successes: Json): Json => ({
  benchmark_time_seconds: 0,
  load_summary: {},
  successes: { count: 400, rate: 20, queue_len: { mean: 1 }, ...successes },
  failures: {},
});
const scraped = (successes: Json, patch: Patch = {}, config: Patch = {}): PerfFolder => ({
  ...one(patch, config),
  files: { 'stage_0_prometheus_metrics.json': prometheus(successes) },
});
const sessionFile = (more: Json): PerfFolder => ({
  ...one({}, merge(otel(), { load: { type: 'trace_session_replay', stages: [{ num_sessions: 10 }] } })),
  files: {
    'stage_0_session_lifecycle_metrics.json': {
      stage_metadata: { stage_id: 0, status: 'COMPLETED' },
      num_sessions: 10,
      num_sessions_succeeded: 10,
      num_sessions_failed: 0,
      sessions_with_cache_info: 10,
      ...more,
    },
  },
});
const sessionIds = (...ids: readonly string[]): PerfFolder => ({
  ...one({}, otel({ inject_random_session_id: false })),
  files: { 'per_session_lifecycle_metrics.json': ids.map((session_id) => ({ session_id, num_events: 3 })) },
});
const adapters = (...names: readonly string[]): PerfFolder => ({
  ...one({}, { load: { lora_traffic_split: [{ name: 'a', split: 1 }] } }),
  files: Object.fromEntries(names.map((name) => [`adapter_${name}_lifecycle_metrics.json`, LIFECYCLE])),
});
/** The same run over another window, rates included. */
const over = (seconds: number): Patch => ({
  benchmark_time_seconds: seconds,
  successes: {
    throughput: {
      input_tokens_per_sec: 40_000 / seconds,
      output_tokens_per_sec: 40_400 / seconds,
      total_tokens_per_sec: 80_400 / seconds,
      requests_per_sec: 400 / seconds,
    },
  },
});
/** v0.6.1: the client's count of prompts beside the server's. */
const bothPrompts = (client: Json, server: Json): PerfFolder =>
  one({ successes: { prompt_len: client, prompt_tokens: server } });
const bothOutputs = (client: Json, server: Json): Patch => ({
  successes: { output_len: client, output_tokens: server },
});

/** [pitfall, where it fires, where it must not]. */
export const REPORT_CASES: readonly (readonly [number, PerfFolder, PerfFolder])[] = [
  [3, one(delay(tail(stat(0, 0.002), { median: 0.011 }))), one(delay(tail(stat(0, 0.002), { median: 0.009 })))],
  // 18.2 requests/s of 2.1 s are 38.2 in flight: 91 % of 42, 89 % of 43.
  [
    4,
    one({}, { load: { num_workers: 1, worker_max_concurrency: 42 } }),
    one({}, { load: { num_workers: 1, worker_max_concurrency: 43 } }),
  ],
  [5, one(delay(tail(stat(0, 0.002), { mean: 0.011 }))), one(delay(tail(stat(0, 0.002), { mean: 0.0095 })))],
  [7, one({ load_summary: { achieved_rate: 1300 } }), one({ load_summary: { achieved_rate: 1190 } })],
  [8, two(ttft(tail(stat(0.09, 0.11), { p99: 0.225 }))), two(ttft(tail(stat(0.09, 0.11), { p99: 0.215 })))],
  [9, { ...two({}), summary: { load_summary: { count: 800 } } }, { ...one({}), summary: {} }],
  [10, one(over(25.5)), one(over(24.5))],
  [11, one({ load_summary: { send_duration: 18.8 } }), one({ load_summary: { send_duration: 19 } })],
  [
    12,
    one({ load_summary: { count: 298 }, successes: { count: 298 } }),
    one({ load_summary: { count: 299 }, successes: { count: 299 } }),
  ],
  [13, closed(40, {}, 400), closed(40)],
  [14, closed(36), closed(37)],
  [15, closed(50, data('conversation_replay')), closed(47, data('conversation_replay'))],
  [16, one({}, SWEEP), one({}, { load: { sweep: null } })],
  [17, one({ load_summary: { achieved_rate: 17.9 } }, SWEEP), one({ load_summary: { achieved_rate: 18.5 } }, SWEEP)],
  [
    22,
    one({ load_summary: { count: 300, send_duration: 15 }, successes: { count: 300 } }),
    one({ load_summary: { send_duration: 15 } }),
  ],
  [
    24,
    one(prompts(stat(10, 276)), { data: { input_distribution: { min: 10, max: 1024, mean: 100, std_dev: 200 } } }),
    one(prompts(stat(10, 276)), { data: { input_distribution: { min: 10, max: 1024, mean: 100, std_dev: 199 } } }),
  ],
  [
    25,
    one(prompts(stat(90, 164)), { data: { input_distribution: { min: 90, max: 1000, mean: 100, std_dev: 80 } } }),
    one(prompts(stat(90, 110)), { data: { input_distribution: { min: 90, max: 1000, mean: 100, std_dev: 80 } } }),
  ],
  [31, one({}, shared({ num_users_per_system_prompt: 39 })), one({}, shared({ num_users_per_system_prompt: 40 }))],
  [33, two(prompts({ cached: 1200 })), two({}, prompts({ cached: 1200 }))],
  [
    34,
    one(output(stat(20, 30)), merge(data('shareGPT'), { api: { type: 'chat' } })),
    one(output(stat(20, 32)), merge(data('shareGPT'), { api: { type: 'chat' } })),
  ],
  [
    35,
    one(output(stat(80, 100)), { server: { ignore_eos: false } }),
    one(output(stat(82, 101)), { server: { ignore_eos: false } }),
  ],
  [36, one(output(stat(80, 100))), one(output(stat(82, 101)))],
  [
    37,
    one(prompts(tail(stat(90, 110), { max: 850 })), data('shareGPT')),
    one(prompts(tail(stat(90, 110), { max: 750 })), data('shareGPT')),
  ],
  [38, bothPrompts(stat(90, 110), stat(100, 120)), bothPrompts(stat(90, 110), stat(98, 122))],
  [
    40,
    one(bothOutputs(stat(101), stat(104)), { tokenizer: { pretrained_model_name_or_path: 'org/other' } }),
    one(bothOutputs(stat(101), stat(104))),
  ],
  [
    41,
    one({ load_summary: { count: 380 }, successes: { count: 380 } }),
    one({ load_summary: { count: 380 }, successes: { count: 380 } }, data('shareGPT')),
  ],
  [
    44,
    one(prompts(tail(stat(90, 110), { max: 200 })), shared({ enable_multi_turn_chat: true })),
    one(prompts(tail(stat(90, 110), { max: 175 })), shared({ enable_multi_turn_chat: true })),
  ],
  [
    45,
    one(
      e2e(stat(3, 3.2)),
      data('conversation_replay', { conversation_replay: { tool_call_latency_sec: { mean: 1 } } }),
    ),
    one(
      e2e(stat(2, 2.2)),
      data('conversation_replay', { conversation_replay: { tool_call_latency_sec: { mean: 1 } } }),
    ),
  ],
  [48, sessionIds('trace0_a', 'trace1_a_dup1'), sessionIds('trace0_a', 'trace1_dup_b')],
  [49, one({}, otel({ default_max_tokens: 500 })), one({}, otel({ default_max_tokens: 1000 }))],
  [
    50,
    one({ successes: { image: { bytes: stat(3000), pixels: stat(262_144) } } }),
    one({ successes: { image: { bytes: stat(30_000), pixels: stat(262_144) } } }),
  ],
  [
    52,
    one({
      successes: { latency: { time_to_first_token: null, time_per_output_token: null, inter_token_latency: null } },
    }),
    one({
      load_summary: { count: 0 },
      successes: {
        count: 0,
        latency: { time_to_first_token: null, time_per_output_token: null, inter_token_latency: null },
      },
    }),
  ],
  [
    54,
    scraped({ time_to_first_token: { mean: 0.07 } }, bothOutputs(stat(80), stat(101))),
    scraped({ time_to_first_token: { mean: 0.07 } }, bothOutputs(stat(90), stat(101))),
  ],
  [55, two(ttft(tail(stat(0.09, 0.11), { max: 0.34 }))), two(ttft(tail(stat(0.09, 0.11), { max: 0.32 })))],
  [
    56,
    one(gaps(tail(stat(0.018, 0.022), { min: 0, 'p0.1': 0, p1: 0, p5: 0, p10: 0.0002, p25: 0.0004 }))),
    one(gaps(tail(stat(0.018, 0.022), { min: 0, 'p0.1': 0, p1: 0, p5: 0.0004 }))),
  ],
  [57, one(gaps(stat(0.07, 0.09)), null), one(gaps(stat(0.019, 0.022)), null)],
  [
    58,
    one(bothOutputs(stat(101), { total: 40_880, ...stat(102.2) })),
    one(bothOutputs(stat(101), { total: 40_720, ...stat(101.8) })),
  ],
  [
    59,
    one({ successes: { throughput: { input_tokens_per_sec: (40_000 / 22) * 1.03 } } }),
    one({ successes: { throughput: { input_tokens_per_sec: (40_000 / 22) * 1.015 } } }),
  ],
  [60, one(tpot(stat(0.009, 0.011))), one(tpot(stat(0.0185, 0.0205)))],
  [
    61,
    one({ successes: { latency: { normalized_time_per_output_token: { min: 0 } } } }),
    one({ successes: { latency: { normalized_time_per_output_token: { min: 0.0001 } } } }),
  ],
  [63, one(e2e({ p99: undefined })), one(e2e({ p75: undefined }))],
  [
    64,
    one(failed(3, { request_latency: stat(20, 299.9) })),
    one(failed(3, { request_latency: stat(20, 299.9) }), { load: { request_timeout: 300 } }),
  ],
  [65, one(failed(5)), one(failed(4))],
  [
    66,
    one(merge(goodput({ goodput_percentage: 90, good_requests: 360 }), failed(1))),
    one(goodput({ goodput_percentage: 90, good_requests: 360 })),
  ],
  [67, one(goodput({ request_goodput: 18.3 })), one(goodput({ request_goodput: 18.1 }))],
  [69, one(output(tail(stat(101), { min: 0 }))), one(output(tail(stat(101), { min: 1 })))],
  [
    70,
    one(labels('TypeError'), { api: { type: 'chat', streaming: false } }),
    one(labels('TypeError'), { api: { type: 'chat', streaming: true } }),
  ],
  [71, one(labels('Timeout', 'timeouterror')), one(labels('Timeout', 'ClientOSError'))],
  [72, scraped({ count: 430 }), scraped({ count: 415 })],
  [73, scraped({ prompt_len: { mean: 1800, rate: 20 } }), scraped({ prompt_len: { mean: 0, rate: 20 } })],
  [
    74,
    scraped({ count: 0, rate: 0 }, {}, { server: { model_name: null } }),
    scraped({ count: 400, rate: 0 }, {}, { server: { model_name: null } }),
  ],
  [
    75,
    {
      files: {
        'stage_0_lifecycle_metrics.json': JSON.stringify(LIFECYCLE).replace(
          /"token_count_mismatches":0/,
          '"token_count_mismatches":NaN',
        ),
      },
    },
    {
      files: {
        'stage_0_lifecycle_metrics.json': JSON.stringify(LIFECYCLE).replace(
          /"token_count_mismatches":0/,
          '"token_count_mismatches":"NaN"',
        ),
      },
    },
  ],
  [
    76,
    { ...one({}, SWEEP), summary: {}, files: { 'summary_prometheus_metrics.json': prometheus({}) } },
    { ...one({}, SWEEP), summary: {}, files: { 'stage_0_prometheus_metrics.json': prometheus({}) } },
  ],
  [77, adapters('a', 'b'), adapters('a')],
  [
    78,
    closed(40, { load: { stages: [{ num_requests: 400, concurrency_level: 40, rate: 400, duration: 1 }] } }),
    closed(40),
  ],
  [
    79,
    { ...one({}), summary: { load_summary: { count: 390 }, successes: { count: 390 } } },
    { ...one({}), summary: {} },
  ],
  [81, one(merge(e2e(stat(1)), output(stat(0)))), one(merge(e2e(stat(1)), output(stat(0, 1))))],
  [82, sessionFile({ num_sessions: 9 }), sessionFile({ num_sessions: 10 })],
  [83, sessionFile({ sessions_with_cache_info: 9 }), sessionFile({ sessions_with_cache_info: 10 })],
  [97, one({ load_summary: { achieved_rate: 37 } }), one({ load_summary: { achieved_rate: 36 } })],
  [87, one(gaps(stat(0.07, 0.09)), { tokenizer: null }), one(gaps(stat(0.019, 0.022)), { tokenizer: null })],
];
