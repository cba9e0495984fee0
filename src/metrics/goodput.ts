// Goodput as inference-perf defines it: answers that kept every limit (reference inference-perf.md section 5.5).
import type { RequestRecord } from './record';
import {
  inputTokens,
  itlBasisOf,
  itlGapsSeconds,
  latencySeconds,
  ntpotSeconds,
  outputTokens,
  tpotSeconds,
  ttftSeconds,
  type CountSource,
  type ItlBasis,
} from './request-metrics';
import { mean, sum } from './statistics';

/** Names a limit may have; all limits are seconds. */
const GOODPUT_METRICS = ['ttft', 'tpot', 'itl', 'ntpot', 'request_latency'] as const;
type GoodputMetric = (typeof GOODPUT_METRICS)[number];

interface Sources {
  readonly output: CountSource;
  readonly input: CountSource;
  readonly itl?: ItlBasis;
}

/**
 * Over successes only: good means every limit holds with `<=`, and a metric that was not measured fails its limit.
 * `itl` is the request's mean gap. Rates are over max(end) - min(sent) of the successes. Failures are not in the
 * denominator, as upstream (its pitfall P66). `token_goodput` is left out when nobody counted tokens.
 */
export function goodputOf(
  successes: readonly RequestRecord[],
  limits: Readonly<Record<string, number>>,
  sources: Sources,
): Readonly<Record<string, number>> {
  const applied = GOODPUT_METRICS.filter((metric) => limits[metric] !== undefined);
  const basis = sources.itl ?? itlBasisOf(successes);
  const met = applied.map((metric) =>
    successes.map((record) => {
      const value = metricOf(record, metric, sources.output, basis);
      return value !== undefined && value <= limits[metric]!;
    }),
  );
  const good = successes.filter((_, i) => met.every((flags) => flags[i]));
  const windowSeconds = span(successes);
  const perSecond = (total: number): number => (windowSeconds > 0 ? total / windowSeconds : 0);
  const share = (count: number): number => (successes.length > 0 ? (count / successes.length) * 100 : 0);
  const tokens = good.map((record) => totalTokens(record, sources));
  const counted = tokens.filter((value) => value !== undefined);
  const attainment = applied.map((metric, m) => [
    `${metric}_attainment_percentage`,
    share(met[m]!.filter(Boolean).length),
  ]);
  return {
    goodput_percentage: share(good.length),
    request_goodput: perSecond(good.length),
    ...(counted.length === tokens.length ? { token_goodput: perSecond(sum(counted)) } : {}),
    good_requests: good.length,
    total_requests: successes.length,
    ...(Object.fromEntries(attainment) as Record<string, number>),
  };
}

function metricOf(
  record: RequestRecord,
  metric: GoodputMetric,
  source: CountSource,
  basis: ItlBasis,
): number | undefined {
  switch (metric) {
    case 'ttft':
      return ttftSeconds(record);
    case 'tpot':
      return tpotSeconds(record, source);
    case 'ntpot':
      return ntpotSeconds(record, source);
    case 'request_latency':
      return latencySeconds(record);
    case 'itl': {
      const gaps = itlGapsSeconds(record, basis);
      return gaps.length > 0 ? mean(gaps) : undefined;
    }
  }
}

function totalTokens(record: RequestRecord, sources: Sources): number | undefined {
  const input = inputTokens(record, sources.input);
  const output = outputTokens(record, sources.output);
  return input === undefined || output === undefined ? undefined : input + output;
}

function span(successes: readonly RequestRecord[]): number {
  let start = Infinity;
  let end = -Infinity;
  for (const record of successes) {
    if (record.sentSeconds !== undefined) start = Math.min(start, record.sentSeconds);
    if (record.endSeconds !== undefined) end = Math.max(end, record.endSeconds);
  }
  return end > start ? end - start : 0;
}
