// The two runs of a comparison in one frame: distributions overlaid, latency over time, latency of matched stages, lengths.
import { printedIn, quantityNamed, QUANTITIES, spokenLabel } from '../../metrics/quantities';
import { percentile, sortFinite } from '../../metrics/statistics';
import { ecdfOf, medianBins } from '../report/curves';
import { duration, NOTHING, significant, whole } from '../../figures';
import type { Run } from '../../readers/run';
import { RECORDS_FILE } from '../../folder/manifest';
import { LATENCIES } from '../../readers/scopes';
import { bandsOf } from '../report/distributions';
import type { ChartBand, ChartGroup, ChartSeries, ChartView } from '../report/model';
import type { Comparison, MatchedStages } from '../../comparability/comparison';
import { loadLabel, stageLoad } from '../../comparability/side';
import { requestCharts } from './requests';
import { columnsOf, overTime, sortedSeconds, sortedTokens, type Drawn, type RequestColumns } from './columns';

const TABLE_PERCENTS = [1, 5, 10, 25, 50, 75, 90, 95, 99, 100] as const;
const SIDES = ['a', 'b'] as const;
type Side = (typeof SIDES)[number];
type Pair<T> = Readonly<Record<Side, T>>;

export function comparisonCharts(comparison: Comparison, a: Run, b: Run): ChartGroup[] {
  const runs = { a, b };
  const sweep = comparison.stages.length > 1 ? [againstLoad(comparison, runs)] : [];
  // Stage summaries are enough to draw latency against load.
  if (SIDES.every((side) => (runs[side].records ?? []).length === 0)) return sweep.filter(hasChoices);
  const columns = pair((side) => columnsOf(runs[side]));
  return [
    ...sweep,
    {
      id: 'overlay',
      title: 'Distributions of A and B',
      choices: comparison.stages.flatMap((stage) =>
        LATENCIES.map((id) => latencyOverlay(columns, stage, id, comparison.stages.length > 1)),
      ),
    },
    {
      id: 'over-time-overlay',
      title: 'Latency over time',
      choices: (['ttft', 'e2e', 'token_gap', 'tpot'] as const).map((latency) => timeOverlay(runs, columns, latency)),
    },
    requestCharts(comparison),
    { id: 'lengths-overlay', title: 'Lengths of A and B', choices: lengthOverlays(columns, comparison.stages) },
  ].filter(hasChoices);
}

function hasChoices({ choices }: ChartGroup): boolean {
  return choices.length > 0;
}

type Columns = Pair<Float64Array>;

/** Undefined when there are none. */
function quantile(sorted: Float64Array, percent: number): number | undefined {
  return sorted.length === 0 ? undefined : percentile(sorted, percent);
}

function latencyOverlay(
  columns: Pair<RequestColumns>,
  stage: MatchedStages,
  latency: Drawn,
  named: boolean,
): ChartView {
  const { label } = QUANTITIES[latency];
  const seconds = pair((side) => sortedSeconds(columns[side], stage[side], latency, TABLE_PERCENTS));
  const largest = Math.max(...SIDES.map((side) => quantile(seconds[side], 99) ?? 0));
  const { unit, factor } = printedIn(QUANTITIES[latency], largest);
  return {
    ...overlay(`${label}, ${unit}`, seconds, latency === 'token_gap' ? 'gaps' : 'requests', factor),
    label: named ? `${label} at ${stage.label}` : label,
    sentence: overlaySentence(label, seconds),
  };
}

function overlaySentence(label: string, seconds: Columns): string {
  const missing = SIDES.filter((side) => seconds[side].length === 0).map((side) => side.toUpperCase());
  if (missing.length > 0) return `${label} was not measured in ${missing.join(' and ')}.`;
  const at = (side: Side, percent: number): string => duration(percentile(seconds[side], percent));
  return `${label}: median ${at('a', 50)} in A, ${at('b', 50)} in B; p95 ${at('a', 95)} in A, ${at('b', 95)} in B.`;
}

/**
 * The frame two distributions share; the sentence and the label are the caller's.
 * @param sorted ascending; what is drawn is each value times the factor
 */
function overlay(axis: string, sorted: Columns, what: string, factor = 1): Omit<ChartView, 'label' | 'sentence'> {
  const series = SIDES.flatMap((side): ChartSeries[] =>
    sorted[side].length === 0
      ? []
      : [{ name: side.toUpperCase(), tone: side, draw: 'steps', ...ecdfOf(sorted[side], factor) }],
  );
  const cell = (side: Side, percent: number): string => {
    const value = quantile(sorted[side], percent);
    return shown(value === undefined ? undefined : value * factor);
  };
  return {
    x: { label: axis, min: 0 },
    y: { label: `% of ${what}`, min: 0, max: 100 },
    series,
    bands: [],
    table: {
      head: [axis, ...TABLE_PERCENTS.map((value) => (value === 100 ? 'max' : `p${value}`)), 'n'],
      rows: SIDES.map((side) => [
        side.toUpperCase(),
        ...TABLE_PERCENTS.map((percent) => cell(side, percent)),
        whole(sorted[side].length),
      ]),
    },
  };
}

function lengthOverlays(columns: Pair<RequestColumns>, stages: readonly MatchedStages[]): ChartView[] {
  return (['output', 'prompt'] as const).map((what) => {
    const values = pair((side) => sortedTokens(columns[side], new Set(stages.map((stage) => stage[side])), what));
    const say = (side: Side): string => {
      const at = (percent: number): string => whole(percentile(values[side], percent));
      return values[side].length === 0
        ? `${side.toUpperCase()} not counted`
        : `${side.toUpperCase()} median ${at(50)}, 90 % between ${at(5)} and ${at(95)}`;
    };
    return {
      ...overlay(`${what} tokens`, values, 'requests'),
      label: what,
      sentence: `${what === 'output' ? 'Output' : 'Prompt'} tokens: ${say('a')}; ${say('b')}.`,
    };
  });
}

function timeOverlay(runs: Pair<Run>, columns: Pair<RequestColumns>, latency: Drawn): ChartView {
  const { label } = QUANTITIES[latency];
  const points = pair((side) => overTime(columns[side], latency));
  const end = Math.max(1, ...SIDES.map((side) => points[side].x.reduce((max, value) => Math.max(max, value), 0)));
  const lines = pair((side) => medianBins(points[side], 0, end));
  return {
    label,
    sentence: timeSentence(
      runs,
      label,
      pair((side) => quantile(sortFinite(points[side].y.slice()), 50)),
    ),
    x: { label: 'seconds of the run, when sent', min: 0, max: Math.ceil(end) },
    y: { label: `median ${spokenLabel({ label })}, ms` },
    series: SIDES.filter((side) => points[side].x.length > 0).map((side) => ({
      name: side.toUpperCase(),
      tone: side,
      draw: 'line',
      x: lines[side].x,
      y: lines[side].y,
    })),
    bands: SIDES.flatMap((side) => warmupBands(runs[side], side)),
    table: {
      head: ['Seconds', `Median ${spokenLabel({ label })} of A, ms`, `of B, ms`],
      rows: lines.a.bins.map((bin, index) => [
        `${bin.from} to ${bin.to}`,
        shown(lines.a.y[index] ?? undefined),
        shown(lines.b.y[index] ?? undefined),
      ]),
    },
  };
}

function warmupBands(run: Run, side: Side): ChartBand[] {
  const warmups = (run.manifest?.stages ?? []).filter((stage) => stage.warmup);
  const scopes = warmups.map((manifest) => ({
    stage: manifest.id,
    label: 'warm-up',
    warmup: true,
    manifest,
    records: (run.records ?? []).filter((record) => record.stage === manifest.id),
    source: RECORDS_FILE,
  }));
  return bandsOf(scopes).map(({ from, to }) => ({ from, to, label: `warm-up of ${side.toUpperCase()}`, shaded: true }));
}

function timeSentence(runs: Pair<Run>, label: string, medians: Pair<number | undefined>): string {
  const warm = SIDES.filter((side) => (runs[side].manifest?.window.warmupStages.length ?? 0) > 0);
  const note =
    warm.length === 0 ? '' : ` The warm-up of ${warm.map((side) => side.toUpperCase()).join(' and ')} is shaded.`;
  const say = (value: number | undefined): string => (value === undefined ? 'not measured' : duration(value / 1000));
  return `Median ${spokenLabel({ label })} over the whole run: A ${say(medians.a)}, B ${say(medians.b)}.${note}`;
}

/** Each side at its own loads; matched stages stand over each other, and where loads differ it can be seen. */
function againstLoad(comparison: Comparison, runs: Pair<Run>): ChartGroup {
  const loads = pair((side) => comparison.stages.map((stage) => stageLoad(runs[side], stage[side])));
  const kinds = new Set(SIDES.flatMap((side) => loads[side].map(({ kind }) => kind)));
  const kind = kinds.size === 1 ? [...kinds][0]! : 'unknown';
  const amount = (side: Side, index: number): number => {
    const load = loads[side][index]!;
    return load.kind === 'rate' ? load.rps : load.kind === 'concurrency' ? load.level : index;
  };
  const choices = (['ttft', 'request_latency', 'tpot'] as const).map((metric): ChartView => {
    const entries = comparison.stages.map((_, index) =>
      comparison.metrics.find((row) => row.stage === index && row.metric === metric && row.statistic === 'p50'),
    );
    const unit = entries.find((entry) => entry)?.unit ?? 'ms';
    const label = `${quantityNamed(metric).label} p50`;
    const points = pair((side) =>
      entries
        .flatMap((entry, index) => {
          const value = entry?.[side].value;
          return value === undefined
            ? []
            : [{ x: amount(side, index), y: value, load: loadLabel(loads[side][index]!) }];
        })
        .sort((x, y) => x.x - y.x),
    );
    const say = (side: Side): string => {
      const [first, last] = [points[side][0], points[side].at(-1)];
      if (!first || !last) return `${side.toUpperCase()} was not measured`;
      return `${side.toUpperCase()} ${shown(first.y)} ${unit} at ${first.load} and ${shown(last.y)} ${unit} at ${last.load}`;
    };
    return {
      label,
      sentence: `${label}: ${say('a')}; ${say('b')}.`,
      x:
        kind === 'unknown'
          ? { label: 'stage', categories: comparison.stages.map((stage) => stage.label) }
          : { label: kind === 'rate' ? 'offered, requests/s' : 'requests at a time', min: 0 },
      y: { label: `${label}, ${unit}`, min: 0 },
      series: SIDES.filter((side) => points[side].length > 0).map((side) => ({
        name: side.toUpperCase(),
        tone: side,
        draw: 'line',
        x: points[side].map(({ x }) => x),
        y: points[side].map(({ y }) => y),
      })),
      bands: [],
      table: {
        head: ['Stage', `A, ${unit}`, `B, ${unit}`],
        rows: comparison.stages.map((stage, index) => [
          stage.label,
          shown(entries[index]?.a.value),
          shown(entries[index]?.b.value),
        ]),
      },
    };
  });
  return { id: 'matched', title: 'Latency against load', choices: choices.filter(({ series }) => series.length > 0) };
}

function pair<T>(make: (side: Side) => T): Pair<T> {
  return { a: make('a'), b: make('b') };
}

function shown(value: number | undefined): string {
  return value === undefined ? NOTHING : significant(value);
}
