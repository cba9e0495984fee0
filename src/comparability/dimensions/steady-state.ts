// Was each window a state? Where times drift, a queue grows or slots drain, a number says how long was measured, not how fast it is.
import { percent, significant, whole } from '../../figures';
import { drainShare, trendOf, backlogOf, type Backlog, type Trend } from '../../metrics/steady-state';
import { chunkCountOf, latencySeconds, startSeconds } from '../../metrics/request-metrics';
import type { RequestRecord } from '../../metrics/record';
import type { Evidence, MovedMetric } from '../comparison';
import {
  ALL,
  assumption,
  confounds,
  dimension,
  moved,
  same,
  unknown,
  type Judgement,
  type SideEvidence,
} from '../dimension';
import { inManifest, inRecords } from '../evidence';
import { coldRequests, coldStartOf } from '../opening';
import { successesOf, type MeasuredStage, type Side } from '../side';
import { changedDuring, type ChangedDuring } from '../stack-during';
import { timeSeriesOf } from '../warmup-detection';

/** One matched stage of one side. */
interface StageState {
  readonly stage: number;
  readonly metric: 'TTFT' | 'latency';
  /** Of TTFT (of latency where nothing was streamed), and of the time per chunk; each after a cold start, which is judged by itself. */
  readonly waits?: Trend | undefined;
  readonly decode?: Trend | undefined;
  readonly backlog?: Backlog | undefined;
  /** From the first to the last send. */
  readonly sendSeconds: number;
  /** Of a closed loop: share of the window after the last send. */
  readonly drain?: number;
}

interface States extends SideEvidence {
  readonly states: readonly StageState[];
  /** Answers, but none with the times to see a trend by. */
  readonly blind: boolean;
  /** Restarts, new pods, other replicas or flags while it was measured. */
  readonly changed: readonly ChangedDuring[];
}

/** A queue that grows makes the times grow as well; without that, more under way is only a long answer. */
const GROWING_SHARE = 1;
/** Of a closed loop: a rate over the whole window is too low by so much, and by so much more than the other side's. */
const LONG_DRAIN = 0.15;
const DRAIN_TOLERANCE = 0.1;
/** Windows whose lengths differ by less let a queue grow to one size. */
const SAME_LENGTH = 0.1;

function stateOf(side: Side, stage: MeasuredStage): StageState {
  const successes = successesOf([stage]) ?? [];
  const { values, metric } = timeSeriesOf(successes);
  const cold = coldRequests(coldStartOf(stage));
  const decode = successes.slice(cold).flatMap((record) => secondsPerChunk(record) ?? []);
  const ended = (stage.records ?? []).filter(
    (record) => record.endSeconds !== undefined && startSeconds(record) !== undefined,
  );
  const [sent, ends] = [
    Float64Array.from(ended, (record) => startSeconds(record)!),
    Float64Array.from(ended, ({ endSeconds }) => endSeconds!),
  ];
  const waits = trendOf(values.subarray(cold));
  const latencies = successes.slice(cold).flatMap((record) => latencySeconds(record) ?? []);
  const backlog = stage.load.kind === 'rate' ? backlogOf(sent, ends) : undefined;
  const rising = [waits, trendOf(Float64Array.from(latencies))].some((trend) => (trend?.share ?? 0) > GROWING_SHARE);
  return {
    stage: stage.id,
    metric,
    waits,
    decode: trendOf(Float64Array.from(decode)),
    ...(backlog ? { backlog: { ...backlog, grows: backlog.grows && rising } } : {}),
    sendSeconds: ended.length > 1 ? sent.at(-1)! - sent[0]! : 0,
    ...(stage.load.kind === 'concurrency' && ended.length > 0 ? { drain: drainShare(sent, ends) } : {}),
  };
}

/** Whoever counted its tokens. */
function secondsPerChunk(record: RequestRecord): number | undefined {
  const chunks = chunkCountOf(record) ?? 0;
  const { firstTokenSeconds: first, lastTokenSeconds: last } = record;
  return chunks < 2 || first === undefined || last === undefined ? undefined : (last - first) / (chunks - 1);
}

function isBlind(stage: MeasuredStage): boolean {
  if (!stage.records) return true;
  const successes = successesOf([stage]) ?? [];
  return successes.length > 0 && successes.every((record) => latencySeconds(record) === undefined);
}

type Fault = 'backlog' | 'waits' | 'decode';

/** The backlog says why times rise: it stands for the trend as well. */
function faultsOf({ backlog, waits, decode }: StageState): Fault[] {
  return [
    ...(backlog?.grows === true ? (['backlog'] as const) : waits?.isTrend === true ? (['waits'] as const) : []),
    ...(decode?.isTrend === true ? (['decode'] as const) : []),
  ];
}

const LATENCIES = ['ttft', 'request_latency', 'ntpot'] as const;
const RATES = [
  'requests_per_sec',
  'input_tokens_per_sec',
  'output_tokens_per_sec',
  'total_tokens_per_sec',
  'request_goodput',
] as const;

const MOVES: Readonly<Record<Fault, readonly MovedMetric[]>> = {
  backlog: moved([...LATENCIES, 'tpot', 'itl', ...RATES]),
  waits: moved([...LATENCIES, ...RATES]),
  decode: moved(['tpot', 'itl', 'request_latency', 'ntpot', ...RATES]),
};

function trendWords(trend: Trend): string {
  const share = `${trend.share > 0 ? '+' : '−'}${percent(Math.abs(trend.share))}`;
  return `${share} over the window (z ${Number.isFinite(trend.z) ? trend.z.toFixed(1) : 'beyond measure'})`;
}

function faultWords(fault: Fault, { backlog, waits, decode, metric }: StageState): string {
  switch (fault) {
    case 'backlog':
      return `the backlog grows: ${significant(backlog!.answeredRps)} of ${significant(backlog!.offeredRps)} requests/s are answered, ${whole(backlog!.atEnd)} are under way at the last send, and ${metric} follows the duration`;
    case 'waits':
      return `${metric} drifts by ${trendWords(waits!)}`;
    case 'decode':
      return `the time between tokens drifts by ${trendWords(decode!)}`;
  }
}

function statesOf(side: Side, stages: readonly MeasuredStage[]): States {
  const states = stages.map((stage) => stateOf(side, stage));
  const blind = stages.length === 0 || stages.some(isBlind);
  const evidence = states.flatMap(({ stage, metric, waits, decode, backlog, drain }): Evidence[] => {
    const at = states.length > 1 ? `stage ${stage}: ` : '';
    return [
      inRecords(side, `${at}drift of ${metric}`, waits && trendWords(waits)),
      ...(decode ? [inRecords(side, `${at}drift of the time between chunks`, trendWords(decode))] : []),
      ...(backlog
        ? [
            inRecords(
              side,
              `${at}answered of offered, second half of the sending`,
              `${significant(backlog.answeredRps)} of ${significant(backlog.offeredRps)} requests/s`,
            ),
          ]
        : []),
      ...(drain === undefined ? [] : [inRecords(side, `${at}window after the last send`, percent(drain))]),
    ];
  });
  const faults = states.flatMap((state) => faultsOf(state).map((fault) => faultWords(fault, state)));
  const seen = states.some(({ waits }) => waits !== undefined);
  const changed = changedDuring(side);
  if (side.run.manifest?.stack?.kubernetes) {
    const words = changed.length === 0 ? 'none in the window' : changed.map((one) => one.words).join('; ');
    evidence.push(inManifest(side, 'stack.kubernetes.changes', words));
  }
  const summary =
    (changed.length > 0 ? 'the stack changed' : faults[0]) ??
    (blind ? 'not recorded' : seen ? 'no drift, no growing backlog' : 'too few answers to see a drift');
  return {
    states,
    blind,
    changed,
    summary,
    evidence: evidence.length > 0 ? evidence : [inRecords(side, 'drift', undefined)],
  };
}

interface Found {
  readonly state: 'confounds' | 'unknown';
  readonly words: string;
  readonly moves: readonly MovedMetric[];
}

function between(x: StageState, y: StageState): Found[] {
  const [onA, onB] = [faultsOf(x), faultsOf(y)];
  const found = (['backlog', 'waits', 'decode'] as const).flatMap((fault): Found[] => {
    const [a, b] = [onA.includes(fault), onB.includes(fault)];
    if (!a && !b) return [];
    const moves = MOVES[fault];
    const own = faultWords(fault, a ? x : y);
    const times = [x.sendSeconds, y.sendSeconds];
    if (a && b && fault === 'backlog' && Math.abs(times[0]! - times[1]!) > SAME_LENGTH * Math.max(...times)) {
      const words = `On both sides ${own} (on A); A sent for ${significant(times[0]!)} s and B for ${significant(times[1]!)} s`;
      return [{ state: 'confounds', words, moves }];
    }
    const other = a ? onB : onA;
    if (a && b) return [{ state: 'unknown', words: `On neither side is the window a state: on A ${own}`, moves }];
    // One kind of unrest on A and another on B: neither is a state, and nobody can say which of the two moved a number.
    const word = other.length > 0 ? 'which the other side does in another way' : 'the other side does not';
    return [{ state: 'confounds', words: `On ${a ? 'A' : 'B'} ${own}; ${word}`, moves }];
  });
  const [drainA = 0, drainB = 0] = [x.drain, y.drain];
  if (Math.max(drainA, drainB) >= LONG_DRAIN && Math.abs(drainA - drainB) > DRAIN_TOLERANCE) {
    const words = `${percent(drainA)} of A’s window and ${percent(drainB)} of B’s lie after the last send: slots drain there, and a rate over the whole window is too low by as much`;
    found.push({ state: 'confounds', words, moves: moved([...RATES]) });
  }
  return found;
}

export const steadyState = dimension<States>({
  id: 'steady-state',
  title: 'Steady state',
  question: 'Was each window a state, or did it drift, pile up, drain, or the stack change?',
  tolerance: `No drift of TTFT (latency) or of the time between chunks by more than 20 % and beyond chance (p < 0.0002, dependence of neighbours included); no fewer than 95 % of the offered requests answered while a queue grows; drains of closed loops within ${percent(DRAIN_TOLERANCE)} of the window.`,
  pitfall: 'CMP010',
  affects: moved([...LATENCIES, 'tpot', 'itl', ...RATES]),
  remedy:
    'Measure at a load both servers can carry, until times no longer drift; of a closed loop, at least ten times as many requests as slots.',
  evidence: (side, { matching }) =>
    statesOf(
      side,
      matching.pairs.map((pair) => (side.name === 'A' ? pair.a : pair.b)),
    ),
  judge: (a, b, { matching: { pairs } }) => {
    const changed = [a, b].flatMap((side, i) => side.changed.map(({ words }) => `${i === 0 ? 'A' : 'B'}: ${words}`));
    if (changed.length > 0) {
      return confounds(`The stack changed while it was measured. ${changed.join('; ')}.`, {
        changes: changed,
        moves: ALL,
        remedy: 'Run that side again on a stack that stays as it is, or cut the window before the change.',
      });
    }
    if (a.blind && b.blind) {
      return assumption(
        'Without request times on either side nobody can see whether the windows were a state.',
        'that both windows were a steady state',
      );
    }
    if (a.blind || b.blind) return unknown('Whether the window was a state', !a.blind, !b.blind);
    const found = pairs.flatMap(({ index, label }, i) =>
      between(a.states[i]!, b.states[i]!).map((one) => ({ ...one, index, label })),
    );
    const confounding = found.filter(({ state }) => state === 'confounds');
    const counts = confounding.length > 0 ? confounding : found;
    const [first] = counts;
    if (!first) {
      const seen = [...a.states, ...b.states].some(({ waits }) => waits !== undefined);
      return same(
        seen
          ? 'No window drifts, piles up or drains more than the other’s.'
          : 'The windows hold too few answers for a drift to be seen.',
      );
    }
    const stages = [...new Set(counts.map(({ index }) => index))];
    const words = counts.map((one) => (pairs.length > 1 ? `At ${one.label}: ${one.words}.` : `${one.words}.`));
    const judgement: Judgement = { state: first.state, message: words.join(' '), moves: mergedMoves(counts) };
    return stages.length < pairs.length ? { ...judgement, stages } : judgement;
  },
});

function mergedMoves(found: readonly Found[]): MovedMetric[] {
  const metrics = new Set(found.flatMap(({ moves }) => moves.map(({ metric }) => metric)));
  return moved([...metrics]);
}
