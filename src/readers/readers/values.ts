// Small tools of the readers: safe access to values of unknown shape, and building measures with their provenance.
import { jsonText } from '../../figures';
import { percentileKey } from '../../metrics/statistics';
import type { Definition, Measure, QuantityId, Statistics } from '../canonical';
import { isObject, own } from '../../own';

export type Json = Readonly<Record<string, unknown>>;

/** A finite number; numbers written as text (llmperf's min and max) only when asked for. */
export function numberOf(value: unknown, alsoText = false): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (alsoText && typeof value === 'string' && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value.trim())) {
    return Number(value);
  }
  return undefined;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Walks objects and lists; undefined as soon as a step is missing. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value;
  for (const step of path) {
    if (Array.isArray(here) && typeof step === 'number') here = here[step] as unknown;
    else if (isObject(here) && typeof step === 'string' && Object.hasOwn(here, step)) here = here[step];
    else return undefined;
  }
  return here;
}

export function numberAt(value: unknown, ...path: readonly (string | number)[]): number | undefined {
  return numberOf(at(value, ...path));
}

export function textAt(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  return textOf(at(value, ...path));
}

export function hasAll(value: Json, keys: readonly string[]): boolean {
  return keys.every((key) => Object.hasOwn(value, key));
}

/** `p` and the number, for 50 too: `p50`, `p99.9`. */
export function quantileKey(percent: number): string {
  return percent === 50 ? 'p50' : percentileKey(percent);
}

const NAMES: Readonly<Record<string, string>> = {
  avg: 'mean',
  average: 'mean',
  median: 'p50',
  std: 'stdDev',
  stddev: 'stdDev',
  std_dev: 'stdDev',
  sum: 'total',
  total_sum: 'total',
};

/**
 * A block of statistics in any tool's spelling -> ours, times `factor`. `median` -> `p50`, `avg` -> `mean`, `p99p9` and
 * `p99_9` -> `p99.9`, `std` -> `stdDev`. Values that are not finite numbers are left out; variance and mode too.
 */
export function statisticsOf(block: unknown, factor: number): Statistics | undefined {
  if (!isObject(block)) return undefined;
  const stats: Record<string, number> = {};
  for (const [name, value] of Object.entries(block)) {
    const key = statisticKey(name);
    const number = numberOf(value);
    if (key !== undefined && number !== undefined) stats[key] = number * factor;
  }
  return Object.keys(stats).length > 0 ? stats : undefined;
}

function statisticKey(name: string): string | undefined {
  if (['mean', 'min', 'max', 'total'].includes(name)) return name;
  const known = Object.hasOwn(NAMES, name) ? own(NAMES, name) : undefined;
  if (known !== undefined) return known;
  const match = /^p(\d{1,2}|100)(?:[._p](\d+))?$/.exec(name);
  if (!match) return undefined;
  return quantileKey(Number(match[2] === undefined ? match[1] : `${match[1]}.${match[2]}`));
}

export interface MeasureOptions {
  readonly file: string;
  readonly key: string;
  readonly factor?: number;
  readonly definition?: Definition;
  readonly count?: number | undefined;
  readonly derived?: string;
}

/** A measure, or none when there are no statistics. */
export function measure(
  quantity: QuantityId,
  stats: Statistics | undefined,
  { file, key, factor = 1, definition = {}, count, derived }: MeasureOptions,
): readonly Measure[] {
  if (stats === undefined || Object.keys(stats).length === 0) return [];
  return [
    {
      quantity,
      stats,
      source: { file, key, factor },
      definition,
      ...(count === undefined ? {} : { count }),
      ...(derived === undefined ? {} : { derived }),
    },
  ];
}

/** A measure of one number. */
export function single(quantity: QuantityId, value: number | undefined, options: MeasureOptions): readonly Measure[] {
  return value === undefined ? [] : measure(quantity, { value: value * (options.factor ?? 1) }, options);
}

/** Drops undefined members, so that optional properties are absent and not undefined. */
export function compact<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as T;
}

/** A value as one short line for a list of facts. */
export function shown(value: unknown): string {
  if (value === undefined) return 'not recorded';
  const text = typeof value === 'string' ? value : jsonText(value);
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}
