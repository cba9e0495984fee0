// How a release reads a config that main would judge by today's model: what it ignores, and what it does not know yet.
// Facts: upstream's config models at each tag (git history of inference_perf/config*); measured answers in ../shared/oracle.
// The values are pruned of what the release ignores; what is left is judged by main's model, minus the checks that came later.
import type * as z from 'zod';
import { formatPath, type ConfigPath } from '../problem';
import { cores, fieldAt, isOtherLoadShape, type FieldInfo } from './fields';
import type { KeyFix } from './issues';
import { isForeign, NON_STRING_KEY, Placeholder, type EnumValue } from './lax';
import { configSchema } from './schema';
import { adviseKey } from './suggest';
import { has, type Target } from './target';

type Schema = z.ZodType;
type Shape = Readonly<Record<string, Schema>>;
type Mapping = Readonly<Record<string, unknown>>;

/** A key that is read over in silence, or a value the release cannot read. */
export interface ReleaseFinding {
  readonly kind: 'ignored' | 'word' | 'shape';
  readonly path: ConfigPath;
  readonly message: string;
  readonly remedy: string;
  readonly fix?: KeyFix;
}

export interface ReleaseReading {
  /** The values without what the target ignores. */
  readonly values: unknown;
  readonly findings: readonly ReleaseFinding[];
  /** How many ignored keys are not listed, because there are so many. */
  readonly more: number;
}

interface State {
  readonly target: Target;
  readonly loadType: string;
  readonly findings: ReleaseFinding[];
  more: number;
}

/** Reads values as the target does. Placeholders and values of the wrong kind are left for the model to judge. */
export function readAs(target: Target, values: unknown): ReleaseReading {
  const state: State = { target, loadType: loadTypeOf(values), findings: [], more: 0 };
  const pruned = readValue([configSchema], values, [], state);
  return { values: pruned, findings: state.findings, more: state.more };
}

/** The load type decides what a stage is; what is missing or unknown counts as an open loop, as upstream does. */
function loadTypeOf(values: unknown): string {
  const load = isMapping(values) ? values['load'] : undefined;
  const type = isMapping(load) ? load['type'] : undefined;
  return type === 'concurrent' || type === 'trace_session_replay' ? type : 'constant';
}

function isMapping(value: unknown): value is Mapping {
  const object = typeof value === 'object' && value !== null && !Array.isArray(value);
  return object && !isForeign(value) && !(value instanceof Placeholder);
}

interface Meta {
  readonly since?: string;
  readonly aliases?: readonly string[];
  readonly aliasesSince?: string;
  readonly mappingSince?: string;
  readonly strictSince?: string;
  readonly enumValues?: Readonly<Record<string, EnumValue>>;
}

// The walk asks the same few schemas for each of many stages: what they say is kept.
const metas = new WeakMap<Schema, Meta>();
const coresKnown = new WeakMap<Schema, readonly Schema[]>();

function kept<T extends object>(cache: WeakMap<Schema, T>, schema: Schema, make: () => T): T {
  const known = cache.get(schema);
  if (known) return known;
  const made = make();
  cache.set(schema, made);
  return made;
}

const metaOf = (schema: Schema): Meta => kept(metas, schema, () => (schema.meta() ?? {}) as Meta);
const optionsOf = (schema: Schema): readonly Schema[] => kept(coresKnown, schema, () => cores(schema));
const shapeOf = (schema: Schema): Shape => (schema.def as { shape?: Shape }).shape ?? {};

function readValue(schemas: readonly Schema[], value: unknown, path: ConfigPath, state: State): unknown {
  if (typeof value !== 'string' && typeof value !== 'object') return value;
  const options = schemas.flatMap(optionsOf);
  if (typeof value === 'string') checkWord(options, value, path, state);
  if (Array.isArray(value)) {
    const items = options.flatMap((option) => (option.def as { element?: Schema }).element ?? []);
    return items.length === 0 ? value : value.map((item, index) => readValue(items, item, [...path, index], state));
  }
  if (!isMapping(value)) return value;
  const objects = options.filter(
    (option) => option.def.type === 'object' && !isOtherLoadShape(shapeOf(option), state.loadType),
  );
  return objects.length === 0 ? value : readMapping(objects, value, path, state);
}

function readMapping(objects: readonly Schema[], value: Mapping, path: ConfigPath, state: State): Mapping {
  const kept = Object.create(null) as Record<string, unknown>;
  for (const [key, entry] of Object.entries(value)) {
    const at = [...path, key];
    const fields = objects.flatMap((object) => fieldFor(shapeOf(object), key) ?? []);
    const [field] = fields;
    const since = field && sinceOf(field, key);
    if (!field) {
      if (keepsUnknown(objects, key, path, state)) kept[key] = entry;
      else if (state.findings.length < MAX_FINDINGS) ignore(at, strangerWords(key, path, state), state);
      else state.more += 1;
    } else if (!has(state.target, since)) {
      // Saved configs write every default out: what changes nothing is no news.
      if (!isDefault(field.schema, entry)) ignore(at, newcomerWords(at, since, state), state);
    } else if (isShadowed(field, key, value, state.target)) {
      const remedy = 'Keep one of the two.';
      ignore(at, { why: `'${metaOf(field.schema).aliases![0]}' stands beside it and wins`, remedy }, state);
    } else {
      checkShape(field.schema, entry, at, state);
      kept[key] = readValue(
        fields.map((each) => each.schema),
        entry,
        at,
        state,
      );
    }
  }
  return kept;
}

interface FoundField {
  readonly name: string;
  readonly schema: Schema;
}

function fieldFor(shape: Shape, key: string): FoundField | undefined {
  if (Object.hasOwn(shape, key)) return { name: key, schema: shape[key]! };
  const found = Object.entries(shape).find(([, schema]) => metaOf(schema).aliases?.includes(key));
  return found && { name: found[0], schema: found[1] };
}

function sinceOf({ name, schema }: FoundField, key: string): string | undefined {
  const { since, aliasesSince } = metaOf(schema);
  return key === name ? since : (aliasesSince ?? since);
}

function isDefault(schema: Schema, value: unknown): boolean {
  const { type, defaultValue } = schema.def as { type: string; defaultValue?: unknown };
  return type === 'default' && JSON.stringify(defaultValue) === JSON.stringify(value);
}

/** Both spellings of one field are given: releases take the newer name and ignore the older; main refuses. */
function isShadowed({ name, schema }: FoundField, key: string, value: Mapping, target: Target): boolean {
  const { aliases, aliasesSince } = metaOf(schema);
  if (target === 'main' || key !== name || !has(target, aliasesSince)) return false;
  return aliases?.some((alias) => alias in value) === true;
}

/** Unknown keys that are left to be judged, because the target does not ignore them. */
function keepsUnknown(objects: readonly Schema[], key: string, path: ConfigPath, { target }: State): boolean {
  const strict = objects.some((object) => (object.def as { catchall?: unknown }).catchall !== undefined);
  if (!strict) return false;
  if (target === 'main') return true;
  const strictSince = objects.map((object) => metaOf(object).strictSince).find((since) => since !== undefined);
  if (strictSince !== undefined && has(target, strictSince)) return true;
  // Python passes the sections and, since v0.3.0, each stage as keyword arguments: a key that is not text cannot be one.
  const stage = path.length === 3 && path[0] === 'load' && path[1] === 'stages';
  return key.startsWith(NON_STRING_KEY) && (path.length === 0 || (stage && has(target, 'v0.3.0')));
}

function checkWord(options: readonly Schema[], value: string, path: ConfigPath, { target, findings }: State): void {
  if (!options.some((option) => metaOf(option).enumValues !== undefined)) return;
  const words = fieldAt(path)?.enumValues ?? {};
  const entry = Object.hasOwn(words, value) ? words[value] : undefined;
  if (!entry || has(target, entry.since)) return;
  const known = Object.keys(words).filter((name) => has(target, words[name]!.since));
  findings.push({
    kind: 'word',
    path,
    message: `${formatPath(path)} '${value}' came with ${entry.since}; inference-perf ${target} stops at it.`,
    remedy: `Known there: ${known.join(', ')}.`,
  });
}

function checkShape(schema: Schema, value: unknown, path: ConfigPath, { target, findings }: State): void {
  const { mappingSince } = metaOf(schema);
  if (!isMapping(value) || has(target, mappingSince)) return;
  findings.push({
    kind: 'shape',
    path,
    message: `${formatPath(path)} can be a distribution since ${mappingSince}; inference-perf ${target} wants a whole number and stops.`,
    remedy: 'Write a number.',
  });
}

const MAX_FINDINGS = 50;

interface IgnoredWords {
  readonly why: string;
  readonly remedy: string;
  readonly fix?: KeyFix;
}

function ignore(path: ConfigPath, words: IgnoredWords, state: State): void {
  const { why, remedy, fix } = words;
  const { target, findings } = state;
  if (findings.length >= MAX_FINDINGS) {
    state.more += 1;
    return;
  }
  const shown = String(path.at(-1)).replace(NON_STRING_KEY, '');
  const parent = path.length === 1 ? 'at the top level' : `under ${formatPath(path.slice(0, -1))}`;
  const who = target === 'main' ? 'inference-perf' : `inference-perf ${target}`;
  const message = `${who} ignores '${shown}' ${parent} in silence: ${why}.`;
  findings.push({ kind: 'ignored', path, message, remedy, ...(fix === undefined ? {} : { fix }) });
}

/** A key that main knows and the release does not. */
function newcomerWords(path: ConfigPath, since: string | undefined, { loadType }: State): IgnoredWords {
  const field = fieldAt(path, loadType);
  const instead = field?.types.includes('mapping') === true || !field ? 'without it' : runsWith(field);
  return {
    why: `it came with ${since}, and the run goes on ${instead}`,
    remedy: `Use ${since} or newer, or remove it.`,
  };
}

/** A key that nobody knows: what was meant keeps its default. */
function strangerWords(key: string, path: ConfigPath, { loadType, target }: State): IgnoredWords {
  const plain: IgnoredWords = { why: 'the run goes on without it', remedy: 'Remove it.' };
  if (key.startsWith(NON_STRING_KEY)) return plain;
  const advice = adviseKey(key, path, loadType);
  if (!advice) return plain;
  const { rename, moveTo, remedy } = advice;
  const meant = rename === undefined ? moveTo : [...path, rename];
  const field = meant && fieldAt(meant, loadType);
  const fix: KeyFix = { ...(rename === undefined ? {} : { rename }), ...(moveTo === undefined ? {} : { moveTo }) };
  const instead =
    field && has(target, field.since) ? `${runsWith(field)}, unless that is written elsewhere` : 'without it';
  return { why: `the run goes on ${instead}`, remedy, fix };
}

/** What the run has instead of a value that was not read. */
function runsWith(field: FieldInfo): string {
  const name = field.path.length === 1 ? field.name : formatPath(field.path).replace(/\[0\]/g, '[]');
  if (field.whenAbsent !== undefined) return `with ${name} as ${field.whenAbsent}`;
  if (field.default !== undefined && field.default.value !== null)
    return `with ${name} ${JSON.stringify(field.default.value)}`;
  if (!field.types.includes('mapping') || field.default !== undefined) return `without ${name}`;
  const type = fieldAt([...field.path, 'type']);
  return `with the defaults of ${name}${type?.default === undefined ? '' : ` (type: ${String(type.default.value)})`}`;
}
