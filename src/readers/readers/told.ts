// What another tool's file says about its workload, put under the keys inference-perf's config has for it, each with its place.
import type { ConfigPath } from '../../problem';
import type { CanonicalReport, Told } from '../canonical';
import { compact, shown, type Json } from './values';
import { isObject } from '../../own';

/** Settings that several readers tell; inference-perf's config has no key for the law of arrivals, what bodies carried and what was left out. */
export const TOLD = {
  arrivalLaw: ['load', 'arrival_law'],
  parameters: ['api', 'parameters'],
  warmupRequests: ['load', 'warmup_requests'],
  warmupSeconds: ['load', 'warmup_seconds'],
  streaming: ['api', 'streaming'],
  goodput: ['report', 'goodput', 'constraints'],
} as const satisfies Readonly<Record<string, ConfigPath>>;

/** The load type and the law of a run that sends everything at its start. */
export const ALL_AT_ONCE = 'all at once';

/** @param entries path, value as it is to be compared, and the dotted key it was read at; those without a value are dropped */
export function toldBy(
  file: string,
  entries: readonly (readonly [path: ConfigPath, value: unknown, key: string])[],
): readonly Told[] {
  return entries.flatMap(([path, value, key]) =>
    value === undefined || value === null ? [] : [{ path, value, file, key }],
  );
}

/** Model, address and tokenizer of the report's head, as the same file says them of the workload. */
export function headOf(told: readonly Told[]): Pick<CanonicalReport, 'model' | 'endpoint' | 'tokenizer'> {
  const text = (path: string): string | undefined => {
    const found = told.find((entry) => entry.path.join('.') === path)?.value;
    return found === undefined ? undefined : shown(found);
  };
  return compact<{ model?: string; endpoint?: string; tokenizer?: string }>({
    model: text('server.model_name'),
    endpoint: text('server.base_url'),
    tokenizer: text('tokenizer.pretrained_model_name_or_path'),
  });
}

/** Body parameters, however they are written: an object, pairs, "a:b,c:d" words, JSON, and lists of any of these. */
export function parametersOf(extra: unknown): Json {
  const entries = isObject(extra)
    ? Object.entries(extra)
    : Array.isArray(extra)
      ? extra.flatMap(parametersIn)
      : parametersIn(extra);
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

function parametersIn(entry: unknown): [string, unknown][] {
  if (Array.isArray(entry)) return typeof entry[0] === 'string' ? [[entry[0], entry[1] as unknown]] : [];
  if (isObject(entry)) return Object.entries(entry);
  if (typeof entry !== 'string') return [];
  if (entry.trim().startsWith('{')) {
    try {
      return Object.entries(JSON.parse(entry) as Json);
    } catch {
      return [];
    }
  }
  // A comma parts two parameters only where a name follows it.
  return entry.split(/[,\s]+(?=[\w.]+:)/).flatMap((pair): [string, unknown][] => {
    const [, name, value] = /^([\w.]+):(.*)$/s.exec(pair.trim()) ?? [];
    return name === undefined || value === undefined ? [] : [[name, literal(value)]];
  });
}

/** Said by other keys, or not about sampling. */
const ELSEWHERE = new Set(
  'model prompt messages stream stream_options max_tokens max_completion_tokens min_tokens ignore_eos stop'.split(' '),
);

/** Of what was sent with each body, what decides how tokens are drawn. */
export function samplingOf(parameters: Json): Json {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !ELSEWHERE.has(name)));
}

export function literal(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** As a switch: true, "true" and 1 are on. Not said, it was not sent. */
export function switchOf(parameters: Json, name: string): boolean {
  return Object.hasOwn(parameters, name) && [true, 'true', 'True', 1].includes(parameters[name] as never);
}

/** Mean and spread with the names inference-perf has for them; undefined without a mean. */
export function lengthLaw(
  mean: number | undefined,
  spread: number | undefined,
  bounds: { readonly min?: number | undefined; readonly max?: number | undefined } = {},
): Json | undefined {
  if (mean === undefined) return undefined;
  return {
    mean,
    std_dev: spread ?? 0,
    ...(bounds.min === undefined ? {} : { min: bounds.min }),
    ...(bounds.max === undefined ? {} : { max: bounds.max }),
  };
}
