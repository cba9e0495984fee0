// What a length distribution realises once it is clamped: the mean that the run will really have.
import type { Distribution } from '../config/schema/distribution';

/** random and synthetic shift a lognormal by min; the other data types do not (reference inference-perf.md, 2.2). */
export type Sampler = 'random' | 'shared';

const STEPS = 4000;
const REACH = 8; // standard deviations to either side

/** Mean after clamping to min..max, tokens. Numerical integral over the standard normal; error well below 0.1 %. */
export function realisedMean(distribution: Distribution, sampler: Sampler): number {
  const { min, max, mean, type } = distribution;
  if (type === 'fixed') return Math.trunc(mean);
  if (type === 'uniform') return (min + max) / 2;
  if (type === 'poisson') return clampedNormalMean(mean, Math.sqrt(Math.max(mean, 1)), min, max);
  if (type === 'lognormal') return lognormalMean(distribution, sampler);
  return clampedNormalMean(mean, distribution.std_dev, min, max);
}

function integrate(value: (z: number) => number): number {
  let sum = 0;
  let weights = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const z = -REACH + (2 * REACH * (step + 0.5)) / STEPS;
    const weight = Math.exp((-z * z) / 2);
    sum += weight * value(z);
    weights += weight;
  }
  return sum / weights;
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

function clampedNormalMean(mean: number, spread: number, min: number, max: number): number {
  return integrate((z) => clamp(mean + spread * z, min, max));
}

function lognormalMean(distribution: Distribution, sampler: Sampler): number {
  const { min, max, std_dev: spread } = distribution;
  const shift = sampler === 'random' ? min : 0;
  const centre = distribution.mean - shift > 0 ? distribution.mean - shift : 1;
  const variance = Math.log(1 + (spread / centre) ** 2);
  const location = Math.log(centre) - variance / 2;
  return integrate((z) => clamp(shift + Math.exp(location + Math.sqrt(variance) * z), min, max));
}
