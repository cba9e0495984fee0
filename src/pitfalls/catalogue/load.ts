// Pitfalls of the load: when requests are sent, how many, and who was the bottleneck (CMP001 to CMP023).
import { ALL_LATENCIES, EVERYTHING, pitfall, RATES, type Pitfall } from '../pitfall';

export const LOAD_PITFALLS: readonly Pitfall[] = [
  pitfall(1, {
    title: 'Load type constant is bursty',
    consequence:
      'Requests queue even at low load: the gaps are exponential, scaled so that they fill the stage, not even. Tools that space requests evenly show lower tails at the same rate.',
    remedy:
      'Compare only with runs of the same arrival law, and name it: "constant" here is a Poisson process with a fixed count.',
    moves: [...ALL_LATENCIES, 'schedule_delay'],
    how: {
      config: 'load.type is constant, and no arrivals directive gives it another spacing.',
      comparison: 'The arrivals differ, and one side has the exponential gaps of constant.',
    },
    configPaths: ['load.type'],
  }),
  pitfall(2, {
    title: 'Open loop against closed loop',
    consequence:
      'At equal throughput the latencies differ by construction: an open loop keeps sending while the server is slow, a closed loop waits for it.',
    remedy: 'Compare open with open and closed with closed; never put both on one axis.',
    moves: EVERYTHING,
    how: {
      comparison: 'One side is an open loop (rates), the other a closed one (concurrency) or a session replay.',
    },
    configPaths: ['load.type'],
  }),
  pitfall(3, {
    title: 'The client fell behind its own schedule',
    consequence:
      'The offered load was not offered: requests went out late or at a lower rate, so latencies belong to another, lighter load.',
    remedy:
      'Raise num_workers or worker_max_concurrency, or discard the stage; judge latency together with schedule delay.',
    moves: [...ALL_LATENCIES, ...RATES, 'schedule_delay'],
    how: {
      report: 'Requests left more than 10 ms late in the median, 1 s at p99, or 50 ms on average.',
    },
    configPaths: ['load.worker_max_concurrency', 'load.num_workers'],
  }),
  pitfall(4, {
    title: 'A hidden cap on requests in flight',
    consequence:
      'Above num_workers x worker_max_concurrency requests in flight the open loop becomes a closed one: latency reaches a plateau that is the cap’s, not the server’s.',
    remedy: 'Raise worker_max_concurrency until the product exceeds rate x latency with room to spare.',
    moves: [...ALL_LATENCIES, ...RATES, 'schedule_delay'],
    how: {
      config:
        'num_workers x worker_max_concurrency is used up at the highest rate once a request takes less than 30 s.',
      report:
        'requests/s x mean latency reaches 90 % of that product (75 % when requests also leave over 1 s late); or a tenth of the asked rate was not sent while requests waited.',
    },
    configPaths: ['load.worker_max_concurrency', 'load.num_workers', 'load.stages.rate'],
  }),
  pitfall(5, {
    title: 'Waiting in the client is not part of latency',
    consequence:
      'TTFT and latency start when a request is sent. What it waited for its turn is in schedule_delay alone, so an overloaded run can look fast.',
    remedy: 'Show TTFT plus schedule delay beside TTFT.',
    moves: ['ttft', 'request_latency', 'schedule_delay'],
    how: {
      report: 'The mean schedule delay is over 10 ms and over a tenth of the mean TTFT.',
    },
  }),
  pitfall(6, {
    title: 'The number of workers depends on the machine',
    consequence:
      'The same file has another limit of requests in flight, and another client, on another machine or in a pod.',
    remedy: 'Write load.num_workers.',
    moves: [...ALL_LATENCIES, ...RATES],
    how: {
      config: 'load.num_workers is not written, with an open loop.',
      comparison: 'The two saved configs have different num_workers.',
    },
    configPaths: ['load.num_workers'],
  }),
  pitfall(7, {
    title: 'The client’s event loop was busy',
    consequence:
      'Building prompts, counting tokens and parsing JSON delay timestamps: TTFT and ITL tails are the client’s own.',
    remedy: 'Fewer requests per worker, more workers; compare with the server’s own TTFT.',
    moves: ['ttft', 'itl', 'schedule_delay'],
    how: {
      report:
        'The client’s TTFT is a quarter above the server’s own for the same requests, or its decode time 15 % above; or its event loop was busy 85 % of the time or 100 ms late; or each Python worker sent over 300 requests/s.',
    },
    configPaths: ['load.worker_max_concurrency', 'data.type'],
  }),
  pitfall(8, {
    title: 'Warm-up is measured',
    consequence:
      'The first requests pay for compilation, cold caches and new connections. With no warm-up stage they are in the percentiles, most of all in the tails of TTFT.',
    remedy: 'Put a stage first and mark it with "# isoperf: warmup": it is sent and recorded, but not measured.',
    moves: ['ttft', 'request_latency', ...RATES],
    how: {
      config: 'No stage carries the warmup directive.',
      report:
        'p99 of TTFT (p95 or p90 with fewer requests) is twice as high in the first stage as in the second, which carries as much load or more, and no warm-up is declared.',
    },
    configPaths: ['load.stages'],
  }),
  pitfall(9, {
    title: 'The summary mixes stages',
    consequence:
      'With several stages the summary averages over different loads and counts the pauses between them as time: throughput too low, latencies a mixture.',
    remedy: 'Compare stage with stage; ignore the summary of a run with several stages.',
    moves: EVERYTHING,
    how: {
      config: 'More than one measured stage, and report.request_lifecycle.summary is on.',
      report: 'A summary stands beside more than one measured stage.',
    },
    configPaths: ['report.request_lifecycle.summary', 'load.interval'],
  }),
  pitfall(10, {
    title: 'Ramp-up and drain are in the throughput',
    consequence:
      'While the slots fill and empty the server is not under the stated load; in short stages that is most of the time, and tokens/s come out too low.',
    remedy:
      'Longer stages: at least ten times as many requests as slots; or measure the middle window from per-request records.',
    moves: [...RATES, 'ttft'],
    how: {
      config: 'num_requests is below 10 x concurrency_level.',
      report: 'The window is a quarter longer than the sending; or requests/s x window is not the number of successes.',
    },
    configPaths: ['load.stages.num_requests', 'load.stages.concurrency_level', 'load.stages.duration'],
  }),
  pitfall(11, {
    title: 'A stage does not last as long as it says',
    consequence:
      'Rates computed from the configured duration are wrong: Poisson and trace stages, and overloaded ones, end early or late.',
    remedy: 'Divide by the measured time only.',
    moves: RATES,
    how: {
      report: 'The time from the first to the last send is over 5 % off the configured duration.',
    },
    configPaths: ['load.stages.duration'],
  }),
  pitfall(12, {
    title: 'Too few requests for the percentile',
    consequence:
      'With 100 requests p99 lies between the two largest values: one request’s accident, which will not repeat.',
    remedy: 'Send more: 299 requests are needed for a 95 % bound on p99, 2,995 for p99.9; or show a lower percentile.',
    moves: ['percentiles'],
    how: {
      config: 'A stage plans fewer requests than its highest percentile up to p99 needs.',
      report: 'A part has fewer successes than a percentile that it shows needs.',
    },
    configPaths: [
      'load.stages.rate',
      'load.stages.duration',
      'load.stages.num_requests',
      'report.request_lifecycle.percentiles',
    ],
  }),
  pitfall(13, {
    title: 'requested_rate means something else in closed loops',
    consequence:
      'For concurrent stages it holds num_requests, for session stages sessions/s: charts over it are nonsense.',
    remedy: 'Use concurrency on the axis; ignore requested_rate and schedule_delay of closed loops.',
    moves: ['requests_per_sec', 'schedule_delay'],
    how: {
      report: 'A closed-loop stage has a requested_rate beside its concurrency.',
    },
    configPaths: ['load.stages.concurrency_level'],
  }),
  pitfall(14, {
    title: 'Real concurrency was not the configured one',
    consequence:
      'Releases up to v0.3.0 rounded per worker and overlapped stages: 74 in flight where 45 were asked for.',
    remedy: 'Recompute the number in flight from per-request records.',
    moves: EVERYTHING,
    how: {
      report: 'requests/s x mean latency is under 80 % or over 105 % of the concurrency level.',
    },
    configPaths: ['load.stages.concurrency_level'],
  }),
  pitfall(15, {
    title: 'Waiting turns occupy slots',
    consequence:
      'Conversations and replayed sessions hold a slot while they wait for their turn, so fewer requests are in flight than the level says.',
    remedy:
      'As many conversations as slots; for session replay worker_max_concurrency of 50 x concurrent_sessions or more.',
    moves: EVERYTHING,
    how: {
      config:
        'concurrency_level is above num_conversations; or num_workers x worker_max_concurrency is below 50 x concurrent_sessions.',
      report:
        'Too few requests are in flight (under 80 % of the level), and the data are conversations, multi-turn chats or replayed sessions.',
    },
    configPaths: [
      'load.stages.concurrency_level',
      'data.conversation_replay.num_conversations',
      'load.stages.concurrent_sessions',
    ],
  }),
  pitfall(16, {
    title: 'A sweep picks other rates each time',
    consequence:
      'Stage k is not the same load in two runs: the rates follow a noisy probe, and the saved config lists no stages.',
    remedy: 'Write a ladder of stages; or match stages by achieved load, never by index.',
    moves: EVERYTHING,
    how: {
      config: 'load.sweep is set.',
      report: 'The config has a sweep, and its rates were not pinned.',
    },
    configPaths: ['load.sweep'],
  }),
  pitfall(17, {
    title: 'The sweep’s probe misjudges saturation',
    consequence:
      'The top stage lies far below or above what the server can do; a cold server or a small client makes it worse.',
    remedy: 'Take the sweep for a hint and run a ladder around it.',
    moves: RATES,
    how: {
      report: 'The highest stage of a sweep sent under 90 % of its rate; or 99 % of it with a median wait under 10 ms.',
    },
    configPaths: ['load.sweep.num_requests', 'load.sweep.timeout', 'load.sweep.saturation_percentile'],
  }),
  pitfall(18, {
    title: 'A geometric sweep has few points at low load',
    consequence: 'Most stages crowd below saturation; the low-load part of the curve rests on one or two points.',
    remedy: 'Use linear for latency-load curves.',
    moves: ALL_LATENCIES,
    how: {
      config: 'load.sweep.type is geometric.',
    },
    configPaths: ['load.sweep.type'],
  }),
  pitfall(19, {
    title: 'A trace of times without its sizes, or the reverse',
    consequence:
      'load.trace gives arrival times, data.trace gives lengths. With one of them the run is not the trace: sizes are random, or times are the load type’s.',
    remedy: 'Set both, to the same file.',
    moves: EVERYTHING,
    how: {
      config: 'Only one of load.trace and data.trace is set, or they name different files.',
    },
    configPaths: ['load.trace', 'data.trace'],
  }),
  pitfall(20, {
    title: 'Trace times are cut to 10 ms and repeat in every stage',
    consequence: 'Bursts shorter than 10 ms are lost, and each stage plays the whole trace again.',
    remedy: 'One stage; say the resolution beside the numbers.',
    moves: ALL_LATENCIES,
    how: {
      config: 'load.type is trace_replay, with more than one stage.',
    },
    configPaths: ['load.trace'],
  }),
  pitfall(21, {
    title: 'Prometheus lengthens the pause between stages',
    consequence:
      'With report.prometheus.per_stage the pause is raised to the scrape interval: caches and batches cool down differently than without.',
    remedy: 'Write the same load.interval, at least the scrape interval, on both sides.',
    moves: ['ttft'],
    how: {
      config: 'report.prometheus.per_stage with Prometheus configured, and load.interval below its scrape_interval.',
      comparison: 'The saved pauses differ, and one of them is a scrape interval.',
    },
    configPaths: ['load.interval', 'report.prometheus.per_stage'],
  }),
  pitfall(22, {
    title: 'A stage was stopped early',
    consequence:
      'A circuit breaker, an interrupt or a stage timeout leaves requests out; reports do not mark the stage as partial, and later stages may be empty.',
    remedy: 'Compare the count with the planned one; treat the stage as partial.',
    moves: [...EVERYTHING, 'error_rate'],
    how: {
      config: 'Breakers are named in load.circuit_breakers.',
      report:
        'A stage has fewer requests than planned (rate x duration, or num_requests), and CMP041 does not account for them.',
    },
    configPaths: ['load.circuit_breakers', 'load.stages.timeout'],
  }),
  pitfall(23, {
    title: 'A stage sends the whole part of rate x duration',
    consequence:
      '0.3 requests/s for 10 s are 3 requests, 0.05 for 10 s are none, and then the stage is missing from the report.',
    remedy: 'Choose rate and duration whose product is a whole number.',
    moves: ['requests_per_sec'],
    how: {
      config: 'rate x duration is below 1, or its fraction is over 2 % of the stage.',
    },
    configPaths: ['load.stages.rate', 'load.stages.duration'],
  }),
];
