// Reader of GuideLLM's benchmarks.json, version 1 and 2: one scope per benchmark of the sweep (reference peers.md sections 2 and 4.4).
import type {
  CanonicalReport,
  Definition,
  Measure,
  QuantityId,
  ReportScope,
  ScopeCounts,
  Statistics,
} from '../canonical';
import { guidellmSeed, guidellmTold } from './guidellm-told';
import { headOf } from './told';
import { keptBenchmark } from '../records/guidellm';
import type { ReportReader } from './reader';
import { at, compact, measure, numberAt, quantileKey, shown, single, textAt, type Json } from './values';
import { isObject } from '../../own';

const RANK = { percentiles: 'weighted-rank', stdDev: 'population' } as const satisfies Definition;

/** The tool's own names are in the keys; two of them do not mean what they mean elsewhere. */
const LATENCIES: readonly { id: QuantityId; key: string; factor: number; definition: Definition }[] = [
  {
    id: 'ttft',
    key: 'time_to_first_token_ms',
    factor: 0.001,
    definition: { ...RANK, start: 'send', anchor: 'first-content-or-reasoning', weighting: 'requests' },
  },
  {
    id: 'tpot',
    key: 'inter_token_latency_ms',
    factor: 0.001,
    definition: { ...RANK, end: 'last-token', weighting: 'tokens', note: 'GuideLLM calls it inter token latency' },
  },
  {
    id: 'ntpot',
    key: 'time_per_output_token_ms',
    factor: 0.001,
    definition: {
      ...RANK,
      start: 'send',
      end: 'last-token',
      weighting: 'tokens',
      note: 'GuideLLM calls it time per output token; it contains TTFT',
    },
  },
  {
    id: 'e2e',
    key: 'request_latency',
    factor: 1,
    definition: { ...RANK, start: 'send', end: 'stream-end', weighting: 'requests' },
  },
];

function recogniseBenchmarks(value: unknown): value is Json {
  if (!isObject(value) || !Array.isArray(value['benchmarks'])) return false;
  if (textAt(value, 'metadata', 'guidellm_version') !== undefined) return true;
  return value['benchmarks'].some((entry) => /generative_benchmark/.test(textAt(entry, 'type_') ?? ''));
}

function oneReport(value: Json, file: string): CanonicalReport {
  const version = textAt(value, 'metadata', 'guidellm_version');
  const schema = numberAt(value, 'metadata', 'version');
  const benchmarks = (value['benchmarks'] as readonly unknown[]).filter(isObject);
  const first = benchmarks[0];
  const recent = isObject(value['config']);
  const second = recent || isObject(at(first, 'config', 'strategy'));
  const config = isObject(value['config']) ? at(value, 'config', 'spec') : value['args'];
  const response = at(first, 'config', 'prefer_response_metrics') ?? at(config, 'metrics', 'prefer_response_metrics');
  const startedAt = epoch(timesOf(first).start);
  const told = guidellmTold(benchmarks, config, recent ? 'config.spec' : 'args', file);
  return {
    tool: 'guidellm',
    ...(version === undefined ? {} : { toolVersion: version }),
    versionClass: {
      name: recent ? 'layout of 0.6 and after' : second ? 'layout of 0.4 and 0.5' : 'layout before 0.4',
      evidence: [
        ...(version === undefined ? [] : [`metadata.guidellm_version ${version}`]),
        ...(schema === undefined ? [] : [`metadata.version ${schema}`]),
        second ? "'config' with strategy and spec" : "'args' in each benchmark",
      ],
    },
    place: file,
    name: file,
    files: [file],
    ...headOf(told),
    ...compact<{ seed?: string; startedAt?: string }>({
      seed: guidellmSeed(config, first)?.toString(),
      startedAt,
    }),
    scopes: benchmarks.map((benchmark, index) => scopeOf(benchmark, index, file, response)),
    assumptions: [
      response === undefined
        ? 'tokens are the server’s usage where it sent one (prefer_response_metrics is not in the file)'
        : `tokens are ${response === true ? 'the server’s usage where it sent one' : 'counted by the client'} (prefer_response_metrics ${shown(response)})`,
      ...(benchmarks.some((benchmark) => hasBurst(strategyOf(benchmark)))
        ? [
            'the first requests, a second’s worth of the rate, were sent at once (initial_burst): gaps follow the law after them',
          ]
        : []),
      'percentiles are by rank over a weighted distribution, not interpolated: they differ from others in small samples',
    ],
    notRecorded: [
      ...(second
        ? []
        : ['NTPOT (its time_per_output_token_ms is the time from the first token to the last over all tokens)']),
      'gaps between chunks',
      'schedule delay as a distribution (only its average)',
      'server version and flags',
      'hardware',
      ...(hasRequests(benchmarks)
        ? []
        : ['per-request records (sample_size left none: no intervals, no recomputation)']),
    ],
    facts: factsOf(value, config, file),
    told,
    problems: [],
  };
}

function scopeOf(benchmark: Json, index: number, file: string, response: unknown): ReportScope {
  const strategy = strategyOf(benchmark);
  const times = timesOf(benchmark);
  const key = `benchmarks[${index}].metrics`;
  const warm = numberAt(benchmark, 'warmup_duration');
  const load = loadOf(strategy);
  const startedAt = epoch(times.start);
  const tokens: Definition['tokens'] = response === false ? 'client' : 'server-else-client';
  return {
    id: `benchmark ${index}`,
    label: load.words,
    kind: 'run',
    stage: index,
    file,
    load,
    counts: countsOf(benchmark),
    ...(times.duration === undefined
      ? {}
      : {
          windowSeconds: {
            value: times.duration,
            from: `duration${warm === undefined ? '' : ` (warm-up ${warm} s and cool-down left out)`}`,
          },
        }),
    ...(startedAt === undefined ? {} : { startedAt }),
    measures: measuresOf(benchmark, file, key, tokens),
  };
}

function strategyOf(benchmark: Json): unknown {
  return at(benchmark, 'config', 'strategy') ?? at(benchmark, 'args', 'strategy');
}

function loadOf(strategy: unknown): ReportScope['load'] {
  const type = textAt(strategy, 'type_') ?? textAt(strategy, 'kind');
  const rate = numberAt(strategy, 'rate');
  const streams = numberAt(strategy, 'streams');
  const cap = numberAt(strategy, 'max_concurrency');
  const burst = hasBurst(strategy) ? ', the first at once' : '';
  if (type === 'synchronous') return { model: 'closed', concurrency: 1, words: 'one after the other' };
  if (streams !== undefined) return { model: 'closed', concurrency: streams, words: `${streams} concurrent` };
  if (type === 'throughput') {
    return { model: 'closed', words: 'as many as possible', ...(cap === undefined ? {} : { concurrency: cap }) };
  }
  if (rate !== undefined) {
    return {
      model: 'open',
      requestedRateRps: rate,
      words: `${Number(rate.toPrecision(4))} requests/s asked (${type ?? 'law not recorded'}${burst})`,
      ...(cap === undefined ? {} : { cap: { value: cap, from: `config.strategy.max_concurrency ${cap}` } }),
    };
  }
  return { model: 'not recorded', words: type ?? 'not recorded' };
}

/**
 * Before 0.4: as many requests as a second has are sent in the first moment (`math.floor(rate)`), the law holds for those after. Its
 * code asks whether the setting is null, so that false sends them, too.
 */
function hasBurst(strategy: unknown): boolean {
  return typeof at(strategy, 'initial_burst') === 'boolean';
}

function countsOf(benchmark: Json): ScopeCounts {
  const totals =
    at(benchmark, 'metrics', 'request_totals') ??
    at(benchmark, 'scheduler_metrics', 'requests_made') ??
    at(benchmark, 'run_stats', 'requests_made');
  // Requests of warm-up and cool-down were planned with the others, and are in no number.
  const made = numberAt(benchmark, 'scheduler_metrics', 'requests_made', 'total');
  const counted = numberAt(totals, 'total');
  const leftOut = made === undefined || counted === undefined ? 0 : Math.max(0, made - counted);
  const planned = plannedOf(benchmark);
  return compact<ScopeCounts>({
    planned: planned === undefined ? undefined : planned - leftOut,
    total: numberAt(totals, 'total'),
    ok: numberAt(totals, 'successful'),
    failed: numberAt(totals, 'errored'),
    cancelled: numberAt(totals, 'incomplete'),
  });
}

/** Requests the run was to make, where a number of them ends it and nothing else does. */
function plannedOf(benchmark: Json): number | undefined {
  const constraints = at(benchmark, 'config', 'constraints');
  if (!isObject(constraints)) {
    const endless = at(benchmark, 'args', 'max_duration') ?? null;
    return endless === null ? numberAt(benchmark, 'args', 'max_number') : undefined;
  }
  const [only, ...more] = Object.values(constraints);
  if (more.length > 0) return undefined;
  return (
    numberAt(only, 'max_num') ??
    (/^max_(?:requests|number)$/.test(textAt(only, 'type_') ?? '') ? numberAt(only, 'args', 'count') : undefined)
  );
}

function measuresOf(benchmark: Json, file: string, root: string, tokens: Definition['tokens']): Measure[] {
  const by = tokens ? { tokens } : {};
  const block = (key: string, factor: number): Statistics | undefined =>
    distribution(at(benchmark, 'metrics', key, 'successful'), factor);
  const rate = (id: QuantityId, key: string): readonly Measure[] => {
    const value = numberAt(benchmark, 'metrics', key, 'successful', 'mean');
    const note = 'mean of a rate over time, not the total over the window';
    return single(id, value, {
      file,
      key: `${root}.${key}.successful.mean`,
      definition: { note, average: 'over-time', window: 'measured part' },
    });
  };
  const lags = [
    'scheduler_metrics.request_targeted_start_delay_avg',
    'run_stats.request_targeted_start_delay_avg',
    'run_stats.targeted_start_delay_avg',
  ].map((key) => ({ key, value: numberAt(benchmark, ...key.split('.')) }));
  const lag = lags.find(({ value }) => value !== undefined);
  return [
    ...LATENCIES.filter(({ id }) => id !== 'ntpot' || isObject(benchmark['config'])).flatMap(
      ({ id, key, factor, definition }) =>
        measure(id, block(key, factor), {
          file,
          key: `${root}.${key}.successful.*`,
          factor,
          definition: id === 'ttft' || id === 'e2e' ? definition : { ...definition, ...by },
          count: numberAt(benchmark, 'metrics', key, 'successful', 'count'),
        }),
    ),
    ...measure('schedule_delay', lag?.value === undefined ? undefined : { mean: lag.value }, {
      file,
      key: `${root.replace(/metrics$/, '')}${lag?.key ?? ''}`,
      definition: { weighting: 'requests' },
    }),
    ...measure('prompt_tokens', block('prompt_token_count', 1), {
      file,
      key: `${root}.prompt_token_count.successful.*`,
      definition: { ...RANK, ...by },
    }),
    ...measure('output_tokens', block('output_token_count', 1), {
      file,
      key: `${root}.output_token_count.successful.*`,
      definition: { ...RANK, ...by },
    }),
    ...rate('requests_per_sec', 'requests_per_second'),
    ...rate('input_tokens_per_sec', 'prompt_tokens_per_second'),
    ...rate('output_tokens_per_sec', 'output_tokens_per_second'),
    ...rate('total_tokens_per_sec', 'tokens_per_second'),
    ...single('concurrency', numberAt(benchmark, 'metrics', 'request_concurrency', 'successful', 'mean'), {
      file,
      key: `${root}.request_concurrency.successful.mean`,
    }),
  ];
}

/** `p001` is 0.1, `p01` 1, `p999` 99.9: the keys of GuideLLM's percentiles. */
const PERCENTS: Readonly<Record<string, number>> = {
  p001: 0.1,
  p01: 1,
  p05: 5,
  p10: 10,
  p25: 25,
  p50: 50,
  p75: 75,
  p90: 90,
  p95: 95,
  p99: 99,
  p999: 99.9,
};

function distribution(block: unknown, factor: number): Statistics | undefined {
  // A block over nothing is all zeros: no measurement.
  if (!isObject(block) || numberAt(block, 'count') === 0) return undefined;
  const stats: Record<string, number> = {};
  const put = (name: string, value: number | undefined): void => {
    if (value !== undefined) stats[name] = value * factor;
  };
  put('mean', numberAt(block, 'mean'));
  put('stdDev', numberAt(block, 'std_dev'));
  put('min', numberAt(block, 'min'));
  for (const [key, percent] of Object.entries(PERCENTS)) put(quantileKey(percent), numberAt(block, 'percentiles', key));
  put('max', numberAt(block, 'max'));
  put('total', numberAt(block, 'total_sum'));
  return Object.keys(stats).length > 0 ? stats : undefined;
}

function timesOf(benchmark: unknown): { start?: number; duration?: number } {
  const start = numberAt(benchmark, 'start_time') ?? numberAt(benchmark, 'run_stats', 'start_time');
  const end = numberAt(benchmark, 'end_time') ?? numberAt(benchmark, 'run_stats', 'end_time');
  const duration =
    numberAt(benchmark, 'duration') ?? (start === undefined || end === undefined ? undefined : end - start);
  return compact<{ start?: number; duration?: number }>({ start, duration });
}

function epoch(seconds: number | undefined): string | undefined {
  return seconds === undefined || Math.abs(seconds) > 8e12 ? undefined : new Date(seconds * 1000).toISOString();
}

function hasRequests(benchmarks: readonly Json[]): boolean {
  return benchmarks.some((benchmark) => {
    const list = at(benchmark, 'requests', 'successful');
    return Array.isArray(list) && list.length > 0;
  });
}

function factsOf(value: Json, config: unknown, file: string): CanonicalReport['facts'] {
  const data = at(config, 'data');
  const stream = at(config, 'backend', 'stream');
  return [
    ...(data === undefined || data === null ? [] : [{ label: 'data', value: shown(compactNulls(data)), source: file }]),
    ...(stream === undefined ? [] : [{ label: 'streaming', value: shown(stream), source: file }]),
    ...(textAt(value, 'metadata', 'platform') === undefined
      ? []
      : [{ label: 'client platform', value: textAt(value, 'metadata', 'platform')!, source: file }]),
  ];
}

function compactNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compactNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([, entry]) => entry !== null && !(Array.isArray(entry) && entry.length === 0)),
  );
}

export const guidellmReader: ReportReader = {
  tool: 'guidellm',
  recognise: ({ value }) =>
    recogniseBenchmarks(value)
      ? {
          role: keptBenchmark(value) ? 'detailed' : 'benchmarks',
          evidence: 'metadata.guidellm_version or benchmarks[].type_ generative_benchmark',
        }
      : undefined,
  read: ({ documents }) => ({
    reports: documents.flatMap(({ value, file }) => (recogniseBenchmarks(value) ? [oneReport(value, file)] : [])),
    problems: [],
  }),
};
