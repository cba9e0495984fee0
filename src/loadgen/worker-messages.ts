// What the engine and its sending threads say to each other: plain data, and memory they share.
import type { ClientOptions } from '../client/types';
import type { AnswerNeeds } from './answer-line';
import type { Pacing } from './flights';
import type { ThreadUse } from './health';
import type { LiveSlice } from './live';
import type { SharedTable } from './shared-requests';
import type { EndedRequest } from './share';

/** `workerData` of a sending thread. */
export interface WorkerSetup {
  readonly kind: 'isoperf-load';
  readonly client: ClientOptions;
}

/** One thread's share of a stage. */
export interface ShareJob {
  /** Of the thread, among those that share the stage. */
  readonly number: number;
  readonly table: SharedTable;
  /** The share's requests as indices into the table, in planned order. */
  readonly indices: Uint32Array;
  readonly pacing: Pacing;
  /** Closed loops: every thread lists every request, and this counter says which is next. */
  readonly isTakenFromAll: boolean;
  readonly hasTurns: boolean;
  readonly timeoutSeconds: number;
  readonly answers: AnswerNeeds;
  /** The run's zero, seconds of the clock all threads share. */
  readonly zeroSharedSeconds: number;
}

export type ToWorker =
  | { readonly type: 'prepare'; readonly job: ShareJob }
  | { readonly type: 'start'; readonly startSharedSeconds: number }
  | { readonly type: 'stop'; readonly reason: string; readonly graceSeconds: number }
  | { readonly type: 'giveUp'; readonly reason: string }
  | { readonly type: 'close' };

export type FromWorker =
  /** The thread is up, or has prepared its share. */
  | { readonly type: 'ready' }
  | { readonly type: 'ended'; readonly ended: readonly EndedRequest[] }
  | { readonly type: 'slice'; readonly slice: LiveSlice }
  | { readonly type: 'done'; readonly maxInFlight: number; readonly use: ThreadUse };

/** Seconds of a clock that every thread of a process reads alike; `performance.now()` begins with its thread. */
export function sharedOffsetSeconds(): number {
  // Both clocks are read from one source; the narrowest of a few brackets leaves out a preempted reading.
  let best = Infinity;
  let offset = 0;
  for (let round = 0; round < 20; round++) {
    const before = performance.now();
    const shared = Number(process.hrtime.bigint()) / 1e9;
    const after = performance.now();
    if (after - before >= best) continue;
    best = after - before;
    offset = shared - (before + after) / 2000;
  }
  return offset;
}
