// Length distributions: inference-perf's two samplers, which give the same words different meanings, exactly in law.
import { poisson, standardNormal, uniform01, type Rng } from './random';

/** The distribution block of inference-perf's config (reference inference-perf.md section 1.2); lengths in tokens. */
export interface LengthDistribution {
  readonly type: 'normal' | 'skew_normal' | 'lognormal' | 'uniform' | 'poisson' | 'fixed';
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly std_dev: number;
  readonly skew: number;
}

/** Why sampler A cannot draw from a distribution that the config accepts, in words; undefined when it can. */
export function presampledRefusal(distribution: LengthDistribution): string | undefined {
  const { type, min, max, mean } = distribution;
  if (type === 'skew_normal' || type === 'poisson') {
    return `distribution type '${type}' does not exist for this data type: inference-perf stops with "unknown dist_type" although its config accepts it`;
  }
  if (type === 'normal' && (mean < min || mean > max)) {
    return `mean ${mean} of a normal distribution is outside [min ${min}, max ${max}]`;
  }
  return undefined;
}

/**
 * inference-perf's sampler for `random` and `synthetic` (utils/numeric/distribution/utils.py:26-96; reference 2.2 A).
 * uniform: continuous U(min, max), clamped, rounded, so the two end values have half the weight of the others.
 * lognormal: X - min is lognormal with mean `mean - min` (1 when that is not positive) and the given standard deviation.
 * normal: clamped, not truncated: the mass outside piles up at the bounds. fixed: int(mean), bounds ignored.
 * Throws for what `presampledRefusal` refuses.
 */
export function presampledLengths(distribution: LengthDistribution, count: number, rng: Rng): Int32Array {
  const refusal = presampledRefusal(distribution);
  if (refusal !== undefined) throw new RangeError(refusal);
  const { type, min, max, mean, std_dev: stdDev } = distribution;
  const lengths = new Int32Array(count);
  if (type === 'fixed') return lengths.fill(Math.trunc(mean));
  const shape = lognormalShape(mean - min > 0 ? mean - min : 1, stdDev);
  for (let index = 0; index < count; index++) {
    let value: number;
    if (type === 'uniform') value = min + (max - min) * uniform01(rng);
    else if (type === 'lognormal') value = min + Math.exp(shape.mu + shape.sigma * standardNormal(rng));
    else value = mean + stdDev * standardNormal(rng);
    lengths[index] = roundHalfEven(clamp(value, min, max));
  }
  return lengths;
}

/**
 * inference-perf's sampler for `shared_prefix` (utils.py:112-179; reference 2.2 B). The lognormal is matched to the mean and
 * standard deviation without the shift by `min`; uniform is U(min, max + 1) clamped; skew_normal is Azzalini's with `mean` and
 * `std_dev` as location and scale; clamped to [min, max], rounded half to even, clamped again. fixed: int(mean), bounds ignored.
 */
export function sampledLength(distribution: LengthDistribution, rng: Rng): number {
  const { type, min, max, mean, std_dev: stdDev } = distribution;
  if (type === 'fixed') return Math.trunc(mean);
  return clamp(roundHalfEven(clamp(rawLength(distribution, rng), min, max)), min, max);

  function rawLength({ skew }: LengthDistribution, source: Rng): number {
    switch (type) {
      case 'uniform':
        return min + (max + 1 - min) * uniform01(source);
      case 'lognormal': {
        const shape = lognormalShape(mean, stdDev);
        return Math.exp(shape.mu + shape.sigma * standardNormal(source));
      }
      case 'skew_normal':
        return mean + stdDev * skewNormal(skew, source);
      case 'poisson':
        return poisson(source, mean > 0 ? mean : 1);
      case 'normal':
        return mean + stdDev * standardNormal(source);
      case 'fixed':
        return mean;
    }
  }
}

/** Why sampler B cannot draw from a distribution, in words; undefined when it can. */
export function sampledRefusal(distribution: LengthDistribution): string | undefined {
  if (distribution.type === 'lognormal' && distribution.mean <= 0) {
    return `mean ${distribution.mean} of a lognormal distribution must be above 0`;
  }
  return undefined;
}

/** Azzalini's skew-normal with location 0 and scale 1: delta |u0| + sqrt(1 - delta^2) u1, sign by sign of the skew. */
function skewNormal(skew: number, rng: Rng): number {
  const delta = skew / Math.sqrt(1 + skew * skew);
  const first = standardNormal(rng);
  const second = standardNormal(rng);
  const combined = delta * first + Math.sqrt(1 - delta * delta) * second;
  return first >= 0 ? combined : -combined;
}

/** mu and sigma of a lognormal with the given mean and standard deviation: sigma^2 = ln(1 + (s/m)^2), mu = ln m - sigma^2 / 2. */
function lognormalShape(mean: number, stdDev: number): { mu: number; sigma: number } {
  const variance = Math.log(1 + (stdDev / mean) ** 2);
  return { mu: Math.log(mean) - variance / 2, sigma: Math.sqrt(variance) };
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}

/** numpy's rounding: halves go to the even neighbour. */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}
