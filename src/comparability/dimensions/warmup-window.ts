// Was the same window measured? A cold start inside it on one side alone moves tails and throughput.
import { latencySeconds } from '../../metrics/request-metrics';
import { mean, percentile, sortedValues } from '../../metrics/statistics';
import { dependenceOf } from '../../metrics/dependence';
import { openingWave, type OpeningWave } from '../../metrics/steady-state';
import { twoSidedStudent } from '../../metrics/student';
import { mannKendall, mannWhitney } from '../../metrics/two-samples';
import type { Evidence } from '../comparison';
import { assumption, confounds, dimension, moved, same, unknown, type SideEvidence } from '../dimension';
import { counted, rounded } from '../../figures';
import { inFact, inManifest, inRecords } from '../evidence';
import { factsOn, successesOf, type Side } from '../side';
import { changePoint, suggestedCut, timeSeriesOf } from '../warmup-detection';

interface Warmup {
  /** Requests sent before the window and left out of it. */
  readonly requests: number;
  readonly stages: number;
}

/** Median of the first requests over the median of the rest, and how surely the first are slower. */
interface ColdStart {
  readonly ratio: number;
  readonly p: number;
  readonly first: number;
  readonly metric: 'TTFT' | 'latency';
  /** Of the whole opening stage over time: Mann-Kendall's z, negative while it gets faster. */
  readonly trend: number;
  /** First requests that are slower than any later stretch as long as theirs. */
  readonly wave?: OpeningWave;
}

interface Window extends SideEvidence {
  readonly warmup: Warmup | undefined;
  readonly cold: ColdStart | undefined;
  /** No request times of the opening stage: nobody can see how it started. */
  readonly blind: boolean;
}

const COLD_RATIO = 1.5;
const WARM_RATIO = 1.2;
const COLD_P = 1e-4;
const TREND_POINTS = 400;
const TREND_Z = 3;
/** Warm-ups whose sizes differ by no more than this are one treatment. */
const SIZE_FACTOR = 2;

function warmupOf(side: Side): Warmup | undefined {
  const requests = factsOn(side).warmupRequests.value;
  if (requests === undefined) return undefined;
  return { requests, stages: side.warmupStages?.length ?? (requests > 0 ? 1 : 0) };
}

function coldStartOf({ stages }: Side): ColdStart | undefined {
  const opening = stages[0];
  const successes = opening && successesOf([opening]);
  if (!successes || successes.length < 60) return undefined;
  const { values: times, metric } = timeSeriesOf(successes);
  if (times.length < 60) return undefined;
  const first = Math.min(50, Math.max(10, Math.round(times.length / 10)));
  const head = times.subarray(0, first);
  const rest = times.subarray(first);
  const warm = percentile(sortedValues(rest), 50);
  if (!(warm > 0)) return undefined;
  const ratio = percentile(sortedValues(head), 50) / warm;
  const wave = openingWave(times);
  return {
    ratio,
    p: chanceOf(head, rest),
    first,
    metric,
    trend: mannKendall(thin(times)).statistic,
    ...(wave ? { wave } : {}),
  };
}

/**
 * Mann-Whitney takes requests for independent; in a queue they are worth fewer, and few know their own spread badly. Each part is taken
 * around its own level.
 */
function chanceOf(head: Float64Array, rest: Float64Array): number {
  const [first, later] = [mean(head), mean(rest)];
  const residuals = Float64Array.from([...head.map((value) => value - first), ...rest.map((value) => value - later)]);
  const effective = Math.min(residuals.length, dependenceOf(residuals).effective);
  const z = mannWhitney(head, rest).statistic * Math.sqrt(effective / residuals.length);
  return twoSidedStudent(z, Math.max(1, effective / 4 - 2));
}

/** Every k-th value: the trend test looks at all pairs. */
function thin(values: Float64Array): Float64Array {
  const step = Math.ceil(values.length / TREND_POINTS);
  return values.filter((_, i) => i % step === 0);
}

function trendWords({ trend }: ColdStart): string {
  const word = Math.abs(trend) < TREND_Z ? 'none' : trend < 0 ? 'falling' : 'rising';
  return `${word} (Mann-Kendall z ${trend.toFixed(1)})`;
}

/** "the first 40 requests (2.1 s), 3.2 x the rest; after it 1.02 x". */
function cutWords({ stages }: Side): string | undefined {
  const [opening] = stages;
  const successes = opening && successesOf([opening]);
  const cut = successes && suggestedCut(timeSeriesOf(successes));
  if (!cut) return undefined;
  const figure = (value: number): string => rounded(value, 3);
  const remains = `the first tenth has ${figure(cut.ratioAfter)} x the median of the rest`;
  return cut.requests === 0
    ? `none; ${remains}`
    : `the first ${cut.requests} requests (${figure(cut.seconds)} s, ${figure(cut.ratioBefore)} x the rest); after it ${remains}`;
}

function shiftWords({ stages }: Side): string | undefined {
  const [opening] = stages;
  const successes = opening && successesOf([opening]);
  const series = successes && timeSeriesOf(successes);
  const shift = series && changePoint(series.values);
  if (!shift) return undefined;
  const ms = (seconds: number): string => `${rounded(seconds * 1000, 3)} ms`;
  return `after ${shift.at} requests, mean ${ms(shift.before)} before and ${ms(shift.after)} after`;
}

function isCold(cold: ColdStart | undefined): boolean {
  return cold !== undefined && (cold.wave !== undefined || (cold.ratio >= COLD_RATIO && cold.p < COLD_P));
}

/** "12 requests have 9.8 times the mean TTFT". */
function coldWords({ wave, first, ratio, metric }: ColdStart): string {
  return wave
    ? `${wave.requests} requests have ${rounded(wave.ratio, 3)} times the mean ${metric}`
    : `${first} requests have ${rounded(ratio, 3)} times the median ${metric}`;
}

const UNSEEN_START = 'that the server was as warm at the start of both windows';

/** A start alone moves what an average or a tail takes from it. */
const COLD_MOVES = [
  ...moved(['ttft', 'request_latency', 'ntpot'], ['mean', 'p90', 'p95', 'p99', 'p99.9'] as const),
  ...moved(['tpot', 'itl'], ['mean', 'p95', 'p99', 'p99.9'] as const),
];

/** Records, but none with the times that a start is seen by; a stage with few answers shows no start either way. */
function isBlind({ stages }: Side): boolean {
  const [opening] = stages;
  if (!opening) return true;
  if (!opening.records) return true;
  const successes = successesOf([opening]) ?? [];
  return successes.length > 0 && successes.every((record) => latencySeconds(record) === undefined);
}

export const warmupWindow = dimension<Window>({
  id: 'warmup-window',
  title: 'Warm-up and window',
  question: 'Was the same window measured, with the warm-up treated alike?',
  tolerance: `Both sides leave out a warm-up, or neither does; sizes within a factor of ${SIZE_FACTOR}, or no cold start left in either window (first tenth against the rest: median ratio under ${COLD_RATIO}, or Mann-Whitney p >= ${COLD_P}).`,
  pitfall: 'CMP008',
  affects: [
    ...COLD_MOVES,
    ...moved(['requests_per_sec', 'output_tokens_per_sec', 'input_tokens_per_sec', 'total_tokens_per_sec']),
  ],
  remedy:
    'Give both configs the same leading stage marked "# isoperf: warmup", or warm the server the same way before both runs.',
  evidence: (side) => {
    const warmup = warmupOf(side);
    const cold = coldStartOf(side);
    const path = ['load', 'stages', side.warmupStages?.[0] ?? 0];
    const words = cold && `${rounded(cold.ratio, 3)} x the rest (p ${cold.p < 1e-4 ? '< 0.0001' : cold.p.toFixed(4)})`;
    const evidence: Evidence[] = [
      ...(side.warmupStages ? [inManifest(side, 'window.warmupStages', listOf(side.warmupStages), path)] : []),
      inFact(factsOn(side).warmupRequests),
      inRecords(
        side,
        `median ${cold?.metric ?? 'TTFT'} of the first ${cold?.first ?? 'requests'} in the window`,
        words,
      ),
      inRecords(side, `trend of ${cold?.metric ?? 'TTFT'} over the window`, cold && trendWords(cold)),
      inRecords(side, 'suggested cut (MSER-5) and what remains', cutWords(side)),
      inRecords(side, `largest shift of ${cold?.metric ?? 'TTFT'} in the window`, shiftWords(side)),
    ];
    const summary =
      warmup === undefined
        ? 'not recorded'
        : warmup.stages === 0
          ? `no warm-up left out${isCold(cold) ? ', cold start in the window' : ''}`
          : `${counted(warmup.requests, 'request')} in ${counted(warmup.stages, 'stage')} left out`;
    return { warmup, cold, blind: isBlind(side), summary, evidence };
  },
  judge: (a, b) => {
    if (!a.warmup || !b.warmup)
      return unknown('Whether a warm-up was left out', a.warmup !== undefined, b.warmup !== undefined);
    if (a.warmup.stages > 0 !== b.warmup.stages > 0) {
      const [with_, without] = a.warmup.stages > 0 ? ['A', 'B'] : ['B', 'A'];
      return confounds(
        `${with_} leaves a warm-up out of its window, ${without} measures its first requests too: compilation, cold caches and connection set-up are in the numbers of ${without} only.`,
      );
    }
    const coldA = isCold(a.cold);
    const coldB = isCold(b.cold);
    if (a.blind !== b.blind) {
      return unknown('How the window starts', !a.blind, !b.blind, {
        moves: COLD_MOVES,
      });
    }
    const oneSided =
      (coldA && (b.cold?.ratio ?? Infinity) < WARM_RATIO) || (coldB && (a.cold?.ratio ?? Infinity) < WARM_RATIO);
    if (oneSided) {
      const [cold, side] = coldA ? [a.cold!, 'A'] : [b.cold!, 'B'];
      return confounds(
        `${side} starts cold inside its window: the first ${coldWords(cold)} of the rest; the other side shows no such start.`,
      );
    }
    if (a.warmup.stages === 0) {
      const note = 'Neither side leaves a warm-up out: the first requests after a start are in the numbers of both.';
      if (a.blind) {
        return assumption(
          'Neither side leaves a warm-up out, and without request times nobody can see how the windows start.',
          UNSEEN_START,
          { note },
        );
      }
      const both =
        coldA && coldB ? ' Both windows hold a cold start, so tails are of the start, not of the steady state.' : '';
      return same(`Neither side leaves a warm-up out.${both}`, { note });
    }
    const sizes = [a.warmup.requests, b.warmup.requests];
    const factor = Math.max(...sizes) / Math.max(1, Math.min(...sizes));
    if (factor <= SIZE_FACTOR && a.blind) {
      return assumption(
        'Both sides leave a warm-up of the same kind out of the window; without request times nobody can see what remains of the start.',
        UNSEEN_START,
      );
    }
    if (factor <= SIZE_FACTOR) return same('Both sides leave a warm-up of the same kind out of the window.');
    const proven = a.cold !== undefined && b.cold !== undefined && !coldA && !coldB;
    const words = `${counted(sizes[0]!, 'request')} against ${counted(sizes[1]!, 'request')}`;
    if (proven) return same(`The warm-ups differ in size (${words}), but neither window shows a cold start.`);
    return confounds(
      `The warm-ups differ in size (${words}), and a cold start may be left in the window of the shorter one.`,
    );
  },
});

function listOf(stages: readonly number[]): string {
  return stages.length === 0 ? 'none' : stages.map((stage) => `stage ${stage}`).join(', ');
}
