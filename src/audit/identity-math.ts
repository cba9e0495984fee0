// The arithmetic behind the identity checks: spread and shares estimated from a table of percentiles.
import type { Statistics } from '../readers/canonical';

interface Point {
  /** 0..1 */
  readonly share: number;
  readonly value: number;
}

/** min, percentiles and max as points of the distribution, ascending in share; values that fall back are lifted. */
function curveOf(stats: Statistics): Point[] {
  const points: Point[] = [];
  if (stats['min'] !== undefined) points.push({ share: 0, value: stats['min'] });
  for (const [key, value] of Object.entries(stats)) {
    const match = /^p(\d+(?:\.\d+)?)$/.exec(key);
    if (match) points.push({ share: Number(match[1]) / 100, value });
  }
  if (stats['max'] !== undefined) points.push({ share: 1, value: stats['max'] });
  return points.sort((a, b) => a.share - b.share);
}

/** The standard deviation: as recorded, else from the percentiles with straight lines between them, else half the range. */
export function spreadOf(stats: Statistics): number | undefined {
  if (stats['stdDev'] !== undefined) return stats['stdDev'];
  const curve = curveOf(stats);
  if (curve.length < 2) return undefined;
  let mean = 0;
  let square = 0;
  let covered = 0;
  for (let i = 1; i < curve.length; i++) {
    const a = curve[i - 1]!;
    const b = curve[i]!;
    const weight = b.share - a.share;
    covered += weight;
    mean += (weight * (a.value + b.value)) / 2;
    square += (weight * (a.value * a.value + a.value * b.value + b.value * b.value)) / 3;
  }
  if (covered <= 0) return undefined;
  mean /= covered;
  return Math.sqrt(Math.max(0, square / covered - mean * mean));
}

/** Share of values below a limit, 0..1, by straight lines between the percentiles; undefined without a table around it. */
export function shareBelow(stats: Statistics, limit: number): number | undefined {
  const curve = curveOf(stats);
  if (curve.length < 3) return undefined;
  const first = curve[0]!;
  // Below the first percentile of a short table lies an unknown part of its share.
  if (limit < first.value) return first.share === 0 ? 0 : undefined;
  for (let i = 1; i < curve.length; i++) {
    const a = curve[i - 1]!;
    const b = curve[i]!;
    if (limit < b.value) return a.share + ((b.share - a.share) * (limit - a.value)) / (b.value - a.value);
  }
  return curve[curve.length - 1]!.share;
}

/** Pairs of neighbouring percentiles that fall instead of rising, as texts; rounding is allowed for. */
export function fallsIn(stats: Statistics): string[] {
  const curve = curveOf(stats);
  const name = (point: Point): string =>
    point.share === 0 ? 'min' : point.share === 1 ? 'max' : `p${Number((point.share * 100).toPrecision(6))}`;
  return curve.flatMap((point, i) => {
    const next = curve[i + 1];
    if (next === undefined || next.value >= point.value - Math.abs(point.value) * 1e-9) return [];
    return [`${name(next)} is under ${name(point)}`];
  });
}

/** Relative difference of a from b. */
export function off(a: number, b: number): number {
  return b === 0 ? (a === 0 ? 0 : Infinity) : Math.abs(a - b) / Math.abs(b);
}
