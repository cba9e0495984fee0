// The server's own metrics, in vLLM's names and buckets, as Prometheus text.
//
// Names: reference inference-perf.md section 4.7; buckets: vLLM's metrics documentation.
import type { SimulatorOptions } from './options';

const TTFT_BUCKETS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560,
];
const ITL_BUCKETS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80];
const REQUEST_BUCKETS = [0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680];
const TOKEN_BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000];

interface FinishedSequence {
  readonly outputTokens: number;
  /** From arrival to the last step. */
  readonly latencySeconds: number;
  /** From admission to the last step. */
  readonly runSeconds: number;
  /** From the first token to the last. */
  readonly decodeSeconds: number;
}

/** What happened so far, told by the engine as it happens. */
export interface MetricsBook {
  prompt(tokens: number, cachedTokens: number): void;
  admitted(queuedSeconds: number): void;
  firstToken(latencySeconds: number, prefillSeconds: number): void;
  interTokens(seconds: number, count: number): void;
  generated(tokens: number): void;
  finished(reason: 'stop' | 'length', sequence: FinishedSequence): void;
  aborted(): void;
  readonly totals: Totals;
  render(now: Gauges): string;
}

interface Totals {
  promptTokens: number;
  cachedTokens: number;
  generatedTokens: number;
  stop: number;
  length: number;
  abort: number;
}

interface Gauges {
  readonly running: number;
  readonly waiting: number;
  readonly tokensHeld: number;
}

interface Histogram {
  readonly name: string;
  readonly help: string;
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum: number;
  count: number;
}

function histogram(name: string, help: string, bounds: readonly number[]): Histogram {
  return { name, help, bounds, counts: bounds.map(() => 0), sum: 0, count: 0 };
}

function observe(target: Histogram, value: number, times = 1): void {
  target.sum += value * times;
  target.count += times;
  const bucket = target.bounds.findIndex((bound) => value <= bound);
  if (bucket !== -1) target.counts[bucket]! += times;
}

export function createMetricsBook(options: SimulatorOptions, model: string): MetricsBook {
  const totals: Totals = { promptTokens: 0, cachedTokens: 0, generatedTokens: 0, stop: 0, length: 0, abort: 0 };
  const ttft = histogram('vllm:time_to_first_token_seconds', 'Time to first token in seconds.', TTFT_BUCKETS);
  const itl = histogram('vllm:inter_token_latency_seconds', 'Inter-token latency in seconds.', ITL_BUCKETS);
  const tpot = histogram(
    'vllm:request_time_per_output_token_seconds',
    'Time per output token of a request in seconds.',
    ITL_BUCKETS,
  );
  const e2e = histogram('vllm:e2e_request_latency_seconds', 'Request latency in seconds.', REQUEST_BUCKETS);
  const queued = histogram('vllm:request_queue_time_seconds', 'Time spent waiting in seconds.', REQUEST_BUCKETS);
  const prefill = histogram('vllm:request_prefill_time_seconds', 'Time spent in prefill in seconds.', REQUEST_BUCKETS);
  const decode = histogram('vllm:request_decode_time_seconds', 'Time spent in decode in seconds.', REQUEST_BUCKETS);
  const inference = histogram('vllm:request_inference_time_seconds', 'Time spent running in seconds.', REQUEST_BUCKETS);
  const prompts = histogram('vllm:request_prompt_tokens', 'Prompt tokens of a request.', TOKEN_BUCKETS);
  const outputs = histogram('vllm:request_generation_tokens', 'Generated tokens of a request.', TOKEN_BUCKETS);
  const histograms = [ttft, itl, tpot, e2e, queued, prefill, decode, inference, prompts, outputs];
  const labels = `engine="0",model_name="${model.replace(/[\\"\n]/g, '_')}"`;

  return {
    totals,
    prompt(tokens, cachedTokens) {
      totals.promptTokens += tokens;
      totals.cachedTokens += cachedTokens;
      observe(prompts, tokens);
    },
    admitted: (seconds) => observe(queued, seconds),
    firstToken(latencySeconds, prefillSeconds) {
      observe(ttft, latencySeconds);
      observe(prefill, prefillSeconds);
    },
    interTokens: (seconds, count) => observe(itl, seconds, count),
    generated(tokens) {
      totals.generatedTokens += tokens;
    },
    finished(reason, { outputTokens, latencySeconds, runSeconds, decodeSeconds }) {
      totals[reason]++;
      observe(e2e, latencySeconds);
      observe(inference, runSeconds);
      observe(decode, decodeSeconds);
      if (outputTokens > 1) observe(tpot, decodeSeconds / (outputTokens - 1));
      observe(outputs, outputTokens);
    },
    aborted() {
      totals.abort++;
    },
    render(now) {
      const use = Math.min(1, now.tokensHeld / options.cacheTokens);
      return [
        gauge('vllm:num_requests_running', 'Requests that run.', labels, now.running),
        gauge('vllm:num_requests_waiting', 'Requests that wait.', labels, now.waiting),
        gauge('vllm:kv_cache_usage_perc', 'Share of the key-value cache in use, 0 to 1.', labels, use),
        counter('vllm:prompt_tokens_total', 'Prompt tokens processed.', [[labels, totals.promptTokens]]),
        counter('vllm:generation_tokens_total', 'Tokens generated.', [[labels, totals.generatedTokens]]),
        counter('vllm:prefix_cache_queries_total', 'Prompt tokens looked up in the prefix cache.', [
          [labels, options.prefixCache ? totals.promptTokens : 0],
        ]),
        counter('vllm:prefix_cache_hits_total', 'Prompt tokens found in the prefix cache.', [
          [labels, totals.cachedTokens],
        ]),
        counter('vllm:num_preemptions_total', 'Sequences pushed out of the cache.', [[labels, 0]]),
        counter(
          'vllm:request_success_total',
          'Requests that ended, by how.',
          (['stop', 'length', 'abort'] as const).map((reason) => [
            `${labels},finished_reason="${reason}"`,
            totals[reason],
          ]),
        ),
        ...histograms.map((each) => renderHistogram(each, labels)),
      ].join('');
    },
  };
}

function head(name: string, help: string, type: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function gauge(name: string, help: string, labels: string, value: number): string {
  return `${head(name, help, 'gauge')}${name}{${labels}} ${value}\n`;
}

function counter(name: string, help: string, rows: readonly (readonly [labels: string, value: number])[]): string {
  return head(name, help, 'counter') + rows.map(([labels, value]) => `${name}{${labels}} ${value}\n`).join('');
}

function renderHistogram({ name, help, bounds, counts, sum, count }: Histogram, labels: string): string {
  let below = 0;
  const rows = bounds.map((bound, index) => {
    below += counts[index]!;
    return `${name}_bucket{${labels},le="${bound}"} ${below}\n`;
  });
  return (
    head(name, help, 'histogram') +
    rows.join('') +
    `${name}_bucket{${labels},le="+Inf"} ${count}\n${name}_sum{${labels}} ${sum}\n${name}_count{${labels}} ${count}\n`
  );
}
