// The few facts of a report folder that lists and pickers show, from its two small files; and what they tell of two runs.
import { QUANTITIES } from '../metrics/quantities';
import { counted, significant, whole } from '../figures';
import { isObject } from '../own';

/** Everything is optional: a folder may be anyone's, half written, or damaged. */
export interface RunFacts {
  readonly name: string;
  /** As the run was called with it: relative to the folder it was started in. */
  readonly configFile?: string;
  /** Of another tool's file. */
  readonly tool?: string;
  readonly state: 'complete' | 'incomplete' | 'running' | 'unknown';
  readonly startedAt?: string;
  readonly endpoint?: string;
  readonly model?: string;
  readonly load?: string;
  readonly warmup?: string;
  readonly outputCounter?: string;
  readonly ttftP95Seconds?: number;
  readonly counts?: { readonly planned: number; readonly ok: number };
}

type Json = Readonly<Record<string, unknown>>;

/**
 * @param folderName last part of the folder's path, the name when nothing better is recorded
 * @param manifest text of run.json, when there is one
 * @param summary text of summary_lifecycle_metrics.json, when there is one
 */
export function runFacts(folderName: string, manifest: string | undefined, summary: string | undefined): RunFacts {
  const run = parse(manifest);
  const report = parse(summary);
  const endpoint = object(run?.['endpoint']);
  const state = text(run?.['state']);
  const counts = object(run?.['counts']);
  const planned = number(counts?.['planned']);
  const ok = number(counts?.['ok']);
  const facts: Record<string, unknown> = {
    name: text(run?.['name']) ?? folderName,
    configFile: text(object(run?.['config'])?.['file']),
    state: state === 'complete' || state === 'incomplete' || state === 'running' ? state : 'unknown',
    startedAt: text(object(run?.['clock'])?.['startedAt']),
    endpoint: text(endpoint?.['baseUrl']),
    model: text(endpoint?.['model']),
    load: run ? loadFact(run['stages']) : undefined,
    warmup: run ? warmupFact(object(run['window'])) : undefined,
    outputCounter: text(object(object(run?.['tokens'])?.['output'])?.['source']),
    ttftP95Seconds: number(dig(report, 'successes', 'latency', 'time_to_first_token', 'p95')),
    counts: planned !== undefined && ok !== undefined ? { planned, ok } : undefined,
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as unknown as RunFacts;
}

function loadFact(stages: unknown): string | undefined {
  if (!Array.isArray(stages)) return undefined;
  const measured = stages.map(object).filter((stage) => stage !== undefined && stage['warmup'] !== true) as Json[];
  const loads = measured.map((stage) => {
    const concurrency = number(stage['requestedConcurrency']);
    if (concurrency !== undefined) return `${concurrency} concurrent`;
    const rate = number(stage['requestedRateRps']);
    return rate === undefined ? undefined : `${significant(rate).replace(/\.0+$/, '')} rps`;
  });
  const [first, last] = [loads[0], loads.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return first === last ? first : `${first.replace(/ rps$/, '')} → ${last}`;
}

function warmupFact(window: Json | undefined): string | undefined {
  const stages = window?.['warmupStages'];
  if (!Array.isArray(stages)) return undefined;
  return stages.length === 0 ? 'no warm-up' : counted(stages.length, 'warm-up stage');
}

/**
 * "chat-8b · 11-29 16:54", in this machine's time: what tells runs of one list apart. Seconds only where two would be called the same.
 */
export function runLabel(facts: RunFacts, among: readonly RunFacts[] = []): string {
  const label = (one: RunFacts, withSeconds: boolean): string => {
    const time = one.startedAt === undefined ? undefined : localTime(one.startedAt, withSeconds);
    return time === undefined ? one.name : `${one.name} · ${time}`;
  };
  const short = label(facts, false);
  const namesakes = among.filter((other) => other !== facts && label(other, false) === short);
  return label(facts, namesakes.length > 0);
}

/** "11-29 16:54:03"; undefined for a time that is written in a way of its own. */
function localTime(iso: string, withSeconds: boolean): string | undefined {
  const at = /^\d{4}-\d{2}-\d{2}T/.test(iso) ? new Date(iso) : undefined;
  if (!at || Number.isNaN(at.getTime())) return undefined;
  const two = (value: number): string => String(value).padStart(2, '0');
  const seconds = withSeconds ? `:${two(at.getSeconds())}` : '';
  return `${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}${seconds}`;
}

/** "10 rps · TTFT p95 58.1 ms"; of another tool with its name. */
export function factsLine(facts: RunFacts): string {
  const parts = [
    facts.tool,
    facts.load,
    facts.ttftP95Seconds === undefined
      ? undefined
      : `${QUANTITIES.ttft.label} p95 ${significant(facts.ttftP95Seconds * 1000)} ms`,
  ];
  return parts.filter((part) => part !== undefined).join(' · ');
}

export function stateWords({ state, counts }: RunFacts): string {
  switch (state) {
    case 'complete':
      return counts ? `complete, ${whole(counts.ok)} of ${whole(counts.planned)} ok` : 'complete';
    case 'incomplete':
      return 'incomplete: stopped before its end';
    case 'running':
      return 'running, or ended without a word';
    case 'unknown':
      return 'not written by IsoPerf: its state is not recorded';
  }
}

const COMPARED: readonly { readonly key: keyof RunFacts; readonly label: string }[] = [
  { key: 'endpoint', label: 'endpoint' },
  { key: 'model', label: 'model' },
  { key: 'load', label: 'load' },
  { key: 'warmup', label: 'warm-up' },
  { key: 'outputCounter', label: 'token source' },
];

export interface FirstSight {
  /** "load: 10 rps → 20 rps". */
  readonly differs: readonly string[];
  /** Recorded on both sides, and equal. */
  readonly alike: readonly string[];
}

/** What two small files tell of both runs; what only one of them records is no difference. No verdict either way. */
export function firstSight(before: RunFacts, after: RunFacts): FirstSight {
  const known = COMPARED.flatMap(({ key, label }) => {
    const [a, b] = [before[key], after[key]] as [string | undefined, string | undefined];
    // Each tool has words of its own for one load.
    const isOtherWords = key === 'load' && before.tool !== after.tool;
    return a === undefined || b === undefined || isOtherWords ? [] : [{ label, a, b }];
  });
  return {
    differs: known.filter(({ a, b }) => a !== b).map(({ label, a, b }) => `${label}: ${a} → ${b}`),
    alike: known.filter(({ a, b }) => a === b).map(({ label }) => label),
  };
}

/** "differs in load: 10 rps → 20 rps"; "not compared yet (same endpoint, model)". */
export function firstSightWords({ differs, alike }: FirstSight): string {
  if (differs.length > 0) return `differs in ${differs.join('; ')}`;
  return alike.length === 0 ? 'not compared yet' : `not compared yet (same ${alike.join(', ')})`;
}

function parse(source: string | undefined): Json | undefined {
  if (source === undefined) return undefined;
  try {
    return object(JSON.parse(source));
  } catch {
    return undefined;
  }
}

function object(value: unknown): Json | undefined {
  return isObject(value) ? value : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function dig(value: unknown, ...keys: readonly string[]): unknown {
  let at: unknown = value;
  for (const key of keys) at = object(at)?.[key];
  return at;
}
