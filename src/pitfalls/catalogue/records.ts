// Pitfalls of server metrics, storage, sessions and systems (CMP072 to CMP083), and those found beyond inference-perf (from CMP084).
import { ALL_LATENCIES, DECODE, EVERYTHING, pitfall, RATES, type Pitfall } from '../pitfall';

export const RECORD_PITFALLS: readonly Pitfall[] = [
  pitfall(72, {
    title: 'Prometheus zeros mean "no data"',
    consequence:
      'A renamed or missing metric is reported as 0, only the first of several series is read, and the window includes pauses: server figures can be far off the client’s.',
    remedy: 'Trust them only when counts agree within 5 %.',
    moves: ['server_metrics'],
    detectedIn: ['report', 'comparison'],
    how: 'Server request count and client count differ by more than 5 %.',
    configPaths: ['metrics.prometheus', 'metrics.prometheus.filters'],
  }),
  pitfall(73, {
    title: 'Prometheus prompt lengths are rates',
    consequence: 'For vLLM and SGLang prompt_len.mean is tokens/s, for TGI a rate is requests/s: the names mislead.',
    remedy: 'Ignore or relabel them.',
    moves: ['server_metrics'],
    detectedIn: ['report'],
    how: 'Absurd lengths in the Prometheus report.',
    configPaths: ['metrics.prometheus'],
  }),
  pitfall(74, {
    title: 'Server metrics are empty without model_name',
    consequence:
      'When the model is looked up from the server, Prometheus queries ask for the model "None": every server metric is 0.',
    remedy: 'Write server.model_name.',
    moves: ['server_metrics'],
    detectedIn: ['config', 'report'],
    how: 'metrics.prometheus is set and server.model_name is not.',
    configPaths: ['server.model_name', 'metrics.prometheus'],
  }),
  pitfall(75, {
    title: 'NaN in JSON',
    consequence: 'Reports can hold NaN, which is not JSON: strict readers stop, others read something else.',
    remedy: 'Read it as missing.',
    moves: ['server_metrics'],
    detectedIn: ['report'],
    how: 'The word NaN or Infinity in a report file.',
  }),
  pitfall(76, {
    title: 'The Prometheus summary includes the sweep’s probe',
    consequence: 'The window of the summary covers probe and pauses: rates are too low.',
    remedy: 'Use the stage files.',
    moves: ['server_metrics'],
    detectedIn: ['config', 'report'],
    how: 'load.sweep together with Prometheus metrics.',
    configPaths: ['load.sweep', 'report.prometheus.summary'],
  }),
  pitfall(77, {
    title: 'LoRA shares are drawn anew in each run',
    consequence:
      'The choice of adapter is never seeded: the mix differs from run to run, and adapter reports cover all stages.',
    remedy: 'Compare adapter by adapter and stage by stage.',
    moves: EVERYTHING,
    detectedIn: ['config', 'report', 'comparison'],
    how: 'load.lora_traffic_split is set; adapter counts differ.',
    configPaths: ['load.lora_traffic_split'],
  }),
  pitfall(78, {
    title: 'The saved config is not the one you wrote',
    consequence:
      'Concurrent stages get rate and duration, total_count is filled in, sweep stages are missing, secrets are inside: running it again is another run.',
    remedy: 'Keep your own file; treat the saved one as a record.',
    moves: EVERYTHING,
    detectedIn: ['report', 'comparison'],
    how: 'A config.yaml in a report folder of inference-perf.',
  }),
  pitfall(79, {
    title: 'Reports of two runs in one place',
    consequence:
      'A fixed path or prefix in a bucket keeps files of an older run beside the new ones, or skips the upload because they exist.',
    remedy: 'Put {timestamp} into the path.',
    moves: EVERYTHING,
    detectedIn: ['config', 'report'],
    how: 'A storage path without {timestamp}; stage counts that do not add up to the summary’s.',
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
    detectedIn: ['comparison'],
    how: 'No manifest or stack record on at least one side.',
    configPaths: ['server.base_url', 'server.model_name'],
  }),
  pitfall(81, {
    title: 'A mock server was measured',
    consequence: 'server.type mock sends nothing: every request takes a second and has no tokens.',
    remedy: 'Do not compare it with anything.',
    moves: EVERYTHING,
    detectedIn: ['config', 'report', 'comparison'],
    how: 'server.type is mock; mean latency 1.00 s.',
    configPaths: ['server.type'],
  }),
  pitfall(82, {
    title: 'Cancelled and broken sessions are invisible',
    consequence:
      'Sessions cut by a stage timeout or left out by skip_invalid_files are in no denominator: the success ratio is too good.',
    remedy: 'Divide by the planned number of sessions.',
    moves: ['session_metrics', 'error_rate'],
    detectedIn: ['config', 'report'],
    how: 'timeout on a session stage, or skip_invalid_files; fewer sessions than planned.',
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
    detectedIn: ['report', 'comparison'],
    how: 'sessions_with_cache_info below the number of sessions.',
  }),
  pitfall(84, {
    title: 'Fewer connections than requests in flight',
    consequence: 'Requests wait in the client for a free connection, and the wait counts as TTFT.',
    remedy: 'worker_max_tcp_connections at least worker_max_concurrency.',
    moves: ['ttft', 'request_latency'],
    detectedIn: ['config'],
    how: 'worker_max_tcp_connections below worker_max_concurrency or the concurrency level.',
    configPaths: ['load.worker_max_tcp_connections'],
    source: 'Public bug reports 44 (gpustack PR 2324, AI-Hypercomputer inference-benchmark PR 40)',
  }),
  pitfall(85, {
    title: 'A warm-up that looks like a measurement',
    consequence:
      'A first stage that repeats the load of the second is meant as warm-up, and is reported and summarised like any other.',
    remedy: 'Mark it with "# isoperf: warmup".',
    moves: ['ttft', ...RATES],
    detectedIn: ['config'],
    how: 'The first two stages have the same load and the first is not marked.',
    configPaths: ['load.stages'],
    source: 'Public bug report 73 (llm-d guides, ladders with a repeated first rate)',
  }),
  pitfall(86, {
    title: 'The load goes through a port-forward',
    consequence:
      'kubectl port-forward multiplexes all streams over one connection: it limits throughput, adds latency and breaks under load.',
    remedy: 'Run in the cluster, or through a real service address.',
    moves: [...ALL_LATENCIES, ...RATES, 'error_rate'],
    detectedIn: ['comparison'],
    how: 'A localhost address on one side and a cluster address on the other.',
    configPaths: ['server.base_url'],
    source: 'Public bug reports 51 and 52 (kubernetes issues 78446, 74551, 80171)',
  }),
  pitfall(87, {
    title: 'A chunk is not a token',
    consequence:
      'Speculative decoding, tool parsers and batching servers put several tokens into one chunk: gaps between chunks are not ITL.',
    remedy: 'Split by token counts, or call it chunk latency.',
    moves: ['itl'],
    detectedIn: ['report', 'comparison'],
    how: 'More output tokens than chunks.',
    source: 'Public bug reports 12, 14 and 15 (vLLM issue 27485, aiperf PR 1279)',
  }),
  pitfall(88, {
    title: 'The end of a request is not the same moment everywhere',
    consequence:
      'Some tools end at the last token, others at the usage chunk or at [DONE]: latency differs by up to a round trip.',
    remedy: 'End at the last token; keep the stream’s end apart.',
    moves: ['request_latency', ...DECODE],
    detectedIn: ['comparison'],
    how: 'Different tools on the two sides.',
    source: 'Public bug report 20 (vLLM PR 55508)',
  }),
  pitfall(89, {
    title: 'The same name in another tool',
    consequence:
      'GuideLLM’s time per output token contains TTFT, AIPerf’s inter-token latency is TPOT, llmperf’s is NTPOT, vLLM’s ITL is between chunks.',
    remedy: 'Convert by definition, not by name.',
    moves: ALL_LATENCIES,
    detectedIn: ['comparison'],
    how: 'Different tools on the two sides.',
    source: 'Peers study, section 2 (metric definitions)',
  }),
  pitfall(90, {
    title: 'One run each',
    consequence:
      'Identical runs differ: in public repeats p99 spread by 24 %, throughput by a third. A single pair cannot tell the change from the noise.',
    remedy: 'Repeat in alternating order; show the spread.',
    moves: EVERYTHING,
    detectedIn: ['comparison'],
    how: 'No repeats on at least one side.',
    source: 'Public bug report 77 (NVIDIA aicr issue 1197) and performance reference',
  }),
  pitfall(91, {
    title: 'The profile is not what ran',
    consequence:
      'Releases before main drop unknown keys in silence: the file asks for one workload and another is measured.',
    remedy: 'Compare the resolved configs of the two reports, not the profiles.',
    moves: EVERYTHING,
    detectedIn: ['comparison'],
    how: 'Keys of the profile that the version does not know; saved config differs from it.',
    source: 'Public bug report 66 (inference-sim training set)',
  }),
  pitfall(92, {
    title: 'worker_max_concurrency does nothing here',
    consequence:
      'Load type concurrent takes its limit from concurrency_level and sets worker_max_concurrency to 0: the number in the file misleads.',
    remedy: 'Remove it from the file.',
    moves: [],
    detectedIn: ['config'],
    how: 'worker_max_concurrency is written with load.type concurrent.',
    configPaths: ['load.worker_max_concurrency'],
    source: 'inference-perf main.py (upstream main 7de5ef2), reference section 0',
  }),
];
