// One row per quantity and statistic of a matched stage: both sides' samples, before anything is said about their difference.
import { printedIn, QUANTITIES } from '../metrics/quantities';
import { hidesTokens, isSuccess } from '../metrics/request-metrics';
import { measureOf } from '../readers/canonical';
import { minimumCountFor } from '../sample-size';
import type { MetricComparison, MetricName, Statistic } from './comparison';
import {
  FIRST_CONTENT,
  GOODPUT,
  LATENCIES,
  RATES,
  SCHEDULE_DELAY,
  type Counting,
  type LatencyQuantity,
} from './quantities';
import { latencyPair, type PairedInfo } from './paired-samples';
import { rateSamples } from './rate-samples';
import { pairRequests } from './request-pairs';
import { errorRateSample, type Draws, type Sample } from './samples';
import type { MeasuredStage } from './side';
import type { StagePair } from './stages';

export interface Row {
  readonly metric: MetricName;
  readonly statistic: Statistic;
  readonly label: string;
  readonly unit: string;
  readonly better: MetricComparison['better'];
  /** Into `unit`. */
  readonly scale: number;
  readonly a: Sample;
  readonly b: Sample;
  /** How the resamples came about. */
  readonly method: string;
  /** Set where requests of both sides are pairs. */
  readonly paired?: PairedInfo;
}

export const BLOCKS = 'circular block bootstrap over requests in sending order';

/**
 * @param resamples 0: values alone, without intervals
 * @param inPairs whether requests that both sides were sent alike are taken in pairs
 */
export function rowsOf(
  pair: StagePair,
  countingA: Counting,
  countingB: Counting,
  resamples: number,
  inPairs = true,
): Row[] {
  const pairing = inPairs ? pairRequests(pair.a, pair.b) : undefined;
  const pairs = pairing?.ok === true ? pairing.pairs : undefined;
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
    const { samplesA, samplesB, infos } = latencyPair(
      { a: pair.a, b: pair.b, pairs },
      quantity,
      statistics,
      [countingA, countingB],
      [drawsA, drawsB],
    );
    // What vLLM calls ITL too: where both sides measured it, it has its own name.
    const chunks = quantity.metric === 'itl' && countingA.itl === 'chunks' && countingB.itl === 'chunks';
    const { unit, factor } = printedIn(quantity, largest(samplesA, samplesB));
    return statistics.map((statistic) => ({
      metric: quantity.metric,
      statistic,
      label: `${chunks ? QUANTITIES.chunk_gap.label : quantity.label} ${statistic}`,
      unit,
      better: quantity.better,
      scale: factor,
      a: samplesA.get(statistic)!,
      b: samplesB.get(statistic)!,
      method: infos?.get(statistic)?.together === true ? `${BLOCKS}, request by request` : BLOCKS,
      ...(infos?.has(statistic) ? { paired: infos.get(statistic)! } : {}),
    }));
  };
  const limited = [countingA, countingB].some(({ limits }) => Object.keys(limits).length > 0);
  const rates = [...RATES, ...(limited ? [GOODPUT] : [])].map((quantity, i): Row => {
    const [own] = draws(20 + i);
    return {
      ...quantity,
      statistic: 'value',
      scale: 1,
      ...rateSamples(pair, quantity, [countingA, countingB], pairs, own),
    };
  });
  const [drawsA, drawsB] = draws(40);
  const errors: Row = {
    ...QUANTITIES.error_rate,
    statistic: 'value',
    scale: 1,
    a: errorRateSample(pair.a, drawsA),
    b: errorRateSample(pair.b, drawsB),
    method: BLOCKS,
  };
  const content = hides(pair.a) || hides(pair.b) ? latency(FIRST_CONTENT, 60) : [];
  const latencies = LATENCIES.flatMap((quantity, i) => [...latency(quantity, i), ...(i === 0 ? content : [])]);
  const rows = [...latencies, ...rates, errors, ...latency(SCHEDULE_DELAY, 50)];
  return resamples > 0 ? rows : rows.map((row) => ({ ...row, a: valueAlone(row.a), b: valueAlone(row.b) }));
}

/** Whether TTFT of a side is no time to visible content. */
function hides({ records, scope }: MeasuredStage): boolean {
  if (records) return records.some((record) => isSuccess(record) && hidesTokens(record));
  return scope !== undefined && measureOf(scope, 'ttfc') !== undefined;
}

/** Nothing was drawn, which is no interval of width 0. */
function valueAlone(sample: Sample): Sample {
  if (sample.side.value === undefined) return sample;
  const { noInterval = 'no interval was asked for', side } = sample;
  return { side, noInterval };
}

/** Lateness is a check, not a result: its middle and its tail are enough. */
const LATENESS: readonly Statistic[] = ['p50', 'p99'];

function statisticsOf(pair: StagePair): readonly Statistic[] {
  const usual: readonly Statistic[] = ['mean', 'p50', 'p90', 'p95', 'p99'];
  const sizes = [pair.a, pair.b].map((stage) => stage.records?.length ?? stage.scope?.counts.ok ?? 0);
  return Math.min(...sizes) >= minimumCountFor(99.9) ? [...usual, 'p99.9'] : usual;
}

function largest(...samples: readonly ReadonlyMap<Statistic, Sample>[]): number {
  return Math.max(0, ...samples.map((sample) => sample.get('mean')?.side.value ?? 0));
}

/** A row with no value on either side says nothing, unless the requests were too few: that is worth seeing. */
export function hasNews({ a, b }: Row): boolean {
  return a.side.value !== undefined || b.side.value !== undefined || withheld({ a, b });
}

export function withheld({ a, b }: Pick<Row, 'a' | 'b'>): boolean {
  return a.isWithheld === true || b.isWithheld === true;
}
