// inference-perf's Prometheus reports: the server's own view of a stage, with the traps of its names and zeros (reference 5.8).
import type { Measure, QuantityId, ServerTelemetry } from '../canonical';
import { at, measure, numberAt, single, statisticsOf, textAt, type Json } from './values';
import { isObject } from '../../own';

const LATENCIES: readonly (readonly [QuantityId, string])[] = [
  ['ttft', 'time_to_first_token'],
  ['tpot', 'time_per_output_token'],
  ['token_gap', 'inter_token_latency'],
  ['e2e', 'request_latency'],
];

/** @param config the run's own, for the server's type: it decides what `prompt_len` means */
export function telemetryOf(value: unknown, file: string, config: Json | undefined): ServerTelemetry {
  const successes = at(value, 'successes');
  const count = numberAt(successes, 'count');
  const hitPercent = numberAt(successes, 'prefix_cache_hit_percent', 'mean');
  const zeros = isObject(successes) ? zeroKeys(successes) : [];
  const measures: Measure[] = LATENCIES.flatMap(([id, key]) => {
    const stats = statisticsOf(at(successes, key), 1);
    // A histogram that the server does not have is written as zeros; it is no latency of 0 seconds.
    if (stats === undefined || Object.values(stats).every((number) => number === 0)) return [];
    return measure(id, stats, {
      file,
      key: `successes.${key}.*`,
      definition: { start: 'server', anchor: 'server', end: 'server', percentiles: 'histogram', weighting: 'requests' },
    });
  });
  const rate = numberAt(successes, 'rate');
  return {
    file,
    ...(count === undefined ? {} : { count }),
    measures: [
      ...measures,
      ...single('requests_per_sec', rate === 0 ? undefined : rate, {
        file,
        key: 'successes.rate',
        definition: { start: 'server', window: 'the scrape window: can reach over pauses between stages' },
      }),
    ],
    ...(hitPercent === undefined ? {} : { cacheHitShare: hitPercent / 100 }),
    zeros,
    misnamed: misnamedKeys(successes, config),
  };
}

function zeroKeys(successes: Json): string[] {
  return Object.entries(successes).flatMap(([key, entry]) => {
    if (entry === 0) return [key];
    if (!isObject(entry)) return [];
    const numbers = Object.values(entry);
    return numbers.length > 0 && numbers.every((number) => number === 0) ? [key] : [];
  });
}

function misnamedKeys(successes: unknown, config: Json | undefined): string[] {
  const type = textAt(config, 'server', 'type');
  return ['prompt_len', 'output_len'].flatMap((key) => {
    const mean = numberAt(successes, key, 'mean');
    if (mean === undefined || mean === 0) return [];
    return type === 'tgi'
      ? [`${key}.rate is requests/s, not tokens/s`]
      : [`${key}.mean ${mean} is a rate of tokens/s of one series, not a length (vLLM, SGLang)`];
  });
}

export function isPrometheusReport(value: unknown): boolean {
  const successes = at(value, 'successes');
  return (
    isObject(at(value, 'load_summary')) &&
    isObject(successes) &&
    !Object.hasOwn(successes, 'latency') &&
    (Object.hasOwn(successes, 'queue_len') || (Object.hasOwn(successes, 'rate') && Object.hasOwn(successes, 'count')))
  );
}
