// *_prometheus_metrics.json in inference-perf's layout (0.7; reference 4.7), without the zeros that it writes for what was not found.
import type { ServerMetricsWindow } from './manifest';

type Values = ServerMetricsWindow['metrics'][string];

const SUMMARIES = [
  'request_latency',
  'time_to_first_token',
  'time_per_output_token',
  'inter_token_latency',
  'request_queue_time',
  'request_inference_time',
  'request_prefill_time',
  'request_decode_time',
  'request_prompt_tokens',
  'request_generation_tokens',
  'request_max_num_generation_tokens',
  'request_params_n',
  'request_params_max_tokens',
  'iteration_tokens',
  'request_prefill_kv_computed_tokens',
  'kv_block_idle_before_evict',
  'kv_block_lifetime',
  'kv_block_reuse_gap',
] as const;

/** A key whose value is not known is left out: in inference-perf's files 0 can mean "not found". */
export function prometheusReport({ metrics }: Pick<ServerMetricsWindow, 'metrics'>): Record<string, unknown> {
  const successes: Record<string, unknown> = {};
  const put = (key: string, value: unknown): void => {
    if (value !== undefined) successes[key] = value;
  };
  put('count', metrics['requests']?.total);
  put('rate', metrics['requests']?.perSecond);
  // Upstream's "mean" of a counter is its rate over one series (pitfall P73); a histogram's is a length.
  put('prompt_len', meanAndRate(metrics['prompt_tokens']));
  put('output_len', meanAndRate(metrics['output_tokens']));
  put('queue_len', only('mean', metrics['queue_length']?.mean));
  for (const key of SUMMARIES) put(key, summary(metrics[key]));
  put('kv_cache_usage_percentage', summary(metrics['kv_cache_usage']));
  put('num_requests_running', only('mean', metrics['num_requests_running']?.mean));
  put('num_preemptions_total', only('mean', metrics['num_preemptions_total']?.total));
  for (const [key, cache] of [
    ['prefix_cache_hit_percent', 'prefix_cache'],
    ['external_prefix_cache_hit_percent', 'external_prefix_cache'],
    ['mm_cache_hit_percent', 'mm_cache'],
  ] as const) {
    put(key, only('mean', percentOf(metrics[`${cache}_hits`]?.total, metrics[`${cache}_queries`]?.total)));
  }
  put('request_success_count', metrics['requests']?.total);
  put('prompt_tokens_cached', metrics['prompt_tokens_cached']?.total);
  put('corrupted_requests', metrics['corrupted_requests']?.total);
  return { load_summary: {}, successes, failures: {} };
}

function summary(values: Values | undefined): Record<string, number> | undefined {
  const entries = (['mean', 'median', 'p90', 'p99'] as const).flatMap((field) => {
    const value = values?.[field];
    return value === undefined ? [] : [[field, value] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function meanAndRate(values: Values | undefined): Record<string, number> | undefined {
  const mean = values?.mean ?? values?.avg;
  const rate = values?.perSecond;
  if (mean === undefined && rate === undefined) return undefined;
  return { ...(mean === undefined ? {} : { mean }), ...(rate === undefined ? {} : { rate }) };
}

function only(key: string, value: number | undefined): Record<string, number> | undefined {
  return value === undefined ? undefined : { [key]: value };
}

/** Nothing looked up is no hit rate at all. */
function percentOf(hits: number | undefined, queries: number | undefined): number | undefined {
  return hits === undefined || queries === undefined || queries <= 0 ? undefined : (hits / queries) * 100;
}
