// A sweep: how many requests a second a server completes under more load than it can take, and the rates of the stages up to it.
//
// inference-perf (reference 3.7) looks at falls of the number in flight, so it measures the drain after the probe, which a client
// cap, a cold start and equal lengths all falsify. Here completions are counted while the server is saturated: no cap of the client
// hides them, and the first and last tenth, where a server warms up or drains, are left out.
import { percentile, sortedValues } from '../metrics/statistics';

export interface ProbeRequest {
  readonly sentSeconds: number;
  readonly endSeconds: number;
}

export interface SaturationEstimate {
  /** Completions per second while saturated, the asked percentile of sliding windows. */
  readonly rateRps: number;
  /** False when the server kept up with the probe: the rate is then only a lower bound. */
  readonly saturated: boolean;
  /** Length of the windows the rate was counted in. */
  readonly windowSeconds: number;
}

/** Fewer completions say nothing about a rate. */
export const FEWEST_COMPLETIONS = 20;
const LEFT_OUT_SHARE = 0.1;
const SHORTEST_WINDOW_SECONDS = 0.5;
/** A quarter of the time: long enough that a bunch of completions more or less does not matter, short enough to leave a cold start out. */
const WINDOW_SHARE = 0.25;
/** A queue that builds up holds at least this many times more at the end of the sending than in its middle. */
const QUEUE_GROWTH = 1.4;

/**
 * Of the probe's answered requests. A window is at least one median latency long, because a server that batches finishes requests in
 * bunches that far apart. Undefined for fewer than `FEWEST_COMPLETIONS`.
 * @param overloaded the server turned requests away, or the cap in flight was reached
 */
export function estimateSaturation(
  answered: readonly ProbeRequest[],
  percentileAsked: number,
  overloaded: boolean,
): SaturationEstimate | undefined {
  if (answered.length < FEWEST_COMPLETIONS) return undefined;
  const ends = sortedValues(answered.map(({ endSeconds }) => endSeconds));
  const from = ends[Math.floor(LEFT_OUT_SHARE * ends.length)]!;
  const to = ends[Math.floor((1 - LEFT_OUT_SHARE) * ends.length) - 1]!;
  const span = Math.max(to - from, 1e-3);
  const latencies = sortedValues(answered.map((request) => request.endSeconds - request.sentSeconds));
  const service = percentile(latencies, 50);
  const windowSeconds = Math.min(span, Math.max(service, SHORTEST_WINDOW_SECONDS, WINDOW_SHARE * span));
  const rates: number[] = [];
  const step = windowSeconds / 4;
  for (let start = from; start + windowSeconds <= to + 1e-9; start += step) {
    rates.push((indexAfter(ends, start + windowSeconds) - indexAfter(ends, start)) / windowSeconds);
  }
  if (rates.length === 0) rates.push((0.8 * ends.length) / span);
  const saturated = overloaded || queueGrew(answered);
  const rate = percentile(sortedValues(rates), Math.min(100, Math.max(0, percentileAsked)));
  // A server that kept up completes what it is sent: a high percentile would only pick the luckiest window of the arrivals.
  const rateRps = saturated ? rate : percentile(sortedValues(rates), 50);
  return { rateRps, saturated, windowSeconds };
}

/** How many of the ascending values are at most `limit`. */
function indexAfter(values: ArrayLike<number>, limit: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Compares the average number in flight in the third and in the last fifth of the sending: the beginning may be a cold start. */
function queueGrew(answered: readonly ProbeRequest[]): boolean {
  const first = answered.reduce((least, { sentSeconds }) => Math.min(least, sentSeconds), Infinity);
  const last = answered.reduce((most, { sentSeconds }) => Math.max(most, sentSeconds), -Infinity);
  const fifth = (last - first) / 5;
  const inFlightSeconds = (from: number, to: number): number =>
    answered.reduce(
      (sum, { sentSeconds, endSeconds }) => sum + Math.max(0, Math.min(endSeconds, to) - Math.max(sentSeconds, from)),
      0,
    );
  const middle = inFlightSeconds(first + 2 * fifth, first + 3 * fifth);
  return inFlightSeconds(last - fifth, last) > QUEUE_GROWTH * middle;
}

/**
 * Rates of the stages, ascending, two decimals (reference 3.7): linear from 1 to the saturation rate; geometric 1 + S - geomspace(S, 1),
 * dense near saturation. Below 1 request/s inference-perf's ladder would run downwards from above saturation: ours then starts at S / n.
 */
export function sweepRates(type: 'linear' | 'geometric', saturationRps: number, stages: number): number[] {
  const low = saturationRps > 1 ? 1 : saturationRps / Math.max(1, stages);
  const rates = Array.from({ length: Math.max(0, stages) }, (_, index) => {
    const share = stages === 1 ? 0 : index / (stages - 1);
    if (type === 'linear') return low + share * (saturationRps - low);
    return low + saturationRps - saturationRps * (low / saturationRps) ** share;
  });
  return rates.map((rate) => Math.max(0.01, Math.round(rate * 100) / 100));
}
