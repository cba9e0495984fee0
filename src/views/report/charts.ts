// The charts of one run by stage: latency against load, throughput. Their sentences are written from the same numbers.
import { printedIn, QUANTITIES, spokenLabel } from '../../metrics/quantities';
import type { Statistics } from '../../readers/canonical';
import { quantileKey } from '../../readers/readers/values';
import { duration, NOTHING, significant, whole } from '../../figures';
import { loadOf, shownLatencies, SHOWN_PERCENTILES, reportedIn, type Latency, type Scope } from '../../readers/scopes';
import type { Run } from '../../readers/run';
import type { ChartGroup, ChartSeries, ChartView } from './model';

/** More stages than this are a curve, not a row of bars. */
const BARS_UP_TO = 6;

export function latencyByStage(run: Run, stages: readonly Scope[]): ChartGroup {
  return {
    id: 'latency-by-stage',
    title: 'Latency by stage',
    choices: shownLatencies(run, stages).map((id) => latencyChoice(stages, id)),
  };
}

function latencyChoice(stages: readonly Scope[], latency: Latency): ChartView {
  const { label } = QUANTITIES[latency];
  const stats = stages.map((scope) => reportedIn(scope, latency)?.stats);
  const toUnit = printedIn(QUANTITIES[latency], Math.max(0, ...stats.map((stat) => stat?.['p99'] ?? 0)));
  const bars = stages.length <= BARS_UP_TO;
  const series = SHOWN_PERCENTILES.map((value): ChartSeries => {
    const percentile = quantileKey(value);
    return {
      name: `p${value}`,
      tone: value === 50 ? 'p50' : value === 95 ? 'p95' : 'p99',
      draw: bars ? 'bars' : 'line',
      x: stages.map((_, index) => index),
      y: stats.map((stat) => scaled(stat?.[percentile], toUnit.factor)),
    };
  }).filter((entry) => entry.y.some((value) => value !== null));
  return {
    label,
    sentence: latencySentence(stages, stats, latency),
    x: { label: 'stage', categories: stages.map(shortLabel) },
    y: { label: `${label}, ${toUnit.unit}` },
    series,
    bands: [],
    table: {
      head: ['Stage', ...SHOWN_PERCENTILES.map((value) => `${label} p${value}, ${toUnit.unit}`)],
      rows: stages.map((scope, index) => [
        shortLabel(scope),
        ...SHOWN_PERCENTILES.map((value) => text(scaled(stats[index]?.[quantileKey(value)], toUnit.factor))),
      ]),
    },
  };
}

function latencySentence(
  stages: readonly Scope[],
  stats: readonly (Statistics | undefined)[],
  latency: Latency,
): string {
  const { label } = QUANTITIES[latency];
  const measured = stages.flatMap((scope, index) => {
    const stat = stats[index];
    return scope.warmup || stat?.['p50'] === undefined ? [] : [{ scope, p50: stat['p50'], p95: stat['p95'] }];
  });
  const first = measured[0];
  const last = measured.at(-1);
  if (!first || !last) return `${label} was measured in no stage.`;
  const tail = last.p95 === undefined ? '' : `, p95 ${duration(last.p95)}`;
  if (measured.length === 1) return `${label} at ${shortLabel(last.scope)}: median ${duration(last.p50)}${tail}.`;
  const times = last.p50 / first.p50;
  const change = Number.isFinite(times) ? ` (${significant(times)} times)` : '';
  return `Median ${spokenLabel(QUANTITIES[latency])} goes from ${duration(first.p50)} at ${shortLabel(first.scope)} to ${duration(last.p50)} at ${shortLabel(last.scope)}${change}${tail} there.`;
}

export function throughputByStage(stages: readonly Scope[]): ChartGroup {
  return {
    id: 'throughput',
    title: 'Throughput by stage',
    choices: [requestRates(stages), tokenRates(stages)],
  };
}

function requestRates(stages: readonly Scope[]): ChartView {
  const offered = stages.map((scope) =>
    scope.manifest?.requestedConcurrency === undefined ? (loadOf(scope) ?? null) : null,
  );
  const answered = stages.map((scope) => reportedIn(scope, 'requests_per_sec')?.stats['value'] ?? null);
  const series: ChartSeries[] = [
    { name: 'offered', tone: 'reference', draw: 'bars', x: positions(stages), y: offered },
    { name: 'answered', tone: 'p50', draw: 'bars', x: positions(stages), y: answered },
  ];
  return {
    label: 'requests/s',
    sentence: requestSentence(stages, offered, answered),
    x: { label: 'stage', categories: stages.map(shortLabel) },
    y: { label: 'requests/s' },
    series: series.filter((entry) => entry.y.some((value) => value !== null)),
    bands: [],
    table: {
      head: ['Stage', 'Offered, requests/s', 'Answered, requests/s'],
      rows: stages.map((scope, index) => [shortLabel(scope), text(offered[index]), text(answered[index])]),
    },
  };
}

function requestSentence(
  stages: readonly Scope[],
  offered: readonly (number | null)[],
  answered: readonly (number | null)[],
): string {
  const best = Math.max(...answered.map((value) => value ?? -1));
  if (best < 0) return 'No throughput is recorded.';
  const where = stages[answered.indexOf(best)]!;
  const behind = stages.filter((_, index) => (answered[index] ?? 0) < 0.9 * (offered[index] ?? 0));
  const most = `Most: ${significant(best)} answered requests/s at ${shortLabel(where)}.`;
  if (behind.length === 0) return most;
  return `${most} Answers stay more than 10 % under the offered rate at ${behind.map(shortLabel).join(', ')}.`;
}

function tokenRates(stages: readonly Scope[]): ChartView {
  const input = stages.map((scope) => reportedIn(scope, 'input_tokens_per_sec')?.stats['value'] ?? null);
  const output = stages.map((scope) => reportedIn(scope, 'output_tokens_per_sec')?.stats['value'] ?? null);
  const best = Math.max(...output.map((value) => value ?? -1));
  const series: ChartSeries[] = [
    { name: 'output', tone: 'p50', draw: 'bars', x: positions(stages), y: output },
    { name: 'input', tone: 'p95', draw: 'bars', x: positions(stages), y: input },
  ];
  return {
    label: 'tokens/s',
    sentence:
      best < 0
        ? 'Tokens were not counted, so there are no tokens/s.'
        : `Most: ${significant(best)} output tokens/s at ${shortLabel(stages[output.indexOf(best)]!)}.`,
    x: { label: 'stage', categories: stages.map(shortLabel) },
    y: { label: 'tokens/s' },
    series: series.filter((entry) => entry.y.some((value) => value !== null)),
    bands: [],
    table: {
      head: ['Stage', 'Output, tokens/s', 'Input, tokens/s'],
      rows: stages.map((scope, index) => [shortLabel(scope), text(output[index]), text(input[index])]),
    },
  };
}

function positions(stages: readonly Scope[]): readonly number[] {
  return stages.map((_, index) => index);
}

/** "0: 10 rps": short enough for an axis. */
function shortLabel(scope: Scope): string {
  const load = scope.label.replace(/, .*$/, '');
  const warmup = scope.warmup ? ' (warm-up)' : '';
  return scope.stage === undefined ? load : `${scope.stage}: ${load}${warmup}`;
}

function scaled(value: number | undefined, factor: number): number | null {
  return value === undefined ? null : value * factor;
}

function text(value: number | null | undefined): string {
  return value === null || value === undefined ? NOTHING : value >= 1000 ? whole(value) : significant(value);
}
