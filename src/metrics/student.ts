// Student's t: its tail and its quantiles, for intervals that rest on few observations; infinitely many are the normal law.
import { twoSidedNormal } from './two-samples';

/** P(|T| > |t|). The regularised incomplete beta function by Lentz's continued fraction (Numerical Recipes 6.4). */
export function twoSidedStudent(t: number, freedom: number): number {
  if (!Number.isFinite(freedom)) return twoSidedNormal(t);
  if (!Number.isFinite(t)) return 0;
  const x = freedom / (freedom + t * t);
  const a = freedom / 2;
  const b = 0.5;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x));
  return x < (a + 1) / (a + b + 2)
    ? (front * continuedFraction(x, a, b)) / a
    : 1 - (front * continuedFraction(1 - x, b, a)) / b;
}

/** t with P(|T| > t) = p, by bisection. */
export function studentQuantile(p: number, freedom: number): number {
  let high = 1;
  while (twoSidedStudent(high, freedom) > p && high < 1e9) high *= 2;
  let low = 0;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (twoSidedStudent(middle, freedom) > p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function continuedFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300;
  let c = 1;
  let d = 1 / (1 - ((a + b) * x) / (a + 1) || tiny);
  let h = d;
  for (let m = 1; m <= 300; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + even * d || tiny);
    c = 1 + even / c || tiny;
    h *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + odd * d || tiny);
    c = 1 + odd / c || tiny;
    h *= d * c;
    if (Math.abs(d * c - 1) < 1e-12) break;
  }
  return h;
}

/** Lanczos' approximation (Numerical Recipes 6.1), relative error under 2e-10. */
function logGamma(x: number): number {
  const coefficients = [
    76.18009172947146, -86.50532032941678, 24.01409824083091, -1.231739572450155, 0.001208650973866179,
    -0.000005395239384953,
  ];
  const base = x + 5.5;
  let series = 1.00000000019001;
  coefficients.forEach((coefficient, i) => (series += coefficient / (x + 1 + i)));
  return (x + 0.5) * Math.log(base) - base + Math.log((Math.sqrt(2 * Math.PI) * series) / x);
}
