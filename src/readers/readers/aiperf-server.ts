// AIPerf's server_metrics_export.json: the counters it read from the server's /metrics while it profiled.
import { isObject, own } from '../../own';
import { countersOf } from '../cache-counters';
import type { CanonicalReport, Measure, QuantityId, ServerTelemetry } from '../canonical';
import { fact } from '../facts';
import type { SourceDocument } from './reader';
import { at, measure, numberAt, type Json } from './values';

/** The servers' names of the counters that tell what a cache held. */
const NAMES: Readonly<Record<string, string>> = {
  prefix_cache_hits: 'vllm:prefix_cache_hits',
  external_prefix_cache_hits: 'vllm:external_prefix_cache_hits',
  prefix_cache_queries: 'vllm:prefix_cache_queries',
  prompt_tokens_cached: 'vllm:prompt_tokens_cached',
  prompt_tokens: 'vllm:prompt_tokens',
  cached_tokens: 'sglang:cached_tokens',
  mm_cache_hits: 'vllm:mm_cache_hits',
  mm_cache_queries: 'vllm:mm_cache_queries',
};

/** Histograms of the servers -> quantities; sums and counts over the window it profiled. */
const HISTOGRAMS: readonly (readonly [QuantityId, readonly string[]])[] = [
  ['ttft', ['vllm:time_to_first_token_seconds', 'sglang:time_to_first_token_seconds']],
  ['tpot', ['vllm:request_time_per_output_token_seconds', 'sglang:time_per_output_token_seconds']],
  ['e2e', ['vllm:e2e_request_latency_seconds', 'sglang:e2e_request_latency_seconds']],
  ['prompt_tokens', ['vllm:request_prompt_tokens']],
  ['output_tokens', ['vllm:request_generation_tokens']],
];

const ENDED = ['vllm:request_success', 'sglang:num_requests'];

/** The server's own view of the window; undefined where the file has nothing of it. */
export function serverOf(documents: readonly SourceDocument[]): ServerTelemetry | undefined {
  for (const { file, value } of documents) {
    const metrics = at(value, 'metrics');
    if (!isObject(metrics)) continue;
    const measures = HISTOGRAMS.flatMap(([quantity, names]) =>
      names.flatMap((name) => histogram(metrics, quantity, name, file)).slice(0, 1),
    );
    const count = ENDED.map((name) => totalOf(metrics, name)).find((total) => total !== undefined);
    if (measures.length === 0 && count === undefined) continue;
    return { file, ...(count === undefined ? {} : { count }), measures, zeros: [], misnamed: [] };
  }
  return undefined;
}

/** One engine: its percentiles are estimates from buckets. Several: the mean over all, by count. */
function histogram(metrics: Json, quantity: QuantityId, name: string, file: string): readonly Measure[] {
  const series = at(metrics, name, 'series');
  const parts = (Array.isArray(series) ? series : []).map((one: unknown) => at(one, 'stats'));
  const full = parts.filter((stats) => (numberAt(stats, 'count') ?? 0) > 0);
  const count = full.reduce<number>((sum, stats) => sum + numberAt(stats, 'count')!, 0);
  const sums = full.map((stats) => numberAt(stats, 'sum'));
  if (count === 0 || sums.includes(undefined)) return [];
  const [only] = full;
  const estimates =
    full.length > 1 ? [] : [50, 90, 95, 99].map((p) => [`p${p}`, numberAt(only, `p${p}_estimate`)] as const);
  const stats = {
    mean: sums.reduce<number>((sum, one) => sum + one!, 0) / count,
    ...Object.fromEntries(estimates.filter(([, estimate]) => estimate !== undefined)),
  };
  const definition = { start: 'server', anchor: 'server', end: 'server', percentiles: 'histogram' } as const;
  return measure(quantity, stats, { file, key: `metrics.${name}.series[].stats`, count, definition });
}

/** What the counters say of the caches, added to what the report says itself. */
export function saidByServer(
  { said }: CanonicalReport,
  documents: readonly SourceDocument[],
): Pick<CanonicalReport, 'said'> {
  for (const { file, value } of documents) {
    const metrics = at(value, 'metrics');
    if (!isObject(metrics)) continue;
    const total = (key: string) => totalOf(metrics, own(NAMES, key)) ?? totalOf(metrics, sglang(key));
    const [prompts, media] = [countersOf(total), countersOf(total, 'media')];
    const place = [file, 'metrics.*.series[].stats.total'] as const;
    const found = {
      ...(prompts && { cacheCounters: fact(prompts, ...place) }),
      ...(media && { mediaCacheCounters: fact(media, ...place) }),
    };
    if (Object.keys(found).length > 0) return { said: { ...said, ...found } };
  }
  return said ? { said } : {};
}

function sglang(key: string): string | undefined {
  return key === 'prompt_tokens' ? 'sglang:prompt_tokens' : undefined;
}

/** Over all series: engines of one server, or several servers. */
function totalOf(metrics: Readonly<Record<string, unknown>>, name: string | undefined): number | undefined {
  const series =
    name === undefined ? undefined : (at(metrics, name, 'series') ?? at(metrics, `${name}_total`, 'series'));
  if (!Array.isArray(series) || series.length === 0) return undefined;
  const totals = series.map((one: unknown) => numberAt(one, 'stats', 'total'));
  return totals.includes(undefined) ? undefined : totals.reduce<number>((sum, total) => sum + total!, 0);
}
