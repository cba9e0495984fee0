// The load section of a config -> the stages of a run: how many requests, when, by which law.
import type { Seed } from '../config/model/lax';
import { createHash } from 'node:crypto';
import { nameStages, stageStream, type StageName } from '../datagen/random';
import type { ConfigPath, Problem, Result } from '../problem';
import type { Pacing } from './flights';
import {
  burstOffsets,
  evenOffsets,
  plannedCount,
  poissonBlockOffsets,
  rescaledExponentialOffsets,
  type ArrivalLaw,
} from './schedule';

/** A stage as the config gives it. */
export interface StageConfig {
  readonly rate?: number | undefined;
  readonly duration?: number | undefined;
  readonly num_requests?: number | undefined;
  readonly concurrency_level?: number | undefined;
  /** Asked for by a directive: replaces the load type's own law in an open loop. */
  readonly arrivals?: { readonly kind: 'even' } | { readonly kind: 'burst'; readonly size: number | 'all' } | undefined;
  readonly deadline?: StageDeadline | undefined;
}

/** First deadline: nothing more is sent. Second, `graceSeconds` later: what is in flight is cancelled. */
export interface StageDeadline {
  readonly seconds: number;
  readonly graceSeconds: number;
}

/** Arrival times of `trace_replay`, and how many requests a stage sends when the trace decides it (`data.trace`). */
export interface ArrivalTrace {
  /** Ascending seconds from the trace's first arrival. */
  readonly offsets: Float64Array;
  /** sha256 of the trace file, for the manifest. */
  readonly sha256: string;
  readonly count?: number | undefined;
}

export interface LoadInput {
  readonly type: 'constant' | 'poisson' | 'concurrent' | 'trace_replay';
  readonly stages: readonly StageConfig[];
  readonly warmupStages: readonly number[];
  /** 0 or less is inference-perf's single process, which has no cap in flight. */
  readonly workers: number;
  readonly workerMaxConcurrency: number;
  readonly seed: Seed;
  /** Present for trace_replay. */
  readonly trace?: ArrivalTrace | undefined;
}

export interface PlannedLoadStage {
  readonly id: number;
  readonly name: StageName;
  readonly warmup: boolean;
  /** "10 rps for 30 s", "32 concurrent, 640 requests". */
  readonly label: string;
  readonly count: number;
  readonly pacing: Pacing;
  readonly law: ArrivalLaw;
  readonly requestedRateRps?: number;
  readonly requestedDurationSeconds?: number;
  readonly requestedConcurrency?: number;
  /** sha256 of the planned offsets; absent for a closed loop, which has none. */
  readonly scheduleHash?: string;
  readonly deadline?: StageDeadline;
}

/** Everything is prepared in memory before the clock starts: more requests than this would not fit any machine's. */
const MAX_REQUESTS = 5_000_000;

/**
 * Plans every stage. Errors RUN002 to RUN004 name the stage. Arrivals come from streams named by the stage's index among the
 * measured stages, so a warm-up stage added before them does not move them.
 */
export function planLoad(input: LoadInput): Result<readonly PlannedLoadStage[]> {
  const problems: Problem[] = [];
  if (input.stages.length === 0) {
    return refuse('RUN002', ['load', 'stages'], 'Nothing was sent: load.stages is empty.', 'Write at least one stage.');
  }
  const total = input.stages.reduce((sum, stage) => sum + countOf(input, stage), 0);
  if (!(total <= MAX_REQUESTS)) {
    return refuse(
      'RUN003',
      ['load', 'stages'],
      `Nothing was sent: the stages plan ${total.toLocaleString('en-US')} requests, and this engine prepares at most ${MAX_REQUESTS.toLocaleString('en-US')} in memory.`,
      'Shorten the stages, or split them into several runs.',
    );
  }
  if (total === 0) {
    return refuse(
      'RUN004',
      ['load', 'stages'],
      'Nothing was sent: no stage has a single request, because the number is rate x duration rounded down.',
      'Raise the rate or the duration.',
    );
  }
  const short = input.stages.findIndex((stage) => input.trace && countOf(input, stage) > input.trace.offsets.length);
  if (short >= 0) {
    return refuse(
      'RUN040',
      ['load', 'stages', short],
      `Nothing was sent: stage ${short} plans ${countOf(input, input.stages[short]!)} requests (rate x duration), and load.trace has only ${input.trace!.offsets.length} arrivals.`,
      'Lower the rate or the duration, use a longer trace, or set data.trace: then the trace decides the number.',
    );
  }
  const names = nameStages(input.stages.map((_, id) => input.warmupStages.includes(id)));
  const stages = input.stages.map((stage, id) => planStage(input, stage, id, names[id]!));
  for (const stage of stages) {
    if (stage.count > 0) continue;
    problems.push({
      code: 'RUN005',
      severity: 'warning',
      path: ['load', 'stages', stage.id],
      message: `Stage ${stage.id} sends nothing: rate x duration is below 1.`,
      remedy: 'Raise the rate or the duration.',
    });
  }
  return { ok: true, value: stages, problems };
}

function countOf({ type, trace }: LoadInput, stage: StageConfig): number {
  if (type === 'concurrent') return stage.num_requests ?? 0;
  if (trace?.count !== undefined) return trace.count;
  return plannedCount(stage.rate ?? 0, stage.duration ?? 0);
}

function planStage(input: LoadInput, stage: StageConfig, id: number, name: StageName): PlannedLoadStage {
  const count = countOf(input, stage);
  const { deadline } = stage;
  const common = { id, name, warmup: name.kind === 'warmup', count, ...(deadline ? { deadline } : {}) };
  if (input.type === 'concurrent') {
    const concurrency = stage.concurrency_level ?? 1;
    return {
      ...common,
      label: `${concurrency} concurrent, ${count} requests`,
      pacing: { kind: 'closed', concurrency },
      law: 'closed-loop',
      requestedConcurrency: concurrency,
    };
  }
  const { rate = 0, duration = 0 } = stage;
  const { law, offsets } = arrivalsOf(input, stage, name, count);
  const requested = law === 'trace' ? {} : { requestedRateRps: rate, requestedDurationSeconds: duration };
  const seconds = (offsets.at(-1) ?? 0).toFixed(0);
  return {
    ...common,
    label: law === 'trace' ? `trace, ${count} requests over ${seconds} s` : `${formatRate(rate)} rps for ${duration} s`,
    pacing: { kind: 'open', offsets, inFlightCap: inFlightCap(input) },
    law,
    ...requested,
    scheduleHash: createHash('sha256')
      .update(new Uint8Array(offsets.buffer, 0, offsets.byteLength))
      .digest('hex'),
  };
}

function arrivalsOf(
  { type, trace, seed }: LoadInput,
  { rate = 0, duration = 0, arrivals }: StageConfig,
  name: StageName,
  count: number,
): { law: ArrivalLaw; offsets: Float64Array } {
  if (arrivals?.kind === 'even') return { law: 'even', offsets: evenOffsets(count, duration) };
  if (arrivals?.kind === 'burst') {
    if (arrivals.size === 'all') return { law: 'burst-all-at-once', offsets: new Float64Array(count) };
    return { law: `burst-groups-of-${arrivals.size}`, offsets: burstOffsets(count, duration, arrivals.size) };
  }
  // Every stage replays the trace from its beginning, at the trace's own speed, as upstream (reference 3.5).
  if (trace) return { law: 'trace', offsets: trace.offsets.slice(0, count) };
  const rng = stageStream(seed, 'arrivals', name);
  if (type === 'poisson') return { law: 'poisson-per-second', offsets: poissonBlockOffsets(count, rate, rng) };
  return { law: 'exponential-gaps-rescaled', offsets: rescaledExponentialOffsets(count, duration, rng) };
}

/** num_workers x worker_max_concurrency; at least one, or nothing would ever be sent. */
function inFlightCap({ workers, workerMaxConcurrency }: LoadInput): number {
  return workers > 0 ? Math.max(1, workers * workerMaxConcurrency) : Number.MAX_SAFE_INTEGER;
}

/** Connections the client must be able to hold: the most that can be in flight in any stage. */
export function connectionsFor(stages: readonly PlannedLoadStage[]): number {
  return Math.max(
    1,
    ...stages.map(({ pacing, count }) =>
      Math.min(count, pacing.kind === 'open' ? pacing.inFlightCap : pacing.concurrency),
    ),
  );
}

/** "constant, 3 stages, 5 -> 20 rps, 90 s"; "concurrent, 2 stages, 8 -> 32 in flight, 640 requests". */
export function loadInWords(type: string, stages: readonly PlannedLoadStage[]): string {
  const measured = stages.filter((stage) => !stage.warmup);
  const shown = measured.length > 0 ? measured : stages;
  const warmups = stages.length - measured.length;
  const range = (values: readonly number[], unit: string): string => {
    const [first, last] = [values[0] ?? 0, values.at(-1) ?? 0];
    const text = values.every((value) => value === first)
      ? formatRate(first)
      : `${formatRate(first)} -> ${formatRate(last)}`;
    return `${text} ${unit}`;
  };
  const parts = [type];
  if (shown.length > 1) parts.push(`${shown.length} stages`);
  if (type === 'concurrent') {
    parts.push(
      range(
        shown.map((stage) => stage.requestedConcurrency ?? 0),
        'in flight',
      ),
      `${shown.reduce((sum, stage) => sum + stage.count, 0)} requests`,
    );
  } else if (type === 'trace_replay' && shown.every((stage) => stage.law === 'trace')) {
    parts.push(`${shown.reduce((sum, stage) => sum + stage.count, 0)} requests`);
  } else {
    parts.push(
      range(
        shown.map((stage) => stage.requestedRateRps ?? 0),
        'rps',
      ),
      `${shown.reduce((sum, stage) => sum + (stage.requestedDurationSeconds ?? 0), 0)} s`,
    );
  }
  if (warmups > 0) parts.push(`${warmups} warm-up stage${warmups === 1 ? '' : 's'}`);
  return parts.join(', ');
}

function formatRate(rate: number): string {
  return String(Number(rate.toPrecision(6)));
}

function refuse(code: string, path: ConfigPath, message: string, remedy: string): Result<never> {
  return { ok: false, problems: [{ code, severity: 'error', path, message, remedy }] };
}
