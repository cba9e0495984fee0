// Samples of a latency on both sides at once: in pairs of requests where the stream was one, else each side by itself.
import { differenceInterval, type Interval } from '../metrics/bootstrap';
import { resampleTogether } from '../metrics/paired-bootstrap';
import type { Statistic } from './comparison';
import type { Counting, LatencyQuantity } from './quantities';
import type { RequestPairs } from './request-pairs';
import { latencySamples, prepareLatency, quantityOf, withDraws, type Draws, type Sample } from './samples';
import type { MeasuredStage } from './side';

export interface PairedInfo {
  readonly pairs: number;
  /** Of what request i took on A with what it took on B. */
  readonly correlation?: number;
  /** Whether pairs were drawn: where requests do not resemble each other beyond chance, each side was drawn by itself. */
  readonly together: boolean;
  /** Of the difference, in the samples' unit, had the sides been drawn apart. */
  readonly apart?: Interval;
}

interface LatencyPair {
  readonly samplesA: ReadonlyMap<Statistic, Sample>;
  readonly samplesB: ReadonlyMap<Statistic, Sample>;
  /** Of statistics whose requests are pairs; undefined where none are. */
  readonly infos?: ReadonlyMap<Statistic, PairedInfo>;
}

/** Failures that count as slow are no pairs, and neither is a check over all that was sent. */
export function latencyPair(
  { a, b, pairs }: { readonly a: MeasuredStage; readonly b: MeasuredStage; readonly pairs: RequestPairs | undefined },
  quantity: LatencyQuantity,
  statistics: readonly Statistic[],
  [countingA, countingB]: readonly [Counting, Counting],
  [drawsA, drawsB]: readonly [Draws, Draws],
): LatencyPair {
  const slow = countingA.failuresAreSlow === true || countingB.failuresAreSlow === true;
  if (!pairs || slow || quantity.overAllSent === true) {
    return {
      samplesA: latencySamples(prepareLatency(a, quantity, statistics, countingA), drawsA),
      samplesB: latencySamples(prepareLatency(b, quantity, statistics, countingB), drawsB),
    };
  }
  const x = prepareLatency({ ...a, records: pairs.a }, quantity, statistics, countingA);
  const y = prepareLatency({ ...b, records: pairs.b }, quantity, statistics, countingB, 1);
  const wanted = x.wanted.filter((statistic) => y.wanted.includes(statistic));
  if (!x.series || !y.series || wanted.length === 0 || drawsA.resamples === 0) {
    return { samplesA: x.samples, samplesB: y.samples };
  }
  const joint = resampleTogether(x.series, y.series, wanted.map(quantityOf), {
    ...drawsA,
    seedB: drawsB.seed,
    ...(x.sorted ? { sorted: x.sorted } : {}),
    ...(y.sorted ? { sortedB: y.sorted } : {}),
  });
  const infos = wanted.map((statistic, q): [Statistic, PairedInfo] => [
    statistic,
    {
      pairs: pairs.a.length,
      ...(joint.correlation === undefined ? {} : { correlation: joint.correlation }),
      together: joint.together,
      // The same draws, each beside the next one's other side: what two independent samples would have shown.
      ...(joint.together ? { apart: differenceInterval(joint.a[q]!, shifted(joint.b[q]!)) } : {}),
    },
  ]);
  return {
    samplesA: withDraws(x, wanted, joint.a, joint.effective),
    samplesB: withDraws(y, wanted, joint.b, joint.effective),
    infos: new Map(infos),
  };
}

function shifted(draws: Float64Array): Float64Array {
  return draws.map((_, r) => draws[(r + 1) % draws.length]!);
}
