// Pitfalls of measuring: what a metric means, who counted, what is missing (CMP052 to CMP071).
import { ALL_LATENCIES, DECODE, EVERYTHING, OUTPUT_RATES, pitfall, RATES, type Pitfall } from '../pitfall';

export const MEASUREMENT_PITFALLS: readonly Pitfall[] = [
  pitfall(52, {
    title: 'Streaming is off',
    consequence:
      'There is no TTFT, TPOT or ITL: only NTPOT and whole-request latency. NTPOT contains the first token’s time and does not stand in for TPOT.',
    remedy: 'Set api.streaming: true (the default is false).',
    moves: ['ttft', 'tpot', 'itl'],
    how: {
      config: 'api.streaming is false or not written.',
      report: 'Successes have a latency, and no TTFT.',
    },
    configPaths: ['api.streaming'],
  }),
  pitfall(53, {
    title: 'Streaming on one side only',
    consequence: 'Streams add usage chunks, proxy buffering and client work: even whole-request latency differs.',
    remedy: 'Same setting on both sides.',
    moves: EVERYTHING,
    how: {
      comparison: 'api.streaming differs.',
    },
    configPaths: ['api.streaming'],
  }),
  pitfall(54, {
    title: 'TTFT waits for visible text',
    consequence:
      'Reasoning tokens do not count as first token in inference-perf, and one-token answers have no TTFT: reasoning models show huge or missing TTFT.',
    remedy:
      'Use the server’s TTFT for reasoning models. IsoPerf records the first token of any channel and of the content apart.',
    moves: ['ttft'],
    how: {
      report:
        'The client’s TTFT is 1.3 times the server’s, and the server counts 1.2 times the client’s output tokens.',
    },
    configPaths: ['api.streaming'],
  }),
  pitfall(55, {
    title: 'The first requests open connections',
    consequence: 'TTFT and latency include TCP and TLS set-up, paid by the first requests of each worker.',
    remedy: 'Warm the connections with a warm-up stage.',
    moves: ['ttft', 'request_latency', 'percentiles'],
    how: {
      report:
        'The slowest TTFT of the first stage is three times that of the second, while nine in ten requests are as fast.',
    },
    configPaths: ['load.worker_max_tcp_connections'],
  }),
  pitfall(56, {
    title: 'A proxy or gateway joins chunks',
    consequence: 'Several tokens arrive at once: ITL is zero and then large, while TPOT stays right.',
    remedy: 'Use TPOT; report gaps between chunks as such.',
    moves: ['itl'],
    how: {
      report: 'Over a tenth of the gaps are under 0.5 ms.',
    },
    configPaths: ['server.base_url'],
  }),
  pitfall(57, {
    title: 'What ITL counts depends on the tokenizer section',
    consequence:
      'Without a tokenizer section ITL is the gap between chunks, with one between tokens: a factor of the tokens per chunk.',
    remedy: 'The same on both sides, or compare TPOT.',
    moves: ['itl'],
    how: {
      config: 'tokenizer is left out, with streaming on.',
      report: 'The mean gap is over 10 % above the decode time per token.',
      comparison: 'Only one side’s config has a tokenizer section.',
    },
    configPaths: ['tokenizer'],
  }),
  pitfall(58, {
    title: 'Different counters of tokens',
    consequence:
      'Client and server counts differ by per cents, and reasoning tokens are in the server’s alone: tokens/s, TPOT and NTPOT move with the counter.',
    remedy: 'One source on both sides; the server’s usage where there is one.',
    moves: [...DECODE, ...RATES],
    how: {
      report:
        'The client’s and the server’s count of output tokens differ by over 1 %; or a total or rate fits neither.',
    },
    configPaths: ['report.request_lifecycle.use_server_output_tokens'],
  }),
  pitfall(59, {
    title: 'Input tokens changed their counter',
    consequence:
      'Main takes prompt tokens from the server, releases from the client: templates, tools and media make input tokens/s jump.',
    remedy: 'Recompute both from prompt_tokens / time.',
    moves: ['input_tokens_per_sec', 'total_tokens_per_sec'],
    how: {
      report: 'input tokens/s x window fits neither count of the prompts within 2 %.',
      comparison:
        'One report is by a version that takes prompt tokens from the server, the other by one that counts itself.',
    },
    configPaths: ['api.type'],
  }),
  pitfall(60, {
    title: 'TPOT and ITL changed their meaning between versions',
    consequence:
      'Halved in v0.1 and v0.2, counted by event in v0.3 and v0.4, inflated by begin tokens in v0.5: factors of about 2.',
    remedy: 'Do not compare them across these versions; derive TPOT as (latency - TTFT) / (n - 1).',
    moves: ['tpot', 'itl'],
    how: {
      report:
        'The mean latency is not mean TTFT + mean TPOT x (n - 1), or the mean gap is not the decode time per token.',
    },
  }),
  pitfall(61, {
    title: 'Empty answers make NTPOT 0',
    consequence: 'An answer without tokens enters the mean with 0: NTPOT is too low.',
    remedy: 'Leave them out, and count them.',
    moves: ['ntpot'],
    how: {
      report: 'The smallest NTPOT is 0.',
    },
  }),
  pitfall(62, {
    title: 'Means of different things',
    consequence: 'TPOT weighs every request alike, ITL every token: their means differ on the same run.',
    remedy: 'Never set one against the other.',
    moves: ['tpot', 'itl'],
    how: {
      comparison: 'One report has TPOT and no gaps, the other gaps and no TPOT.',
    },
  }),
  pitfall(63, {
    title: 'Percentiles are configurable',
    consequence: 'A percentile that was not asked for is missing, and some views show it as 0; p50 is called median.',
    remedy: 'Keep 50, 90, 95 and 99 in the list; read a missing value as missing.',
    moves: ['percentiles'],
    how: {
      config: 'report.request_lifecycle.percentiles lacks 50, 90, 95 or 99.',
      report: 'The median, p90, p95 or p99 of the latency is not in the file.',
    },
    configPaths: ['report.request_lifecycle.percentiles'],
  }),
  pitfall(64, {
    title: 'Requests end after 300 s unless told otherwise',
    consequence:
      'Without request_timeout the HTTP library stops requests at 300 s: they fail, and the slowest latencies are missing from the percentiles.',
    remedy: 'Write load.request_timeout, the same on both sides; show how many timed out.',
    moves: ['request_latency', 'percentiles', 'error_rate'],
    how: {
      config: 'load.request_timeout is not written.',
      report: 'The same, and the longest failure took 300 s.',
    },
    configPaths: ['load.request_timeout'],
  }),
  pitfall(65, {
    title: 'Failed requests are left out of latency',
    consequence:
      'An overloaded server that turns requests away looks fast: only the survivors are in the percentiles, while the time counts for throughput.',
    remedy: 'Show the error rate beside every number; compare only below 1 %.',
    moves: [...ALL_LATENCIES, ...RATES, 'error_rate'],
    how: {
      report: 'Over 1 % of the requests failed; or sends and successes are over different windows.',
    },
  }),
  pitfall(66, {
    title: 'Goodput leaves out failures and ignores unknown limits',
    consequence:
      'The share is of successes only; a limit with an unknown name counts as met, and without streaming TTFT, TPOT and ITL limits give 0 %.',
    remedy: 'Use only ttft, tpot, itl, ntpot, request_latency; recompute good / (ok + failed).',
    moves: ['goodput'],
    how: {
      config: 'Unknown constraint keys; or limits on TTFT, TPOT or ITL without streaming.',
      report: 'A goodput stands beside failures.',
    },
    configPaths: ['report.goodput', 'report.goodput.constraints'],
  }),
  pitfall(67, {
    title: 'Goodput has its own time base',
    consequence: 'Good requests per second can exceed requests per second.',
    remedy: 'Recompute from counts and benchmark time.',
    moves: ['goodput'],
    how: {
      report: 'request_goodput is above requests_per_sec.',
    },
    configPaths: ['report.goodput'],
  }),
  pitfall(68, {
    title: 'SLO headers override the goodput limits',
    consequence:
      'x-slo-ttft and x-slo-tpot headers set the limit per request: two runs with equal constraints may judge by different ones.',
    remedy: 'Compare the headers too, or drop them.',
    moves: ['goodput'],
    how: {
      config: 'api.headers has x-slo-* or the configured SLO headers while goodput is on.',
      comparison: 'The SLO headers differ, and goodput is on.',
    },
    configPaths: ['api.headers', 'api.slo_ttft_header', 'api.slo_tpot_header', 'api.slo_unit'],
  }),
  pitfall(69, {
    title: 'Errors inside a 200 answer count as success',
    consequence:
      'A stream that breaks off or carries an error, and an empty answer, are fast successes in inference-perf.',
    remedy: 'Look at the smallest output lengths. IsoPerf counts both as failures.',
    moves: [...ALL_LATENCIES, ...OUTPUT_RATES, 'error_rate'],
    how: {
      report:
        'The smallest output length of the successes is 0; or p1 is under a tenth of the median although ignore_eos was sent.',
    },
  }),
  pitfall(70, {
    title: 'Chat answers without text fail when not streamed',
    consequence: 'A tool call or reasoning-only answer has null content and is counted as a TypeError.',
    remedy: 'Stream, or use a data type that expects tool calls.',
    moves: ['error_rate'],
    how: {
      report: 'Failures are labelled TypeError, with chat and streaming off.',
    },
    configPaths: ['api.streaming', 'api.type'],
  }),
  pitfall(71, {
    title: 'Timeouts carry two labels',
    consequence: '"Timeout" and "timeouterror" are the same thing: each alone under-counts.',
    remedy: 'Add them up.',
    moves: ['error_rate'],
    how: {
      report: 'Both labels are in failures.by_label.',
    },
    configPaths: ['load.request_timeout'],
  }),
];
