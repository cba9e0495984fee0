// Pitfalls found beyond inference-perf: other tools, clusters, servers, repeats (from CMP084).
import { ALL_LATENCIES, DECODE, EVERYTHING, pitfall, RATES, type Pitfall } from '../pitfall';

export const FURTHER_PITFALLS: readonly Pitfall[] = [
  pitfall(84, {
    title: 'Fewer connections than requests in flight',
    consequence: 'Requests wait in the client for a free connection, and the wait counts as TTFT.',
    remedy: 'worker_max_tcp_connections at least worker_max_concurrency.',
    moves: ['ttft', 'request_latency'],
    how: {
      config: 'worker_max_tcp_connections is below worker_max_concurrency or the concurrency level.',
    },
    configPaths: ['load.worker_max_tcp_connections'],
    source: 'Public bug reports 44 (gpustack PR 2324, AI-Hypercomputer inference-benchmark PR 40)',
  }),
  pitfall(85, {
    title: 'A warm-up that looks like a measurement',
    consequence:
      'A first stage that repeats the load of the second is meant as warm-up, and is reported and summarised like any other.',
    remedy: 'Mark it with "# isoperf: warmup".',
    moves: ['ttft', ...RATES],
    how: {
      config: 'The first two stages have the same load, and the first is not marked.',
    },
    configPaths: ['load.stages'],
    source: 'Public bug report 73 (llm-d guides, ladders with a repeated first rate)',
  }),
  pitfall(86, {
    title: 'The load goes through a port-forward',
    consequence:
      'kubectl port-forward multiplexes all streams over one connection: it limits throughput, adds latency and breaks under load.',
    remedy: 'Run in the cluster, or through a real service address.',
    moves: [...ALL_LATENCIES, ...RATES, 'error_rate'],
    how: {
      comparison: 'One side went to an address of its own machine, the other to another place.',
    },
    configPaths: ['server.base_url'],
    source: 'Public bug reports 51 and 52 (kubernetes issues 78446, 74551, 80171)',
  }),
  pitfall(87, {
    title: 'A chunk is not a token',
    consequence:
      'Speculative decoding, tool parsers and batching servers put several tokens into one chunk: gaps between chunks are not ITL.',
    remedy: 'Split by token counts, or call it chunk latency.',
    moves: ['itl'],
    how: {
      report: 'The mean gap between chunks is 1.3 times the decode time per token.',
    },
    source: 'Public bug reports 12, 14 and 15 (vLLM issue 27485, aiperf PR 1279)',
  }),
  pitfall(88, {
    title: 'The end of a request is not the same moment everywhere',
    consequence:
      'Some tools end at the last token, others at the usage chunk or at [DONE]: latency differs by up to a round trip.',
    remedy: 'End at the last token; keep the stream’s end apart.',
    moves: ['request_latency', ...DECODE],
    how: {
      comparison: 'Two tools whose latencies end at different moments.',
    },
    source: 'Public bug report 20 (vLLM PR 55508)',
  }),
  pitfall(89, {
    title: 'The same name in another tool',
    consequence:
      'GuideLLM’s time per output token contains TTFT from 0.4 on, AIPerf’s inter-token latency is TPOT, llmperf’s is NTPOT, vLLM’s ITL is between chunks.',
    remedy: 'Convert by definition, not by name.',
    moves: ALL_LATENCIES,
    how: {
      comparison: 'Two tools write one name (ITL, time per output token) for different quantities.',
    },
    source: 'Peers study, section 2 (metric definitions)',
  }),
  pitfall(90, {
    title: 'One run each',
    consequence:
      'Identical runs differ: in public repeats p99 spread by 24 %, throughput by a third. A single pair cannot tell the change from the noise.',
    remedy: 'Repeat in alternating order; show the spread.',
    moves: EVERYTHING,
    how: {
      comparison: 'At least one side has no repeats.',
    },
    source: 'Public bug report 77 (NVIDIA aicr issue 1197) and performance reference',
  }),
  pitfall(91, {
    title: 'The profile is not what ran',
    consequence:
      'Releases before main drop unknown keys in silence: the file asks for one workload and another is measured.',
    remedy: 'Compare the resolved configs of the two reports, not the profiles.',
    moves: EVERYTHING,
    how: {
      comparison: 'A config has keys that the version of its report, known by its layout, ignores.',
    },
    source: 'Public bug report 66 (inference-sim training set)',
  }),
  pitfall(92, {
    title: 'worker_max_concurrency does nothing here',
    consequence:
      'Load type concurrent takes its limit from concurrency_level and sets worker_max_concurrency to 0: the number in the file misleads.',
    remedy: 'Remove it from the file.',
    moves: [],
    how: {
      config: 'worker_max_concurrency is written with load.type concurrent.',
    },
    configPaths: ['load.worker_max_concurrency'],
    source: 'inference-perf main.py (upstream main 7de5ef2), reference section 0',
  }),
  pitfall(93, {
    title: 'The first token is not the same event everywhere',
    consequence:
      'vLLM’s bench stops the clock at the first chunk, be it empty; inference-perf at the first visible text; others at the first reasoning token: TTFT differs though the server does not.',
    remedy: 'Compare TTFT within one tool.',
    moves: ['ttft'],
    how: { comparison: 'Two reports whose TTFT ends at different events.' },
    source: 'Peers study, section 2 (metric definitions)',
  }),
  pitfall(94, {
    title: 'The clock starts at another moment',
    consequence:
      'From the scheduled time on, waiting in the client is part of the latency; from the send on it is not. Under load the two are a whole queue apart.',
    remedy: 'Add the schedule delay to the side that leaves it out, or compare at a load without waiting.',
    moves: ['ttft', 'request_latency'],
    how: { comparison: 'One report has its latency from the schedule only, the other from the send only.' },
    source: 'Peers study, section 2 (clock zero)',
  }),
  pitfall(95, {
    title: 'A percentile is not computed alike everywhere',
    consequence:
      'Interpolated between two requests, taken by rank, or read from the buckets of a histogram: high percentiles of the same requests differ, most of all when they are few.',
    remedy: 'Recompute both sides from per-request records.',
    moves: ['percentiles'],
    how: { comparison: 'The latencies of the two reports have different percentile methods.' },
    source: 'Peers study, section 2 (percentile method)',
  }),
  pitfall(96, {
    title: 'A mean weighs requests, or tokens',
    consequence:
      'GuideLLM weighs its time per token by tokens, most others by requests: long answers count for more, and the means differ on the same run.',
    remedy: 'Recompute both sides from per-request records.',
    moves: DECODE,
    how: { comparison: 'TPOT or NTPOT of the two reports is weighted differently.' },
    source: 'Peers study, section 2 (metric definitions)',
  }),
  pitfall(97, {
    title: 'The achieved rate counts sends, not answers',
    consequence:
      'achieved_rate is what was sent, failures included: a server that answers an eighth of it looks as if it kept up.',
    remedy: 'Show the completed requests/s beside it.',
    moves: ['requests_per_sec'],
    how: { report: 'Twice as many requests/s were sent as were answered.' },
    source: 'Public bug report 42 (inference-sim reports)',
  }),
  pitfall(98, {
    title: 'The config names another model than is served',
    consequence:
      'The numbers are filed under a model that did not make them, and its tokenizer counted their tokens: two runs of "the same model" may not be.',
    remedy: 'Make server.model_name, the tokenizer and the stack record name the model that is served.',
    moves: EVERYTHING,
    how: { comparison: 'The model of the stack record and server.model_name are two hub names that differ.' },
    configPaths: ['server.model_name'],
    source: 'Peers study, finding F3 (public KubeCon 2025 reports)',
  }),
  pitfall(99, {
    title: 'A flag and its value in one argument',
    consequence:
      'A server that gets "--quantization bitsandbytes" as one argument most likely never applied it: the variant that was measured is the baseline.',
    remedy: 'Write the flag and its value as two list elements, or join them with "=".',
    moves: EVERYTHING,
    how: { comparison: 'An argument of a stack record holds a flag, a space and a value.' },
    source: 'Peers study, finding F3 (public KubeCon 2025 reports)',
  }),
  pitfall(100, {
    title: 'The two sides asked for other lengths',
    consequence:
      'Longer prompts take longer to read and longer answers longer to write: every latency and rate follows the lengths, whatever the server does.',
    remedy: 'Give both configs the same length distributions, and compare what was realised.',
    moves: EVERYTHING,
    how: { comparison: 'Realised lengths differ, and so do the configured ones or those that were asked for.' },
    configPaths: ['data.input_distribution', 'data.output_distribution', 'data.shared_prefix.output_len'],
    source: 'Public bug report 78 (Megatron-LM PR 7438, d-inference PR 576)',
  }),
  pitfall(101, {
    title: 'The two sides sent other data',
    consequence:
      'Other texts have other lengths, other repeats and other shared beginnings: caches, drafts and batches do other work for them.',
    remedy: 'Same data section, same files and same seed on both sides; or one frozen stream for both.',
    moves: EVERYTHING,
    how: { comparison: 'data.type, the data set or its groups of prompts differ.' },
    configPaths: ['data.type', 'data.path'],
    source: 'Public bug report 78 (Megatron-LM PR 7438, d-inference PR 576)',
  }),
];
