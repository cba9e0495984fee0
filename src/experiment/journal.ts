// The journal of an experiment: a line as each slot begins and ends. What it holds is never run again; what only began is.
import type { Slot } from './design';

/** What was done between slots, and how it went. */
export interface Preparation {
  readonly before?: { readonly exitCode: number; readonly seconds: number };
  readonly cooldown?: { readonly seconds: number; readonly idle?: boolean };
  /** The reset call; of one that was not answered with 2xx, why. */
  readonly reset?: { readonly ok: boolean; readonly reason?: string };
  readonly salted?: boolean;
}

export interface StageFigures {
  /** "8 rps". */
  readonly load: string;
  /** Of each metric key, as it is kept: seconds, not milliseconds. */
  readonly values: Readonly<Record<string, number>>;
}

export interface SlotResult {
  readonly folder: string;
  readonly startedAt: string;
  readonly seconds: number;
  /** Outside its health: kept, counted nowhere, and its block is repeated. */
  readonly void?: readonly string[];
  readonly stages: readonly StageFigures[];
  readonly requests: number;
  readonly outputTokens?: number;
  readonly lagP99Seconds?: number;
  readonly failuresPercent: number;
  /** 0..1 of prompt tokens; absent where nobody says it. */
  readonly cachedShare?: number;
  readonly promptsHash?: string;
  readonly preparation: Preparation;
}

export type JournalEntry =
  | { readonly type: 'opened'; readonly at: string; readonly hash: string }
  | { readonly type: 'started'; readonly slot: string; readonly attempt: number; readonly at: string }
  | { readonly type: 'ended'; readonly slot: string; readonly attempt: number; readonly result: SlotResult }
  | { readonly type: 'failed'; readonly slot: string; readonly attempt: number; readonly reason: string }
  /** Looked at, once: after so many whole blocks. */
  | { readonly type: 'look'; readonly blocks: number; readonly settled: boolean }
  /** Stein's second stage, fixed once. */
  | { readonly type: 'size'; readonly blocks: number }
  | { readonly type: 'closed'; readonly at: string; readonly why: 'looks' | 'budget' | 'void' };

/** Lines that are whole; the last one of a killed run may not be. */
export function readJournal(text: string): JournalEntry[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.flatMap((line, i): JournalEntry[] => {
    try {
      return [JSON.parse(line) as JournalEntry];
    } catch (error) {
      if (i === lines.length - 1) return [];
      throw new Error(`line ${i + 1} of the journal is damaged`, { cause: error });
    }
  });
}

export interface Progress {
  readonly ended: ReadonlyMap<string, SlotResult>;
  /** Times a slot was begun. */
  readonly attempts: ReadonlyMap<string, number>;
  readonly looks: readonly number[];
  readonly settled: boolean;
  /** Blocks after Stein's pilot. */
  readonly size?: number;
  readonly closed?: Extract<JournalEntry, { type: 'closed' }>['why'];
  /** Seconds of all slots that ended. */
  readonly seconds: number;
}

export function progressOf(entries: readonly JournalEntry[]): Progress {
  const ended = new Map<string, SlotResult>();
  const attempts = new Map<string, number>();
  const looks: number[] = [];
  let settled = false;
  let size: number | undefined;
  let closed: Progress['closed'];
  for (const entry of entries) {
    if (entry.type === 'started') attempts.set(entry.slot, entry.attempt);
    if (entry.type === 'ended') ended.set(entry.slot, entry.result);
    if (entry.type === 'look') {
      looks.push(entry.blocks);
      settled ||= entry.settled;
    }
    if (entry.type === 'size') size = entry.blocks;
    if (entry.type === 'closed') closed = entry.why;
  }
  return {
    ended,
    attempts,
    looks,
    settled,
    ...(size === undefined ? {} : { size }),
    ...(closed === undefined ? {} : { closed }),
    seconds: [...ended.values()].reduce((sum, { seconds }) => sum + seconds, 0),
  };
}

/** Slots of one block that all ended, in their order; undefined where one is missing or void. */
export function wholeBlock(
  slots: readonly Slot[],
  { ended }: Progress,
): readonly { readonly slot: Slot; readonly result: SlotResult }[] | undefined {
  const found = slots.map((slot) => ({ slot, result: ended.get(slot.id) }));
  if (found.some(({ result }) => result === undefined || result.void !== undefined)) return undefined;
  return found.map(({ slot, result }) => ({ slot, result: result! }));
}
