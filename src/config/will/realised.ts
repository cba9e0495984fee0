// What a distribution of lengths realises once it is clamped and rounded: mean, spread, and how much piles up at the bounds.
import type { Distribution } from '../model/schema/distribution';

/**
 * inference-perf has two samplers (reference inference-perf.md, 2.2): `presampled` for random and synthetic, which shifts a
 * lognormal by min and draws uniform from [min, max]; `sampled` for shared_prefix and conversation_replay, which does not.
 */
export type Sampler = 'presampled' | 'sampled';

/** In the unit of the distribution, mostly tokens. */
export interface Realised {
  readonly mean: number;
  /** Standard deviation. */
  readonly spread: number;
  /** Share of the values that are exactly the lower bound, 0..1; 0 where bounds are not used. */
  readonly atMin: number;
  readonly atMax: number;
}

const STEPS = 4000;
const REACH = 8; // standard deviations to either side

/** Law after clamping to min..max and rounding. Closed for normal, uniform and fixed; a sum over quantiles for the others. */
export function realisedLengths(distribution: Distribution, sampler: Sampler): Realised {
  const { min, max, mean, std_dev: spread, type } = distribution;
  switch (type) {
    case 'fixed':
      return { mean: Math.trunc(mean), spread: 0, atMin: 0, atMax: 0 };
    case 'uniform':
      return sampler === 'presampled' ? uniform(min, max, max) : uniform(min, max, max + 1);
    case 'normal':
      return clampedNormal(mean, spread, min, max);
    case 'lognormal':
      return weighed(lognormalPoints(distribution, sampler), min, max);
    case 'skew_normal':
      return weighed(skewNormalPoints(distribution), min, max);
    case 'poisson':
      return weighed(poissonPoints(mean > 0 ? mean : 1), min, max);
  }
}

/** A number stands for itself. */
export function realisedOf(value: number | Distribution, sampler: Sampler): Realised {
  return typeof value === 'number' ? { mean: value, spread: 0, atMin: 0, atMax: 0 } : realisedLengths(value, sampler);
}

/**
 * Moments of min(max(X, low), high) with X normal. With a, b the standardised bounds, P and d the normal distribution and density:
 * E = low P(a) + high (1 - P(b)) + m (P(b) - P(a)) + s (d(a) - d(b)); the second moment likewise, by parts.
 * The share at a bound counts what rounds to it.
 */
function clampedNormal(mean: number, spread: number, low: number, high: number): Realised {
  if (spread === 0) {
    const value = Math.min(high, Math.max(low, mean));
    return { mean: value, spread: 0, atMin: value === low ? 1 : 0, atMax: value === high ? 1 : 0 };
  }
  const a = (low - mean) / spread;
  const b = (high - mean) / spread;
  const [below, above] = [normalShare(a), 1 - normalShare(b)];
  const inside = 1 - below - above;
  const first = low * below + high * above + mean * inside + spread * (density(a) - density(b));
  const second =
    low ** 2 * below +
    high ** 2 * above +
    (mean ** 2 + spread ** 2) * inside +
    2 * mean * spread * (density(a) - density(b)) +
    spread ** 2 * (a * density(a) - b * density(b));
  return {
    mean: first,
    spread: Math.sqrt(Math.max(0, second - first ** 2)),
    atMin: normalShare((low + 0.5 - mean) / spread),
    atMax: 1 - normalShare((high - 0.5 - mean) / spread),
  };
}

/** U(low, end), clamped to high: with end above high a little extra mass sits on high. */
function uniform(low: number, high: number, end: number): Realised {
  const width = end - low;
  if (width <= 0) return { mean: low, spread: 0, atMin: 1, atMax: 1 };
  const rest = end - high;
  const mean = ((high ** 2 - low ** 2) / 2 + high * rest) / width;
  const second = ((high ** 3 - low ** 3) / 3 + high ** 2 * rest) / width;
  return {
    mean,
    spread: Math.sqrt(Math.max(0, second - mean ** 2)),
    atMin: Math.min(1, 0.5 / width),
    atMax: Math.min(1, (0.5 + rest) / width),
  };
}

interface Point {
  readonly value: number;
  readonly weight: number;
}

function weighed(points: readonly Point[], min: number, max: number): Realised {
  let [weights, sum, squares, atMin, atMax] = [0, 0, 0, 0, 0];
  for (const { value, weight } of points) {
    const kept = Math.min(max, Math.max(min, value));
    weights += weight;
    sum += weight * kept;
    squares += weight * kept ** 2;
    if (kept < min + 0.5) atMin += weight;
    if (kept > max - 0.5) atMax += weight;
  }
  const mean = sum / weights;
  const spread = Math.sqrt(Math.max(0, squares / weights - mean ** 2));
  return { mean, spread, atMin: atMin / weights, atMax: atMax / weights };
}

/** Points of the standard normal, each with its density as weight. */
function normalPoints(value: (z: number) => number, weight: (z: number) => number = () => 1): readonly Point[] {
  return Array.from({ length: STEPS }, (_, step) => {
    const z = -REACH + (2 * REACH * (step + 0.5)) / STEPS;
    return { value: value(z), weight: Math.exp((-z * z) / 2) * weight(z) };
  });
}

/** sigma^2 = ln(1 + (s/m)^2), mu = ln m - sigma^2 / 2; the presampled one is shifted by min, and m is 1 when nothing is left. */
function lognormalPoints({ min, mean, std_dev: spread }: Distribution, sampler: Sampler): readonly Point[] {
  const shift = sampler === 'presampled' ? min : 0;
  const centre = mean - shift > 0 ? mean - shift : 1;
  const variance = Math.log(1 + (spread / centre) ** 2);
  const location = Math.log(centre) - variance / 2;
  return normalPoints((z) => shift + Math.exp(location + Math.sqrt(variance) * z));
}

/** Azzalini's density 2 d(z) P(skew z); mean and std_dev are location and scale. */
function skewNormalPoints({ mean, std_dev: scale, skew }: Distribution): readonly Point[] {
  return normalPoints(
    (z) => mean + scale * z,
    (z) => normalShare(skew * z),
  );
}

function poissonPoints(mean: number): readonly Point[] {
  const reach = Math.ceil(10 * Math.sqrt(mean) + 20);
  const first = Math.max(0, Math.floor(mean) - reach);
  const count = Math.floor(mean) + reach - first;
  const stride = Math.max(1, Math.ceil(count / 20_000));
  const points: Point[] = [];
  // Relative to the weight at the mean, by products: no factorial overflows.
  let logWeight = 0;
  const weights: number[] = [];
  for (let k = first; k < first + count; k += 1) {
    if (k > first) logWeight += Math.log(mean / k);
    weights.push(logWeight);
  }
  const peak = weights.reduce((best, entry) => Math.max(best, entry), -Infinity);
  weights.forEach((entry, index) => {
    if (index % stride === 0) points.push({ value: first + index, weight: Math.exp(entry - peak) });
  });
  return points;
}

function density(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
}

/** The normal distribution function, by the rational approximation 26.2.17 of Abramowitz and Stegun; error below 8e-8. */
function normalShare(z: number): number {
  if (z < 0) return 1 - normalShare(-z);
  if (z > 40) return 1;
  const t = 1 / (1 + 0.2316419 * z);
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return 1 - density(z) * series;
}
