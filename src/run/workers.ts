// How many threads send, and why: one is the engine's own loop, which is enough for most loads and the cheapest.
import { existsSync } from 'node:fs';
import type { ClientOptions } from '../client/types';
import type { EngineStage } from '../loadgen/engine';
import { WorkerPool } from '../loadgen/worker-pool';
import type { Problem } from '../problem';

export interface WorkersAsked {
  /** `auto`: as many as the planned load needs, at most one less than there are cores. */
  readonly count: number | 'auto';
  /** The bundled `load-worker`. */
  readonly file: string;
}

export interface WorkersChosen {
  readonly count: number;
  readonly reason: string;
}

/** A thread stamps so many tokens a second with an event-loop use well below 0.6 (docs/decisions/007-engine-threads.md). */
const TOKENS_PER_THREAD = 10_000;
/** A request costs about as much as so many tokens. */
const TOKENS_PER_REQUEST = 10;
/** What one stream of a closed loop is taken to bring: nobody knows beforehand. */
const TOKENS_PER_STREAM = 50;

export function chooseWorkers(
  asked: WorkersAsked | undefined,
  stages: readonly EngineStage[],
  cores: number,
): WorkersChosen {
  if (asked === undefined) return { count: 1, reason: 'this program starts no threads' };
  if (asked.count !== 'auto') return { count: asked.count, reason: 'asked for' };
  const most = Math.max(1, cores - 1);
  const load = Math.max(0, ...stages.map(tokensPerSecond));
  const wanted = Math.max(1, Math.ceil(load / TOKENS_PER_THREAD));
  const shown = `the plan brings up to ${Math.round(load).toLocaleString('en-US')} tokens/s, one thread takes ${TOKENS_PER_THREAD.toLocaleString('en-US')}`;
  const limited = wanted > most ? `; one less than the ${cores} cores` : '';
  return { count: Math.min(wanted, most), reason: `auto: ${shown}${limited}` };
}

/** Upper end of what a stage asks of the client; answers of the full max_tokens. */
function tokensPerSecond({ plan, requests }: EngineStage): number {
  if (requests.length === 0) return 0;
  const perAnswer = requests.reduce((sum, { maxTokens }) => sum + maxTokens, 0) / requests.length + TOKENS_PER_REQUEST;
  if (plan.pacing.kind === 'closed') return plan.pacing.concurrency * TOKENS_PER_STREAM;
  const seconds = Math.max(plan.requestedDurationSeconds ?? 0, plan.pacing.offsets.at(-1) ?? 0, 1);
  return (requests.length / seconds) * perAnswer;
}

/** Undefined for one: then the engine's own loop sends, as it does when threads cannot be started (RUN026 says so). */
export async function startWorkers(
  { count }: WorkersChosen,
  asked: WorkersAsked | undefined,
  client: ClientOptions | undefined,
  isLimited: boolean,
  note: (problem: Problem) => void,
): Promise<WorkerPool | undefined> {
  if (count < 2 || asked === undefined || client === undefined) return undefined;
  const missing = (why: string): void => {
    note({
      code: 'RUN026',
      severity: 'warning',
      path: [],
      message: `The load is sent by one thread instead of ${count}: ${why}.`,
    });
  };
  if (!existsSync(asked.file)) {
    missing(`${asked.file}, the program of a sending thread, is not there`);
    return undefined;
  }
  try {
    // What is limited is limited in all; what is not may be needed by any one of them.
    const connections = isLimited ? Math.max(1, Math.floor(client.connections / count)) : client.connections;
    return await WorkerPool.start({ count, file: asked.file, client: { ...client, connections } });
  } catch (error) {
    missing((error as Error).message);
    return undefined;
  }
}
