// What the engine says, folded into what the live view shows. Pure: one state, one event at a time.
import type { RunEvent } from '../events';
import type { LiveStage, LiveView } from '../messages';
import { QUANTITIES } from '../metrics/quantities';
import type { OutcomeCounts } from '../metrics/record';
import type { Problem } from '../problem';
import { counted, percent, significant, span, whole } from '../figures';
import type { Tone } from '../views/report/model';

type Planned = Extract<RunEvent, { type: 'planned' }>;
type Tick = Extract<RunEvent, { type: 'tick' }>;
type Finished = Extract<RunEvent, { type: 'finished' }>;

export interface LiveState {
  /** Name of the config, until the engine says more. */
  readonly name: string;
  readonly phase: LiveView['phase'];
  readonly planned?: Planned;
  readonly tick?: Tick;
  readonly finished?: Finished;
  /** Why the run ended without a report. */
  readonly failure?: string;
  readonly preparing?: { readonly done: number; readonly total: number };
  readonly counting?: { readonly done: number; readonly total: number };
  readonly uploading?: { readonly done: number; readonly total: number; readonly to: string };
  readonly stages: ReadonlyMap<number, { readonly state: 'running' | 'done'; readonly counts?: OutcomeCounts }>;
  /** Failures by label, of each stage as its last tick said them. */
  readonly errors: ReadonlyMap<number, LiveView['errors']>;
  readonly health: readonly { readonly level: 'warning' | 'client-limited'; readonly message: string }[];
  readonly problems: readonly Problem[];
  readonly trace: LiveView['trace'];
}

/** Seconds the trace keeps. */
const TRACE_SECONDS = 90;

export function startState(name: string): LiveState {
  return {
    name,
    phase: 'starting',
    stages: new Map(),
    errors: new Map(),
    health: [],
    problems: [],
    trace: { atSeconds: [], ttftMs: [], itlMs: [] },
  };
}

export function withEvent(state: LiveState, event: RunEvent): LiveState {
  switch (event.type) {
    case 'problem':
      return { ...state, problems: [...state.problems, event.problem] };
    case 'preparing':
      return { ...state, preparing: event };
    case 'planned':
      return { ...state, planned: event };
    case 'stageStarted':
      return {
        ...state,
        phase: running(state),
        stages: new Map([...state.stages, [event.stage, { state: 'running' }]]),
      };
    case 'tick':
      return {
        ...state,
        phase: running(state),
        tick: event,
        errors: new Map([...state.errors, [event.stage, event.errors]]),
        trace: traced(state.trace, event),
      };
    case 'stageFinished': {
      const entry = { state: 'done' as const, counts: event.counts };
      return { ...state, stages: new Map([...state.stages, [event.stage, entry]]) };
    }
    case 'health':
      return {
        ...state,
        health: [...state.health.filter(({ message }) => message !== event.message), event].slice(-4),
      };
    case 'counting':
      return { ...state, phase: 'counting', counting: event };
    case 'uploading':
      return { ...state, phase: 'counting', uploading: event };
    case 'finished':
      return { ...state, phase: 'finished', finished: event };
  }
}

/** The engine is asked to stop; it says `finished` when it has. */
export function stopping(state: LiveState): LiveState {
  return state.phase === 'finished' || state.phase === 'failed' ? state : { ...state, phase: 'stopping' };
}

/** Whether anything was sent: before the first tick there is nothing to say about client or server. */
export function hasMeasured({ tick, stages, finished }: LiveState): boolean {
  return (
    tick !== undefined || finished !== undefined || [...stages.values()].some(({ counts }) => counts !== undefined)
  );
}

/** The process is gone without having said `finished`. */
export function failed(state: LiveState, failure: string): LiveState {
  return { ...state, phase: 'failed', failure };
}

function running(state: LiveState): LiveView['phase'] {
  return state.phase === 'starting' ? 'running' : state.phase;
}

function traced(trace: LiveView['trace'], tick: Tick): LiveView['trace'] {
  const from = tick.atSeconds - TRACE_SECONDS;
  const keep = trace.atSeconds.filter((at) => at >= from).length;
  const add = <T>(list: readonly T[], value: T): T[] => [...(keep === 0 ? [] : list.slice(-keep)), value];
  return {
    atSeconds: add(trace.atSeconds, tick.atSeconds),
    ttftMs: add(trace.ttftMs, tick.ttftMs ?? null),
    itlMs: add(trace.itlMs, tick.itlMs ?? null),
  };
}

export function liveView(state: LiveState): LiveView {
  const { planned } = state;
  const progress = progressOf(state);
  return {
    title: planned?.name ?? state.name,
    identity: planned ? [planned.endpoint, planned.model, planned.load] : [],
    phase: state.phase,
    words: wordsOf(state),
    tone: toneOf(state),
    ...(progress === undefined ? {} : { progress }),
    stages: stagesOf(state),
    counts: countsOf(state),
    figures: figuresOf(state),
    health: state.health.map(({ level, message }) => ({ tone: level === 'warning' ? 'caution' : 'bad', message })),
    calm: calmWords(state),
    ...(planned?.threads ? { client: threadWords(planned.threads) } : {}),
    errors: errorsOf(state),
    trace: state.trace,
    problems: state.problems.map(({ severity, message, remedy }) => ({
      tone: severity === 'error' ? 'bad' : severity === 'warning' ? 'caution' : 'neutral',
      message,
      ...(remedy === undefined ? {} : { remedy }),
    })),
  };
}

function wordsOf(state: LiveState): string {
  switch (state.phase) {
    case 'starting':
      if (state.planned) return 'Starting';
      return state.preparing
        ? `Preparing the requests: ${whole(state.preparing.done)} of ${whole(state.preparing.total)}`
        : 'Preparing the requests';
    case 'stopping':
      return state.tick ? `Stopping: ${counted(state.tick.counts.inFlight, 'request')} still in flight` : 'Stopping';
    case 'counting':
      if (state.uploading) {
        const { done, total, to } = state.uploading;
        return `Uploading the report to ${to}: ${whole(done)} of ${whole(total)} files`;
      }
      return state.counting
        ? `Counting tokens: ${whole(state.counting.done)} of ${whole(state.counting.total)} answers`
        : 'Counting tokens';
    case 'finished':
      return state.finished?.summary ?? 'Finished';
    case 'failed':
      return state.failure ?? 'The run failed';
    case 'running':
      return runningWords(state);
  }
}

/** "Stage 2 of 3, 41 s left"; a closed loop has no known end. */
export function runningWords({ planned, tick }: LiveState): string {
  if (!planned || !tick) return 'Running';
  const position = planned.stages.findIndex((stage) => stage.id === tick.stage);
  const stage = planned.stages[position];
  const left = stage?.durationSeconds === undefined ? undefined : stage.durationSeconds - tick.stageElapsedSeconds;
  const words = `Stage ${position + 1} of ${planned.stages.length}`;
  if (left === undefined) return `${words}, ${span(tick.stageElapsedSeconds)} so far`;
  return left > 0 ? `${words}, ${span(Math.ceil(left))} left` : `${words}, waiting for the last answers`;
}

/** More than this between due and sent, and latencies no longer are of the load that was asked for; as the report's health has it. */
const LATE_MS = 50;

/** How late requests leave, where that is too late; a closed loop has no moment at which a request is due. */
function lateMs({ tick }: LiveState): number | undefined {
  if (tick?.offeredRps === undefined || tick.scheduleDelayMs === undefined) return undefined;
  return tick.scheduleDelayMs > LATE_MS ? tick.scheduleDelayMs : undefined;
}

/** What stands where there is no warning and no error; only what was measured is called good. */
function calmWords(state: LiveState): string {
  if (!hasMeasured(state)) {
    return state.phase === 'failed'
      ? 'Not measured: nothing was sent, so there is nothing to say about the client or the server.'
      : 'Not measured yet: nothing has been sent.';
  }
  if (state.phase === 'failed') return 'Until it broke off, the client kept up and no request had failed.';
  const late = lateMs(state);
  return late === undefined
    ? 'The client keeps up, and no request has failed.'
    : `Requests leave late: p95 of the last 5 s is ${significant(late)} ms. No request has failed.`;
}

/** Of all stages, largest first; what no label of a tick names stands last, so that the list adds up to the failures above it. */
function errorsOf(state: LiveState): LiveView['errors'] {
  const byLabel = new Map<string, number>();
  for (const { label, count } of [...state.errors.values()].flat()) {
    byLabel.set(label, (byLabel.get(label) ?? 0) + count);
  }
  const named = [...byLabel].map(([label, count]) => ({ label, count })).sort((a, b) => b.count - a.count);
  const { failed: bad, cancelled } = totals(state);
  const rest = bad - named.reduce((sum, { count }) => sum + count, 0);
  return [
    ...named,
    ...(rest > 0 ? [{ label: 'other failures', count: rest }] : []),
    ...(cancelled > 0 ? [{ label: 'cancelled', count: cancelled }] : []),
  ];
}

function threadWords({ count, reason }: NonNullable<Planned['threads']>): string {
  return `${count === 1 ? 'One thread sends' : `${whole(count)} threads send`} (${reason}).`;
}

function toneOf(state: LiveState): Tone {
  if (state.phase === 'failed') return 'bad';
  if (state.phase === 'finished') return state.finished?.state === 'complete' ? 'good' : 'caution';
  return 'neutral';
}

/** Ticks count their own stage; the run is the stages that ended plus the one under way. */
function totals({
  stages,
  tick,
  finished,
}: LiveState): OutcomeCounts & { readonly sent: number; readonly inFlight: number } {
  if (finished) {
    const { planned, notSent } = finished.counts;
    return { ...finished.counts, sent: planned - notSent, inFlight: 0 };
  }
  const sum = { planned: 0, ok: 0, failed: 0, cancelled: 0, notSent: 0, sent: 0, inFlight: 0 };
  const add = (counts: OutcomeCounts, sent: number): void => {
    for (const key of ['planned', 'ok', 'failed', 'cancelled', 'notSent'] as const) sum[key] += counts[key];
    sum.sent += sent;
  };
  for (const { counts } of stages.values()) if (counts) add(counts, counts.planned - counts.notSent);
  if (tick && stages.get(tick.stage)?.counts === undefined) {
    add(tick.counts, tick.counts.sent);
    sum.inFlight = tick.counts.inFlight;
  }
  return sum;
}

function progressOf(state: LiveState): number | undefined {
  const { planned, tick, phase } = state;
  if (phase === 'finished') return 1;
  if (phase === 'failed') return 0;
  if (!planned || !tick || planned.plannedRequests === 0) return undefined;
  const { ok, failed: bad, cancelled, notSent } = totals(state);
  return Math.min(1, (ok + bad + cancelled + notSent) / planned.plannedRequests);
}

function stagesOf({ planned, stages, tick }: LiveState): LiveStage[] {
  return (planned?.stages ?? []).map((stage) => {
    const known = stages.get(stage.id);
    const counts = known?.counts;
    const ended = counts ? counts.ok + counts.failed + counts.cancelled : undefined;
    const words =
      ended !== undefined
        ? `${whole(ended)} of ${whole(stage.planned)}`
        : known && tick?.stage === stage.id
          ? `${span(Math.floor(tick.stageElapsedSeconds))}, ${whole(stage.planned)} planned`
          : `${whole(stage.planned)} planned`;
    return { label: stage.label, warmup: stage.warmup, state: known?.state ?? 'waiting', words };
  });
}

function countsOf(state: LiveState): LiveView['counts'] {
  const counts = totals(state);
  const failures = counts.failed + counts.cancelled;
  return [
    { label: 'Planned', value: plannedWords(state), tone: 'neutral' },
    { label: 'Sent', value: whole(counts.sent), tone: 'neutral' },
    { label: 'In flight', value: whole(counts.inFlight), tone: 'neutral' },
    { label: 'Done', value: whole(counts.ok), tone: 'neutral' },
    { label: 'Failed', value: whole(failures), tone: failures > 0 ? 'bad' : 'neutral' },
  ];
}

function plannedWords({ planned, finished }: LiveState): string {
  const count = planned?.plannedRequests ?? finished?.counts.planned;
  return count === undefined ? 'not planned yet' : whole(count);
}

function figuresOf(state: LiveState): LiveView['figures'] {
  const { tick, planned } = state;
  if (!hasMeasured(state)) {
    const value = state.phase === 'failed' ? 'not measured' : '–';
    return ['Achieved', 'Output', QUANTITIES.schedule_delay.label, 'Client'].map((label) => ({
      label,
      value,
      detail: '',
    }));
  }
  const rate = (value: number | undefined): string => (value === undefined ? '–' : `${significant(value)} requests/s`);
  const busy = tick?.eventLoopUse;
  const threads = planned?.threads?.count ?? 1;
  const pace =
    busy !== undefined && busy > 0.8
      ? 'too busy to be on time'
      : lateMs(state) !== undefined
        ? 'late'
        : busy !== undefined && busy > 0.5
          ? 'busy'
          : 'keeps up';
  const whose = threads > 1 ? `, busiest of ${whole(threads)} threads` : '';
  return [
    {
      label: 'Achieved',
      value: rate(tick?.achievedRps),
      detail: !tick ? '' : tick.offeredRps === undefined ? 'closed loop' : `of ${significant(tick.offeredRps)} offered`,
    },
    {
      label: 'Output',
      value: tick?.outputTokensPerSecond === undefined ? '–' : `${significant(tick.outputTokensPerSecond)} tokens/s`,
      detail: 'last 5 s',
    },
    {
      label: QUANTITIES.schedule_delay.label,
      value: tick?.scheduleDelayMs === undefined ? '–' : `${significant(tick.scheduleDelayMs)} ms`,
      detail: 'p95 of the last 5 s',
    },
    {
      label: 'Client',
      value: busy === undefined ? '–' : `${percent(busy)} busy`,
      detail: busy === undefined ? '' : `${pace}${whose}`,
    },
  ];
}
