// The folder of an experiment: the frozen plan, the journal that survives a kill, the slots' report folders, and who is at work in it.
import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { jsonText } from '../figures';
import { jsonFile, writeWhole } from '../folder/write-folder';
import { readJournal, type JournalEntry } from '../experiment/journal';

export const PLAN_FILE = 'plan.json';
const JOURNAL_FILE = 'journal.jsonl';
const LOCK_FILE = 'lock';

/** What was fixed before the first slot: a digest of each part, none of the parts themselves. */
export interface FrozenPlan {
  readonly format: 'isoperf-experiment-plan';
  readonly version: 1;
  readonly hash: string;
  readonly tool: string;
  readonly frozenAt: string;
  /** Name of the experiment file, relative to this folder. */
  readonly file: string;
  /** sha256 by key of the file and by what it names. */
  readonly parts: Readonly<Record<string, string>>;
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** @param parts texts or values by name; their order does not matter */
export function freeze(parts: Readonly<Record<string, unknown>>): Pick<FrozenPlan, 'hash' | 'parts'> {
  const digests = Object.fromEntries(
    Object.keys(parts)
      .sort()
      .map((name) => [name, sha256(jsonText(sorted(parts[name])))]),
  );
  return { hash: sha256(JSON.stringify(digests)), parts: digests };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value ?? null;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => [key, sorted(entry)]),
  );
}

/** Names of the parts that are not what was frozen. */
export function changedParts(frozen: FrozenPlan, now: Pick<FrozenPlan, 'parts'>): string[] {
  const names = new Set([...Object.keys(frozen.parts), ...Object.keys(now.parts)]);
  return [...names].filter((name) => frozen.parts[name] !== now.parts[name]).sort();
}

export function readPlan(folder: string): FrozenPlan | undefined {
  const file = path.join(folder, PLAN_FILE);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as FrozenPlan) : undefined;
}

export function readEntries(folder: string): JournalEntry[] {
  const file = path.join(folder, JOURNAL_FILE);
  return existsSync(file) ? readJournal(readFileSync(file, 'utf8')) : [];
}

/** Owns the folder of an experiment while it runs: one process at a time writes its journal. */
export class ExperimentFolder {
  private constructor(
    readonly folder: string,
    private readonly handle: number,
  ) {}

  /** A number: the process that is at work in it. Throws what the file system throws. */
  static open(folder: string, plan: FrozenPlan): ExperimentFolder | number {
    mkdirSync(path.join(folder, 'slots'), { recursive: true });
    const other = lock(path.join(folder, LOCK_FILE));
    if (other !== undefined) return other;
    if (!existsSync(path.join(folder, PLAN_FILE))) writeWhole(path.join(folder, PLAN_FILE), jsonFile(plan));
    const journal = path.join(folder, JOURNAL_FILE);
    mendLastLine(journal);
    return new ExperimentFolder(folder, openSync(journal, 'a'));
  }

  /** On the disk when this returns: what a kill finds is what happened. */
  write(entry: JournalEntry): void {
    writeSync(this.handle, `${JSON.stringify(entry)}\n`);
    fsyncSync(this.handle);
  }

  close(): void {
    closeSync(this.handle);
    rmSync(path.join(this.folder, LOCK_FILE), { force: true });
  }
}

/** Half a line of a killed run is cut off, so that the next line stands alone. */
function mendLastLine(file: string): void {
  if (!existsSync(file)) return;
  const text = readFileSync(file, 'utf8');
  const end = text.lastIndexOf('\n') + 1;
  if (end < text.length) writeWhole(file, text.slice(0, end));
}

/** The process that holds it, if it lives. */
function lock(file: string): number | undefined {
  try {
    const handle = openSync(file, 'wx');
    writeSync(handle, String(process.pid));
    closeSync(handle);
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const holder = Number(readFileSync(file, 'utf8'));
  if (holder > 0 && holder !== process.pid && isAlive(holder)) return holder;
  rmSync(file, { force: true });
  return lock(file);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
