// The mean that a length distribution really has once it is clamped, for the checks of configs.
import { realisedLengths } from '../config/will/realised';
import type { Distribution } from '../config/model/schema/distribution';

/** random and synthetic shift a lognormal by min; the other data types do not (reference inference-perf.md, 2.2). */
export type Sampler = 'random' | 'shared';

/** Mean after clamping to min..max, tokens. */
export function realisedMean(distribution: Distribution, sampler: Sampler): number {
  return realisedLengths(distribution, sampler === 'random' ? 'presampled' : 'sampled').mean;
}
