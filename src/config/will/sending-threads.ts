// How many threads a load needs, from what is known beforehand: one formula for the run, `isoperf plan` and the hints of an editor.

/** Threads somebody asked for: `auto` is as many as the planned load needs, at most one less than there are cores. */
export type ThreadsAsked = number | 'auto';

export interface ThreadsChosen {
  readonly count: number;
  readonly reason: string;
}

/** What one stage asks of the client. */
export type StageDemand =
  /** An open loop; `tokensPerAnswer` is what is asked for at most, 0 for answers in one piece. */
  | { readonly requestsPerSecond: number; readonly tokensPerAnswer: number }
  /** A closed loop: what a slot brings depends on the server. */
  | { readonly slots: number; readonly isStreaming: boolean };

/** A thread stamps so many tokens a second with an event-loop use well below 0.6 (docs/decisions/007-engine-threads.md). */
const TOKENS_PER_THREAD = 10_000;
/** A request costs about as much as so many tokens. */
const TOKENS_PER_REQUEST = 10;
/** What one stream of a closed loop is taken to bring: nobody knows beforehand. */
const TOKENS_PER_STREAM = 50;
/** The same of a slot whose answers come in one piece. */
const REQUESTS_PER_SLOT = 1;
const MOST_THREADS = 256;

/** The upper end of what a stage brings, in tokens a second; a request counts as ten. */
export function tokensPerSecond(demand: StageDemand): number {
  if ('slots' in demand) {
    const each = demand.isStreaming ? TOKENS_PER_STREAM : REQUESTS_PER_SLOT * TOKENS_PER_REQUEST;
    return demand.slots * each;
  }
  return demand.requestsPerSecond * (demand.tokensPerAnswer + TOKENS_PER_REQUEST);
}

/** `auto`: one for each 10,000 tokens a second of the busiest stage, at most one less than `cores`. */
export function threadsFor(demands: readonly StageDemand[], cores: number): ThreadsChosen {
  const most = Math.max(1, Math.floor(cores) - 1);
  const load = Math.max(0, ...demands.map(tokensPerSecond));
  const wanted = Math.max(1, Math.ceil(load / TOKENS_PER_THREAD));
  const shown = `the plan brings up to ${Math.round(load).toLocaleString('en-US')} tokens/s, one thread takes ${TOKENS_PER_THREAD.toLocaleString('en-US')}`;
  const limited = wanted <= most ? '' : cores < 2 ? '; there is one core' : `; one less than the ${cores} cores`;
  return { count: Math.min(wanted, most, MOST_THREADS), reason: `auto: ${shown}${limited}` };
}

export interface ThreadLimits {
  readonly cores: number;
  /** Requests that can be in flight at once: more threads would have nothing to do. */
  readonly inFlight: number;
  /** Connections that all threads together may open; `Infinity` when nothing limits them. */
  readonly connections: number;
}

/** What is asked for, as far as it is of use; `demands` are those of the stages that threads can share. */
export function chooseThreads(
  asked: ThreadsAsked,
  demands: readonly StageDemand[],
  { cores, inFlight, connections }: ThreadLimits,
): ThreadsChosen {
  const wanted = asked === 'auto' ? threadsFor(demands, cores) : { count: asked, reason: 'asked for' };
  const most = Math.max(1, Math.min(connections, inFlight));
  if (wanted.count <= most) return wanted;
  const limit = connections < inFlight ? 'connections may be open' : 'requests can be in flight at once';
  return { count: most, reason: `${wanted.reason}; no more than ${most} ${limit}` };
}

/** Reasons for one thread whatever was asked for. */
export const ONE_THREAD = {
  mock: 'the mock server answers within this program',
  conversations: 'conversations of a closed loop take turns in one order, which one loop keeps',
  oneRequest: 'there is but one request',
} as const;

/** A number of threads, `auto`, or undefined for what is neither; `"3"` is 3. */
export function threadsAsked(value: unknown): ThreadsAsked | undefined {
  if (value === 'auto') return 'auto';
  const count = typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value;
  return typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= MOST_THREADS
    ? count
    : undefined;
}

/** What `threadsAsked` takes, for messages. */
export const THREADS_IN_WORDS = `a whole number from 1 to ${MOST_THREADS}, or auto`;
