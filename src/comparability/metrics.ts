// The metrics table: every quantity of every matched stage, both sides, the difference with its interval, and a verdict.
import type { Aligned, Alignable } from './align';
import type { DimensionId, Finding, MetricComparison, MetricSide } from './comparison';
import { hasNews, rowsOf, withheld, type Row } from './metric-rows';
import { freeColumns, type Sample } from './samples';
import { round, type MeasuredStage, type Side } from './side';
import { matchStages, type StagePair } from './stages';
import { adjusted, between, LEVEL, within, type Estimate } from './uncertainty';

/** Enough for the ends of a 95 % interval to stand within a few percent of its width. */
const DEFAULT_RESAMPLES = 2000;

export interface MetricsInput {
  /** As recorded, then after each alignment; the last is what is compared. */
  readonly views: readonly Aligned[];
  /** The alignments between them. */
  readonly steps: readonly Alignable[];
  /** Further runs of a side, each seen as its side is. */
  readonly repeatsA: readonly Side[];
  readonly repeatsB: readonly Side[];
  /** Judged dimensions; they decide each verdict. */
  readonly findings: readonly Finding[];
  readonly resamples?: number | undefined;
}

interface Judged {
  readonly row: Row;
  readonly pair: StagePair;
  readonly estimate: Estimate | undefined;
  readonly gaps: readonly (number | undefined)[];
}

export function compareMetrics(input: MetricsInput): MetricComparison[] {
  const { views, findings, resamples = DEFAULT_RESAMPLES } = input;
  const last = views.at(-1)!;
  const earlier = views.slice(0, -1).map(percentages);
  const judged = last.matching.pairs.flatMap((pair): Judged[] => {
    const repeats = repeatRows(input, pair);
    return rowsOf(pair, last.countingA, last.countingB, resamples)
      .filter(hasNews)
      .map((own) => {
        const { row, estimate } = withRepeats(own, repeats);
        return { row, pair, estimate, gaps: earlier.map((known) => known.get(keyOf(pair, own))) };
      });
  });
  freeColumns();
  const tested = judged.filter(({ estimate }) => estimate?.p !== undefined);
  const ps = adjusted(tested.map(({ estimate }) => estimate!.p!));
  const chance = new Map(tested.map((entry, i) => [entry, ps[i]!]));
  return judged.map((entry) => finish(entry, input, findings, chance.get(entry)));
}

function keyOf(pair: StagePair, { metric, statistic }: Row): string {
  return `${pair.a.id} ${pair.b.id} ${metric} ${statistic}`;
}

/** (b - a) / a x 100 of every row, without intervals. */
function percentages({ matching, countingA, countingB }: Aligned): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const pair of matching.pairs) {
    for (const row of rowsOf(pair, countingA, countingB, 0)) {
      const [a, b] = [row.a.side.value, row.b.side.value];
      if (a !== undefined && b !== undefined && a !== 0) found.set(keyOf(pair, row), ((b - a) / a) * 100);
    }
  }
  return found;
}

interface RepeatRows {
  readonly a: readonly (readonly Row[])[];
  readonly b: readonly (readonly Row[])[];
}

/** Rows of the same load in every repeat; a repeat without that load has none. */
function repeatRows(
  { views, repeatsA, repeatsB, resamples = DEFAULT_RESAMPLES }: MetricsInput,
  pair: StagePair,
): RepeatRows {
  const { a, b, countingA, countingB } = views.at(-1)!;
  const draws = Math.min(resamples, 400);
  const find = (own: Side, stage: MeasuredStage, repeat: Side): MeasuredStage | undefined =>
    matchStages(own, repeat).pairs.find((match) => match.a === stage && match.sameLoad)?.b;
  return {
    a: repeatsA.flatMap((repeat, i) => {
      const stage = find(a, pair.a, repeat);
      return stage
        ? [rowsOf({ ...pair, a: stage, index: pair.index + 1000 * (i + 1) }, countingA, countingB, draws)]
        : [];
    }),
    b: repeatsB.flatMap((repeat, i) => {
      const stage = find(b, pair.b, repeat);
      return stage
        ? [rowsOf({ ...pair, b: stage, index: pair.index + 1000 * (i + 1) }, countingA, countingB, draws)]
        : [];
    }),
  };
}

function withRepeats(own: Row, repeats: RepeatRows): { row: Row; estimate: Estimate | undefined } {
  if (repeats.a.length + repeats.b.length === 0) return { row: own, estimate: within(own.a, own.b) };
  const same = (rows: readonly Row[]): Row | undefined =>
    rows.find((row) => row.metric === own.metric && row.statistic === own.statistic);
  const a = [own.a, ...repeats.a.flatMap((rows) => same(rows)?.a ?? [])];
  const b = [own.b, ...repeats.b.flatMap((rows) => same(rows)?.b ?? [])];
  const estimate = between(a, b) ?? within(own.a, own.b);
  return { row: { ...own, a: pooled(a), b: pooled(b) }, estimate };
}

/** The mean over runs: each run is one observation, whatever its length. */
function pooled(samples: readonly Sample[]): Sample {
  const values = samples.flatMap(({ side }) => (side.value === undefined ? [] : [side.value]));
  const n = samples.reduce((sum, { side }) => sum + side.n, 0);
  if (values.length < samples.length) return samples.find(({ side }) => side.value === undefined)!;
  return { side: { n, value: values.reduce((sum, value) => sum + value, 0) / values.length } };
}

function finish(
  { row, pair, estimate, gaps }: Judged,
  { steps }: MetricsInput,
  findings: readonly Finding[],
  chance: number | undefined,
): MetricComparison {
  const { metric, statistic, label, unit, better, scale, a, b } = row;
  const sideA = scaled(a.side, scale);
  const sideB = scaled(b.side, scale);
  const { verdict, because } = verdictOf(row, pair, findings);
  const fair = verdict === 'comparable' || verdict === 'comparable-after-alignment';
  const difference =
    estimate && sideA.value !== undefined && sideB.value !== undefined
      ? differenceOf(sideA.value, estimate, row, fair, chance)
      : undefined;
  const alignment = difference?.percentOfA === undefined ? undefined : sharesOf(gaps, difference.percentOfA, steps);
  return {
    metric,
    statistic,
    label,
    unit,
    stage: pair.index,
    better,
    a: sideA,
    b: sideB,
    ...(difference ? { difference } : {}),
    ...(alignment ? { alignment } : {}),
    verdict,
    because,
  };
}

function scaled(side: MetricSide, scale: number): MetricSide {
  return side.value === undefined ? side : { ...side, value: side.value * scale };
}

function verdictOf(
  row: Row,
  pair: StagePair,
  findings: readonly Finding[],
): Pick<MetricComparison, 'verdict' | 'because'> {
  const behind = (state: Finding['state']): DimensionId[] =>
    findings
      .filter((finding) => finding.state === state && finding.assumed === undefined && moves(finding, row, pair))
      .map((finding) => finding.dimension);
  const confounding = behind('confounds');
  if (confounding.length > 0) return { verdict: 'confounded', because: confounding };
  const unknowns = behind('unknown');
  if (unknowns.length > 0) return { verdict: 'undetermined', because: unknowns };
  if (row.a.side.value === undefined || row.b.side.value === undefined) {
    const few = withheld(row.a.side) || withheld(row.b.side);
    return { verdict: 'undetermined', because: few ? ['sample-size'] : [] };
  }
  const aligned = behind('aligned');
  return aligned.length > 0
    ? { verdict: 'comparable-after-alignment', because: aligned }
    : { verdict: 'comparable', because: [] };
}

function moves(finding: Finding, { metric, statistic }: Row, pair: StagePair): boolean {
  if (finding.stages && !finding.stages.includes(pair.index)) return false;
  return finding.moves.some(
    (moved) => moved.metric === metric && (moved.statistics === undefined || moved.statistics.includes(statistic)),
  );
}

/** How much of the gap each alignment took away; points of A's own value, which add up. */
function sharesOf(
  gaps: readonly (number | undefined)[],
  after: number,
  steps: readonly Alignable[],
): MetricComparison['alignment'] {
  const [before] = gaps;
  if (steps.length === 0 || before === undefined || gaps.some((gap) => gap === undefined)) return undefined;
  const chain = [...(gaps as readonly number[]), after];
  const shares = steps.map((dimension, i) => ({ dimension, percentOfA: chain[i]! - chain[i + 1]! }));
  const moved = shares.filter(({ percentOfA }) => Math.abs(percentOfA) >= 0.05);
  const parts = moved.map(({ dimension, percentOfA }) => `${dimension} ${points(percentOfA)}`).join(', ');
  const words = `${points(before)} % -> ${points(after)} % of A${parts === '' ? '' : `: ${parts}`}`;
  return { beforePercentOfA: before, afterPercentOfA: after, shares, words };
}

function points(value: number): string {
  return `${value < 0 ? '−' : ''}${Math.abs(value).toFixed(1)}`;
}

function differenceOf(
  a: number,
  estimate: Estimate,
  row: Row,
  fair: boolean,
  chance: number | undefined,
): NonNullable<MetricComparison['difference']> {
  const { scale } = row;
  const absolute = estimate.absolute * scale;
  const percentOfA = percentOf(absolute, a);
  const silent = row.metric === 'error_rate' && row.a.side.value === 0 && row.b.side.value === 0;
  // Without a single failure there is nothing to resample; an interval of zero width would claim too much.
  const interval = silent || !estimate.interval ? undefined : estimate.interval;
  const noInterval = silent ? noFailures(row) : estimate.noInterval;
  const bounds = interval && {
    low: interval.low * scale,
    high: interval.high * scale,
    level: LEVEL,
    method: interval.method,
  };
  const excludes = bounds !== undefined && (bounds.low > 0 || bounds.high < 0);
  const detected = excludes && (chance === undefined || chance <= 1 - LEVEL);
  const of = (value: number | undefined): { absolute: number; percentOfA?: number } | undefined =>
    value === undefined || silent ? undefined : { absolute: value * scale, ...ofA(percentOf(value * scale, a)) };
  const detectable = of(estimate.detectable);
  const noise = of(estimate.noise);
  return {
    absolute,
    ...(percentOfA === undefined ? {} : { percentOfA }),
    ...(bounds ? { interval: bounds } : {}),
    ...(noInterval === undefined ? {} : { noInterval }),
    ...(bounds ? { detected } : {}),
    ...(chance === undefined ? {} : { adjustedP: chance }),
    ...(detectable ? { detectable } : {}),
    ...(noise ? { noise } : {}),
    words: differenceWords(absolute, a, bounds, row, { fair, detected }),
  };
}

function noFailures({ a, b }: Row): string {
  // Hanley and Lippman-Hand (1983): with no event in n, up to 3 / n is within the 95 % bound.
  return `no failure on either side; a true rate up to ${round(Number((300 / Math.min(a.side.n, b.side.n)).toPrecision(2)))} % could show none`;
}

function differenceWords(
  absolute: number,
  a: number,
  interval: { readonly low: number; readonly high: number } | undefined,
  row: Row,
  { fair, detected }: { readonly fair: boolean; readonly detected: boolean },
): string {
  if (interval && interval.low <= 0 && interval.high >= 0) {
    const reach = Math.max(-interval.low, interval.high);
    const unseen = sizeOf(reach, a, row.unit);
    return `no detectable difference (up to ${unseen} could hide)`;
  }
  if (absolute === 0) return 'no difference';
  const direction = absolute > 0 ? 'higher' : 'lower';
  // Better and worse are judgements, and there is none without a measure of chance.
  const size = sizeOf(absolute, a, row.unit);
  if (interval && !detected)
    return `no detectable difference (B is ${direction} by ${size}, but so many metrics show that by chance)`;
  if (!interval) return `B is ${direction} by ${size}, which may be chance: there is no interval`;
  const judged = fair && row.better !== 'neither' ? ` (${row.better === direction ? 'better' : 'worse'})` : '';
  return `B is ${direction} by ${size}${judged}`;
}

function figure(value: number): string {
  return round(Number(value.toPrecision(3)));
}

/** Of nothing, and beyond all numbers, there is no percentage. */
export function percentOf(value: number, a: number): number | undefined {
  const percent = (value / a) * 100;
  return Number.isFinite(percent) ? percent : undefined;
}

function ofA(percent: number | undefined): { readonly percentOfA?: number } {
  return percent === undefined ? {} : { percentOfA: Math.abs(percent) };
}

function sizeOf(value: number, a: number, unit: string): string {
  const percent = percentOf(value, a);
  return percent === undefined ? `${figure(Math.abs(value))} ${unit}` : `${figure(Math.abs(percent))} % of A`;
}
