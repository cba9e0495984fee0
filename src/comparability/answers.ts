// Three answers to "is there a difference?": different, equivalent within a margin, inconclusive; and what would settle the last.
import type { Answer, MetricName, Statistic } from './comparison';
import type { Threshold } from './gate';
import { yardstickDeviation, yardstickPercent } from './known-noise';
import { LEVEL, runsNeeded, type Bounds, type Estimate } from './uncertainty';

export interface Asked {
  readonly metric: MetricName;
  readonly statistic: Statistic;
  /** Of A, in the estimate's unit. */
  readonly a: number;
  /** The bounds that are shown. */
  readonly bounds: Bounds | undefined;
  /** They are wider than those of this number alone, as many were looked at. */
  readonly among: boolean;
  /** The user's, in the estimate's unit or as a share of A. */
  readonly margin?: { readonly text: string; readonly absolute?: number; readonly share?: number };
}

/** Two one-sided tests at 5 % (Schuirmann 1987): the 90 % interval lies inside the margin. */
const EQUIVALENCE_LEVEL = 0.9;

/** Of single runs many numbers are looked at, and no correction for that is made. */
const BEYOND_LEVEL = 0.99;

export function answerOf(estimate: Estimate, asked: Asked): Answer {
  const { bounds, among, margin } = asked;
  const { at, runs, open } = estimate;
  if (!bounds || !at) return { kind: 'inconclusive', reason: 'no-interval' };
  const single = runs.a === 1 && runs.b === 1;
  const inside = margin !== undefined && isInside(at(EQUIVALENCE_LEVEL), margin);
  const named = margin === undefined ? {} : { margin: margin.text };
  const sure = !single && open !== true;
  if (inside && sure) return { kind: 'equivalent', reason: 'within-margin', ...named };
  const excludes = bounds.low > 0 || bounds.high < 0;
  if (excludes && sure) return { kind: 'different', reason: 'repeats', ...named };
  const alone = isBeyond(at(BEYOND_LEVEL), asked) ? 'beyond-known-noise' : 'single-runs';
  // Drift may hide a difference as well as pass for one.
  const reason = !single && open === true ? 'drift' : excludes || inside ? alone : among ? 'many-numbers' : 'chance';
  const further = furtherRuns(estimate, asked);
  return { kind: 'inconclusive', reason, ...named, ...(further === undefined ? {} : { furtherRuns: further }) };
}

function isInside(bounds: Bounds, { absolute, share }: NonNullable<Asked['margin']>): boolean {
  if (absolute !== undefined) return bounds.low > -absolute && bounds.high < absolute;
  return share !== undefined && bounds.ratio !== undefined && bounds.ratio.low > -share && bounds.ratio.high < share;
}

/** The whole interval lies beyond what identical runs were seen to differ by; of failures, in points. */
function isBeyond({ low, high, ratio }: Bounds, { metric, statistic }: Asked): boolean {
  const noise = yardstickPercent(statistic);
  const beyond = (from: number, to: number, limit: number): boolean => from > limit || to < -limit;
  if (metric === 'error_rate') return beyond(low, high, noise);
  return ratio !== undefined && beyond(ratio.low, ratio.high, noise / 100);
}

/** Further runs a side after which such a difference would be told from none, or from the margin. */
function furtherRuns({ absolute, noise, runs }: Estimate, { a, statistic, margin }: Asked): number | undefined {
  const deviation = noise ?? yardstickDeviation(statistic) * Math.abs(a);
  const size = Math.abs(absolute);
  const limit = margin && (margin.absolute ?? (margin.share ?? 0) * Math.abs(a));
  const equal = limit !== undefined && size < limit;
  const reach = equal ? limit - size : size;
  if (!(deviation > 0) || !(reach > 0)) return undefined;
  const needed = runsNeeded(deviation, reach, equal ? EQUIVALENCE_LEVEL : LEVEL);
  return needed === undefined ? undefined : Math.max(1, needed - Math.min(runs.a, runs.b));
}

/** The margin that holds for a number, in its own terms. @param scale from seconds (or the rate) into the row's unit */
export function marginOf(
  margins: readonly Threshold[],
  { metric, statistic, unit, scale }: { metric: MetricName; statistic: Statistic; unit: string; scale: number },
): Asked['margin'] {
  const own = margins.find((margin) => margin.metric === metric && margin.statistic === statistic);
  if (!own) return undefined;
  if (own.unit === '%') return { text: own.text, share: own.amount / 100 };
  const factor = own.unit === 'ms' && unit === 's' ? 0.001 : own.unit === 's' && unit === 'ms' ? 1000 : 1;
  return { text: own.text, absolute: (own.amount * factor) / scale };
}
