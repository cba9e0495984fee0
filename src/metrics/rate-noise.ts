// How sure is a rate? From its count and its span: what each request adds to either, summed over slices that hold many arrivals.
import { dependenceOf } from './dependence';
import { mean, standardDeviation } from './statistics';

/** One request of a window, in sending order. */
export interface RateRequest {
  readonly sentSeconds: number;
  readonly endSeconds: number;
  /** What it adds to the rate: 1, its tokens, or 0 where it failed. */
  readonly weight: number;
}

/**
 * What chance the arrivals are: `drawn`, `filling` a fixed time (so many in so long by design; only where the first falls is chance),
 * or none at all (`fixed`: even, or the very same schedule on both sides).
 */
export type Arrivals = 'drawn' | 'filling' | 'fixed';

/** Everything as shares of the rate itself. */
export interface RateNoise {
  /** What each request adds to the relative error, in the order it was sent (or ended); their sum is 0. */
  readonly influence: Float64Array;
  /** Of each moment, how long what was under way took to drain, as a share of the span; empty where ends are looked at. */
  readonly drain: Float64Array;
  /** Standard error of what is neither. */
  readonly rest: number;
}

/** A tail of answers longer than this share of the window makes the ends say when the work was done, not the sends. */
const LONG_DRAIN = 0.1;

/**
 * Delta method for R = sum of weights / span: a request moves it by w / W - gap / T. Where sends set the pace, gaps are those between
 * sends and the tail of the last answers is a term of its own; where answers do (closed loop, saturation), those between ends.
 * @param requests by sending time, at least two
 * @param closed a closed loop: its sends follow its ends
 */
export function rateNoise(requests: readonly RateRequest[], arrivals: Arrivals, closed: boolean): RateNoise {
  const n = requests.length;
  const first = requests[0]!.sentSeconds;
  const last = requests[n - 1]!.sentSeconds;
  let end = -Infinity;
  let total = 0;
  for (const { endSeconds, weight } of requests) {
    end = Math.max(end, endSeconds);
    total += weight;
  }
  const span = end - first;
  if (closed || end - last > LONG_DRAIN * span) {
    const byEnd = [...requests].sort((x, y) => x.endSeconds - y.endSeconds);
    const influence = new Float64Array(n);
    byEnd.forEach(({ endSeconds, weight }, i) => {
      const before = i === 0 ? first : byEnd[i - 1]!.endSeconds;
      influence[i] = weight / total - (endSeconds - before) / span;
    });
    return { influence, drain: new Float64Array(0), rest: 0 };
  }
  const influence = new Float64Array(n);
  const drain = new Float64Array(n);
  let latest = -Infinity;
  for (let i = 0; i < n; i++) {
    const { sentSeconds, endSeconds, weight } = requests[i]!;
    const gap = i === 0 ? 0 : sentSeconds - requests[i - 1]!.sentSeconds;
    influence[i] = weight / total - (arrivals === 'drawn' ? gap / Math.max(1e-12, last - first) : 1 / n);
    latest = Math.max(latest, endSeconds);
    drain[i] = (latest - sentSeconds) / span;
  }
  return { influence, drain: drain.subarray(Math.floor(n / 10)), rest: arrivals === 'filling' ? 1 / n : 0 };
}

const MOST_SLICES = 30;
const FEWEST_SLICES = 5;
/** Arrivals a slice holds at least, where there are enough for the fewest slices. */
const IN_SLICE = 10;

/** Standard error of a rate as a share of it, and the degrees of freedom it rests on. */
export function relativeError({ influence, drain, rest }: RateNoise): {
  readonly error: number;
  readonly freedom: number;
} {
  const slices = Math.max(FEWEST_SLICES, Math.min(MOST_SLICES, Math.floor(influence.length / IN_SLICE)));
  const sums = new Float64Array(slices);
  for (let i = 0; i < influence.length; i++) sums[Math.floor((i * slices) / influence.length)]! += influence[i]!;
  // Sums of slices carry that more arrivals now are fewer later; what lasts longer than a slice is seen request by request.
  const between = (standardDeviation(sums) ** 2 * slices * slices) / (slices - 1);
  const centre = mean(influence);
  const centred = influence.map((value) => value - centre);
  const { sumVariance, effective } = dependenceOf(centred);
  const lasting = effective < 0.8 * influence.length ? sumVariance : 0;
  const tail = drain.length > 1 ? standardDeviation(drain) ** 2 : 0;
  return { error: Math.sqrt(Math.max(between, lasting) + tail + rest * rest), freedom: slices - 1 };
}

/** Of B over A where request i of both is the same request: what they have in common is no error of their ratio. */
export function pairedNoise(a: RateNoise, b: RateNoise): RateNoise | undefined {
  if (a.influence.length !== b.influence.length || a.drain.length !== b.drain.length || a.drain.length === 0)
    return undefined;
  return {
    influence: b.influence.map((value, i) => value - a.influence[i]!),
    drain: b.drain.map((value, i) => value - a.drain[i]!),
    rest: 0,
  };
}
