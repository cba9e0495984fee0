// Do two samples come from one law? Kolmogorov-Smirnov, Mann-Whitney and proportions; and is there a trend in one series?
import { sortedValues } from './statistics';

export interface TestResult {
  readonly statistic: number;
  /** Two-sided. */
  readonly p: number;
}

/**
 * Two-sample Kolmogorov-Smirnov: the largest distance between the two empirical distributions. The p-value is the
 * asymptotic one with Stephens' correction of the effective size (Numerical Recipes 14.3), conservative with ties.
 * @param a,b ascending, neither empty
 */
export function kolmogorovSmirnov(a: Float64Array, b: Float64Array): TestResult {
  let distance = 0;
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const value = Math.min(a[i]!, b[j]!);
    while (i < a.length && a[i] === value) i++;
    while (j < b.length && b[j] === value) j++;
    distance = Math.max(distance, Math.abs(i / a.length - j / b.length));
  }
  const root = Math.sqrt((a.length * b.length) / (a.length + b.length));
  return { statistic: distance, p: kolmogorovTail((root + 0.12 + 0.11 / root) * distance) };
}

/** P(K > lambda) of Kolmogorov's distribution: 2 sum (-1)^(k-1) exp(-2 k^2 lambda^2). */
function kolmogorovTail(lambda: number): number {
  if (lambda < 0.2) return 1;
  let total = 0;
  for (let k = 1; k <= 100; k++) {
    const term = Math.exp(-2 * k * k * lambda * lambda);
    total += k % 2 === 1 ? term : -term;
    if (term < 1e-12) break;
  }
  return Math.min(1, Math.max(0, 2 * total));
}

/**
 * Mann-Whitney U of `first` against `second` by the normal approximation with tie correction; `statistic` is z, positive
 * when `first` tends to be larger. Source: Lehmann, Nonparametrics, 1.4.
 */
export function mannWhitney(first: ArrayLike<number>, second: ArrayLike<number>): TestResult {
  const n1 = first.length;
  const n2 = second.length;
  const [mine, others] = [sortedValues(Float64Array.from(first)), sortedValues(Float64Array.from(second))];
  let rankSum = 0;
  let ties = 0;
  let i = 0;
  let j = 0;
  while (i < n1 || j < n2) {
    const value = Math.min(mine[i] ?? Infinity, others[j] ?? Infinity);
    const before = i + j;
    const own = i;
    while (mine[i] === value) i++;
    while (others[j] === value) j++;
    const run = i + j - before;
    rankSum += (i - own) * (before + (run + 1) / 2);
    ties += run ** 3 - run;
  }
  const n = n1 + n2;
  const u = rankSum - (n1 * (n1 + 1)) / 2;
  const variance = ((n1 * n2) / 12) * (n + 1 - ties / (n * (n - 1)));
  if (!(variance > 0)) return { statistic: 0, p: 1 };
  const z = (u - (n1 * n2) / 2) / Math.sqrt(variance);
  return { statistic: z, p: twoSidedNormal(z) };
}

/** Difference of two proportions over its pooled standard error; 0 when both are equal. */
export function proportionsZ(hitsA: number, nA: number, hitsB: number, nB: number): number {
  const pooled = (hitsA + hitsB) / (nA + nB);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / nA + 1 / nB));
  return error > 0 ? (hitsB / nB - hitsA / nA) / error : 0;
}

/**
 * Mann-Kendall test for a monotone trend, by the normal approximation with tie correction; `statistic` is z, positive for
 * a rising series. O(n^2): thin long series first. Assumes independent values; autocorrelation makes it liberal.
 */
export function mannKendall(series: ArrayLike<number>): TestResult {
  const n = series.length;
  if (n < 4) return { statistic: 0, p: 1 };
  let score = 0;
  for (let i = 0; i < n - 1; i++) {
    for (let j = i + 1; j < n; j++) score += Math.sign(series[j]! - series[i]!);
  }
  const groups = new Map<number, number>();
  for (let i = 0; i < n; i++) groups.set(series[i]!, (groups.get(series[i]!) ?? 0) + 1);
  let ties = 0;
  for (const size of groups.values()) ties += size * (size - 1) * (2 * size + 5);
  const variance = (n * (n - 1) * (2 * n + 5) - ties) / 18;
  if (!(variance > 0) || score === 0) return { statistic: 0, p: 1 };
  const z = (score - Math.sign(score)) / Math.sqrt(variance);
  return { statistic: z, p: twoSidedNormal(z) };
}

/** P(|Z| > |z|) of the standard normal. */
export function twoSidedNormal(z: number): number {
  return erfc(Math.abs(z) / Math.SQRT2);
}

/** Complementary error function, relative error under 1.2e-7 everywhere (Numerical Recipes 6.2, Chebyshev fit). */
function erfc(x: number): number {
  const t = 1 / (1 + 0.5 * x);
  const coefficients = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223,
    0.17087277,
  ];
  let polynomial = 0;
  for (let k = coefficients.length - 1; k >= 0; k--) polynomial = polynomial * t + coefficients[k]!;
  return t * Math.exp(-x * x + polynomial);
}
