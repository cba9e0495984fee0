// Each request's own difference: what request i took on B less what it took on A, where both sides were sent one stream.
import { correlationOf } from '../metrics/paired-bootstrap';
import { printedIn } from '../metrics/quantities';
import { mean, percentile, sortedValues } from '../metrics/statistics';
import type { ComparedRequests, OwnDifference } from './comparison';
import { LATENCIES, type Counting, type LatencyQuantity } from './quantities';
import { pairRequests, type RequestPairs } from './request-pairs';
import type { StagePair } from './stages';

/** Enough for the shape of a distribution, and its ends. */
const PERCENTS = [0, 1, 2.5, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 97.5, 99, 100];

export function requestDifferences(pair: StagePair, countings: readonly [Counting, Counting]): ComparedRequests {
  const pairing = pairRequests(pair.a, pair.b);
  if (!pairing.ok) return { stage: pair.index, reason: pairing.reason, differences: [] };
  const { a, unmatchedA, unmatchedB, failed } = pairing.pairs;
  return {
    stage: pair.index,
    pairs: { answered: a.length, unmatchedA, unmatchedB, failed },
    differences: LATENCIES.flatMap((quantity) => ownDifference(quantity, pairing.pairs, countings) ?? []),
  };
}

/** Undefined where a request has several values (token gaps), or none of them has one on both sides. */
function ownDifference(
  quantity: LatencyQuantity,
  { a, b }: RequestPairs,
  [countingA, countingB]: readonly [Counting, Counting],
): OwnDifference | undefined {
  const { value, metric, label } = quantity;
  if (!value || quantity.overAllSent === true) return undefined;
  const [x, y]: [number[], number[]] = [[], []];
  a.forEach((record, i) => {
    const [own, other] = [value(record, countingA), value(b[i]!, countingB)];
    if (own === undefined || other === undefined) return;
    x.push(own);
    y.push(other);
  });
  if (x.length === 0) return undefined;
  const { unit, factor } = printedIn(quantity, mean(x));
  const differences = Float64Array.from(x, (own, i) => factor * (y[i]! - own));
  const sorted = sortedValues(differences);
  const correlation = correlationOf(Float64Array.from(x), Float64Array.from(y));
  return {
    metric,
    label,
    unit,
    n: x.length,
    mean: mean(differences),
    longerOnB: differences.filter((difference) => difference > 0).length / x.length,
    ...(correlation === undefined ? {} : { correlation }),
    at: PERCENTS.map((percent) => ({ percent, difference: percentile(sorted, percent) })),
  };
}
