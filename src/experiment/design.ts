// The slots of an experiment, in their order: discarded ones, A against A, then blocks of A B B A; each with its stream.
import type { SideName } from './file';
import type { Experiment } from './read';

export interface Slot {
  /** `d1`, `aa2.3`, `b4.1`: its place in the plan, and the name of its folder. */
  readonly id: string;
  readonly kind: 'discard' | 'aa' | 'block';
  /** From 1 within its kind. */
  readonly block: number;
  /** From 1 within the block. */
  readonly place: number;
  readonly side: SideName;
  /** Which half of a pair it stands for: of A against A, both are run on side a. */
  readonly role: SideName;
  /** Of the stream it sends. */
  readonly seed: number;
}

const ABBA = ['a', 'b', 'b', 'a'] as const;
const BAAB = ['b', 'a', 'a', 'b'] as const;

export const SLOTS_A_BLOCK = 4;

/** Deterministic: the same file has the same slots, those of repeated blocks too. */
export function discardedSlots({ discard, seed }: Experiment): Slot[] {
  return Array.from({ length: discard }, (_, i): Slot => {
    const side = i % 2 === 0 ? 'a' : 'b';
    return { id: `d${i + 1}`, kind: 'discard', block: i + 1, place: 1, side, role: side, seed: seedOf(seed, 3, i) };
  });
}

/** One block, whether planned or a repeat of a void one behind the last. @param block from 1 */
export function slotsOfBlock(experiment: Experiment, kind: 'aa' | 'block', block: number): Slot[] {
  const roles = rolesOf(experiment, kind, block);
  return roles.map((role, i): Slot => {
    const stream = { 'new-per-block': block, 'new-per-slot': block * SLOTS_A_BLOCK + i, same: 0 }[experiment.workload];
    return {
      id: `${kind === 'aa' ? 'aa' : 'b'}${block}.${i + 1}`,
      kind,
      block,
      place: i + 1,
      side: kind === 'aa' ? 'a' : role,
      role,
      seed: seedOf(experiment.seed, kind === 'aa' ? 2 : 1, stream),
    };
  });
}

function rolesOf({ order, seed }: Experiment, kind: 'aa' | 'block', block: number): readonly SideName[] {
  if (kind === 'aa' || order === 'abba') return ABBA;
  if (order === 'balanced-random') return seedOf(seed, 4, block) % 2 === 0 ? ABBA : BAAB;
  return ['a', 'a', 'b', 'b'];
}

/** A 31-bit mix of three small numbers (splitmix's finaliser): neighbouring blocks draw unrelated streams. */
function seedOf(seed: number, kind: number, index: number): number {
  let mixed = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(kind, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b) >>> 0;
  return ((mixed ^ (mixed >>> 16)) >>> 1) + 1;
}
