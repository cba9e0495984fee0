// Pitfalls of server metrics, storage, sessions and systems (CMP072 to CMP083).
import { EVERYTHING, pitfall, type Pitfall } from '../pitfall';

export const RECORD_PITFALLS: readonly Pitfall[] = [
  pitfall(72, {
    title: 'Prometheus zeros mean "no data"',
    consequence:
      'A renamed or missing metric is reported as 0, only the first of several series is read, and the window includes pauses: server figures can be far off the client’s.',
    remedy: 'Trust them only when counts agree within 5 %.',
    moves: ['server_metrics'],
    how: {
      report: 'Server and client count requests over 5 % apart; or server figures are exactly 0.',
    },
    configPaths: ['metrics.prometheus', 'metrics.prometheus.filters'],
  }),
  pitfall(73, {
    title: 'Prometheus prompt lengths are rates',
    consequence: 'For vLLM and SGLang prompt_len.mean is tokens/s, for TGI a rate is requests/s: the names mislead.',
    remedy: 'Ignore or relabel them.',
    moves: ['server_metrics'],
    how: {
      report: 'prompt_len or output_len of a Prometheus report has a mean above 0.',
    },
    configPaths: ['metrics.prometheus'],
  }),
  pitfall(74, {
    title: 'Server metrics are empty without model_name',
    consequence:
      'When the model is looked up from the server, Prometheus queries ask for the model "None": every server metric is 0.',
    remedy: 'Write server.model_name.',
    moves: ['server_metrics'],
    how: {
      config: 'metrics.prometheus is set and server.model_name is not.',
      report: 'A Prometheus report is all zeros, and the config names no model.',
    },
    configPaths: ['server.model_name', 'metrics.prometheus'],
  }),
  pitfall(75, {
    title: 'NaN in JSON',
    consequence: 'Reports can hold NaN, which is not JSON: strict readers stop, others read something else.',
    remedy: 'Read it as missing.',
    moves: ['server_metrics'],
    how: {
      report: 'A bare NaN or Infinity stands in a JSON file.',
    },
  }),
  pitfall(76, {
    title: 'The Prometheus summary includes the sweep’s probe',
    consequence: 'The window of the summary covers probe and pauses: rates are too low.',
    remedy: 'Use the stage files.',
    moves: ['server_metrics'],
    how: {
      config: 'load.sweep together with Prometheus metrics and their summary.',
      report: 'A run with a sweep has a Prometheus summary.',
    },
    configPaths: ['load.sweep', 'report.prometheus.summary'],
  }),
  pitfall(77, {
    title: 'LoRA shares are drawn anew in each run',
    consequence:
      'The choice of adapter is never seeded: the mix differs from run to run, and adapter reports cover all stages.',
    remedy: 'Compare adapter by adapter and stage by stage.',
    moves: EVERYTHING,
    how: {
      config: 'load.lora_traffic_split is set.',
      report: 'The same, and at least two adapters have reports.',
    },
    configPaths: ['load.lora_traffic_split'],
  }),
  pitfall(78, {
    title: 'The saved config is not the one you wrote',
    consequence:
      'Concurrent stages get rate and duration, total_count is filled in, sweep stages are missing, secrets are inside: running it again is another run.',
    remedy: 'Keep your own file; treat the saved one as a record.',
    moves: EVERYTHING,
    how: {
      report: 'The saved config has closed stages with a rate, or a sweep and no stages.',
    },
  }),
  pitfall(79, {
    title: 'Reports of two runs in one place',
    consequence:
      'A fixed path or prefix in a bucket keeps files of an older run beside the new ones, or skips the upload because they exist.',
    remedy: 'Put {timestamp} into the path.',
    moves: EVERYTHING,
    how: {
      config: 'A bucket’s path without {timestamp}.',
      report: 'The stages do not add up to the summary, or successes and failures not to the requests.',
    },
    configPaths: [
      'storage.google_cloud_storage.path',
      'storage.simple_storage_service.path',
      'storage.local_storage.path',
    ],
  }),
  pitfall(80, {
    title: 'The system under test is not recorded',
    consequence:
      'Server version, quantisation, replicas, hardware and served model are in no report: equal configs may have run on different systems.',
    remedy: 'Keep a stack record beside the config.',
    moves: EVERYTHING,
    how: {
      comparison: 'At least one side has no stack record.',
    },
    configPaths: ['server.base_url', 'server.model_name'],
  }),
  pitfall(81, {
    title: 'A mock server was measured',
    consequence: 'server.type mock sends nothing: every request takes a second and has no tokens.',
    remedy: 'Do not compare it with anything.',
    moves: EVERYTHING,
    how: {
      config: 'server.type is mock.',
      report: 'The same; or every request took 1.00 s and no answer has a token.',
    },
    configPaths: ['server.type'],
  }),
  pitfall(82, {
    title: 'Cancelled and broken sessions are invisible',
    consequence:
      'Sessions cut by a stage timeout or left out by skip_invalid_files are in no denominator: the success ratio is too good.',
    remedy: 'Divide by the planned number of sessions.',
    moves: ['session_metrics', 'error_rate'],
    how: {
      config: 'A session stage with a timeout, or skip_invalid_files.',
      report: 'A session report has fewer sessions than num_sessions, or its stage did not complete.',
    },
    configPaths: [
      'load.stages.timeout',
      'data.otel_trace_replay.skip_invalid_files',
      'data.weka_trace_replay.skip_invalid_files',
    ],
  }),
  pitfall(83, {
    title: 'Missing cache figures are not zero',
    consequence: 'Cache-hit shares of sessions exist only when the server reports cached tokens; null is not 0 %.',
    remedy: 'Read null as not measured.',
    moves: ['session_metrics'],
    how: {
      report: 'sessions_with_cache_info is below the number of sessions.',
    },
  }),
];
