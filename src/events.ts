// What a run says while it runs: one JSON object a line on standard output under `isoperf run --events`.
// The terminal's progress bar and the live view read the same events.
import type { OutcomeCounts } from './metrics/record';
import type { Problem } from './problem';

export interface PlannedStage {
  readonly id: number;
  readonly label: string; // "10 rps for 30 s", "32 concurrent, 640 requests"
  readonly warmup: boolean;
  readonly planned: number;
  /** Seconds the stage is expected to send for; absent for a closed loop. */
  readonly durationSeconds?: number;
}

export type RunEvent =
  | { readonly type: 'problem'; readonly problem: Problem }
  /** Prompts are being made, before anything is planned or sent; only when it takes a while. */
  | { readonly type: 'preparing'; readonly done: number; readonly total: number }
  | {
      readonly type: 'planned';
      readonly folder: string;
      readonly name: string;
      readonly endpoint: string;
      readonly model: string;
      readonly load: string;
      readonly stages: readonly PlannedStage[];
      readonly plannedRequests: number;
      /** Threads that send; 1 is the engine's own loop. */
      readonly threads?: { readonly count: number; readonly reason: string };
    }
  | { readonly type: 'stageStarted'; readonly stage: number; readonly atSeconds: number }
  | {
      /** Once a second while a stage runs. Rates and latencies are of the last seconds, not of the whole run. */
      readonly type: 'tick';
      readonly stage: number;
      readonly atSeconds: number;
      readonly stageElapsedSeconds: number;
      readonly counts: OutcomeCounts & { readonly sent: number; readonly inFlight: number };
      readonly offeredRps?: number;
      readonly achievedRps?: number;
      readonly ttftMs?: number; // median of the last 5 s
      readonly itlMs?: number; // median chunk gap of the last 5 s
      readonly outputTokensPerSecond?: number;
      readonly scheduleDelayMs?: number; // p95 of the last 5 s
      readonly eventLoopUse?: number; // 0..1, of the last second; of the busiest thread where several send
      readonly errors: readonly { readonly label: string; readonly count: number }[];
    }
  | {
      readonly type: 'stageFinished';
      readonly stage: number;
      readonly atSeconds: number;
      readonly counts: OutcomeCounts;
    }
  | {
      readonly type: 'health';
      readonly stage: number;
      readonly level: 'warning' | 'client-limited';
      readonly message: string;
    }
  | { readonly type: 'counting'; readonly done: number; readonly total: number }
  /** Files of the finished report, on their way to a bucket. */
  | { readonly type: 'uploading'; readonly done: number; readonly total: number; readonly to: string }
  | {
      readonly type: 'finished';
      readonly folder: string;
      readonly state: 'complete' | 'incomplete';
      readonly counts: OutcomeCounts;
      /** One sentence, e.g. "480 ok, 3 failed (429 - Rate Limit), 0 cancelled, 0 not sent". */
      readonly summary: string;
    };

/** What a parent process may write to the engine, one JSON object a line on its standard input. */
export type RunCommand = { readonly type: 'stop'; readonly now: boolean };
