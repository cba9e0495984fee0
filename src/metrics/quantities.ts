// The one table of quantities: what a number is called, its unit, which way is better, what it needs, where inference-perf has it.

export interface Quantity {
  /** What it is called wherever it is printed. */
  readonly label: string;
  /** For heads of narrow columns, where the label has no room. */
  readonly short?: string;
  /** As it is kept; `printedIn` says how it is shown. */
  readonly unit: 's' | 'tokens' | 'requests' | 'requests/s' | 'tokens/s' | '%';
  readonly better: 'lower' | 'higher' | 'neither';
  /** What an answer must have had for it. */
  readonly needs: 'streaming' | 'output count' | 'both' | 'nothing';
  /** Its definition. */
  readonly words: string;
  /** Its key in inference-perf's layout of a report, ours beside it; absent where the layout has none. */
  readonly key?: string;
  /** What a comparison calls it, where it compares it: the names that exit codes, thresholds and saved files know. */
  readonly metric?: string;
  /** Can take longer than ten seconds, and is then shown in seconds. */
  readonly long?: true;
}

/**
 * Two numbers may stand in one column only when they have the same id. Names differ between tools: GuideLLM's and AIPerf's
 * "inter token latency" is `tpot` here, vLLM's is `chunk_gap`, inference-perf's is `token_gap`, llmperf's is `ntpot`;
 * GuideLLM's "time per output token" is `ntpot` as well.
 */
export const QUANTITIES = {
  ttft: {
    label: 'TTFT',
    unit: 's',
    better: 'lower',
    needs: 'streaming',
    words: 'first token minus start',
    key: 'successes.latency.time_to_first_token',
    metric: 'ttft',
  },
  ttfc: {
    label: 'Time to first content',
    short: 'TTFC',
    unit: 's',
    better: 'lower',
    needs: 'streaming',
    words: 'first visible content minus start; reasoning and tool calls come before it and do not count',
    key: 'isoperf.time_to_first_content',
    metric: 'ttfc',
  },
  ttft_schedule: {
    label: 'TTFT from schedule',
    unit: 's',
    better: 'lower',
    needs: 'streaming',
    words: 'first token minus scheduled time',
    key: 'isoperf.from_scheduled_time.time_to_first_token',
  },
  tpot: {
    label: 'TPOT',
    unit: 's',
    better: 'lower',
    needs: 'both',
    words: '(last token minus first token) / (output tokens minus 1), per request',
    key: 'successes.latency.time_per_output_token',
    metric: 'tpot',
  },
  chunk_gap: {
    label: 'Chunk gap',
    unit: 's',
    better: 'lower',
    needs: 'streaming',
    words: 'gap between consecutive chunks of the stream, all pooled',
    key: 'isoperf.chunk_gap',
  },
  token_gap: {
    label: 'ITL',
    unit: 's',
    better: 'lower',
    needs: 'streaming',
    words: 'gap between consecutive tokens, 0 inside a chunk, all pooled',
    key: 'successes.latency.inter_token_latency',
    metric: 'itl',
  },
  ntpot: {
    label: 'NTPOT',
    unit: 's',
    better: 'lower',
    needs: 'output count',
    words: 'whole latency / output tokens, per request: contains TTFT',
    key: 'successes.latency.normalized_time_per_output_token',
    metric: 'ntpot',
  },
  e2e: {
    label: 'Request latency',
    short: 'E2E',
    unit: 's',
    better: 'lower',
    needs: 'nothing',
    words: 'end of the answer minus start',
    key: 'successes.latency.request_latency',
    metric: 'request_latency',
    long: true,
  },
  e2e_schedule: {
    label: 'Request latency from schedule',
    unit: 's',
    better: 'lower',
    needs: 'nothing',
    words: 'end of the answer minus scheduled time',
    key: 'isoperf.from_scheduled_time.request_latency',
    long: true,
  },
  schedule_delay: {
    label: 'Schedule delay',
    short: 'late',
    unit: 's',
    better: 'neither',
    needs: 'nothing',
    words: 'sent minus scheduled',
    key: 'load_summary.schedule_delay',
    metric: 'schedule_delay',
  },
  failed_latency: {
    label: 'Latency of failures',
    unit: 's',
    better: 'neither',
    needs: 'nothing',
    words: 'end minus start of failed requests',
    key: 'failures.request_latency',
    long: true,
  },
  prompt_tokens: {
    label: 'Prompt tokens',
    unit: 'tokens',
    better: 'neither',
    needs: 'nothing',
    words: 'tokens of the prompt, per request',
    key: 'successes.prompt_tokens',
  },
  output_tokens: {
    label: 'Output tokens',
    unit: 'tokens',
    better: 'neither',
    needs: 'output count',
    words: 'tokens of the answer, per request',
    key: 'successes.output_tokens',
  },
  requests_per_sec: {
    label: 'Requests/s',
    short: 'requests/s',
    unit: 'requests/s',
    better: 'higher',
    needs: 'nothing',
    words: 'successes over the window',
    key: 'successes.throughput.requests_per_sec',
    metric: 'requests_per_sec',
  },
  sends_per_sec: {
    label: 'Sends/s',
    unit: 'requests/s',
    better: 'neither',
    needs: 'nothing',
    words: 'requests over the span of their sends',
    key: 'load_summary.achieved_rate',
  },
  input_tokens_per_sec: {
    label: 'Input tokens/s',
    short: 'in tok/s',
    unit: 'tokens/s',
    better: 'higher',
    needs: 'nothing',
    words: 'prompt tokens over the window',
    key: 'successes.throughput.input_tokens_per_sec',
    metric: 'input_tokens_per_sec',
  },
  output_tokens_per_sec: {
    label: 'Output tokens/s',
    short: 'out tok/s',
    unit: 'tokens/s',
    better: 'higher',
    needs: 'output count',
    words: 'output tokens over the window',
    key: 'successes.throughput.output_tokens_per_sec',
    metric: 'output_tokens_per_sec',
  },
  total_tokens_per_sec: {
    label: 'Total tokens/s',
    unit: 'tokens/s',
    better: 'higher',
    needs: 'output count',
    words: 'all tokens over the window',
    key: 'successes.throughput.total_tokens_per_sec',
    metric: 'total_tokens_per_sec',
  },
  concurrency: {
    label: 'In flight',
    unit: 'requests',
    better: 'neither',
    needs: 'nothing',
    words: 'average number of requests in flight',
  },
  request_goodput: {
    label: 'Goodput',
    unit: 'requests/s',
    better: 'higher',
    needs: 'nothing',
    words: 'answers within every limit over the window',
    key: 'successes.goodput_metrics.request_goodput',
    metric: 'request_goodput',
  },
  error_rate: {
    label: 'Error rate',
    unit: '%',
    better: 'lower',
    needs: 'nothing',
    words: 'failures over the requests whose end was seen',
    metric: 'error_rate',
  },
} as const satisfies Readonly<Record<string, Quantity>>;

export type QuantityId = keyof typeof QUANTITIES;

/** The quantities a comparison may show. Latencies are compared per statistic (mean, p50, p95, p99), rates once. */
export type MetricName = Extract<(typeof QUANTITIES)[QuantityId], { metric: string }>['metric'];

const BY_METRIC = Object.fromEntries(
  Object.entries<Quantity>(QUANTITIES).flatMap(([id, { metric }]) => (metric === undefined ? [] : [[metric, id]])),
) as Readonly<Record<MetricName, QuantityId>>;

export const METRICS = Object.keys(BY_METRIC) as readonly MetricName[];

/** The row of the table that a comparison calls so. */
export function quantityNamed(metric: MetricName): (typeof QUANTITIES)[QuantityId] {
  return QUANTITIES[BY_METRIC[metric]];
}

/** For a column that has no room for the label. */
export function shortLabel(id: QuantityId): string {
  const quantity: Quantity = QUANTITIES[id];
  return quantity.short ?? quantity.label;
}

/** The label inside a sentence: "request latency", but "TTFT". */
export function spokenLabel({ label }: { readonly label: string }): string {
  const second = label.charAt(1);
  return second === second.toLowerCase() ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}

const NAMES_UNIT: ReadonlySet<string> = new Set(
  Object.entries(QUANTITIES).flatMap(([id, { label }]) => (id.endsWith('_per_sec') ? [label] : [])),
);

/** Whether a row's label says its unit itself, as "Requests/s" does. */
export function namesUnit(label: string): boolean {
  return NAMES_UNIT.has(label);
}

/** "TTFT p95, ms", but "Requests/s". */
export function withUnit(label: string, unit: string): string {
  return namesUnit(label) ? label : `${label}, ${unit}`;
}

const LONG_SECONDS = 10;

/**
 * How values are shown: ms for latencies, s where the largest of a long one is ten seconds or more.
 * @param largest of the values that stand together, in the quantity's own unit
 */
export function printedIn(
  { unit, long }: Pick<Quantity, 'unit' | 'long'>,
  largest = 0,
): { readonly unit: string; readonly factor: number } {
  if (unit !== 's') return { unit, factor: 1 };
  return long && largest >= LONG_SECONDS ? { unit, factor: 1 } : { unit: 'ms', factor: 1000 };
}

/** Whether a number over each request: a latency or a length. */
export function isPerRequest(id: QuantityId): boolean {
  const { unit } = QUANTITIES[id];
  return unit === 's' || unit === 'tokens';
}
