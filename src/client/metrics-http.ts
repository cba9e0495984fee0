// Reads a server's /metrics and asks a Prometheus: small GET requests beside the load, on connections of their own.
import type { MetricField, ServerMetric } from './metrics-catalogue';
import { queriesFor } from './metrics-catalogue';
import type { MetricValues, WindowMetrics } from './metrics-window';

export interface GetOptions {
  /** Default GET. */
  readonly method?: 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutSeconds?: number;
  readonly signal?: AbortSignal;
}

export type GetAnswer = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

const TIMEOUT_SECONDS = 10;

/** Never rejects. A user and password in the URL become a header, because fetch refuses them. */
export async function getText(url: string, options: GetOptions = {}): Promise<GetAnswer> {
  const target = new URL(url);
  const shown = `${target.origin}${target.pathname}`;
  const headers: Record<string, string> = { ...options.headers };
  if (target.username !== '') {
    const login = `${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`;
    headers['authorization'] = `Basic ${Buffer.from(login).toString('base64')}`;
    target.username = target.password = '';
  }
  const timeout = AbortSignal.timeout((options.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000);
  try {
    const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout;
    const response = await fetch(target, { method: options.method ?? 'GET', headers, signal });
    const text = await response.text();
    return response.ok ? { ok: true, text } : { ok: false, reason: `${shown} answered ${response.status}` };
  } catch (error) {
    const { message, cause } = error as Error;
    return { ok: false, reason: `${shown} could not be read: ${cause instanceof Error ? cause.message : message}` };
  }
}

export interface PrometheusWindow {
  readonly url: string;
  readonly metrics: readonly ServerMetric[];
  /** Comma-joined label matchers. */
  readonly filters: string;
  readonly windowSeconds: number;
  /** Unix seconds at which the window ends. */
  readonly evalSeconds: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * inference-perf's queries over one window. As upstream the first series of an answer is used and values have six decimals; unlike
 * upstream an empty answer, a failure and NaN are absent with their query, never 0.
 */
export async function askPrometheus(window: PrometheusWindow): Promise<WindowMetrics> {
  const metrics: Record<string, MetricValues> = {};
  const absent: { key: string; lookedFor: string; reason: string }[] = [];
  // A Prometheus that cannot be reached would be waited for a hundred times.
  let unreachable: string | undefined;
  for (const metric of window.metrics) {
    const values: Partial<Record<MetricField, number>> = {};
    for (const [field, query] of queriesFor(metric, window.filters, window.windowSeconds)) {
      const answer: number | string = unreachable ?? (await instant(window, query));
      if (typeof answer === 'string' && answer.includes(' could not be read: ')) unreachable = answer;
      if (typeof answer === 'number') values[field] = answer;
      else absent.push({ key: `${metric.key}.${field}`, lookedFor: query, reason: answer });
    }
    if (Object.keys(values).length > 0) metrics[metric.key] = { kind: metric.kind, name: metric.name, ...values };
  }
  return { metrics, absent };
}

/** The value, or why there is none. */
async function instant(
  { url, evalSeconds, headers = {}, signal }: PrometheusWindow,
  query: string,
): Promise<number | string> {
  const target = new URL(`${url.replace(/\/+$/, '')}/api/v1/query`);
  target.searchParams.set('query', query);
  target.searchParams.set('time', String(evalSeconds));
  const answer = await getText(target.href, signal ? { headers, signal } : { headers });
  if (!answer.ok) return answer.reason;
  let body: { status?: unknown; data?: { result?: unknown } };
  try {
    body = JSON.parse(answer.text) as typeof body;
  } catch {
    return 'the answer is not JSON';
  }
  const result = body.status === 'success' ? body.data?.result : undefined;
  if (!Array.isArray(result)) return 'the query failed';
  const [series] = result as { value?: readonly unknown[] }[];
  if (!series) return 'no series';
  const value = Number(series.value?.[1]);
  return Number.isFinite(value) ? Math.round(value * 1e6) / 1e6 : `the value is ${String(series.value?.[1])}`;
}
