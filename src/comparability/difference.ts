// One row's difference as it is shown: interval, answer and words, all from one method.
import { rounded } from '../figures';
import { answerOf, marginOf } from './answers';
import type { Answer, MetricComparison } from './comparison';
import type { Threshold } from './gate';
import { yardstickPercent } from './known-noise';
import type { Row } from './metric-rows';
import { LEVEL, type Estimate } from './uncertainty';

type Difference = NonNullable<MetricComparison['difference']>;

export interface Look {
  /** Of this row's interval. */
  readonly level: number;
  /** p, adjusted for how many were looked at; of repeats alone. */
  readonly adjustedP?: number;
}

/** @param a of A, in the row's unit. @param fair whether better and worse may be said */
export function differenceOf(
  a: number,
  estimate: Estimate,
  row: Row,
  { fair, look, margins }: { readonly fair: boolean; readonly look: Look; readonly margins: readonly Threshold[] },
): Difference {
  const { scale, metric, statistic } = row;
  const absolute = estimate.absolute * scale;
  const percentOfA = percentOf(absolute, a);
  const silent = metric === 'error_rate' && row.a.side.value === 0 && row.b.side.value === 0;
  // Without a single failure there is nothing to resample; an interval of zero width would claim too much.
  const bounds = silent ? undefined : estimate.at?.(look.level);
  const noInterval = silent ? noFailures(row) : estimate.noInterval;
  const margin = marginOf(margins, row);
  const among = look.level > LEVEL;
  const asked = { metric, statistic, a: a / scale, bounds, among, ...(margin ? { margin } : {}) };
  const answer = answerOf(estimate, asked);
  const of = (value: number | undefined): { absolute: number; percentOfA?: number } | undefined =>
    value === undefined || silent ? undefined : { absolute: value * scale, ...ofA(percentOf(value * scale, a)) };
  const detectable = of(estimate.detectable);
  const noise = of(estimate.noise);
  const { ratio } = bounds ?? {};
  const interval = bounds && {
    low: bounds.low * scale,
    high: bounds.high * scale,
    ...(ratio ? { percentOfA: { low: ratio.low * 100, high: ratio.high * 100 } } : {}),
    level: look.level,
    method: `${estimate.method ?? row.method}${among ? ', for as many numbers as were looked at' : ''}`,
  };
  const { paired } = row;
  return {
    absolute,
    ...(percentOfA === undefined ? {} : { percentOfA }),
    ...(interval ? { interval } : {}),
    ...(noInterval === undefined ? {} : { noInterval }),
    ...(interval ? { detected: interval.low > 0 || interval.high < 0 } : {}),
    answer,
    ...(look.adjustedP === undefined ? {} : { adjustedP: look.adjustedP }),
    ...(detectable ? { detectable } : {}),
    ...(noise ? { noise } : {}),
    ...(estimate.drift === undefined ? {} : { driftPercentPerRun: estimate.drift * 100 }),
    ...(paired && interval
      ? {
          paired: {
            pairs: paired.pairs,
            together: paired.together,
            ...(paired.correlation === undefined ? {} : { correlation: paired.correlation }),
            ...(paired.apart ? { apart: { low: paired.apart.low * scale, high: paired.apart.high * scale } } : {}),
          },
        }
      : {}),
    words: differenceWords(absolute, a, interval, row, { fair, answer }),
  };
}

function noFailures({ a, b }: Row): string {
  // Hanley and Lippman-Hand (1983): with no event in n, up to 3 / n is within the 95 % bound.
  const least = Math.min(a.side.n ?? 0, b.side.n ?? 0);
  const bound = least > 0 ? `; a true rate up to ${rounded(300 / least, 2)} % could show none` : '';
  return `no failure on either side${bound}`;
}

function differenceWords(
  absolute: number,
  a: number,
  interval: Difference['interval'],
  row: Row,
  { fair, answer }: { readonly fair: boolean; readonly answer: Answer },
): string {
  const settle =
    answer.furtherRuns === undefined
      ? ''
      : `; ${answer.furtherRuns} further ${runs(answer.furtherRuns)} a side would settle it`;
  const size = sizeOf(absolute, a, row.unit);
  const direction = absolute > 0 ? 'higher' : 'lower';
  const is = absolute === 0 ? 'no difference' : `B is ${direction} by ${size}`;
  const isNothing = !interval || (absolute === 0 && interval.low === 0 && interval.high === 0);
  const hidden = answer.margin === undefined ? '' : `, so the margin ${answer.margin} is not shown to hold`;
  const unseen = interval ? `up to ${sizeOfReach(interval, a, row.unit)} could hide${hidden}` : '';
  switch (answer.reason) {
    case 'within-margin':
      return `equivalent within the margin ${answer.margin ?? ''} (${is})`;
    case 'no-interval':
      return absolute === 0 ? is : `${is}, which may be chance: there is no interval`;
    case 'chance':
      return isNothing ? is : `no detectable difference (${unseen}${settle})`;
    case 'many-numbers':
      return `no detectable difference among so many numbers (${is}; the interval is for all of them${settle})`;
    case 'single-runs':
      return `within these two runs ${is}; one run a side does not show the noise from run to run${settle}`;
    case 'drift': {
      const seen = interval && (interval.low > 0 || interval.high < 0);
      const found = seen || isNothing ? `${is}, but` : `no detectable difference (${unseen}), and`;
      return `${found} drift is not excluded: the sides did not take even turns${settle}`;
    }
    case 'repeats':
      return `${is}${judged(direction, row, fair)}`;
    case 'beyond-known-noise':
      return `this pair differs: ${is}, beyond the ${yardstickPercent(row.statistic)} % that identical runs were seen to differ by${settle}`;
  }
}

/** Better and worse are judgements, and there is none without a measure of chance. */
function judged(direction: 'higher' | 'lower', { better }: Row, fair: boolean): string {
  return fair && better !== 'neither' ? ` (${better === direction ? 'better' : 'worse'})` : '';
}

function runs(count: number): string {
  return count === 1 ? 'run' : 'runs';
}

function figure(value: number): string {
  return rounded(value, 3);
}

/** Of nothing, and beyond all numbers, there is no percentage. */
export function percentOf(value: number, a: number): number | undefined {
  const percent = (value / a) * 100;
  return Number.isFinite(percent) ? percent : undefined;
}

function ofA(percent: number | undefined): { readonly percentOfA?: number } {
  return percent === undefined ? {} : { percentOfA: Math.abs(percent) };
}

function sizeOf(value: number, a: number, unit: string): string {
  const percent = percentOf(value, a);
  return percent === undefined ? `${figure(Math.abs(value))} ${unit}` : `${figure(Math.abs(percent))} % of A`;
}

/** The further end of an interval, of A where the ratio has one. */
function sizeOfReach(interval: NonNullable<Difference['interval']>, a: number, unit: string): string {
  const { percentOfA: percent } = interval;
  if (percent) return `${figure(Math.max(Math.abs(percent.low), Math.abs(percent.high)))} % of A`;
  return sizeOf(Math.max(-interval.low, interval.high), a, unit);
}
