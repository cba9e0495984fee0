// The metrics table: every quantity of every matched stage, both sides, the difference with its interval, and a verdict.
import { differenceInterval, type Interval } from '../metrics/bootstrap';
import { minimumCountFor } from '../metrics/statistics';
import type { DimensionId, Finding, MetricComparison, MetricName, MetricSide, Statistic } from './comparison';
import { goodputLimits } from './goodput';
import { GOODPUT, LATENCIES, RATES, SCHEDULE_DELAY, type Counting, type LatencyQuantity } from './quantities';
import { errorRateSample, latencySamples, rateSample, type Draws, type Sample } from './samples';
import { inputSourceOf, itlBasisOfRun, outputSourceOf, round, type Side } from './side';
import type { StagePair } from './stages';

const LEVEL = 0.95;
const METHOD = 'circular block bootstrap over requests in sending order';
/** Enough for the ends of a 95 % interval to stand within a few percent of its width. */
const DEFAULT_RESAMPLES = 2000;

interface Row {
  readonly metric: MetricName;
  readonly statistic: Statistic;
  readonly label: string;
  readonly unit: string;
  readonly better: MetricComparison['better'];
  /** Into `unit`. */
  readonly scale: number;
  readonly a: Sample;
  readonly b: Sample;
}

/** @param findings judged dimensions; they decide each verdict */
export function compareMetrics(
  a: Side,
  b: Side,
  pairs: readonly StagePair[],
  findings: readonly Finding[],
  resamples = DEFAULT_RESAMPLES,
): MetricComparison[] {
  const countingA = countingOf(a);
  const countingB = countingOf(b);
  return pairs.flatMap((pair) =>
    rowsOf(pair, countingA, countingB, resamples)
      .filter((row) => hasNews(row))
      .map((row) => finish(row, pair, findings)),
  );
}

function countingOf(side: Side): Counting {
  const { run } = side;
  return {
    output: outputSourceOf(run),
    input: inputSourceOf(run),
    itl: itlBasisOfRun(run),
    limits: run.config ? goodputLimits(side) : {},
  };
}

function rowsOf(pair: StagePair, countingA: Counting, countingB: Counting, resamples: number): Row[] {
  // Each side draws from its own stream; which streams does not depend on how many metrics there are.
  const draws = (offset: number): [Draws, Draws] => {
    const first = 2 * (pair.index * 100 + offset) + 1;
    return [
      { seed: first, resamples },
      { seed: first + 1, resamples },
    ];
  };
  const latency = (quantity: LatencyQuantity, offset: number): Row[] => {
    const [drawsA, drawsB] = draws(offset);
    const statistics = quantity === SCHEDULE_DELAY ? LATENESS : statisticsOf(pair);
    const samplesA = latencySamples(pair.a, quantity, statistics, countingA, drawsA);
    const samplesB = latencySamples(pair.b, quantity, statistics, countingB, drawsB);
    const inSeconds = quantity.metric === 'request_latency' && largest(samplesA, samplesB) >= 10;
    return statistics.map((statistic) => ({
      metric: quantity.metric,
      statistic,
      label: `${quantity.label} ${statistic}`,
      unit: inSeconds ? 's' : 'ms',
      better: quantity.better,
      scale: inSeconds ? 1 : 1000,
      a: samplesA.get(statistic)!,
      b: samplesB.get(statistic)!,
    }));
  };
  const limited = [countingA, countingB].some(({ limits }) => Object.keys(limits).length > 0);
  const rates = [...RATES, ...(limited ? [GOODPUT] : [])].map((quantity, i): Row => {
    const [drawsA, drawsB] = draws(20 + i);
    const samples = {
      a: rateSample(pair.a, quantity, countingA, drawsA),
      b: rateSample(pair.b, quantity, countingB, drawsB),
    };
    return { ...quantity, statistic: 'value', scale: 1, ...samples };
  });
  const [drawsA, drawsB] = draws(40);
  const errors: Row = {
    metric: 'error_rate',
    statistic: 'value',
    label: 'Error rate',
    unit: '%',
    better: 'lower',
    scale: 1,
    a: errorRateSample(pair.a, drawsA),
    b: errorRateSample(pair.b, drawsB),
  };
  return [...LATENCIES.flatMap(latency), ...rates, errors, ...latency(SCHEDULE_DELAY, 50)];
}

/** Lateness is a check, not a result: its middle and its tail are enough. */
const LATENESS: readonly Statistic[] = ['p50', 'p99'];

function statisticsOf(pair: StagePair): readonly Statistic[] {
  const usual: readonly Statistic[] = ['mean', 'p50', 'p90', 'p95', 'p99'];
  const sizes = [pair.a, pair.b].map((stage) => stage.records?.length ?? stage.report?.successes.count ?? 0);
  return Math.min(...sizes) >= minimumCountFor(99.9) ? [...usual, 'p99.9'] : usual;
}

function largest(...samples: readonly ReadonlyMap<Statistic, Sample>[]): number {
  return Math.max(0, ...samples.map((sample) => sample.get('mean')?.side.value ?? 0));
}

/** A row with no value on either side says nothing, unless the requests were too few: that is worth seeing. */
function hasNews({ a, b }: Row): boolean {
  return a.side.value !== undefined || b.side.value !== undefined || withheld(a.side) || withheld(b.side);
}

function withheld(side: MetricSide): boolean {
  return side.n > 0 && side.missing?.startsWith('n = ') === true;
}

function finish(row: Row, pair: StagePair, findings: readonly Finding[]): MetricComparison {
  const { metric, statistic, label, unit, better, scale, a, b } = row;
  const sideA = scaled(a.side, scale);
  const sideB = scaled(b.side, scale);
  const { verdict, because } = verdictOf(row, pair, findings);
  const difference =
    sideA.value === undefined || sideB.value === undefined
      ? undefined
      : differenceOf(sideA.value, sideB.value, row, verdict === 'comparable');
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

function differenceOf(a: number, b: number, row: Row, fair: boolean): NonNullable<MetricComparison['difference']> {
  const absolute = b - a;
  const percentOfA = a === 0 ? undefined : (absolute / a) * 100;
  const interval = intervalOfRow(row);
  const noInterval = interval ? undefined : whyNoInterval(row);
  return {
    absolute,
    ...(percentOfA === undefined ? {} : { percentOfA }),
    ...(interval ? { interval: { low: interval.low, high: interval.high, level: LEVEL, method: METHOD } } : {}),
    ...(noInterval === undefined ? {} : { noInterval }),
    words: differenceWords(absolute, a, interval, row, fair),
  };
}

function intervalOfRow({ a, b, scale, metric }: Row): Interval | undefined {
  if (!a.resampled || !b.resampled) return undefined;
  // Without a single failure there is nothing to resample; an interval of zero width would claim too much.
  if (metric === 'error_rate' && a.side.value === 0 && b.side.value === 0) return undefined;
  const { low, high } = differenceInterval(a.resampled, b.resampled, LEVEL);
  return Number.isFinite(low) && Number.isFinite(high) ? { low: low * scale, high: high * scale } : undefined;
}

function whyNoInterval({ a, b, metric }: Row): string {
  if (metric === 'error_rate' && a.side.value === 0 && b.side.value === 0) {
    // Hanley and Lippman-Hand (1983): with no event in n, up to 3 / n is within the 95 % bound.
    return `no failure on either side; a true rate up to ${round(Number((300 / Math.min(a.side.n, b.side.n)).toPrecision(2)))} % could show none`;
  }
  if (a.noInterval !== undefined && a.noInterval === b.noInterval) return a.noInterval;
  return [a.noInterval && `A: ${a.noInterval}`, b.noInterval && `B: ${b.noInterval}`].filter(Boolean).join('; ');
}

function differenceWords(absolute: number, a: number, interval: Interval | undefined, row: Row, fair: boolean): string {
  if (interval && interval.low <= 0 && interval.high >= 0) {
    const reach = Math.max(-interval.low, interval.high);
    const unseen = a === 0 ? `${figure(reach)} ${row.unit}` : `${figure((reach / Math.abs(a)) * 100)} % of A`;
    return `no detectable difference (up to ${unseen} could hide)`;
  }
  if (absolute === 0) return 'no difference';
  const direction = absolute > 0 ? 'higher' : 'lower';
  const size = a === 0 ? `${figure(Math.abs(absolute))} ${row.unit}` : `${figure(Math.abs(absolute / a) * 100)} % of A`;
  const judged = fair && row.better !== 'neither' ? ` (${row.better === direction ? 'better' : 'worse'})` : '';
  return `B is ${direction} by ${size}${judged}`;
}

function figure(value: number): string {
  return round(Number(value.toPrecision(3)));
}
