// Pitfalls of routes, tokenizers, conversations, traces and media (CMP038 to CMP051).
import { ALL_LATENCIES, EVERYTHING, pitfall, RATES, type Pitfall } from '../pitfall';

export const REPLAY_PITFALLS: readonly Pitfall[] = [
  pitfall(38, {
    title: 'The chat template lengthens prompts',
    consequence:
      'On the chat route the server wraps each prompt: it processes more tokens than were configured, and than completion does.',
    remedy: 'Same route on both sides; take prompt tokens from the server’s usage.',
    moves: ['ttft', 'input_tokens_per_sec', 'total_tokens_per_sec'],
    how: {
      report:
        'The server’s prompt tokens exceed the client’s by the same number (over 2) for the shortest, the mean and the longest prompt.',
    },
    configPaths: ['api.type', 'data.use_chat_template'],
  }),
  pitfall(39, {
    title: 'Exact prompt lengths include the begin token',
    consequence:
      'Models with a begin-of-sequence token get one real token less than models without it; for tiny prompts that matters.',
    remedy: 'Tolerate one or two tokens.',
    moves: ['input_tokens_per_sec'],
    how: {
      comparison: 'Shortest, mean and longest prompt are all longer by exactly one token on one side.',
    },
    configPaths: ['tokenizer.pretrained_model_name_or_path'],
  }),
  pitfall(40, {
    title: 'The tokenizer is not the model’s',
    consequence:
      'Token counts and prompt lengths are wrong, and prompts that cannot reach their length are dropped without a trace.',
    remedy: 'Use the model’s own tokenizer; or let the server count (use_server_output_tokens).',
    moves: ['tpot', 'itl', 'ntpot', ...RATES],
    how: {
      config: 'The tokenizer and server.model_name are two hub names that differ.',
      report: 'The same, and the client’s count is over 2 % off the server’s.',
    },
    configPaths: ['tokenizer.pretrained_model_name_or_path'],
  }),
  pitfall(41, {
    title: 'Requests vanish when their prompt cannot be built',
    consequence:
      'A prompt that cannot be made exactly as long as wanted is dropped: no failure is counted, the load is lower than stated.',
    remedy: 'Compare the count with the planned one; read the log.',
    moves: [...RATES, 'error_rate'],
    how: {
      report: 'A stage of random or synthetic data has fewer requests than planned although it sent until its end.',
    },
    configPaths: ['data.type'],
  }),
  pitfall(42, {
    title: 'A sweep over random data draws too few lengths',
    consequence:
      'Lengths are drawn before the sweep knows its stages: nearly all requests are dropped, and saturation is found where none is.',
    remedy:
      'Write total_count, at least the larger of sweep.num_requests and the largest stage, in both distributions.',
    moves: [...RATES, 'error_rate'],
    how: {
      config: 'load.sweep with data type random or synthetic, and no total_count.',
    },
    configPaths: ['data.input_distribution.total_count', 'data.output_distribution.total_count', 'load.sweep'],
  }),
  pitfall(43, {
    title: 'shared_prefix does not follow api.type',
    consequence:
      'Text prompts go to /v1/completions even when api.type is chat: the run measures another route than it says.',
    remedy: 'Write api.type: completion, so that the file says what happens.',
    moves: ['ttft', 'input_tokens_per_sec'],
    how: {
      config: 'data.type is shared_prefix without media, and api.type is chat.',
      comparison: 'The same in the config of an inference-perf report.',
    },
    configPaths: ['api.type', 'data.shared_prefix'],
  }),
  pitfall(44, {
    title: 'Multi-turn repeats the question and the prefix',
    consequence:
      'Each round sends the conversation so far, then the same prompt again, prefix included: prompts grow by more than a turn, and the cache hits more than it would.',
    remedy: 'Use data.type conversation_replay for conversations.',
    moves: ['ttft', 'input_tokens_per_sec', 'total_tokens_per_sec'],
    how: {
      config: 'data.shared_prefix.enable_multi_turn_chat is on.',
      report: 'The same, and the longest prompt is over twice the 5th percentile.',
    },
    configPaths: ['data.shared_prefix.enable_multi_turn_chat'],
  }),
  pitfall(45, {
    title: 'Simulated tool time counts as latency',
    consequence:
      'The pause is taken before the end time: request latency, NTPOT and throughput include seconds in which nothing ran.',
    remedy: 'Compare TTFT, TPOT and ITL; latency only with equal settings.',
    moves: ['request_latency', 'ntpot', ...RATES],
    how: {
      config: 'data.conversation_replay.tool_call_latency_sec is set.',
      report: 'The same, and over a fifth of the mean latency is neither TTFT nor TPOT x (n - 1).',
    },
    configPaths: ['data.conversation_replay.tool_call_latency_sec'],
  }),
  pitfall(46, {
    title: 'Trace replay shortens think time',
    consequence:
      'Pauses are cut at max_wait_ms (15 s) and idle gaps at trace_idle_gap_cap_seconds (60 s): sessions are denser than recorded.',
    remedy: 'Same caps on both sides, and say them.',
    moves: [...EVERYTHING, 'session_metrics'],
    how: {
      config: 'A trace data type with its caps.',
      comparison: 'max_wait_ms or trace_idle_gap_cap_seconds differ.',
    },
    configPaths: [
      'data.otel_trace_replay.max_wait_ms',
      'data.weka_trace_replay.max_wait_ms',
      'data.weka_trace_replay.trace_idle_gap_cap_seconds',
    ],
  }),
  pitfall(47, {
    title: 'Replayed prompts contain the live model’s answers',
    consequence:
      'By default each turn carries what the model just said: two models, or two runs, do not see the same prompts.',
    remedy: 'Set disable_output_substitution: true for a paired comparison.',
    moves: EVERYTHING,
    how: {
      config: 'otel_trace_replay with disable_output_substitution off.',
      comparison: 'The same on at least one side.',
    },
    configPaths: ['data.otel_trace_replay.disable_output_substitution'],
  }),
  pitfall(48, {
    title: 'Copied sessions miss the cache, originals hit it',
    consequence:
      'duplicate_sessions_target tags copies with random text, originals not: the cache’s hit rate depends on how many were copied.',
    remedy: 'Set inject_random_session_id for all, or copy none.',
    moves: ['ttft', 'request_latency', ...RATES],
    how: {
      config: 'duplicate_sessions_target without inject_random_session_id.',
      report: 'The list of sessions has copies (_dup in the id) and originals, and nothing was injected.',
    },
    configPaths: [
      'data.otel_trace_replay.duplicate_sessions_target',
      'data.weka_trace_replay.duplicate_sessions_target',
    ],
  }),
  pitfall(49, {
    title: 'Replay options that do nothing, and tool calls of 4096 tokens',
    consequence:
      'Model and max-token options of trace replay are checked and never used; calls that answer with a tool get at least 4096 max_tokens. Answers are longer than recorded.',
    remedy: 'Do not rely on them; write override_tool_call_max_tokens: false to keep recorded lengths.',
    moves: ['request_latency', ...RATES],
    how: {
      config:
        'use_static_model, static_model_name, model_mapping, default_max_tokens, ignore_trace_delays or use_think_time_only is written.',
      report:
        'Such an option is not at its default; or answers are over 1,024 tokens with override_tool_call_max_tokens.',
    },
    configPaths: [
      'data.otel_trace_replay.use_static_model',
      'data.otel_trace_replay.default_max_tokens',
      'data.otel_trace_replay.model_mapping',
      'data.otel_trace_replay.override_tool_call_max_tokens',
      'data.weka_trace_replay.ignore_trace_delays',
      'data.weka_trace_replay.use_think_time_only',
    ],
  }),
  pitfall(50, {
    title: 'Synthetic media are not like real ones',
    consequence:
      'Images are one solid colour, videos come from a pool of four per size: payloads are tiny and encoder caches hit.',
    remedy: 'Compare only within this tool; take payload figures for what they are.',
    moves: ['ttft', 'request_latency', 'input_tokens_per_sec'],
    how: {
      config: 'A multimodal section with a count.',
      report: 'The images have under 0.05 bytes per pixel.',
    },
    configPaths: ['data.multimodal', 'data.shared_prefix.multimodal'],
  }),
  pitfall(51, {
    title: 'No sampling parameters are sent',
    consequence:
      'Temperature and top_p are the server’s defaults or the model’s generation config: outputs vary, and two servers may sample differently.',
    remedy: 'Fix the server’s defaults and record them.',
    moves: [...ALL_LATENCIES, 'output_tokens_per_sec'],
    how: {
      comparison: 'The servers differ, and neither side sent temperature, top_p or seed.',
    },
  }),
];
