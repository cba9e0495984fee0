// Deals a stage out to sending threads: every stream whole to one of them, the caps split, nothing about what is sent changed.
import { ONE_THREAD } from '../config/will/sending-threads';
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

/**
 * Why threads cannot share a stage; undefined when they can. Conversations in a closed loop take turns in one order: a thread could
 * not know which of another's is idle.
 */
export function whyNotDealt({ plan, requests }: DealtStage): string | undefined {
  if (requests.length < 2) return ONE_THREAD.oneRequest;
  const firstId = requests[0]!.id;
  // Threads name a request by its place.
  if (!requests.every(({ id }, index) => id === firstId + index)) return 'the requests are not in planned order';
  if (plan.pacing.kind === 'open' || !requests.some(({ turn, sessionId }) => turn ?? sessionId)) return undefined;
  return ONE_THREAD.conversations;
}

/** Most threads that a stage has work for: each needs a slot and a request. */
export function mostShares({ plan: { pacing }, requests }: DealtStage): number {
  return Math.min(pacing.kind === 'open' ? pacing.inFlightCap : pacing.concurrency, requests.length);
}

/**
 * At most `threads` shares; fewer when there are fewer slots than threads. A closed loop's slots are split: each thread refills its
 * own. An open loop's cap stays one for all (`StageCounters.takeSlot`): no request waits while another thread has room.
 */
export function dealStage(stage: DealtStage, threads: number): readonly Dealt[] {
  const { plan, requests } = stage;
  const { pacing } = plan;
  const count = Math.min(threads, mostShares(stage));
  if (pacing.kind === 'closed') {
    const { concurrency } = pacing;
    const indices = Uint32Array.from(requests, (_, index) => index);
    return Array.from({ length: count }, (_, share) => ({
      indices,
      pacing: { kind: 'closed', concurrency: evenShare(concurrency, count, share) },
      isTakenFromAll: true,
    }));
  }
  const lists: number[][] = Array.from({ length: count }, () => []);
  const owner = owners(requests, count);
  for (const index of requests.keys()) lists[owner(index)]!.push(index);
  return lists.map((list) => ({
    indices: Uint32Array.from(list),
    pacing: {
      kind: 'open',
      offsets: Float64Array.from(list, (index) => pacing.offsets[index]!),
      inFlightCap: pacing.inFlightCap,
    },
    isTakenFromAll: false,
  }));
}

/** Part `share` of `total` whole things divided among `count`; the first ones get what is left over. */
export function evenShare(total: number, count: number, share: number): number {
  return Math.floor(total / count) + (share < total % count ? 1 : 0);
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
