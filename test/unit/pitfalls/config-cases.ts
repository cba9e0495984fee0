// Configs with nothing to say about them, and for every pitfall seen in a config one where it fires and one where it must not.

/** A config with nothing to say about it. */
export const CLEAN = `# isoperf: seed=1
load:
  type: poisson
  num_workers: 4
  worker_max_concurrency: 100
  request_timeout: 60
  stages:
    - { rate: 5, duration: 20 } # isoperf: warmup
    - { rate: 5, duration: 100 }
api: { type: completion, streaming: true }
server: { base_url: http://h:1, model_name: org/model }
tokenizer: { pretrained_model_name_or_path: org/model }
data:
  type: random
  input_distribution: { type: fixed, mean: 64 }
  output_distribution: { type: fixed, mean: 32 }
`;

export const CLOSED = CLEAN.replace(
  /load:[\s\S]*?api:/,
  'load:\n  type: concurrent\n  num_workers: 4\n  request_timeout: 60\n  stages:\n    - { num_requests: 50, concurrency_level: 4 } # isoperf: warmup\n    - { num_requests: 400, concurrency_level: 4 }\napi:',
);
export const SHARED = CLEAN.replace('{ rate: 5, duration: 20 } # isoperf: warmup\n    - ', '')
  .replace('duration: 100 }', 'duration: 100 } # isoperf: warmup')
  .replace(
    /data:[\s\S]*/,
    'data:\n  type: shared_prefix\n  shared_prefix: { seed: 1, num_groups: 100, num_prompts_per_group: 10, question_len: 50 }\n',
  );
const CONVERSATION = CLOSED.replace(
  /data:[\s\S]*/,
  'data:\n  type: conversation_replay\n  conversation_replay: { num_conversations: 8 }\n',
);
const OTEL = CLEAN.replace(
  /load:[\s\S]*?api:/,
  'load:\n  type: trace_session_replay\n  num_workers: 4\n  worker_max_concurrency: 100\n  request_timeout: 60\n  stages:\n    - { concurrent_sessions: 1 } # isoperf: warmup\n    - { concurrent_sessions: 2 }\napi:',
)
  .replace('type: completion', 'type: chat')
  .replace(
    /data:[\s\S]*/,
    'data:\n  type: otel_trace_replay\n  otel_trace_replay: { trace_directory: d, disable_output_substitution: true }\n',
  );
export const with_ = (text: string, from: string | RegExp, to: string): string => {
  const changed = text.replace(from, to);
  if (changed === text) throw new Error(`nothing to replace: ${String(from)}`);
  return changed;
};

const NO_SEED = with_(CLEAN, '# isoperf: seed=1\n', '');

/** [code, a config where it fires, the path it is shown at, a config where it must not]. */
export const CONFIG_CASES: readonly (readonly [number, string, string, string])[] = [
  [1, with_(CLEAN, 'poisson', 'constant'), 'load.type', CLEAN],
  // 4 x 37 places at 5 requests/s are used up after 29.6 s, 4 x 38 after 30.4 s.
  [
    4,
    with_(CLEAN, 'worker_max_concurrency: 100', 'worker_max_concurrency: 37'),
    'load.worker_max_concurrency',
    with_(CLEAN, 'worker_max_concurrency: 100', 'worker_max_concurrency: 38'),
  ],
  [6, with_(CLEAN, '  num_workers: 4\n', ''), 'load.num_workers', CLOSED.replace('  num_workers: 4\n', '')],
  [8, with_(CLEAN, '{ rate: 5, duration: 20 } # isoperf: warmup', '{ rate: 3, duration: 200 }'), 'load.stages', CLEAN],
  [
    9,
    CLEAN.replace('- { rate: 5, duration: 100 }', '- { rate: 5, duration: 100 }\n    - { rate: 9, duration: 100 }'),
    'report.request_lifecycle.summary',
    CLEAN,
  ],
  [
    10,
    with_(CLOSED, 'num_requests: 400, concurrency_level: 4', 'num_requests: 400, concurrency_level: 41'),
    'load.stages.1.num_requests',
    with_(CLOSED, 'num_requests: 400, concurrency_level: 4', 'num_requests: 400, concurrency_level: 40'),
  ],
  [12, with_(CLEAN, 'duration: 100', 'duration: 59'), 'load.stages.1', with_(CLEAN, 'duration: 100', 'duration: 60')],
  [
    15,
    with_(CONVERSATION, 'num_conversations: 8', 'num_conversations: 3'),
    'load.stages.0.concurrency_level',
    with_(CONVERSATION, 'num_conversations: 8', 'num_conversations: 4'),
  ],
  [16, with_(CLEAN, '  stages:', '  sweep: { type: linear }\n  stages:'), 'load.sweep', CLEAN],
  [
    18,
    with_(CLEAN, '  stages:', '  sweep: { type: geometric }\n  stages:'),
    'load.sweep.type',
    with_(CLEAN, '  stages:', '  sweep: { type: linear }\n  stages:'),
  ],
  [
    19,
    with_(CLEAN, 'type: poisson', 'type: trace_replay\n  trace: { file: t.csv }'),
    'load.trace',
    with_(
      with_(CLEAN, 'type: poisson', 'type: trace_replay\n  trace: { file: t.csv }'),
      'type: random',
      'type: random\n  trace: { file: t.csv }',
    ),
  ],
  [
    20,
    with_(CLEAN, 'type: poisson', 'type: trace_replay\n  trace: { file: t.csv }'),
    'load.stages',
    with_(
      with_(CLEAN, 'type: poisson', 'type: trace_replay\n  trace: { file: t.csv }'),
      '    - { rate: 5, duration: 100 }\n',
      '',
    ),
  ],
  [
    21,
    `${CLEAN}metrics: { type: prometheus, prometheus: { url: http://p } }\nreport: { prometheus: { per_stage: true } }\n`,
    'load.interval',
    `${with_(CLEAN, '  stages:', '  interval: 15\n  stages:')}metrics: { type: prometheus, prometheus: { url: http://p } }\nreport: { prometheus: { per_stage: true } }\n`,
  ],
  [
    22,
    `${with_(CLEAN, '  stages:', '  circuit_breakers: [b]\n  stages:')}circuit_breakers: [{ name: b, metrics: { matches: [x] }, triggers: [] }]\n`,
    'load.circuit_breakers',
    `${CLEAN}circuit_breakers: [{ name: b, metrics: { matches: [x] }, triggers: [] }]\n`,
  ],
  [
    23,
    with_(CLEAN, 'rate: 5, duration: 20', 'rate: 0.04, duration: 20'),
    'load.stages.0',
    with_(CLEAN, 'rate: 5, duration: 20', 'rate: 0.05, duration: 20'),
  ],
  [
    24,
    with_(CLEAN, 'type: fixed, mean: 64', 'mean: 100'),
    'data.input_distribution',
    with_(CLEAN, 'type: fixed, mean: 64', 'type: uniform, min: 1, max: 9'),
  ],
  [
    25,
    with_(CLEAN, 'type: fixed, mean: 64', 'min: 90, max: 1000, mean: 100, std_dev: 80'),
    'data.input_distribution.mean',
    with_(CLEAN, 'type: fixed, mean: 64', 'min: 10, max: 1000, mean: 500, std_dev: 80'),
  ],
  [29, NO_SEED, 'load.base_seed', with_(NO_SEED, '  stages:', '  base_seed: 1\n  stages:')],
  [
    30,
    with_(with_(SHARED, '# isoperf: seed=1\n', ''), 'seed: 1, ', ''),
    'data.shared_prefix.seed',
    with_(SHARED, 'seed: 1, ', ''),
  ],
  [
    31,
    with_(SHARED, 'num_groups: 100', 'num_groups: 49'),
    'data.shared_prefix.num_prompts_per_group',
    with_(SHARED, 'num_groups: 100', 'num_groups: 50'),
  ],
  [34, with_(CLEAN, /data:[\s\S]*/, 'data: { type: mock }\n'), 'data.type', CLEAN],
  [
    35,
    with_(CLEAN, '{ base_url', '{ type: tgi, base_url'),
    'server.ignore_eos',
    with_(CLEAN, '{ base_url', '{ type: tgi, ignore_eos: false, base_url'),
  ],
  [
    37,
    with_(CLEAN, /data:[\s\S]*/, 'data: { type: shareGPT }\n'),
    'data.type',
    with_(CLEAN, 'type: random', 'type: shareGPT'),
  ],
  [
    40,
    with_(CLEAN, 'path: org/model', 'path: org/other'),
    'tokenizer.pretrained_model_name_or_path',
    with_(CLEAN, 'path: org/model', 'path: ./tokenizer'),
  ],
  [
    42,
    with_(CLEAN, '  stages:', '  sweep: { type: linear }\n  stages:'),
    'data.input_distribution.total_count',
    with_(
      with_(CLEAN, '  stages:', '  sweep: { type: linear }\n  stages:'),
      /mean: (\d+)/g,
      'mean: $1, total_count: 5000',
    ),
  ],
  [43, with_(SHARED, 'type: completion', 'type: chat'), 'api.type', SHARED],
  [
    44,
    with_(SHARED, 'seed: 1', 'seed: 1, enable_multi_turn_chat: true'),
    'data.shared_prefix.enable_multi_turn_chat',
    SHARED,
  ],
  [
    45,
    with_(CONVERSATION, 'num_conversations: 8', 'num_conversations: 8, tool_call_latency_sec: { mean: 3 }'),
    'data.conversation_replay.tool_call_latency_sec',
    CONVERSATION,
  ],
  [46, OTEL, 'data.otel_trace_replay.max_wait_ms', CLEAN],
  [
    47,
    with_(OTEL, ', disable_output_substitution: true', ''),
    'data.otel_trace_replay.disable_output_substitution',
    OTEL,
  ],
  [
    48,
    with_(OTEL, 'disable_output_substitution: true', 'duplicate_sessions_target: 9'),
    'data.otel_trace_replay.duplicate_sessions_target',
    with_(OTEL, 'disable_output_substitution: true', 'duplicate_sessions_target: 9, inject_random_session_id: true'),
  ],
  [
    49,
    with_(OTEL, 'trace_directory: d', 'trace_directory: d, default_max_tokens: 50'),
    'data.otel_trace_replay.default_max_tokens',
    OTEL,
  ],
  [
    50,
    with_(
      with_(CLEAN, 'type: completion', 'type: chat'),
      'type: random',
      'type: synthetic\n  multimodal: { image: { count: { min: 1 } } }',
    ),
    'data.multimodal',
    with_(
      with_(CLEAN, 'type: completion', 'type: chat'),
      'type: random',
      'type: synthetic\n  multimodal: { image: {} }',
    ),
  ],
  [52, with_(CLEAN, ', streaming: true', ''), 'api.streaming', CLEAN],
  [57, with_(CLEAN, /tokenizer:.*\n/, ''), 'tokenizer', CLEAN],
  [
    63,
    `${CLEAN}report: { request_lifecycle: { percentiles: [90, 95] } }\n`,
    'report.request_lifecycle.percentiles',
    `${CLEAN}report: { request_lifecycle: { percentiles: [50, 90, 95, 99] } }\n`,
  ],
  [64, with_(CLEAN, '  request_timeout: 60\n', ''), 'load.request_timeout', CLEAN],
  [
    66,
    `${CLEAN}report: { goodput: { constraints: { e2e: 1 } } }\n`,
    'report.goodput.constraints.e2e',
    `${CLEAN}report: { goodput: { constraints: { ttft: 1 } } }\n`,
  ],
  [
    68,
    `${with_(CLEAN, 'streaming: true', 'streaming: true, headers: { x-slo-ttft-ms: "9" }')}report: { goodput: { constraints: { ttft: 1 } } }\n`,
    'api.headers.x-slo-ttft-ms',
    with_(CLEAN, 'streaming: true', 'streaming: true, headers: { x-slo-ttft-ms: "9" }'),
  ],
  [
    74,
    `${with_(CLEAN, ', model_name: org/model', '')}metrics: { type: prometheus, prometheus: { url: http://p } }\n`,
    'metrics.prometheus',
    `${CLEAN}metrics: { type: prometheus, prometheus: { url: http://p } }\n`,
  ],
  [
    76,
    `${with_(CLEAN, '  stages:', '  sweep: { type: linear }\n  stages:')}metrics: { type: prometheus, prometheus: { url: http://p } }\n`,
    'report.prometheus.summary',
    with_(CLEAN, '  stages:', '  sweep: { type: linear }\n  stages:'),
  ],
  [
    77,
    with_(CLEAN, '  stages:', '  lora_traffic_split: [{ name: a, split: 1 }]\n  stages:'),
    'load.lora_traffic_split',
    CLEAN,
  ],
  [
    79,
    `${CLEAN}storage: { google_cloud_storage: { bucket_name: b, path: runs } }\n`,
    'storage.google_cloud_storage.path',
    `${CLEAN}storage: { google_cloud_storage: { bucket_name: b, path: 'runs-{timestamp}' } }\n`,
  ],
  [81, with_(CLEAN, '{ base_url', '{ type: mock, base_url'), 'server.type', CLEAN],
  [
    82,
    with_(OTEL, '{ concurrent_sessions: 2 }', '{ concurrent_sessions: 2, timeout: 60 }'),
    'load.stages.1.timeout',
    OTEL,
  ],
  [
    84,
    with_(CLEAN, 'worker_max_concurrency: 100', 'worker_max_concurrency: 100\n  worker_max_tcp_connections: 99'),
    'load.worker_max_tcp_connections',
    with_(CLEAN, 'worker_max_concurrency: 100', 'worker_max_concurrency: 100\n  worker_max_tcp_connections: 100'),
  ],
  [85, with_(CLEAN, ' # isoperf: warmup', ''), 'load.stages.0', CLEAN],
  [92, with_(CLOSED, '  stages:', '  worker_max_concurrency: 100\n  stages:'), 'load.worker_max_concurrency', CLOSED],
];
