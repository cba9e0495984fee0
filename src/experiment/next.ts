// What an experiment does next, as a pure function of its file and its journal: the same after a kill as before it.
import { discardedSlots, slotsOfBlock, type Slot } from './design';
import { wholeBlock, type Progress } from './journal';
import type { Experiment } from './read';

export type Step =
  | { readonly kind: 'slot'; readonly slot: Slot; readonly attempt: number }
  /** Look at so many whole blocks; a last look settles the experiment whatever it finds. */
  | { readonly kind: 'look'; readonly blocks: number; readonly last: boolean }
  /** Fix the number of blocks from the pilot. */
  | { readonly kind: 'size' }
  | { readonly kind: 'close'; readonly why: 'looks' | 'budget' | 'void' };

export interface Block {
  readonly number: number;
  readonly slots: readonly {
    readonly slot: Slot;
    readonly result: NonNullable<ReturnType<Progress['ended']['get']>>;
  }[];
}

/** Whole blocks in their order, and how many were void. */
export function blocksOf(
  experiment: Experiment,
  kind: 'aa' | 'block',
  progress: Progress,
): { readonly whole: readonly Block[]; readonly voided: number } {
  const whole: Block[] = [];
  let voided = 0;
  for (let number = 1; ; number++) {
    const slots = slotsOfBlock(experiment, kind, number);
    if (slots.every(({ id }) => !progress.ended.has(id))) return { whole, voided };
    const block = wholeBlock(slots, progress);
    if (block) whole.push({ number, slots: block });
    else if (slots.some(({ id }) => progress.ended.get(id)?.void !== undefined)) voided++;
  }
}

/** So many blocks may be void before the setting is called unfit: as many as are planned, and two at least. */
export function mostVoid({ blocks }: Experiment): number {
  return Math.max(2, blocks);
}

/** Number of blocks this experiment ends with, as far as it is known. */
export function plannedBlocks({ blocks, stein }: Experiment, { size }: Pick<Progress, 'size'>): number {
  return stein ? (size ?? stein.pilot) : blocks;
}

/** @param secondsOfBlock what the next block will take, for the budget */
export function nextStep(experiment: Experiment, progress: Progress, secondsOfBlock: number): Step | undefined {
  if (progress.closed !== undefined) return undefined;
  const attempt = (slot: Slot): Step => ({ kind: 'slot', slot, attempt: (progress.attempts.get(slot.id) ?? 0) + 1 });
  const waiting = discardedSlots(experiment).find(({ id }) => !progress.ended.has(id));
  if (waiting) return attempt(waiting);
  for (const kind of ['aa', 'block'] as const) {
    const wanted = kind === 'aa' ? experiment.calibrate : plannedBlocks(experiment, progress);
    const step = nextOf(experiment, progress, kind, wanted, secondsOfBlock, attempt);
    if (step) return step;
  }
  const { whole } = blocksOf(experiment, 'block', progress);
  if (experiment.stein && progress.size === undefined) return { kind: 'size' };
  if (!progress.looks.includes(whole.length)) return { kind: 'look', blocks: whole.length, last: true };
  return { kind: 'close', why: 'looks' };
}

function nextOf(
  experiment: Experiment,
  progress: Progress,
  kind: 'aa' | 'block',
  wanted: number,
  secondsOfBlock: number,
  attempt: (slot: Slot) => Step,
): Step | undefined {
  const { whole, voided } = blocksOf(experiment, kind, progress);
  if (kind === 'block' && !experiment.stein && experiment.looks.includes(whole.length)) {
    if (!progress.looks.includes(whole.length))
      return { kind: 'look', blocks: whole.length, last: whole.length >= wanted };
    if (progress.settled) return { kind: 'close', why: 'looks' };
  }
  if (whole.length >= wanted) return undefined;
  if (voided > mostVoid(experiment)) return { kind: 'close', why: 'void' };
  for (let number = 1; number <= whole.length + voided + 1; number++) {
    const slots = slotsOfBlock(experiment, kind, number);
    // A void slot ends its block: the rest of it would be time for nothing.
    if (slots.some(({ id }) => progress.ended.get(id)?.void !== undefined)) continue;
    const open = slots.find(({ id }) => !progress.ended.has(id));
    if (!open) continue;
    const { budgetSeconds } = experiment;
    const begun = slots.some(({ id }) => progress.ended.has(id));
    if (budgetSeconds !== undefined && !begun && progress.seconds + secondsOfBlock > budgetSeconds) {
      return { kind: 'close', why: 'budget' };
    }
    return attempt(open);
  }
  return undefined;
}
