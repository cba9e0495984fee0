// What the model servers measure of themselves: inference-perf's keys, the servers' names, and the queries for each kind (reference 4.7).
import { own } from '../own';

export type MetricKind = 'counter' | 'gauge' | 'histogram';

export interface ServerMetric {
  /** inference-perf's name for it, in its reports or behind them. */
  readonly key: string;
  readonly kind: MetricKind;
  /** Without the suffix `_total` of a counter, which some exporters write and some do not. */
  readonly name: string;
}

const of =
  (kind: MetricKind) =>
  (key: string, name: string): ServerMetric => ({ key, kind, name });
const [counter, gauge, histogram] = [of('counter'), of('gauge'), of('histogram')];

const VLLM: readonly ServerMetric[] = [
  counter('prompt_tokens', 'vllm:prompt_tokens'),
  counter('output_tokens', 'vllm:generation_tokens'),
  counter('requests', 'vllm:request_success'),
  histogram('request_latency', 'vllm:e2e_request_latency_seconds'),
  gauge('queue_length', 'vllm:num_requests_waiting'),
  histogram('time_per_output_token', 'vllm:request_time_per_output_token_seconds'),
  gauge('num_requests_running', 'vllm:num_requests_running'),
  histogram('time_to_first_token', 'vllm:time_to_first_token_seconds'),
  histogram('inter_token_latency', 'vllm:inter_token_latency_seconds'),
  gauge('kv_cache_usage', 'vllm:kv_cache_usage_perc'),
  counter('num_preemptions_total', 'vllm:num_preemptions'),
  counter('prefix_cache_hits', 'vllm:prefix_cache_hits'),
  counter('prefix_cache_queries', 'vllm:prefix_cache_queries'),
  histogram('request_queue_time', 'vllm:request_queue_time_seconds'),
  histogram('request_inference_time', 'vllm:request_inference_time_seconds'),
  histogram('request_prefill_time', 'vllm:request_prefill_time_seconds'),
  histogram('request_decode_time', 'vllm:request_decode_time_seconds'),
  histogram('request_prompt_tokens', 'vllm:request_prompt_tokens'),
  histogram('request_generation_tokens', 'vllm:request_generation_tokens'),
  histogram('request_max_num_generation_tokens', 'vllm:request_max_num_generation_tokens'),
  histogram('request_params_n', 'vllm:request_params_n'),
  histogram('request_params_max_tokens', 'vllm:request_params_max_tokens'),
  histogram('iteration_tokens', 'vllm:iteration_tokens_total'),
  counter('prompt_tokens_cached', 'vllm:prompt_tokens_cached'),
  counter('external_prefix_cache_hits', 'vllm:external_prefix_cache_hits'),
  counter('external_prefix_cache_queries', 'vllm:external_prefix_cache_queries'),
  counter('mm_cache_hits', 'vllm:mm_cache_hits'),
  counter('mm_cache_queries', 'vllm:mm_cache_queries'),
  counter('corrupted_requests', 'vllm:corrupted_requests'),
  histogram('request_prefill_kv_computed_tokens', 'vllm:request_prefill_kv_computed_tokens'),
  histogram('kv_block_idle_before_evict', 'vllm:kv_block_idle_before_evict_seconds'),
  histogram('kv_block_lifetime', 'vllm:kv_block_lifetime_seconds'),
  histogram('kv_block_reuse_gap', 'vllm:kv_block_reuse_gap_seconds'),
];

const SGLANG: readonly ServerMetric[] = [
  counter('prompt_tokens', 'sglang:prompt_tokens'),
  counter('output_tokens', 'sglang:generation_tokens'),
  counter('requests', 'sglang:e2e_request_latency_seconds_count'),
  histogram('request_latency', 'sglang:e2e_request_latency_seconds'),
  gauge('queue_length', 'sglang:num_queue_reqs'),
  histogram('time_per_output_token', 'sglang:time_per_output_token_seconds'),
  histogram('time_to_first_token', 'sglang:time_to_first_token_seconds'),
  histogram('inter_token_latency', 'sglang:inter_token_latency_seconds'),
  gauge('kv_cache_usage', 'sglang:token_usage'),
  counter('cached_tokens', 'sglang:cached_tokens'),
  gauge('cache_hit_rate', 'sglang:cache_hit_rate'),
];

const TGI: readonly ServerMetric[] = [
  histogram('prompt_tokens', 'tgi_request_input_length'),
  histogram('output_tokens', 'tgi_request_generated_tokens'),
  counter('requests', 'tgi_request_success'),
  histogram('request_latency', 'tgi_request_duration'),
  gauge('queue_length', 'tgi_queue_size'),
  histogram('time_per_output_token', 'tgi_request_mean_time_per_token_duration'),
];

const CATALOGUE: Readonly<Record<string, readonly ServerMetric[]>> = { vllm: VLLM, sglang: SGLANG, tgi: TGI };

/** Nothing for `mock`, which is no server. */
export function metricsOf(serverType: string): readonly ServerMetric[] {
  return own(CATALOGUE, serverType) ?? [];
}

/** Label matchers of a server: its model, for the two that label by it, and the config's own. */
export function metricFilters(serverType: string, model: string, own: readonly string[]): string {
  const quoted = model.replace(/[\\']/g, '\\$&');
  return [...(serverType === 'tgi' ? [] : [`model_name='${quoted}'`]), ...own].join(',');
}

export type MetricField = 'total' | 'avg' | 'perSecond' | 'mean' | 'median' | 'p90' | 'p99';

/** inference-perf 0.7's PromQL for one metric over a window that ends at the query's time, by the field it fills. */
export function queriesFor(
  { kind, name }: ServerMetric,
  filters: string,
  windowSeconds: number,
): readonly (readonly [MetricField, string])[] {
  const window = `${windowSeconds.toFixed(0)}s`;
  const at = (series: string): string => `${series}{${filters}}[${window}]`;
  if (kind === 'gauge') {
    const quantile = (q: number): string => `quantile_over_time(${q}, ${at(name)})`;
    return [
      ['mean', `avg_over_time(${at(name)})`],
      ['median', quantile(0.5)],
      ['p90', quantile(0.9)],
      ['p99', quantile(0.99)],
    ];
  }
  if (kind === 'histogram') {
    const quantile = (q: number): string => `histogram_quantile(${q}, sum(rate(${at(`${name}_bucket`)})) by (le))`;
    return [
      ['mean', `sum(rate(${at(`${name}_sum`)})) / (sum(rate(${at(`${name}_count`)})) > 0)`],
      ['median', quantile(0.5)],
      ['p90', quantile(0.9)],
      ['p99', quantile(0.99)],
      ['perSecond', `sum(rate(${at(`${name}_count`)}))`],
    ];
  }
  // A counter's series has or has not the suffix, by exporter; parts of a histogram never have it.
  const spanning = (fn: string): string =>
    /_(count|sum|bucket)$/.test(name) ? `${fn}(${at(name)})` : `${fn}(${at(`${name}_total`)}) or ${fn}(${at(name)})`;
  return [
    ['total', `sum(${spanning('increase')})`],
    ['avg', `avg_over_time((${spanning('rate')})[${window}:${window}])`],
    ['perSecond', `sum(${spanning('rate')})`],
  ];
}
