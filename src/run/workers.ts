// How many threads send, and why: one is the engine's own loop, which is enough for most loads and the cheapest.
import { existsSync } from 'node:fs';
import type { ClientOptions } from '../client/types';
import type { EffectiveConfig } from '../config/will/runtime';
import {
  chooseThreads,
  ONE_THREAD,
  type StageDemand,
  type ThreadsAsked,
  type ThreadsChosen,
} from '../config/will/sending-threads';
import { mostShares, whyNotDealt } from '../loadgen/deal';
import type { EngineStage } from '../loadgen/engine';
import { connectionsFor } from '../loadgen/plan';
import { WorkerPool } from '../loadgen/worker-pool';
import type { Problem } from '../problem';
import { usableCores } from '../cores';

export interface WorkersAsked {
  readonly count: ThreadsAsked;
  /** The bundled `load-worker`. */
  readonly file: string;
}

/** What of a run, beside its stages, decides how many threads are of use. */
export interface Circumstances {
  readonly cores: number;
  readonly isStreaming: boolean;
  /** Connections that all threads together may open; `Infinity` when nothing limits them. */
  readonly connectionLimit: number;
}

/** @param needed the most requests that can be in flight in any stage */
export function circumstancesOf(config: EffectiveConfig, needed: number): Circumstances {
  const limit = connectionLimitOf(config);
  return {
    cores: usableCores(),
    isStreaming: config.api.streaming,
    connectionLimit: limit < needed ? limit : Infinity,
  };
}

/** `worker_max_tcp_connections` of all workers; 0 is aiohttp's "no limit", as is a single process (num_workers 0). */
export function connectionLimitOf({ load }: EffectiveConfig): number {
  const { num_workers: workers, worker_max_tcp_connections: connections } = load;
  return connections > 0 ? Math.max(1, workers) * connections : Number.MAX_SAFE_INTEGER;
}

export function chooseWorkers(
  asked: ThreadsAsked,
  stages: readonly EngineStage[],
  { cores, isStreaming, connectionLimit }: Circumstances,
): ThreadsChosen {
  if (asked === 1) return { count: 1, reason: 'asked for' };
  const shared = stages.filter((stage) => whyNotDealt(stage) === undefined);
  if (shared.length === 0) {
    const largest = stages.reduce((a, b) => (b.requests.length > a.requests.length ? b : a), stages[0]!);
    return { count: 1, reason: whyNotDealt(largest)! };
  }
  return chooseThreads(
    asked,
    shared.map((stage) => demandOf(stage, isStreaming)),
    { cores, connections: connectionLimit, inFlight: Math.max(...shared.map(mostShares)) },
  );
}

/** What `--workers auto` would come to on this machine. */
export function plannedThreads(config: EffectiveConfig, stages: readonly EngineStage[]): ThreadsChosen {
  if (config.server?.type === 'mock') return { count: 1, reason: ONE_THREAD.mock };
  return chooseWorkers('auto', stages, circumstancesOf(config, connectionsFor(stages.map(({ plan }) => plan))));
}

/** Answers count with their full max_tokens. */
function demandOf({ plan, requests }: EngineStage, isStreaming: boolean): StageDemand {
  if (plan.pacing.kind === 'closed') {
    return { slots: Math.min(plan.pacing.concurrency, requests.length), isStreaming };
  }
  const seconds = Math.max(plan.requestedDurationSeconds ?? 0, plan.pacing.offsets.at(-1) ?? 0, 1);
  const tokens = requests.reduce((sum, { maxTokens }) => sum + maxTokens, 0) / requests.length;
  return { requestsPerSecond: requests.length / seconds, tokensPerAnswer: isStreaming ? tokens : 0 };
}

/** Owns the threads of one run, from a sweep's probe to the last stage. */
export class SendingThreads {
  /** Without it the engine's own loop sends. */
  pool: WorkerPool | undefined;
  private hasFailed = false;

  constructor(
    private readonly asked: WorkersAsked | undefined,
    private readonly client: ClientOptions | undefined,
    private readonly circumstances: Circumstances,
    private readonly note: (problem: Problem) => void,
  ) {}

  /** Starts what these stages need, in place of what earlier ones did. Never rejects: RUN026 says why one loop sends instead. */
  async prepareFor(stages: readonly EngineStage[]): Promise<ThreadsChosen> {
    const { asked, client, circumstances } = this;
    if (asked === undefined) return { count: 1, reason: 'this program starts no threads' };
    const chosen = client ? chooseWorkers(asked.count, stages, circumstances) : { count: 1, reason: ONE_THREAD.mock };
    if (asked.count !== 'auto' && chosen.count < asked.count) this.sayFewer(chosen.count, asked.count, chosen.reason);
    if ((this.pool?.size ?? 1) === chosen.count) return chosen;
    await this.close();
    if (chosen.count < 2 || client === undefined) return chosen;
    if (!this.hasFailed) await this.start(chosen.count, asked.file, client);
    return this.pool ? chosen : { count: 1, reason: 'threads could not be started' };
  }

  private async start(count: number, file: string, client: ClientOptions): Promise<void> {
    try {
      if (!existsSync(file)) throw new Error(`${file}, the program of a sending thread, is not there`);
      const { connectionLimit } = this.circumstances;
      this.pool = await WorkerPool.start({ count, file, client, connectionLimit });
    } catch (error) {
      this.hasFailed = true;
      this.sayFewer(1, count, (error as Error).message);
    }
  }

  private sayFewer(count: number, instead: number, why: string): void {
    this.note({
      code: 'RUN026',
      severity: 'warning',
      path: [],
      message: `The load is sent by ${count === 1 ? 'one thread' : `${count} threads`} instead of ${instead}: ${why}.`,
    });
  }

  async close(): Promise<void> {
    const { pool } = this;
    this.pool = undefined;
    await pool?.close();
  }
}
