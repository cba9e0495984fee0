// When each request of a stage is due: inference-perf's arrival laws as offsets in seconds from the stage's zero.
import { poisson, standardExponential, type Rng } from '../datagen/random';

/** The law arrivals really follow, named truthfully: inference-perf's "constant" is not an even spacing. */
export type ArrivalLaw =
  | 'exponential-gaps-rescaled'
  | 'poisson-per-second'
  | 'even'
  | 'burst-all-at-once'
  | `burst-groups-of-${number}`
  | 'trace'
  | 'closed-loop';

/** Requests of an open-loop stage: floor(rate x duration), as inference-perf counts them. */
export function plannedCount(rateRps: number, durationSeconds: number): number {
  return Math.floor(rateRps * durationSeconds);
}

/**
 * inference-perf's `constant` (load_timer.py:36-65; reference 3.2): `count` exponential gaps rescaled so that they add up to the
 * duration. These are Poisson arrivals given their number, and the last one is due exactly at the end. Ascending, seconds.
 */
export function rescaledExponentialOffsets(count: number, durationSeconds: number, rng: Rng): Float64Array {
  const offsets = new Float64Array(count);
  fillBlock(offsets, 0, count, 0, durationSeconds, rng);
  return offsets;
}

/**
 * inference-perf's `poisson` (load_timer.py:68-97; reference 3.3): second after second, k ~ Poisson(rate) arrivals by the rule above
 * over exactly one second, so that a block's last arrival is due at the block's end; an empty block is a second of silence. The
 * number of requests is fixed, the time they take is not. Ascending, seconds.
 */
export function poissonBlockOffsets(count: number, rateRps: number, rng: Rng): Float64Array {
  const offsets = new Float64Array(count);
  let done = 0;
  for (let blockStart = 0; done < count; blockStart++) {
    const arrivals = poisson(rng, rateRps);
    done += fillBlock(offsets, done, arrivals, blockStart, 1, rng);
  }
  return offsets;
}

/** True even spacing: request k of n is due at k x duration / n, the first at the stage's zero. Ascending, seconds. */
export function evenOffsets(count: number, durationSeconds: number): Float64Array {
  return Float64Array.from({ length: count }, (_, index) => (index * durationSeconds) / count);
}

/** Groups of `size` requests due at once, the groups evenly spaced over the duration by the requests before them. */
export function burstOffsets(count: number, durationSeconds: number, size: number): Float64Array {
  return Float64Array.from({ length: count }, (_, index) => ((index - (index % size)) * durationSeconds) / count);
}

/** Writes `arrivals` offsets from `start` on, or as many as fit; returns how many were written. */
function fillBlock(
  offsets: Float64Array,
  from: number,
  arrivals: number,
  start: number,
  length: number,
  rng: Rng,
): number {
  const cumulative = new Float64Array(arrivals);
  let sum = 0;
  for (let index = 0; index < arrivals; index++) {
    sum += standardExponential(rng);
    cumulative[index] = sum;
  }
  const written = Math.min(arrivals, offsets.length - from);
  for (let index = 0; index < written; index++) {
    // The last of a block is set, not computed: rounding must not move it past the end.
    offsets[from + index] = index === arrivals - 1 ? start + length : start + (cumulative[index]! / sum) * length;
  }
  return written;
}
