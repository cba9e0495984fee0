// What the check of a config reports, and the few questions that several checks ask.
import type { LoadedConfig } from '../config/load';
import type { ConfigPath, Severity } from '../problem';

export interface Hit {
  readonly severity: Exclude<Severity, 'error'>;
  readonly path: ConfigPath;
  /** With this file's own figures; absent: the entry's consequence. */
  readonly message?: string;
  readonly remedy?: string;
  /** Values the judgement rests on; when one of them is a placeholder the hit is dropped. */
  readonly restsOn?: readonly ConfigPath[];
  /** True of whatever a placeholder at the path will be. */
  readonly ofAnyValue?: true;
}

export type Check = (loaded: LoadedConfig) => readonly Hit[];

export function warning(path: ConfigPath, more: Omit<Partial<Hit>, 'path' | 'severity'> = {}): Hit {
  return { severity: 'warning', path, ...more };
}

export function note(path: ConfigPath, more: Omit<Partial<Hit>, 'path' | 'severity'> = {}): Hit {
  return { severity: 'information', path, ...more };
}

export interface StagePlan {
  readonly index: number;
  readonly warmup: boolean;
  /** Requests the stage will send, as upstream counts them; undefined for traces and sessions. */
  readonly requests: number | undefined;
}

/** Requests per stage: the whole part of rate x duration, or num_requests. */
export function stagePlans({ config: { load }, warmupStages }: LoadedConfig): readonly StagePlan[] {
  const plan = (index: number, requests: number | undefined): StagePlan => ({
    index,
    warmup: warmupStages.has(index),
    requests,
  });
  if (load.type === 'concurrent') return load.stages.map((stage, index) => plan(index, stage.num_requests));
  if (load.type === 'constant' || load.type === 'poisson')
    return load.stages.map((stage, index) => plan(index, Math.floor(stage.rate * stage.duration)));
  return load.stages.map((_stage, index) => plan(index, undefined));
}

export const STAGES = ['load', 'stages'] as const;

export function stagePath(index: number, key?: string): ConfigPath {
  return key === undefined ? ['load', 'stages', index] : ['load', 'stages', index, key];
}

/** Three significant digits. */
export function round(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/**
 * The first stage has the load of the second and looks like its warm-up: other loads follow, or it is the shorter one. Stages that
 * repeat a load again and again are repeated measurements.
 */
export function repeatsFirst([first, second, third]: readonly object[]): boolean {
  if (first === undefined || second === undefined || !sameLoad(first, second)) return false;
  if (third !== undefined) return !sameLoad(second, third);
  const [short, long] = [lengthOf(first), lengthOf(second)];
  return short !== undefined && long !== undefined && short < long;
}

/** Seconds or requests. */
function lengthOf(stage: object): number | undefined {
  const { duration, num_requests: requests } = stage as { readonly duration?: number; readonly num_requests?: number };
  return duration ?? requests;
}

export function sameLoad(left: object, right: object): boolean {
  const keys = ['rate', 'concurrency_level', 'concurrent_sessions'] as const;
  const value = (stage: object, key: string): unknown => (stage as Record<string, unknown>)[key];
  return keys.some((key) => typeof value(left, key) === 'number' && value(left, key) === value(right, key));
}

/** The section of the trace that is replayed, and where it stands. */
export function replayOf({ data }: LoadedConfig['config']) {
  const { type } = data;
  if (type !== 'otel_trace_replay' && type !== 'weka_trace_replay') return undefined;
  const block = data[type];
  return block ? { path: ['data', type], block } : undefined;
}

/** The media sections that the data type really generates from, and where they stand. */
export function mediaOf({ config: { data } }: LoadedConfig) {
  const own = data.type === 'synthetic' || data.type === 'shared_prefix' ? data.multimodal : null;
  const prefix = data.type === 'shared_prefix' ? data.shared_prefix?.multimodal : null;
  return [
    ...(own ? [{ path: ['data', 'multimodal'], value: own, isPrefix: false }] : []),
    ...(prefix ? [{ path: ['data', 'shared_prefix', 'multimodal'], value: prefix, isPrefix: true }] : []),
  ];
}
