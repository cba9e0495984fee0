// The few numbers a first look needs, and the load they are shown at.
import type { MetricName } from '../../metrics/quantities';
import type { Comparison, MetricComparison, Statistic } from '../../comparability/comparison';

/** One row each: the first of the statistics that both sides have. */
const ROWS: readonly (readonly [MetricName, readonly Statistic[]])[] = [
  ['ttft', ['p50', 'mean']],
  ['ttft', ['p95', 'p90']],
  ['tpot', ['mean', 'p50']],
  ['itl', ['mean', 'p50']],
  ['request_latency', ['p95', 'p90', 'p50', 'mean']],
  ['output_tokens_per_sec', ['value']],
  ['requests_per_sec', ['value']],
];

const MOST_ROWS = 5;

export interface KeyMetrics {
  /** Index into `Comparison.stages`; undefined when there is no number at all. */
  readonly stage: number | undefined;
  readonly rows: readonly MetricComparison[];
}

/** At the load where a key number differs most, in percent of A; of several alike, at the first. */
export function keyMetrics(comparison: Comparison): KeyMetrics {
  const stages = comparison.stages.map((_, stage) => ({ stage, rows: rowsOf(comparison, stage) }));
  const largest = (rows: readonly MetricComparison[]): number =>
    Math.max(-1, ...rows.map(({ difference }) => Math.abs(difference?.percentOfA ?? 0)));
  const most = stages.reduce<(typeof stages)[number] | undefined>(
    (best, one) => (best === undefined || largest(one.rows) > largest(best.rows) ? one : best),
    undefined,
  );
  return { stage: most?.stage, rows: most?.rows ?? [] };
}

function rowsOf({ metrics }: Comparison, stage: number): MetricComparison[] {
  const own = metrics.filter((metric) => metric.stage === stage);
  const found = ROWS.flatMap(([name, statistics]) => {
    const of = (wanted: Statistic): MetricComparison | undefined =>
      own.find(({ metric, statistic, difference }) => metric === name && statistic === wanted && difference);
    const row = statistics.map(of).find((one) => one !== undefined);
    return row ? [row] : [];
  });
  // Gaps stand in for TPOT, and the request rate for what else is missing.
  const rows = found.some(({ metric }) => metric === 'tpot') ? found.filter(({ metric }) => metric !== 'itl') : found;
  return rows.slice(0, MOST_ROWS);
}
