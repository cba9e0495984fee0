// The metrics table: every quantity of every matched stage, both sides, the difference with its interval, and a verdict.
import type { Aligned, Alignable } from './align';
import type { DimensionId, Finding, MetricComparison, MetricSide } from './comparison';
import { differenceOf, type Look } from './difference';
import type { Threshold } from './gate';
import { hasNews, rowsOf, withheld, type Row } from './metric-rows';
import { freeColumns, type Sample } from './samples';
import type { MeasuredStage, Side } from './side';
import { matchStages, type StagePair } from './stages';
import { adjusted, between, LEVEL, levelsOf, within, type Estimate, type RunSample } from './uncertainty';

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
  /** Places of each side's runs in the order all were started in, the first run first; absent where that is not recorded. */
  readonly positions?: { readonly a: readonly number[]; readonly b: readonly number[] } | undefined;
  /** Equivalence bounds that the user set. */
  readonly margins: readonly Threshold[];
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
    const single = input.repeatsA.length + input.repeatsB.length === 0;
    return rowsOf(pair, last.countingA, last.countingB, resamples, single)
      .filter(hasNews)
      .map((own) => {
        const { row, estimate } = withRepeats(own, repeats, input.positions);
        return { row, pair, estimate, gaps: earlier.map((known) => known.get(keyOf(pair, own))) };
      });
  });
  freeColumns();
  const tested = judged.filter(({ estimate }) => estimate?.p !== undefined);
  const ps = tested.map(({ estimate }) => estimate!.p!);
  const [levels, chances] = [levelsOf(ps), adjusted(ps)];
  const looks = new Map(
    tested.map((entry, i): [Judged, Look] => [entry, { level: levels[i]!, adjustedP: chances[i]! }]),
  );
  return judged.map((entry) => finish(entry, input, findings, looks.get(entry) ?? { level: LEVEL }));
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

/** Rows of one repeat, and which run of its side it is. */
interface RunRows {
  readonly run: number;
  readonly rows: readonly Row[];
}

interface RepeatRows {
  readonly a: readonly RunRows[];
  readonly b: readonly RunRows[];
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
        ? [
            {
              run: i + 1,
              rows: rowsOf(
                { ...pair, a: stage, index: pair.index + 1000 * (i + 1) },
                countingA,
                countingB,
                draws,
                false,
              ),
            },
          ]
        : [];
    }),
    b: repeatsB.flatMap((repeat, i) => {
      const stage = find(b, pair.b, repeat);
      return stage
        ? [
            {
              run: i + 1,
              rows: rowsOf(
                { ...pair, b: stage, index: pair.index + 1000 * (i + 1) },
                countingA,
                countingB,
                draws,
                false,
              ),
            },
          ]
        : [];
    }),
  };
}

function withRepeats(
  own: Row,
  repeats: RepeatRows,
  positions: MetricsInput['positions'],
): { row: Row; estimate: Estimate | undefined } {
  if (repeats.a.length + repeats.b.length === 0) return { row: own, estimate: within(own) };
  const of = (side: 'a' | 'b'): RunSample[] =>
    [{ run: 0, rows: [own] }, ...repeats[side]].flatMap(({ run, rows }) => {
      const found = rows.find((row) => row.metric === own.metric && row.statistic === own.statistic);
      const position = positions?.[side][run];
      return found ? [{ sample: found[side], ...(position === undefined ? {} : { position }) }] : [];
    });
  const [a, b] = [of('a'), of('b')];
  const estimate = between(a, b) ?? within(own);
  return { row: { ...own, a: pooled(a), b: pooled(b) }, estimate };
}

/** The mean over runs: each run is one observation, whatever its length. */
function pooled(runs: readonly RunSample[]): Sample {
  const samples = runs.map(({ sample }) => sample);
  const values = samples.flatMap(({ side }) => (side.value === undefined ? [] : [side.value]));
  const sizes = samples.map(({ side }) => side.n);
  const unsized = samples.find(({ side }) => side.n === null)?.side.nMissing;
  const n = sizes.some((size) => size === null) ? null : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  if (values.length < samples.length) return samples.find(({ side }) => side.value === undefined)!;
  return {
    side: {
      n,
      ...(unsized === undefined ? {} : { nMissing: unsized }),
      value: values.reduce((sum, value) => sum + value, 0) / values.length,
    },
  };
}

function finish(
  { row, pair, estimate, gaps }: Judged,
  { steps, margins }: MetricsInput,
  findings: readonly Finding[],
  look: Look,
): MetricComparison {
  const { metric, statistic, label, unit, better, scale, a, b } = row;
  const sideA = scaled(a.side, scale);
  const sideB = scaled(b.side, scale);
  const { verdict, because } = verdictOf(row, pair, findings);
  const fair = verdict === 'comparable' || verdict === 'comparable-after-alignment';
  const difference =
    estimate && sideA.value !== undefined && sideB.value !== undefined
      ? differenceOf(sideA.value, estimate, row, { fair, look, margins })
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
    const few = withheld(row);
    return { verdict: 'undetermined', because: few ? ['sample-size'] : [] };
  }
  const aligned = behind('aligned');
  return aligned.length > 0
    ? { verdict: 'comparable-after-alignment', because: aligned }
    : { verdict: 'comparable', because: [] };
}

function moves(finding: Finding, { metric, statistic }: Row, pair: StagePair): boolean {
  if (finding.stages && !finding.stages.includes(pair.index)) return false;
  // Content comes after the first token and before the end: what moves either moves it.
  const names = metric === 'ttfc' ? ['ttfc', 'ttft', 'request_latency'] : [metric];
  return finding.moves.some(
    (moved) => names.includes(moved.metric) && (moved.statistics === undefined || moved.statistics.includes(statistic)),
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
