// A gate for CI: which verdicts and which worsenings fail a build. What cannot be judged never passes as good.
import { rounded } from '../figures';
import { METRICS as ALL_METRICS, quantityNamed, type MetricName } from '../metrics/quantities';
import type { Comparison, MetricComparison, Statistic } from './comparison';
import { yardstickDeviation } from './known-noise';

export const GATE_CONDITIONS = ['confounded', 'undetermined', 'regression', 'difference'] as const;
export type GateCondition = (typeof GATE_CONDITIONS)[number];

/** `ttft.p95=5%`: worse by more than this, and beyond chance, is a regression. */
export interface Threshold {
  readonly metric: MetricName;
  readonly statistic: Statistic;
  readonly amount: number;
  /** Percent of A, or the metric's own unit. */
  readonly unit: string;
  /** As the user wrote it. */
  readonly text: string;
}

export interface GateResult {
  readonly passed: boolean;
  readonly exitCode: 0 | 3 | 4 | 5;
  /** Why, one line each; at least one. */
  readonly reasons: readonly string[];
}

const METRICS = ALL_METRICS.filter((metric) => quantityNamed(metric).better !== 'neither');
const STATISTICS: readonly Statistic[] = ['mean', 'p50', 'p90', 'p95', 'p99', 'p99.9', 'value'];
/** Of a metric's own unit into the table's: milliseconds and seconds are told apart there. */
const UNITS = ['%', 'ms', 's', ''] as const;

/** A text like `ttft.p95=5%`, `requests_per_sec=3%`, `tpot.mean=0.5ms`; else why it is none. */
export function parseThreshold(text: string): Threshold | string {
  const [name = '', value = ''] = text.split('=');
  const [metricName, ...rest] = name.trim().split('.');
  const metric = METRICS.find((known) => known === metricName);
  if (!metric) return `'${metricName ?? ''}' is no metric: it is one of ${METRICS.join(', ')}`;
  const named = rest.join('.');
  const isRate = quantityNamed(metric).unit !== 's';
  const statistic = STATISTICS.find((known) => known === (named === '' && isRate ? 'value' : named));
  if (!statistic || (statistic === 'value') !== isRate) {
    return isRate
      ? `${metric} has no '${named}': write ${metric}=5%`
      : `${metric} needs a statistic, one of ${STATISTICS.slice(0, -1).join(', ')}: write ${metric}.p95=5%`;
  }
  const [, amount, unit] = /^\s*(\d+(?:\.\d+)?)\s*(%|ms|s)?\s*$/.exec(value) ?? [];
  if (amount === undefined) return `'${value}' is no limit: write a number with % (of A), ms or s, such as ${name}=5%`;
  if (isRate && unit !== undefined && unit !== '%')
    return `${metric} has no unit ${unit}: write % (of A) or a bare number`;
  if (!isRate && unit === undefined) return `${name}=${value} needs a unit: % (of A), ms or s`;
  return { metric, statistic, amount: Number(amount), unit: UNITS.find((known) => known === unit) ?? '', text };
}

/**
 * Exit codes: 3 confounded, 4 undetermined, 5 a regression or difference, 0 none of what was asked for. A threshold on a metric
 * that is confounded or cannot be judged fails with 3 or 4: a gate that passes what it cannot see is none. With one run a side that
 * holds for every regression and difference: 5 where it exceeds what identical runs were seen to differ by, 0 where it stays under a
 * threshold with all of that added, else 4.
 */
export function gate(
  comparison: Comparison,
  conditions: readonly GateCondition[],
  thresholds: readonly Threshold[],
): GateResult {
  const { verdict, metrics } = comparison;
  const single = comparison.repeats === undefined;
  const fails = (condition: GateCondition): boolean => conditions.includes(condition);
  if (fails('confounded') && verdict.state === 'confounded') return failed(3, [verdict.sentence]);
  // Who asks for "not confounded" is not served by "nobody knows".
  if ((fails('undetermined') || fails('confounded')) && verdict.state === 'undetermined') {
    return failed(4, [verdict.sentence, 'exit 0 would have meant that the two are comparable, and that is not known']);
  }
  if (fails('regression')) {
    const found =
      thresholds.length > 0
        ? byThreshold(metrics, thresholds, single)
        : (byAnswer(usable(metrics).filter(isWorse), single && usable(metrics).some(moved)) ?? unjudged(metrics));
    if (found) return found;
  }
  if (fails('difference')) {
    const found = byAnswer(usable(metrics), single && usable(metrics).some(moved)) ?? unjudged(metrics);
    if (found) return found;
  }
  return { passed: true, exitCode: 0, reasons: [`nothing of ${conditions.join(', ')} was found`] };
}

function failed(exitCode: 3 | 4 | 5, reasons: readonly string[]): GateResult {
  return { passed: false, exitCode, reasons };
}

function usable(metrics: readonly MetricComparison[]): MetricComparison[] {
  return metrics.filter(({ verdict, better }) => verdict.startsWith('comparable') && better !== 'neither');
}

function isWorse({ difference, better }: MetricComparison): boolean {
  const absolute = difference?.absolute ?? 0;
  return better === 'lower' ? absolute > 0 : better === 'higher' ? absolute < 0 : false;
}

/** Numbers that both sides have and that cannot be compared: none of them passes as good. */
function unjudged(metrics: readonly MetricComparison[]): GateResult | undefined {
  const open = metrics.filter(
    ({ verdict, better, difference }) => !verdict.startsWith('comparable') && better !== 'neither' && difference,
  );
  const confounded = open.filter(({ verdict }) => verdict === 'confounded');
  const [code, rows] = confounded.length > 0 ? ([3, confounded] as const) : ([4, open] as const);
  if (rows.length === 0) return undefined;
  const because = [...new Set(rows.flatMap((row) => row.because))].join(', ');
  const how = code === 3 ? `confounded by ${because}` : `undetermined${because === '' ? '' : ` (${because})`}`;
  return failed(code, [`${rows.length} of ${metrics.length} numbers cannot be judged: ${how}`]);
}

function moved({ difference }: MetricComparison): boolean {
  return difference !== undefined && difference.absolute !== 0;
}

/** More than chance, or than identical runs were seen to differ by. */
function isShown({ difference }: MetricComparison): boolean {
  return difference?.answer.kind === 'different' || difference?.answer.reason === 'beyond-known-noise';
}

const ONE_RUN =
  'one run a side: what these numbers differ by from run to run is not known, and may hide a difference as well as show one; repeat both sides in alternating order, or set a threshold that lies beyond such noise';

/**
 * 5 where a difference is shown; 4 where these runs differ, but not by more than runs of one kind may.
 * @param blind numbers differ, and nobody repeated a run
 */
function byAnswer(metrics: readonly MetricComparison[], blind: boolean): GateResult | undefined {
  const shown = metrics.filter(isShown);
  if (shown.length > 0) return failed(5, shown.map(line));
  const open = metrics.filter(isOpen);
  if (open.length > 0) return failed(4, open.map(line));
  return blind ? failed(4, [ONE_RUN]) : undefined;
}

/** Seen in these runs, and not known to be more than noise from run to run or drift. */
function isOpen({ difference }: MetricComparison): boolean {
  return difference?.detected === true && difference.answer.kind === 'inconclusive';
}

function byThreshold(
  metrics: readonly MetricComparison[],
  thresholds: readonly Threshold[],
  single: boolean,
): GateResult | undefined {
  const results = thresholds.map((threshold) => {
    const rows = metrics.filter(
      ({ metric, statistic }) => metric === threshold.metric && statistic === threshold.statistic,
    );
    return { threshold, rows };
  });
  const reasons: string[] = [];
  let code: 0 | 3 | 4 | 5 = 0;
  const worst = (found: 3 | 4 | 5): void => {
    code = code === 5 || found === 5 ? 5 : code === 3 || found === 3 ? 3 : found;
  };
  for (const { threshold, rows } of results) {
    if (rows.length === 0) {
      worst(4);
      reasons.push(`${threshold.text}: the comparison has no such number`);
    }
    for (const row of rows) {
      if (row.verdict === 'confounded') {
        worst(3);
        reasons.push(`${threshold.text}: ${row.label} cannot be judged, confounded by ${row.because.join(', ')}`);
      } else if (!row.verdict.startsWith('comparable') || !row.difference) {
        worst(4);
        const why = row.a.missing ?? row.b.missing ?? row.because.join(', ');
        reasons.push(`${threshold.text}: ${row.label} cannot be judged: ${why}`);
      } else if (isWorse(row) && exceeds(row, threshold) && isShown(row)) {
        worst(5);
        reasons.push(`${threshold.text}: ${line(row)}`);
      } else if (isWorse(row) && exceeds(row, threshold) && row.difference.detected === undefined) {
        worst(4);
        const why = row.difference.noInterval ?? 'there is no interval';
        reasons.push(`${threshold.text}: ${line(row)} (${why})`);
      } else if (isWorse(row) && exceeds(row, threshold) && isOpen(row)) {
        worst(4);
        reasons.push(`${threshold.text}: ${line(row)}`);
      } else if (single && mayExceed(row, threshold)) {
        worst(4);
        reasons.push(`${threshold.text}: ${line(row)}; ${ONE_RUN}`);
      }
    }
  }
  const exitCode = code as 0 | 3 | 4 | 5;
  return exitCode === 0 ? undefined : failed(exitCode, reasons);
}

function exceeds({ difference, a, unit }: MetricComparison, threshold: Threshold): boolean {
  return Math.abs(difference?.absolute ?? 0) > limitOf(threshold, a.value ?? 0, unit);
}

/** In the row's unit. @param a of A */
function limitOf(threshold: Threshold, a: number, unit: string): number {
  if (threshold.unit === '%') return (threshold.amount / 100) * Math.abs(a);
  const factor = threshold.unit === 'ms' && unit === 's' ? 0.001 : threshold.unit === 's' && unit === 'ms' ? 1000 : 1;
  return threshold.amount * factor;
}

/** Whether the worse end of the interval lies beyond the limit once the noise that identical runs showed is added to it. */
function mayExceed({ difference, a, unit, better, statistic }: MetricComparison, threshold: Threshold): boolean {
  const { absolute = 0, interval } = difference ?? {};
  if (!interval) return absolute !== 0;
  const within = better === 'lower' ? interval.high - absolute : absolute - interval.low;
  const worse = better === 'lower' ? absolute : -absolute;
  const noise = Z * Math.SQRT2 * yardstickDeviation(statistic) * Math.abs(a.value ?? 0);
  return worse + Math.hypot(within, noise) > limitOf(threshold, a.value ?? 0, unit);
}

const Z = 1.96;

function line({ label, difference, a, b, unit }: MetricComparison): string {
  const figure = (value: number | undefined): string => rounded(value ?? NaN, 3);
  return `${label} ${figure(a.value)} ${unit} on A, ${figure(b.value)} ${unit} on B: ${difference?.words ?? 'no difference'}`;
}
