// The cases that lie beside each pitfall: where it fires and, as close as possible, where it must not, place by place.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { compare, type CompareOptions } from '../../../src/comparability/compare';
import type { Comparison } from '../../../src/comparability/comparison';
import type { RunManifest } from '../../../src/folder/manifest';
import type { StackRecord } from '../../../src/folder/stack';
import { readRun } from '../../../src/readers/read';
import type { Run } from '../../../src/readers/run';
import { memoryFolder } from '../support/memory-folder';
import { LIFECYCLE, merge, perfFolder, type Patch, type PerfFolder } from '../support/perf-folder';
import { syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

export const CATALOGUE = path.resolve(import.meta.dirname, '../../../src/pitfalls/catalogue');

/** A run of ours out of thin air, and what is changed in it. */
interface OwnRun {
  readonly synthetic: SyntheticOptions;
  readonly manifest?: Patch;
  readonly config?: Patch;
  readonly stack?: StackRecord;
}

/** A file of another tool. */
interface ForeignFile {
  readonly file: string;
  readonly text: string;
}

/** inference-perf's honest run with changes (`(absent)`: the key is not there), one of ours, or another tool's file. */
export type Source = PerfFolder | OwnRun | ForeignFile | Run;

interface PairCase {
  readonly a: Source;
  readonly b: Source;
  readonly options?: { readonly repeatsA?: readonly Source[]; readonly repeatsB?: readonly Source[] };
}

interface Cases {
  readonly config?: { readonly at: string; readonly fires: string; readonly silent: string };
  readonly report?: { readonly fires: PerfFolder; readonly silent: PerfFolder };
  readonly pair?: { readonly fires: PairCase; readonly silent: PairCase };
}

export type Place = keyof Cases;

function read(name: string): Cases {
  const absent = (_key: unknown, value: unknown): unknown => {
    if (value === '(absent)') return undefined;
    if (value === '(honest)') return LIFECYCLE;
    if (Array.isArray(value)) return value.map((entry) => absent('', entry));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, absent(key, entry)]));
  };
  return absent('', parse(readFileSync(path.join(CATALOGUE, name), 'utf8'))) as Cases;
}

const ALL = readdirSync(CATALOGUE)
  .filter((name) => name.endsWith('.cases.yaml'))
  .sort()
  .map((name) => [name.slice(0, 6), read(name)] as const);

/** [code, its cases in that place]. */
export function casesOf<P extends Place>(place: P): readonly (readonly [string, NonNullable<Cases[P]>])[] {
  return ALL.flatMap(([code, cases]) => {
    const own = cases[place];
    return own === undefined ? [] : [[code, own] as const];
  });
}

export async function runOf(source: Source): Promise<Run> {
  if ('tool' in source) return source;
  if ('synthetic' in source) return ownRun(source);
  const files = 'text' in source ? { [source.file]: source.text } : perfFolder(source);
  const result = await readRun(memoryFolder(files));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

function ownRun({ synthetic, manifest = {}, config = {}, stack }: OwnRun): Run {
  const run = syntheticRun({
    ...synthetic,
    manifest: (own) => merge(own, manifest) as unknown as RunManifest,
  });
  return { ...run, config: merge(run.config!, config), ...(stack ? { stack } : {}) };
}

export async function compared({ a, b, options = {} }: PairCase): Promise<Comparison> {
  const repeats: { repeatsA?: readonly Run[]; repeatsB?: readonly Run[] } = {};
  if (options.repeatsA) repeats.repeatsA = await Promise.all(options.repeatsA.map(runOf));
  if (options.repeatsB) repeats.repeatsB = await Promise.all(options.repeatsB.map(runOf));
  const given: CompareOptions = { resamples: 20, ...repeats };
  return compare(await runOf(a), await runOf(b), given);
}

/** The honest run that a report is compared with. */
export const HONEST: PerfFolder = { stages: [{}], config: {} };
