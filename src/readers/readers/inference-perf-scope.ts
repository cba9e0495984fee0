// One lifecycle report of inference-perf -> a scope in canonical quantities (reference inference-perf.md sections 5.2 and 5.5).
import {
  LIFECYCLE_KEYS,
  REQUESTS_WINDOW,
  type Definition,
  type Measure,
  type QuantityId,
  type ReportScope,
  type ScopeCounts,
  type Statistics,
} from '../canonical';
import { extrasOf } from './inference-perf-evidence';
import type { Meaning } from './inference-perf-version';
import { at, compact, measure, numberAt, single, statisticsOf, textAt, type Json } from './values';

export interface ScopeSource {
  readonly file: string;
  readonly value: unknown;
  readonly kind: ReportScope['kind'];
  readonly stage?: number;
  readonly label: string;
}

const LINEAR = { start: 'send', percentiles: 'linear' } as const satisfies Definition;

export function scopeOf(
  source: ScopeSource,
  told: Meaning,
  config: { readonly value: Json; readonly file: string } | undefined,
): ReportScope {
  const { file, value } = source;
  const meaning = withFallbacks(told, value);
  const counts = countsOf(value);
  const windowSeconds = windowOf(value, counts);
  const goodput = statisticsOfAll(at(value, 'successes', 'goodput_metrics'));
  const load = loadOf(source, config);
  const isQueue = load.model === 'closed';
  return {
    id: source.stage === undefined ? source.label : `stage ${source.stage}`,
    label: source.label,
    kind: source.kind,
    ...(source.stage === undefined ? {} : { stage: source.stage }),
    file,
    load,
    counts,
    keys: LIFECYCLE_KEYS,
    ...(windowSeconds ? { windowSeconds } : {}),
    measures: [
      ...latencies(value, file, meaning),
      ...(isQueue ? [] : lateness(value, file, counts)),
      ...measure('failed_latency', statisticsOf(at(value, 'failures', 'request_latency'), 1), {
        file,
        key: 'failures.request_latency.*',
        definition: { ...LINEAR, weighting: 'requests' },
      }),
      ...tokens(value, file, meaning),
      ...rates(value, file, meaning),
    ],
    ...(isQueue ? { unmeasured: { schedule_delay: PLACE_IN_QUEUE } } : {}),
    extras: extrasOf(value),
    ...(goodput
      ? {
          goodput: {
            stats: goodput,
            definition: 'inference-perf: answers within every limit / successes; failures are not in the denominator',
          },
        }
      : {}),
  };
}

function countsOf(value: unknown): ScopeCounts {
  return compact<ScopeCounts>({
    total: numberAt(value, 'load_summary', 'count'),
    ok: numberAt(value, 'successes', 'count'),
    failed: numberAt(value, 'failures', 'count'),
  });
}

function windowOf(value: unknown, counts: ScopeCounts): ReportScope['windowSeconds'] {
  const recorded = numberAt(value, 'benchmark_time_seconds');
  if (recorded !== undefined && recorded > 0) return { value: recorded, from: 'benchmark_time_seconds' };
  const rate = numberAt(value, 'successes', 'throughput', 'requests_per_sec');
  if (counts.ok === undefined || rate === undefined || rate <= 0) return undefined;
  return { value: counts.ok / rate, from: 'successes.count / requests_per_sec (this version records no window)' };
}

function loadOf(source: ScopeSource, config: { value: Json; file: string } | undefined): ReportScope['load'] {
  const { value } = source;
  const rate = numberAt(value, 'load_summary', 'requested_rate');
  const level = numberAt(value, 'load_summary', 'concurrency');
  const type = textAt(config?.value, 'load', 'type');
  const closed = level !== undefined && level > 0 && type !== 'trace_session_replay';
  const replay = type === 'trace_replay' || type === 'trace_session_replay';
  const model =
    closed || type === 'concurrent'
      ? 'closed'
      : replay
        ? 'replay'
        : rate !== undefined || type !== undefined
          ? 'open'
          : 'not recorded';
  const cap = model === 'open' ? capOf(config) : undefined;
  const words =
    model === 'closed'
      ? level === undefined
        ? 'closed loop'
        : `${level} concurrent`
      : source.kind === 'summary'
        ? 'all stages together'
        : rate === undefined
          ? 'not recorded'
          : `${rate} requests/s asked${type === undefined ? '' : ` (${type})`}`;
  return {
    model,
    words,
    ...(rate === undefined || model === 'closed' ? {} : { requestedRateRps: rate }),
    ...(level === undefined || !closed ? {} : { concurrency: level }),
    ...(cap ? { cap } : {}),
  };
}

function capOf(config: { value: Json; file: string } | undefined): ReportScope['load']['cap'] {
  const workers = numberAt(config?.value, 'load', 'num_workers');
  const each = numberAt(config?.value, 'load', 'worker_max_concurrency');
  if (config === undefined || workers === undefined || each === undefined || workers <= 0 || each <= 0)
    return undefined;
  return {
    value: workers * each,
    from: `${config.file}: load.num_workers ${workers} x load.worker_max_concurrency ${each}`,
  };
}

function latencies(value: unknown, file: string, meaning: Meaning): Measure[] {
  const perRequest = (id: QuantityId, key: string, definition: Definition): readonly Measure[] => {
    const stats = statisticsOf(at(value, 'successes', 'latency', key), 1);
    const full = { ...LINEAR, weighting: 'requests', ...definition } as const;
    return measure(id, stats, { file, key: `successes.latency.${key}.*`, definition: full });
  };
  const tpotNote = meaning.tpotNote === undefined ? {} : { note: meaning.tpotNote };
  return [
    ...perRequest('ttft', 'time_to_first_token', {
      anchor: 'first-content',
      note: 'answers with a single token time have none',
    }),
    ...perRequest('tpot', 'time_per_output_token', { end: 'last-token', tokens: meaning.output, ...tpotNote }),
    ...measure(meaning.gap, statisticsOf(at(value, 'successes', 'latency', 'inter_token_latency'), 1), {
      file,
      key: 'successes.latency.inter_token_latency.*',
      definition: { percentiles: 'linear', weighting: 'gaps', note: meaning.gapNote },
    }),
    ...perRequest('ntpot', 'normalized_time_per_output_token', {
      end: 'stream-end',
      tokens: meaning.output,
      note: 'an empty answer counts as 0',
    }),
    ...perRequest('e2e', 'request_latency', { end: 'stream-end' }),
  ];
}

/** In a closed loop every request is due at the start: inference-perf's figure is how long it stood in the queue (load_generator.py). */
export const PLACE_IN_QUEUE = 'in a closed loop the file’s figure is the place in the queue, no lateness';

function lateness(value: unknown, file: string, counts: ScopeCounts): readonly Measure[] {
  const delay = at(value, 'load_summary', 'schedule_delay') === undefined ? 'schedule_accuracy' : 'schedule_delay';
  return measure('schedule_delay', statisticsOf(at(value, 'load_summary', delay), 1), {
    file,
    key: `load_summary.${delay}.*`,
    definition: { percentiles: 'linear', weighting: 'requests', note: 'failures included; in no latency' },
    count: counts.total,
  });
}

/** v0.7.0 counts the requests whose server count was missing: none, and every count is the server's. */
function withFallbacks(meaning: Meaning, value: unknown): Meaning {
  const fallbacks = (which: 'prompt' | 'output'): number | undefined =>
    numberAt(value, 'successes', 'client_fallback_requests', which);
  const { input, output } = meaning;
  return {
    ...meaning,
    input: input === 'server-else-client' && fallbacks('prompt') === 0 ? 'server' : input,
    output: output === 'server' && (fallbacks('output') ?? 0) > 0 ? 'server-else-client' : output,
  };
}

/** The count that TPOT and tokens/s use comes first. */
function tokens(value: unknown, file: string, meaning: Meaning): Measure[] {
  const of = (id: QuantityId, key: string, by: Definition['tokens']): readonly Measure[] =>
    measure(id, statisticsOf(at(value, 'successes', key), 1), {
      file,
      key: `successes.${key}.*`,
      definition: { percentiles: 'linear', weighting: 'requests', ...(by ? { tokens: by } : {}) },
    });
  const client = of('output_tokens', 'output_len', 'client');
  const server = of('output_tokens', 'output_tokens', 'server-else-client');
  const prompt = of('prompt_tokens', 'prompt_tokens', meaning.input === 'server' ? 'server' : 'server-else-client');
  const promptClient = of('prompt_tokens', 'prompt_len', 'client');
  return [
    ...(meaning.input === 'client' ? [...promptClient, ...prompt] : [...prompt, ...promptClient]),
    ...(meaning.output === 'server' ? [...server, ...client] : [...client, ...server]),
  ];
}

function rates(value: unknown, file: string, meaning: Meaning): Measure[] {
  const window = REQUESTS_WINDOW;
  const rate = (id: QuantityId, key: string, by?: Definition['tokens']): readonly Measure[] =>
    single(id, numberAt(value, 'successes', 'throughput', key), {
      file,
      key: `successes.throughput.${key}`,
      definition: { window, ...(by ? { tokens: by } : {}) },
    });
  return [
    ...rate('requests_per_sec', 'requests_per_sec'),
    ...single('sends_per_sec', numberAt(value, 'load_summary', 'achieved_rate'), {
      file,
      key: 'load_summary.achieved_rate',
      definition: { window: 'first send to last send; n over the span, not n - 1' },
    }),
    ...rate('input_tokens_per_sec', 'input_tokens_per_sec', meaning.input),
    ...rate('output_tokens_per_sec', 'output_tokens_per_sec', meaning.output),
    ...rate('total_tokens_per_sec', 'total_tokens_per_sec'),
  ];
}

function statisticsOfAll(block: unknown): Statistics | undefined {
  if (typeof block !== 'object' || block === null) return undefined;
  const entries = Object.entries(block).filter((entry): entry is [string, number] => Number.isFinite(entry[1]));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
