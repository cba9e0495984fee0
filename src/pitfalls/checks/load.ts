// Checks of the load section (CMP001 to CMP023, CMP084, CMP085, CMP092).
import type { LoadedConfig } from '../../config/load';
import { minimumCountFor } from '../../sample-size';
import { note, stagePath, stagePlans, warning, type Check, type Hit } from './hit';

const STAGES = ['load', 'stages'] as const;

/** Not where a directive gives the spacing another law, for the document or for every stage. */
const arrivals: Check = ({ config, directives }) => {
  if (config.load.type !== 'constant') return [];
  const places = directives.filter(({ name }) => name === 'arrivals').map(({ path }) => path.join('.'));
  const replaced = config.load.stages.every((_, stage) => places.includes(`load.stages.${stage}`));
  return places.includes('') || (places.length > 0 && replaced) ? [] : [note(1, ['load', 'type'])];
};

/** The cap on requests in flight against the largest rate: how long may a request take before the client is the limit? */
const clientCap: Check = (loaded) => {
  const { load } = loaded.config;
  if (load.type !== 'constant' && load.type !== 'poisson') return [];
  const rate = Math.max(0, ...load.stages.map((stage) => stage.rate));
  const workers = load.num_workers;
  if (workers === undefined) {
    return [
      note(6, ['load', 'num_workers'], {
        message:
          'num_workers is not written, so inference-perf takes the number of CPUs: the limit of requests in flight, and the client itself, differ from machine to machine.',
      }),
    ];
  }
  const cap = Math.max(1, workers) * load.worker_max_concurrency;
  const seconds = cap / rate;
  if (rate === 0 || seconds >= 30) return [];
  const message =
    `At ${round(rate)} requests/s the client holds at most ${cap} requests in flight (${Math.max(1, workers)} workers x ${load.worker_max_concurrency}): ` +
    `once a request takes longer than ${round(seconds)} s, requests wait in the client and the loop is no longer open.`;
  const more = { message, restsOn: [['load', 'num_workers'], ['load', 'worker_max_concurrency'], STAGES] };
  return [
    seconds < 3
      ? warning(4, ['load', 'worker_max_concurrency'], more)
      : note(4, ['load', 'worker_max_concurrency'], more),
  ];
};

const warmUp: Check = (loaded) => {
  const { load } = loaded.config;
  if (load.stages.length === 0 || loaded.warmupStages.size > 0) return [];
  const [first, second] = load.stages;
  if (first && second && sameLoad(first, second))
    return [
      warning(85, stagePath(0), {
        message:
          'This stage repeats the load of the next one: a warm-up, by the look of it, but it is measured and reported like any other.',
        restsOn: [STAGES],
      }),
    ];
  return [warning(8, STAGES)];
};

function sameLoad(left: object, right: object): boolean {
  const keys = ['rate', 'concurrency_level', 'concurrent_sessions'] as const;
  const value = (stage: object, key: string): unknown => (stage as Record<string, unknown>)[key];
  return keys.some((key) => typeof value(left, key) === 'number' && value(left, key) === value(right, key));
}

const mixture: Check = (loaded) => {
  const measured = stagePlans(loaded).filter((stage) => !stage.warmup).length;
  const { summary } = loaded.config.report.request_lifecycle;
  return measured > 1 && summary === true ? [note(9, ['report', 'request_lifecycle', 'summary'])] : [];
};

const ramp: Check = ({ config, warmupStages }) => {
  const { load } = config;
  if (load.type !== 'concurrent') return [];
  return load.stages.flatMap((stage, index): Hit[] => {
    if (warmupStages.has(index) || stage.num_requests >= 10 * stage.concurrency_level) return [];
    const times = round(stage.num_requests / stage.concurrency_level);
    return [
      warning(10, stagePath(index, 'num_requests'), {
        message: `${stage.num_requests} requests on ${stage.concurrency_level} slots are ${times} rounds: filling and draining the slots is a large part of the stage, and tokens/s come out too low.`,
        restsOn: [stagePath(index)],
      }),
    ];
  });
};

const samples: Check = (loaded) => {
  const asked = loaded.config.report.request_lifecycle.percentiles;
  const wanted = asked.filter((percentile) => percentile > 50 && percentile <= 99);
  const highest = Math.max(0, ...wanted);
  if (highest === 0) return [];
  return stagePlans(loaded).flatMap((stage): Hit[] => {
    const { requests } = stage;
    if (requests === undefined || requests < 1 || stage.warmup || requests >= minimumCountFor(highest)) return [];
    const safe = wanted.filter((percentile) => requests >= minimumCountFor(percentile)).sort((a, b) => b - a)[0];
    const until =
      safe === undefined ? 'none of the percentiles above the median is safe' : `p${safe} is the highest safe one`;
    return [
      note(12, stagePath(stage.index), {
        message: `This stage sends ${requests} requests; p${highest} needs ${minimumCountFor(highest)}, and ${until}.`,
        remedy: 'Make the stage longer, or do not quote the higher percentiles.',
        restsOn: [stagePath(stage.index)],
      }),
    ];
  });
};

const wholeRequests: Check = ({ config }) => {
  const { load } = config;
  if (load.type !== 'constant' && load.type !== 'poisson') return [];
  return load.stages.flatMap((stage, index): Hit[] => {
    const product = stage.rate * stage.duration;
    const requests = Math.floor(product);
    const restsOn = [stagePath(index)];
    if (requests === 0)
      return [
        warning(23, stagePath(index), {
          message: `rate x duration is ${round(product)}: the stage sends no request and is missing from the report.`,
          restsOn,
        }),
      ];
    if (product - requests < 0.02 * requests) return [];
    return [
      note(23, stagePath(index), {
        message: `rate x duration is ${round(product)}: the stage sends ${requests} requests, not ${round(product)}.`,
        restsOn,
      }),
    ];
  });
};

const slots: Check = ({ config }) => {
  const { load, data } = config;
  if (load.type === 'concurrent' && data.type === 'conversation_replay' && data.conversation_replay) {
    const conversations = data.conversation_replay.num_conversations;
    return load.stages.flatMap((stage, index): Hit[] =>
      stage.concurrency_level <= conversations
        ? []
        : [
            warning(15, stagePath(index, 'concurrency_level'), {
              message: `${stage.concurrency_level} slots, but only ${conversations} conversations: turns of one conversation wait for each other, so fewer requests are in flight.`,
              restsOn: [stagePath(index), ['data', 'conversation_replay', 'num_conversations']],
            }),
          ],
    );
  }
  if (load.type !== 'trace_session_replay' || load.num_workers === undefined) return [];
  const cap = Math.max(1, load.num_workers) * load.worker_max_concurrency;
  return load.stages.flatMap((stage, index): Hit[] =>
    cap >= 50 * stage.concurrent_sessions
      ? []
      : [
          warning(15, stagePath(index, 'concurrent_sessions'), {
            message: `${stage.concurrent_sessions} sessions share ${cap} places in flight; events that wait for others hold places too, so the real concurrency can be lower.`,
            restsOn: [stagePath(index), ['load', 'num_workers'], ['load', 'worker_max_concurrency']],
          }),
        ],
  );
};

const sweep: Check = (loaded) => {
  const { load, data } = loaded.config;
  if (!load.sweep) return [];
  const hits: Hit[] = [warning(16, ['load', 'sweep'])];
  if (load.sweep.type === 'geometric') hits.push(note(18, ['load', 'sweep', 'type']));
  const random = data.type === 'random' || data.type === 'synthetic';
  const missing = (['input_distribution', 'output_distribution'] as const).find(
    (key) => data[key] && data[key].total_count === null,
  );
  if (random && missing !== undefined) hits.push(warning(42, ['data', missing, 'total_count']));
  return hits;
};

const traces: Check = ({ config }) => {
  const { load, data } = config;
  const hits: Hit[] = [];
  const times = load.type === 'trace_replay' ? load.trace : null;
  const sizes = data.type === 'random' ? data.trace : null;
  if (times && !sizes)
    hits.push(
      warning(19, ['load', 'trace'], {
        message: 'load.trace gives the arrival times only: lengths come from data.type, not from the trace.',
      }),
    );
  if (sizes && !times)
    hits.push(
      warning(19, ['data', 'trace'], {
        message: 'data.trace gives the lengths only: arrival times come from load.type, not from the trace.',
      }),
    );
  if (times && sizes && times.file !== sizes.file)
    hits.push(
      warning(19, ['data', 'trace', 'file'], {
        message: `Times come from ${times.file}, lengths from ${sizes.file}: two traces mixed.`,
      }),
    );
  if (times && load.stages.length > 1) hits.push(note(20, STAGES));
  return hits;
};

const pauses: Check = ({ config }) => {
  const { prometheus } = config.metrics ?? {};
  const perStage = config.report.prometheus?.per_stage === true;
  if (!prometheus || !perStage || config.load.interval >= prometheus.scrape_interval) return [];
  return [
    note(21, ['load', 'interval'], {
      message: `The pause between stages will be ${prometheus.scrape_interval} s, not ${config.load.interval} s: Prometheus reports per stage raise it to the scrape interval.`,
    }),
  ];
};

const breakers: Check = ({ config }) =>
  config.load.circuit_breakers.length > 0 ? [note(22, ['load', 'circuit_breakers'])] : [];

const connections: Check = ({ config }) => {
  const { load } = config;
  const needed =
    load.type === 'concurrent'
      ? Math.max(0, ...load.stages.map((stage) => stage.concurrency_level))
      : load.worker_max_concurrency;
  const workers = load.type === 'concurrent' ? Math.max(1, load.num_workers ?? 1) : 1;
  const given = load.worker_max_tcp_connections * workers;
  if (load.worker_max_tcp_connections === 0 || given >= needed) return [];
  return [
    warning(84, ['load', 'worker_max_tcp_connections'], {
      message: `${needed} requests may be in flight over ${given} connections: the others wait in the client, and the wait counts as TTFT.`,
      restsOn: [STAGES, ['load', 'worker_max_concurrency'], ['load', 'worker_max_tcp_connections']],
    }),
  ];
};

const unused: Check = (loaded: LoadedConfig) =>
  loaded.config.load.type === 'concurrent' &&
  loaded.isWritten(['load', 'worker_max_concurrency']) &&
  loaded.config.load.worker_max_concurrency !== 0
    ? [note(92, ['load', 'worker_max_concurrency'])]
    : [];

/** Three significant digits, as figures are shown everywhere. */
export function round(value: number): string {
  return String(Number(value.toPrecision(3)));
}

export const LOAD_CHECKS: readonly Check[] = [
  arrivals,
  clientCap,
  warmUp,
  mixture,
  ramp,
  samples,
  wholeRequests,
  slots,
  sweep,
  traces,
  pauses,
  breakers,
  connections,
  unused,
];
