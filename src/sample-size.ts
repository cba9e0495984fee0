// How many requests a percentile needs before it says anything: the one number that editor, reports and comparisons share.

/**
 * Fewest independent values for which the largest (for percentiles under 50: the smallest) one lies beyond the true
 * percentile with 95 % confidence, whatever the distribution: 1 - q^n >= 0.95, so n >= ln(0.05) / ln(q).
 * Fewer values cannot bound the percentile at all. Source: Wilks (1941), Ann. Math. Stat. 12(1); Hahn and Meeker,
 * Statistical Intervals, chapter 5. p50 5, p90 29, p95 59, p99 299, p99.9 2995.
 */
export function minimumCountFor(percent: number): number {
  const tail = Math.max(percent, 100 - percent) / 100;
  if (tail >= 1) return Infinity;
  return Math.ceil(Math.log(0.05) / Math.log(tail));
}
