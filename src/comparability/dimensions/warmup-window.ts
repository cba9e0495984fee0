// Was the same window measured? A cold start inside it, of whichever stage, moves tails and throughput.
import { latencySeconds } from '../../metrics/request-metrics';
import type { Evidence } from '../comparison';
import {
  assumption,
  confounds,
  dimension,
  moved,
  same,
  unknown,
  type Context,
  type Judgement,
  type SideEvidence,
} from '../dimension';
import { counted, rounded } from '../../figures';
import { inFact, inManifest, inRecords } from '../evidence';
import { COLD_P, COLD_RATIO, coldStartOf, coldWords, isCold, type ColdStart } from '../opening';
import { factsOn, successesOf, type Side } from '../side';
import { changePoint, suggestedCut, timeSeriesOf } from '../warmup-detection';

interface Warmup {
  /** Requests sent before the window and left out of it. */
  readonly requests: number;
  readonly stages: number;
}

interface Window extends SideEvidence {
  readonly warmup: Warmup | undefined;
  /** Of the opening stage. */
  readonly cold: ColdStart | undefined;
  /** Of each matched stage. */
  readonly starts: readonly (ColdStart | undefined)[];
  /** No request times of the opening stage: nobody can see how it started. */
  readonly blind: boolean;
}

const TREND_Z = 3;
/** Warm-ups whose sizes differ by no more than this are one treatment. */
const SIZE_FACTOR = 2;

function warmupOf(side: Side): Warmup | undefined {
  const requests = factsOn(side).warmupRequests.value;
  if (requests === undefined) return undefined;
  return { requests, stages: side.warmupStages?.length ?? (requests > 0 ? 1 : 0) };
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

/** Starts of matched stages: cold on one side, or on both; undefined where every one that can be seen is warm. */
function coldOf(a: Window, b: Window, { matching: { pairs } }: Context): Judgement | undefined {
  const found = pairs.flatMap(({ index, label }, i) => {
    const [x, y] = [a.starts[i], b.starts[i]];
    const [coldA, coldB] = [isCold(x), isCold(y)];
    if (!coldA && !coldB) return [];
    const [cold, other, side] = coldA ? [x!, y, 'A'] : [y!, x, 'B'];
    const where = pairs.length > 1 ? ` at ${label}` : '';
    return [{ index, where, side, words: coldWords(cold), other: coldA && coldB ? 'cold' : other ? 'warm' : 'unseen' }];
  });
  const about = (some: typeof found): Partial<Judgement> =>
    some.length < pairs.length ? { stages: some.map(({ index }) => index) } : {};
  const oneSided = found.filter(({ other }) => other === 'warm');
  if (oneSided.length > 0) {
    const words = oneSided.map(
      (one) =>
        `${one.side} starts cold inside its window${one.where}: the first ${one.words} of the rest; the other side shows no such start.`,
    );
    return confounds(words.join(' '), about(oneSided));
  }
  const [first] = found;
  if (!first) return undefined;
  const message =
    first.other === 'cold'
      ? `Both windows hold a cold start${first.where} (${first.side}: the first ${first.words} of the rest): means and tails are of the start, not of a steady state.`
      : `${first.side} starts cold inside its window${first.where}: the first ${first.words} of the rest; the other side has too few answers to show its start.`;
  return { state: 'unknown', message, ...about(found), remedy: LEAVE_OUT };
}

const LEAVE_OUT =
  'Leave the start out of both windows (--align warmup-window), or put the same warm-up stage before both.';

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
  evidence: (side, { matching }) => {
    const warmup = warmupOf(side);
    const [opening] = side.stages;
    const cold = opening && coldStartOf(opening);
    const matched = matching.pairs.map((pair) => (side.name === 'A' ? pair.a : pair.b));
    const starts = matched.map(coldStartOf);
    const anyCold = isCold(cold) || starts.some(isCold);
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
      ...matched.flatMap((stage, i) => {
        const start = starts[i];
        if (stage === opening || !start || !isCold(start)) return [];
        return [inRecords(side, `start of stage ${stage.id}`, `the first ${coldWords(start)} of the rest`)];
      }),
    ];
    const summary =
      warmup === undefined
        ? 'not recorded'
        : warmup.stages === 0
          ? `no warm-up left out${anyCold ? ', cold start in the window' : ''}`
          : `${counted(warmup.requests, 'request')} in ${counted(warmup.stages, 'stage')} left out`;
    return { warmup, cold, starts, blind: isBlind(side), summary, evidence };
  },
  judge: (a, b, context) => {
    if (!a.warmup || !b.warmup)
      return unknown('Whether a warm-up was left out', a.warmup !== undefined, b.warmup !== undefined);
    if (a.warmup.stages > 0 !== b.warmup.stages > 0) {
      const [with_, without] = a.warmup.stages > 0 ? ['A', 'B'] : ['B', 'A'];
      return confounds(
        `${with_} leaves a warm-up out of its window, ${without} measures its first requests too: compilation, cold caches and connection set-up are in the numbers of ${without} only.`,
      );
    }
    if (a.blind !== b.blind) {
      return unknown('How the window starts', !a.blind, !b.blind, {
        moves: COLD_MOVES,
      });
    }
    const cold = coldOf(a, b, context);
    if (cold?.state === 'confounds') return cold;
    const sizes = [a.warmup.requests, b.warmup.requests];
    const factor = Math.max(...sizes) / Math.max(1, Math.min(...sizes));
    const words = `${counted(sizes[0]!, 'request')} against ${counted(sizes[1]!, 'request')}`;
    const differ = a.warmup.stages > 0 && factor > SIZE_FACTOR;
    if (differ && (cold || !a.cold || !b.cold)) {
      return confounds(
        `The warm-ups differ in size (${words}), and a cold start may be left in the window of the shorter one.`,
      );
    }
    if (differ) return same(`The warm-ups differ in size (${words}), but neither window shows a cold start.`);
    if (cold) return cold;
    if (a.warmup.stages === 0) {
      const note = 'Neither side leaves a warm-up out: the first requests after a start are in the numbers of both.';
      if (a.blind) {
        return assumption(
          'Neither side leaves a warm-up out, and without request times nobody can see how the windows start.',
          UNSEEN_START,
          { note },
        );
      }
      return same('Neither side leaves a warm-up out.', { note });
    }
    if (a.blind) {
      return assumption(
        'Both sides leave a warm-up of the same kind out of the window; without request times nobody can see what remains of the start.',
        UNSEEN_START,
      );
    }
    return same('Both sides leave a warm-up of the same kind out of the window.');
  },
});

function listOf(stages: readonly number[]): string {
  return stages.length === 0 ? 'none' : stages.map((stage) => `stage ${stage}`).join(', ');
}
