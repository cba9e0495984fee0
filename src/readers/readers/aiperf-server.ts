// AIPerf's server_metrics_export.json: the counters it read from the server's /metrics while it profiled.
import { own } from '../../own';
import { countersOf } from '../cache-counters';
import type { CanonicalReport } from '../canonical';
import { fact } from '../facts';
import type { SourceDocument } from './reader';
import { at, isObject, numberAt } from './values';

/** The servers' names of the counters that tell what a prefix cache held. */
const NAMES: Readonly<Record<string, string>> = {
  prefix_cache_hits: 'vllm:prefix_cache_hits',
  external_prefix_cache_hits: 'vllm:external_prefix_cache_hits',
  prefix_cache_queries: 'vllm:prefix_cache_queries',
  prompt_tokens_cached: 'vllm:prompt_tokens_cached',
  prompt_tokens: 'vllm:prompt_tokens',
  cached_tokens: 'sglang:cached_tokens',
};

/** What the counters say of the prefix cache, added to what the report says itself. */
export function saidByServer(
  { said }: CanonicalReport,
  documents: readonly SourceDocument[],
): Pick<CanonicalReport, 'said'> {
  for (const { file, value } of documents) {
    const metrics = at(value, 'metrics');
    if (!isObject(metrics)) continue;
    const found = countersOf((key) => totalOf(metrics, own(NAMES, key)) ?? totalOf(metrics, sglang(key)));
    if (found) return { said: { ...said, cacheCounters: fact(found, file, 'metrics.*.series[].stats.total') } };
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
