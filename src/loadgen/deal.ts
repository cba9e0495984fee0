// Deals a stage out to sending threads: every stream whole to one of them, the caps split, nothing about what is sent changed.
import type { Pacing } from './flights';
import type { PlannedLoadStage } from './plan';
import type { EngineRequest } from './share';
import { hasTurns } from './turn-dispatch';

export interface DealtStage {
  readonly plan: Pick<PlannedLoadStage, 'pacing'>;
  readonly requests: readonly EngineRequest[];
}

export interface Dealt {
  /** Indices into the stage's requests, in planned order. */
  readonly indices: Uint32Array;
  readonly pacing: Pacing;
  /** Every share lists every request, and a common counter says which is next. */
  readonly isTakenFromAll: boolean;
}

/** Conversations in a closed loop take turns in one order: a thread could not know which of another's is idle. */
export function canBeDealt({ plan, requests }: DealtStage): boolean {
  if (requests.length < 2) return false;
  const firstId = requests[0]!.id;
  // Threads name a request by its place.
  if (!requests.every(({ id }, index) => id === firstId + index)) return false;
  return plan.pacing.kind === 'open' || !requests.some(({ turn, sessionId }) => turn ?? sessionId);
}

/** At most `threads` shares; fewer when there are fewer slots than threads. */
export function dealStage({ plan, requests }: DealtStage, threads: number): readonly Dealt[] {
  const { pacing } = plan;
  const cap = pacing.kind === 'open' ? pacing.inFlightCap : pacing.concurrency;
  const count = Math.min(threads, cap, requests.length);
  const slots = (share: number): number =>
    cap === Number.MAX_SAFE_INTEGER ? cap : Math.floor(cap / count) + (share < cap % count ? 1 : 0);
  if (pacing.kind === 'closed') {
    const indices = Uint32Array.from(requests, (_, index) => index);
    return Array.from({ length: count }, (_, share) => ({
      indices,
      pacing: { kind: 'closed', concurrency: slots(share) },
      isTakenFromAll: true,
    }));
  }
  const lists: number[][] = Array.from({ length: count }, () => []);
  const owner = owners(requests, count);
  for (const index of requests.keys()) lists[owner(index)]!.push(index);
  return lists.map((list, share) => ({
    indices: Uint32Array.from(list),
    pacing: {
      kind: 'open',
      offsets: Float64Array.from(list, (index) => pacing.offsets[index]!),
      inFlightCap: slots(share),
    },
    isTakenFromAll: false,
  }));
}

/** Requests go round; those of one conversation or session stay with the thread that had its first. */
function owners(requests: readonly EngineRequest[], count: number): (index: number) => number {
  if (!hasTurns(requests) && !requests.some(({ sessionId }) => sessionId !== undefined)) {
    return (index) => index % count;
  }
  const known = new Map<string, number>();
  return (index) => {
    const { turn, sessionId } = requests[index]!;
    const key = turn ? `turn ${turn.conversation}` : sessionId === undefined ? undefined : `session ${sessionId}`;
    if (key === undefined) return index % count;
    const thread = known.get(key) ?? known.size % count;
    known.set(key, thread);
    return thread;
  };
}
