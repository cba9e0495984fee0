// When requests are sent (the `load` section). The load type decides what a stage looks like.
import * as z from 'zod';
import { field, nullable, required, runtimeDefault } from '../field';
import { clash, pyEnum, pyFloat, pyInt, pySeed, pyString } from '../lax';
import { exactSum, plainSum } from '../sums';
import { traceSchema } from './replay';

const OPEN_LOAD_TYPES = {
  constant: {
    doc: 'Open loop at a mean rate. Despite the name the gaps are exponential, scaled to fill the stage: bursty, not even.',
  },
  poisson: { doc: 'Open loop; every second gets a Poisson number of requests with exponential gaps.' },
  trace_replay: { doc: 'Open loop at the arrival times of load.trace.', since: 'v0.3.0' },
} as const;

const CLOSED_LOAD_TYPES = {
  concurrent: {
    doc: 'Closed loop: a fixed number of requests in flight until num_requests were sent.',
    since: 'v0.3.0',
  },
} as const;

const SESSION_LOAD_TYPES = {
  trace_session_replay: {
    doc: 'Closed loop of recorded sessions (data types otel_trace_replay, weka_trace_replay, synthetic_agentic).',
    since: 'v0.5.0',
  },
} as const;

const LOAD_TYPES = { ...OPEN_LOAD_TYPES, ...CLOSED_LOAD_TYPES, ...SESSION_LOAD_TYPES } as const;
const ALL_TYPES = Object.keys(LOAD_TYPES);

const standardStageSchema = z
  .strictObject({
    // v0.2.0 took any number.
    rate: required(pyFloat({ gt: 0, since: 'v0.3.0' }), 'Mean request rate.', { unit: 'requests/s' }),
    duration: required(
      pyInt({ gt: 0, since: 'v0.3.0' }),
      'Length of the stage; it sends the whole part of rate x duration requests. Required, but unused, for trace_replay.',
      { unit: 's' },
    ),
    num_requests: nullable(pyInt(), 'Only for load type concurrent; must be left out here.', { since: 'v0.3.0' }),
    concurrency_level: nullable(pyInt(), 'Only for load type concurrent; must be left out here.', { since: 'v0.3.0' }),
  })
  .superRefine((value, context) => {
    for (const key of ['num_requests', 'concurrency_level'] as const) {
      if (value[key] !== null)
        clash(
          context,
          [key],
          `has ${key}, which only load type concurrent knows.`,
          `Remove ${key} or set load.type: concurrent.`,
        );
    }
  });

const concurrentStageSchema = z.strictObject({
  num_requests: required(pyInt({ gt: 0 }), 'Requests the stage sends in all.', { unit: 'requests', since: 'v0.3.0' }),
  concurrency_level: required(pyInt({ gt: 0 }), 'Requests kept in flight.', { unit: 'requests', since: 'v0.3.0' }),
  rate: nullable(pyFloat(), 'Accepted and overwritten: a closed loop has no rate.'),
  duration: nullable(pyInt(), 'Accepted and overwritten: a closed loop ends with its last request.'),
});

const sessionStageSchema = z
  .strictObject({
    concurrent_sessions: required(pyInt({ ge: 0 }), 'Sessions under way at once; 0 starts all of them.', {
      unit: 'sessions',
      since: 'v0.5.0',
    }),
    session_rate: nullable(pyFloat({ gt: 0 }), 'Sessions started per second. Left out: as slots become free.', {
      unit: 'sessions/s',
      since: 'v0.5.0',
    }),
    num_sessions: nullable(pyInt({ gt: 0 }), 'Sessions of this stage. Left out: all that remain.', {
      unit: 'sessions',
      since: 'v0.5.0',
    }),
    timeout: nullable(pyFloat({ gt: 0 }), 'The stage is stopped as failed after this long.', {
      unit: 's',
      since: 'v0.5.0',
    }),
  })
  .superRefine((value, context) => {
    if (value.session_rate === null || value.concurrent_sessions === 0) return;
    if (value.session_rate > value.concurrent_sessions)
      clash(
        context,
        ['session_rate', 'concurrent_sessions'],
        `has session_rate ${value.session_rate} above concurrent_sessions ${value.concurrent_sessions}.`,
        'Lower session_rate or raise concurrent_sessions.',
      );
  })
  // The one model that refused unknown keys before main did.
  .meta({ strictSince: 'v0.5.0' });

const sweepSchema = z.strictObject({
  type: required(
    pyEnum({
      linear: { doc: 'Rates in equal steps up to the rate found.' },
      geometric: { doc: 'Rates dense near the rate found, sparse at low load.' },
    }),
    'How the rates of the stages are spaced.',
  ),
  num_requests: field(pyInt(), 2000, 'Requests of the probe that looks for saturation.', { unit: 'requests' }),
  timeout: field(pyFloat(), 60, 'Time limit of the probe.', { unit: 's' }),
  num_stages: field(pyInt(), 5, 'How many stages are made.'),
  stage_duration: field(pyInt(), 180, 'Length of each stage.', { unit: 's' }),
  saturation_percentile: field(pyFloat(), 95, 'Percentile of the observed rates that is taken for saturation.', {
    unit: '%',
  }),
});

const loraSchema = z.strictObject({
  name: required(pyString(), 'Adapter, as the server names it; sent as the model.'),
  split: required(pyFloat(), 'Share of the requests. All shares must add up to exactly 1.'),
});

const common = {
  interval: field(
    pyFloat(),
    1,
    'Pause after every stage, the last one included. Raised to the Prometheus scrape interval when report.prometheus.per_stage is on.',
    { unit: 's' },
  ),
  sweep: nullable(
    sweepSchema,
    'Finds the saturation rate and makes stages up to it, in place of stages. Not for concurrent or trace_session_replay.',
  ),
  num_workers: runtimeDefault(
    pyInt(),
    'Worker processes in inference-perf; with worker_max_concurrency the limit of requests in flight. 0 or less: a single process.',
    { whenAbsent: 'the number of CPUs of the machine, so the limit differs from machine to machine' },
  ),
  worker_max_concurrency: field(
    pyInt(),
    100,
    'Most requests in flight per worker. Above it an open loop waits: the run is no longer open. Not used by concurrent.',
    { unit: 'requests' },
  ),
  worker_max_tcp_connections: field(pyInt(), 2500, 'Most TCP connections per worker.', { unit: 'connections' }),
  trace: nullable(traceSchema, 'Arrival times for trace_replay.', { since: 'v0.3.0' }),
  circuit_breakers: field(z.array(pyString()), [], 'Names of circuit breakers that may stop the run.', {
    since: 'v0.3.0',
  }),
  request_timeout: nullable(
    pyFloat(),
    'Time limit of one request. Left out or 0: the HTTP library’s 300 s (30 s to connect).',
    { unit: 's', since: 'v0.3.0' },
  ),
  request_retries: field(
    pyInt({ ge: 0 }),
    0,
    'How often a failed request is sent again. The latency of a request that was counts from its first attempt.',
    { unit: 'attempts', since: 'v0.7.0' },
  ),
  request_retry_backoff_sec: field(pyFloat({ ge: 0 }), 0.5, 'Pause before a request is sent again.', {
    unit: 's',
    since: 'v0.7.0',
  }),
  stage_teardown_grace_seconds: field(
    pyFloat({ ge: 0 }),
    120,
    'How long requests that are under way at the end of a stage may take before they are dropped.',
    { unit: 's', since: 'v0.7.0' },
  ),
  lora_traffic_split: nullable(z.array(loraSchema), 'How requests are shared out among LoRA adapters.', {
    since: 'v0.4.0',
  }),
  base_seed: runtimeDefault(
    pySeed(),
    'Seed of lengths and contents. In inference-perf it fixes neither arrival times nor LoRA choice; in IsoPerf it seeds the arrivals too.',
    { since: 'v0.5.0', whenAbsent: 'the current time in milliseconds, so every run differs' },
  ),
};

interface Common {
  readonly type: string;
  readonly sweep: unknown;
  readonly lora_traffic_split: readonly { readonly split: number }[] | null;
}

function checkLora(value: Common, context: z.core.$RefinementCtx): void {
  if (value.lora_traffic_split === null) return;
  // Compared exactly. Ten times 0.1 is 1 for v0.7.0 and newer only: for older ones see checkShares in releases.
  const splits = value.lora_traffic_split.map((entry) => entry.split);
  const sum = exactSum(splits);
  if (sum === 1) return;
  clash(
    context,
    ['lora_traffic_split'],
    `has lora_traffic_split shares that add up to ${sum}, not 1.`,
    'The sum must be exactly 1 in floating point; shares such as 0.25 or 0.5 are safe.',
    plainSum(splits) === 1 ? 'v0.7.0' : undefined,
  );
}

function checkNoSweep(value: Common, context: z.core.$RefinementCtx): void {
  if (value.sweep !== null)
    clash(context, ['sweep', 'type'], `has a sweep, which load type ${value.type} does not allow.`, 'Remove sweep.');
}

const typeDoc = 'Arrival law: open loop (constant, poisson, trace_replay), closed loop (concurrent) or sessions.';
const stagesDoc = 'Stages, run one after the other. Their fields depend on the load type.';

const standardLoad = z
  .strictObject({
    type: field(pyEnum(OPEN_LOAD_TYPES, ALL_TYPES), 'constant', typeDoc),
    stages: field(z.array(standardStageSchema), [], stagesDoc),
    ...common,
  })
  .superRefine(checkLora);

const concurrentLoad = z
  .strictObject({
    type: required(pyEnum(CLOSED_LOAD_TYPES, ALL_TYPES), typeDoc),
    stages: field(z.array(concurrentStageSchema), [], stagesDoc),
    ...common,
  })
  .superRefine(checkNoSweep)
  .superRefine(checkLora);

const sessionLoad = z
  .strictObject({
    type: required(pyEnum(SESSION_LOAD_TYPES, ALL_TYPES), typeDoc),
    stages: field(z.array(sessionStageSchema), [], stagesDoc),
    ...common,
  })
  .superRefine(checkNoSweep)
  .superRefine(checkLora);

/** Told apart by `type`; a wrong type is judged as an open loop, as upstream does. */
export const loadSchema = z.union([standardLoad, concurrentLoad, sessionLoad]);

const SHAPES = { open: standardLoad, concurrent: concurrentLoad, sessions: sessionLoad } as const;

export type LoadShape = keyof typeof SHAPES;
export const LOAD_SHAPES = Object.keys(SHAPES) as readonly LoadShape[];

/** The one form of the load section that a load type can have; a type that nobody knows is judged as an open loop. */
export function loadShapeOf(type: unknown): LoadShape {
  if (type === 'concurrent') return 'concurrent';
  return type === 'trace_session_replay' ? 'sessions' : 'open';
}

export function loadShape(shape: LoadShape): (typeof SHAPES)[LoadShape] {
  return SHAPES[shape];
}
