// Is a window a state? An opening wave, a trend with its size, a backlog that grows, a drain: each held against what honest queues do.
import { dependenceOf } from './dependence';
import { mean } from './statistics';
import { twoSidedStudent } from './student';

export interface OpeningWave {
  /** Requests of the wave, as far as it was looked for. */
  readonly requests: number;
  /** Mean of the wave over the mean of the rest. */
  readonly ratio: number;
}

/** A wave is higher than every later stretch of its length by so much, */
const OVER_ANY_STRETCH = 1.6;
/** and stands out from the rest so many times as far as the highest of them. */
const EXCESSES = 9;
/** Of a wave longer than a tenth of the window there are few later stretches: it has to be higher by far. */
const OVER_FEW_STRETCHES = 4.5;
const SHORTEST_WAVE = 5;
/** A wave is at most one part of so many: later stretches have to be many. */
const LONGEST_WAVE = 5;
const FEWEST_VALUES = 60;

/**
 * The first requests are slower than any later stretch as long as they are. Nothing is assumed about dependence: in a steady window,
 * however its queue swings, the first of so many stretches is the highest once in as many.
 * @param values in sending order
 */
export function openingWave(values: Float64Array): OpeningWave | undefined {
  const n = values.length;
  if (n < FEWEST_VALUES) return undefined;
  const sums = new Float64Array(n + 1);
  for (let i = 0; i < n; i++) sums[i + 1] = sums[i]! + values[i]!;
  let found: OpeningWave | undefined;
  let heaviest = 0;
  for (let length = SHORTEST_WAVE; length <= n / LONGEST_WAVE; length = Math.ceil(length * 1.5)) {
    const head = sums[length]! / length;
    let highest = 0;
    // What lies right behind it may be its end.
    for (let i = Math.ceil(1.5 * length); i + length <= n; i++)
      highest = Math.max(highest, (sums[i + length]! - sums[i]!) / length);
    const rest = (sums[n]! - sums[length]!) / (n - length);
    // Of all lengths that stand out, the one whose excess is largest beside what chance adds to so many.
    const weight = (head - rest) * Math.sqrt(length);
    const far = length > n / 10 ? head > OVER_FEW_STRETCHES * highest : head - rest > EXCESSES * (highest - rest);
    const stands = far && head > OVER_ANY_STRETCH * highest;
    if (!stands || !(rest > 0) || weight <= heaviest) continue;
    heaviest = weight;
    found = { requests: length, ratio: head / rest };
  }
  return found;
}

export interface Trend {
  /** Change over the whole window as a share of its mean: along a line, or from one level to another. */
  readonly share: number;
  /** The change over its standard error, dependence of neighbours included. */
  readonly z: number;
  /** Large and sure: more than 20 % of the mean, and beyond chance, by Student's t for the independent values there are. */
  readonly isTrend: boolean;
}

const TREND_SHARE = 0.2;
/** Less than |z| > 3 would say: two series of each stage are looked at, on both sides. */
const TREND_P = 2e-4;
/** A step may be anywhere: it is as sure as a line when it is so many times less likely. */
const STEP_PLACES = 200;
/** The first and the last part of so many say too little of a level. */
const STEP_MARGIN = 4;

/** A line or a step, whichever lies closer to the values. @param values in sending order */
export function trendOf(values: Float64Array): Trend | undefined {
  const n = values.length;
  const level = mean(values);
  if (n < FEWEST_VALUES || !(level > 0)) return undefined;
  const fits = [lineOf(values, level), stepOf(values, level)];
  const [fit] = fits.sort((x, y) => x.squares - y.squares);
  const { change, residuals, weight, spent, looks } = fit!;
  const { sumVariance, effective } = dependenceOf(residuals);
  const share = change / level;
  const error = Math.sqrt((sumVariance / n) * weight);
  if (!(error > 0))
    return { share, z: change === 0 ? 0 : Math.sign(change) * Infinity, isTrend: Math.abs(share) > TREND_SHARE };
  const z = change / error;
  // Few independent values know their own spread badly.
  const freedom = Math.max(1, effective / 5 - spent);
  return { share, z, isTrend: Math.abs(share) > TREND_SHARE && looks * twoSidedStudent(z, freedom) < TREND_P };
}

interface Fit {
  readonly change: number;
  readonly residuals: Float64Array;
  readonly squares: number;
  /** Variance of the change over the long-run variance of one value. */
  readonly weight: number;
  /** Values that the fit itself costs. */
  readonly spent: number;
  readonly looks: number;
}

function lineOf(values: Float64Array, level: number): Fit {
  const n = values.length;
  const middle = (n - 1) / 2;
  let xx = 0;
  let xy = 0;
  for (let i = 0; i < n; i++) {
    xx += (i - middle) ** 2;
    xy += (i - middle) * (values[i]! - level);
  }
  const slope = xy / xx;
  const residuals = values.map((value, i) => value - level - slope * (i - middle));
  const reach = n - 1;
  return { change: slope * reach, ...left(residuals), weight: (reach * reach) / xx, spent: 2, looks: 1 };
}

function stepOf(values: Float64Array, level: number): Fit {
  const n = values.length;
  const margin = Math.ceil(n / STEP_MARGIN);
  let sum = 0;
  let largest = -1;
  let at = margin;
  let before = 0;
  for (let i = 1; i <= n - margin; i++) {
    sum += values[i - 1]! - level;
    const size = (sum * sum) / (i * (n - i));
    if (i >= margin && size > largest) [largest, at, before] = [size, i, sum];
  }
  const [low, high] = [before / at, -before / (n - at)];
  const residuals = values.map((value, i) => value - level - (i < at ? low : high));
  return { change: high - low, ...left(residuals), weight: 1 / at + 1 / (n - at), spent: 3, looks: STEP_PLACES };
}

function left(residuals: Float64Array): Pick<Fit, 'residuals' | 'squares'> {
  return { residuals, squares: residuals.reduce((sum, value) => sum + value * value, 0) };
}

export interface Backlog {
  readonly offeredRps: number;
  readonly answeredRps: number;
  /** Under way when the last request was sent. */
  readonly atEnd: number;
  readonly grows: boolean;
}

const ANSWERED_SHARE = 0.95;
/** Under way at the end: so many roots of the count, and beyond the larger no more is asked: a queue at 90 % holds nine on average. */
const CHANCE_UNDER_WAY = 3;
const MANY_UNDER_WAY = 45;
const GROWN = 1.3;

/**
 * Offered above answered, over the second half of the time in which requests were sent: TTFT is then a function of the duration.
 * @param sent,ended seconds of the same requests
 */
export function backlogOf(sent: Float64Array, ended: Float64Array): Backlog | undefined {
  if (sent.length < FEWEST_VALUES) return undefined;
  const [first, last] = [lowest(sent), highest(sent)];
  const half = (first + last) / 2;
  const within = (times: Float64Array): number => countUpTo(times, last) - countUpTo(times, half);
  const under = (time: number): number => countUpTo(sent, time) - countUpTo(ended, time);
  const seconds = last - half;
  if (!(seconds > 0)) return undefined;
  const [offered, answered] = [within(sent), within(ended)];
  const [early, before, late, atEnd] = [0.25, 0.5, 0.75, 1].map((part) => under(first + part * (last - first)));
  // A backlog grows all the time; the swing of a steady queue is high at one moment and low at another.
  const grows =
    answered < ANSWERED_SHARE * offered &&
    atEnd! > Math.min(MANY_UNDER_WAY, CHANCE_UNDER_WAY * Math.sqrt(sent.length)) &&
    atEnd! > GROWN * before! &&
    late! > early!;
  return { offeredRps: offered / seconds, answeredRps: answered / seconds, atEnd: atEnd!, grows };
}

/** Share of the span from first send to last end that lies after the last send: a rate over the whole span counts it as work. */
export function drainShare(sent: Float64Array, ended: Float64Array): number {
  const first = lowest(sent);
  const end = highest(ended);
  return end > first ? Math.max(0, end - highest(sent)) / (end - first) : 0;
}

function lowest(times: Float64Array): number {
  let least = Infinity;
  for (const time of times) if (time < least) least = time;
  return least;
}

function highest(times: Float64Array): number {
  let most = -Infinity;
  for (const time of times) if (time > most) most = time;
  return most;
}

/** A window of a million requests is counted several times: no copy is made of it. */
function countUpTo(times: Float64Array, limit: number): number {
  let count = 0;
  for (const time of times) if (time <= limit) count++;
  return count;
}
