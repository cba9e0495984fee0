// What identical runs were seen to differ by: all that is known of the noise from run to run where nothing was repeated.
import type { Statistic } from './comparison';

/** The public yardstick: over 12 identical 10 s runs, spread (largest less smallest) in percent. */
const MEAN_PERCENT = 8.5;
const TAIL_PERCENT = 23.5;
/** Of 12 normal values, the expected spread in standard deviations (Tippett 1925). */
const SPREAD_OF_TWELVE = 3.258;

/** Percent that identical runs were seen to spread by; a tail is whatever lies above the median. */
export function yardstickPercent(statistic: Statistic): number {
  return statistic === 'mean' || statistic === 'p50' || statistic === 'value' ? MEAN_PERCENT : TAIL_PERCENT;
}

/** The same as a standard deviation, a share. */
export function yardstickDeviation(statistic: Statistic): number {
  return yardstickPercent(statistic) / 100 / SPREAD_OF_TWELVE;
}

export const NOISE_YARDSTICK = `Run-to-run noise is unknown: these are single runs. A public yardstick: over 12 identical 10 s runs, p99 spread by ${TAIL_PERCENT} % and the mean by ${MEAN_PERCENT} %. Repeat in alternating order to know yours.`;
