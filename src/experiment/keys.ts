// What an experiment can ask about: a comparison's metrics, by their names there.
import { parseThreshold } from '../comparability/gate';
import type { MetricName, Statistic } from '../comparability/comparison';
import { printedIn, quantityNamed } from '../metrics/quantities';
import { rounded } from '../figures';
import type { Margin } from './statistics';
import { marginOfShare } from './statistics';

export interface MetricKey {
  /** `ttft.p95`, `output_tokens_per_sec`: how values are kept. */
  readonly key: string;
  readonly label: string;
  /** As it is kept: seconds, not milliseconds. */
  readonly unit: string;
  readonly better: 'lower' | 'higher' | 'neither';
  readonly metric: MetricName;
  readonly statistic: Statistic;
}

/** Else why it is none. */
export function parseKey(text: string): MetricKey | string {
  const read = parseThreshold(`${text}=1%`);
  return typeof read === 'string' ? read : keyOf(read.metric, read.statistic);
}

export function keyOf(metric: MetricName, statistic: Statistic): MetricKey {
  const { label, unit, better } = quantityNamed(metric);
  const isRate = statistic === 'value';
  return {
    key: isRate ? metric : `${metric}.${statistic}`,
    label: isRate ? label : `${label} ${statistic}`,
    unit,
    better,
    metric,
    statistic,
  };
}

/** A bound as the user wrote it: of A, or in the metric's own unit as it is kept. */
export interface Bound {
  readonly text: string;
  readonly share?: number;
  readonly absolute?: number;
}

/** "5%", "20ms", "0.5s", "3". Else why it is none. */
export function parseBound(key: MetricKey, value: string): Bound | string {
  const [, amount, unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*(%|ms|s)?\s*$/.exec(value) ?? [];
  if (amount === undefined || Number(amount) === 0) return `'${value}' is no bound: write 5% (of A), 20ms or 0.5s`;
  if (unit === '%') return { text: value.trim(), share: Number(amount) / 100 };
  if ((unit === '') === (key.unit === 's'))
    return `${key.key} is in ${key.unit}: write % (of A)${key.unit === 's' ? ', ms or s' : ' or a bare number'}`;
  return { text: value.trim(), absolute: Number(amount) * (unit === 'ms' ? 0.001 : 1) };
}

/** In the scale of the differences. @param a mean of A, as it is kept */
export function marginIn(bound: Bound, scale: 'ratio' | 'absolute', a: number): Margin | undefined {
  if (scale === 'absolute') {
    const size = bound.absolute ?? bound.share! * Math.abs(a);
    return size > 0 ? { low: -size, high: size } : undefined;
  }
  return marginOfShare(bound.share ?? bound.absolute! / a);
}

/** "52.3 ms", "1240 tokens/s". */
export function shown({ unit }: Pick<MetricKey, 'unit'>, value: number): string {
  const { unit: name, factor } = unit === 's' ? printedIn({ unit: 's' }) : { unit, factor: 1 };
  return unit === 's' && Math.abs(value) >= 10 ? `${rounded(value, 3)} s` : `${rounded(value * factor, 3)} ${name}`;
}
