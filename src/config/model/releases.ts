// How a version reads a config that the newest would judge by today's model: what it ignores, and what it does not know yet.
// Facts: upstream's config models at each tag (git history of inference_perf/config*); measured answers in ../shared/oracle.
// The values are pruned of what the release ignores; what is left is judged by the newest model, minus the checks that came later.
import type * as z from 'zod';
import { formatPath, type ConfigPath } from '../../problem';
import { cores, fieldAt, isOtherLoadShape, type FieldInfo } from './fields';
import { valueAt, type KeyFix } from './issues';
import { isForeign, NON_STRING_KEY, Placeholder, type EnumValue } from './lax';
import { configSchema } from './schema';
import { adviseKey } from './suggest';
import { exactSum, plainSum } from './sums';
import { has, targetName, type Target } from './target';
import { isObject } from '../../own';

type Schema = z.ZodType;
type Shape = Readonly<Record<string, Schema>>;
type Mapping = Readonly<Record<string, unknown>>;

/** A key that is read over in silence or stops the version, or a value it cannot read. */
export interface ReleaseFinding {
  readonly kind: 'ignored' | 'newer' | 'word' | 'shape' | 'sum';
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

const ROOT: readonly Schema[] = [configSchema];

/** Reads values as the target does. Placeholders and values of the wrong kind are left for the model to judge. */
export function readAs(target: Target, values: unknown): ReleaseReading {
  const state: State = { target, loadType: loadTypeOf(values), findings: [], more: 0 };
  const pruned = readValue(ROOT, values, [], state);
  if (!has(target, 'v0.7.0')) checkShares(pruned, state);
  return { values: pruned, findings: state.findings, more: state.more };
}

/** The load type decides what a stage is; what is missing or unknown counts as an open loop, as upstream does. */
function loadTypeOf(values: unknown): string {
  const load = isMapping(values) ? values['load'] : undefined;
  const type = isMapping(load) ? load['type'] : undefined;
  return type === 'concurrent' || type === 'trace_session_replay' ? type : 'constant';
}

function isMapping(value: unknown): value is Mapping {
  return isObject(value) && !isForeign(value) && !(value instanceof Placeholder);
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
const plans = new WeakMap<readonly Schema[], Plan>();

function kept<K extends object, T extends object>(cache: WeakMap<K, T>, key: K, make: () => T): T {
  const known = cache.get(key);
  if (known) return known;
  const made = make();
  cache.set(key, made);
  return made;
}

const metaOf = (schema: Schema): Meta => kept(metas, schema, () => (schema.meta() ?? {}) as Meta);
const shapeOf = (schema: Schema): Shape => (schema.def as { shape?: Shape }).shape ?? {};

/** What a list of schemas allows: words, entries of a list, keys of a mapping (which depend on the load type). */
interface Plan {
  readonly options: readonly Schema[];
  readonly hasWords: boolean;
  readonly items: readonly Schema[];
  readonly mappings: Map<string, MappingPlan>;
}

interface MappingPlan {
  readonly objects: readonly Schema[];
  /** By name and by alias. */
  readonly fields: ReadonlyMap<string, PlannedField>;
}

interface PlannedField {
  /** Of the first of the objects that has it. */
  readonly field: FoundField;
  readonly since: string | undefined;
  readonly schemas: readonly Schema[];
}

function planOf(schemas: readonly Schema[]): Plan {
  return kept(plans, schemas, () => {
    const options = schemas.flatMap(cores);
    return {
      options,
      hasWords: options.some((option) => metaOf(option).enumValues !== undefined),
      items: options.flatMap((option) => (option.def as { element?: Schema }).element ?? []),
      mappings: new Map(),
    };
  });
}

function mappingPlan({ options, mappings }: Plan, loadType: string): MappingPlan {
  const known = mappings.get(loadType);
  if (known) return known;
  const objects = options.filter(
    (option) => option.def.type === 'object' && !isOtherLoadShape(shapeOf(option), loadType),
  );
  const names = objects.flatMap((object) =>
    Object.entries(shapeOf(object)).flatMap(([name, schema]) => [name, ...(metaOf(schema).aliases ?? [])]),
  );
  const fields = new Map<string, PlannedField>();
  for (const name of names) {
    const found = objects.flatMap((object) => fieldFor(shapeOf(object), name) ?? []);
    const field = found[0]!;
    fields.set(name, { field, since: sinceOf(field, name), schemas: found.map(({ schema }) => schema) });
  }
  const made = { objects, fields };
  mappings.set(loadType, made);
  return made;
}

/** `path` is the walk's own and changes with it: a finding takes a copy. A value that loses nothing is given back itself. */
function readValue(schemas: readonly Schema[], value: unknown, path: (string | number)[], state: State): unknown {
  if (typeof value !== 'string' && typeof value !== 'object') return value;
  const plan = planOf(schemas);
  if (typeof value === 'string') {
    if (plan.hasWords) checkWord(value, path, state);
    return value;
  }
  if (Array.isArray(value)) return plan.items.length === 0 ? value : readList(plan.items, value, path, state);
  if (!isMapping(value)) return value;
  const mapping = mappingPlan(plan, state.loadType);
  return mapping.objects.length === 0 ? value : readMapping(mapping, value, path, state);
}

function readList(
  items: readonly Schema[],
  value: readonly unknown[],
  path: (string | number)[],
  state: State,
): readonly unknown[] {
  const read: unknown[] = [];
  let changed = false;
  for (const [index, item] of value.entries()) {
    path.push(index);
    const entry = readValue(items, item, path, state);
    path.pop();
    if (entry !== item) changed = true;
    read.push(entry);
  }
  return changed ? read : value;
}

function readMapping(
  { objects, fields }: MappingPlan,
  value: Mapping,
  path: (string | number)[],
  state: State,
): Mapping {
  const keys = Object.keys(value);
  const kept = Object.create(null) as Record<string, unknown>;
  let changed = false;
  for (const key of keys) {
    const entry = value[key];
    const planned = fields.get(key);
    if (!planned) {
      if (keepsUnknown(objects, key, path, state)) kept[key] = entry;
      else {
        changed = true;
        if (state.findings.length < MAX_FINDINGS) ignore([...path, key], strangerWords(key, [...path], state), state);
        else state.more += 1;
      }
      continue;
    }
    const { field, since, schemas } = planned;
    if (!has(state.target, since)) {
      changed = true;
      const at = [...path, key];
      // Saved configs write every default out: what changes nothing is no news.
      if (isStrict(state.target)) refuseNewer(at, since, state);
      else if (!isDefault(field.schema, entry)) ignore(at, newcomerWords(at, since, state), state);
    } else if (isShadowed(field, key, value, state.target)) {
      changed = true;
      const remedy = 'Keep one of the two.';
      const why = `'${metaOf(field.schema).aliases![0]}' stands beside it and wins`;
      ignore([...path, key], { why, remedy }, state);
    } else {
      path.push(key);
      checkShape(field.schema, entry, path, state);
      const read = readValue(schemas, entry, path, state);
      path.pop();
      if (read !== entry) changed = true;
      kept[key] = read;
    }
  }
  return changed ? kept : value;
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
  return type === 'default' && textOf(defaultValue) === textOf(value);
}

/** JSON; numbers too large for it, which no default is, have a sign of their own. */
function textOf(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, entry: unknown) => (typeof entry === 'bigint' ? `${entry}n` : entry));
}

/** Both spellings of one field are given: lenient releases take the newer name and ignore the older; strict ones refuse. */
function isShadowed({ name, schema }: FoundField, key: string, value: Mapping, target: Target): boolean {
  const { aliases, aliasesSince } = metaOf(schema);
  if (isStrict(target) || key !== name || !has(target, aliasesSince)) return false;
  return aliases?.some((alias) => alias in value) === true;
}

/** Unknown keys that are left to be judged, because the target does not ignore them. */
function keepsUnknown(objects: readonly Schema[], key: string, path: ConfigPath, { target }: State): boolean {
  const strict = objects.some((object) => (object.def as { catchall?: unknown }).catchall !== undefined);
  if (!strict) return false;
  if (isStrict(target)) return true;
  const strictSince = objects.map((object) => metaOf(object).strictSince).find((since) => since !== undefined);
  if (strictSince !== undefined && has(target, strictSince)) return true;
  // Python passes the sections and, since v0.3.0, each stage as keyword arguments: a key that is not text cannot be one.
  const stage = path.length === 3 && path[0] === 'load' && path[1] === 'stages';
  return key.startsWith(NON_STRING_KEY) && (path.length === 0 || (stage && has(target, 'v0.3.0')));
}

function checkWord(value: string, path: ConfigPath, { target, findings }: State): void {
  const words = fieldAt(path)?.enumValues ?? {};
  const entry = Object.hasOwn(words, value) ? words[value] : undefined;
  if (!entry || has(target, entry.since)) return;
  const known = Object.keys(words).filter((name) => has(target, words[name]!.since));
  findings.push({
    kind: 'word',
    path: [...path],
    message: `${formatPath(path)} '${value}' came with ${entry.since}; inference-perf ${targetName(target)} stops at it.`,
    remedy: `Known there: ${known.join(', ')}.`,
  });
}

function checkShape(schema: Schema, value: unknown, path: ConfigPath, { target, findings }: State): void {
  const { mappingSince } = metaOf(schema);
  if (!isMapping(value) || has(target, mappingSince)) return;
  findings.push({
    kind: 'shape',
    path: [...path],
    message: `${formatPath(path)} can be a distribution since ${mappingSince}; inference-perf ${targetName(target)} wants a whole number and stops.`,
    remedy: 'Write a number.',
  });
}

/** Do unknown keys stop it? They do since main of August 2026. */
const isStrict = (target: Target): boolean => has(target, 'main');

/** A key that is newer than a version that stops at what it does not know. */
function refuseNewer(path: ConfigPath, since: string | undefined, { target, findings }: State): void {
  if (findings.length >= MAX_FINDINGS) return;
  findings.push({
    kind: 'newer',
    path,
    message: `${formatPath(path)} came with ${since}; inference-perf ${targetName(target)} does not know it and stops.`,
    remedy: `Use ${since} or newer, or remove it.`,
  });
}

/** Shares that only a sum without rounding errors, which v0.7.0's Python makes, adds up to 1. */
function checkShares(values: unknown, { target, findings }: State): void {
  const shares = valueAt(values, ['load', 'lora_traffic_split']);
  if (!Array.isArray(shares)) return;
  const splits = shares.map((share) => valueAt(share, ['split'])).filter((split) => typeof split === 'number');
  if (splits.length < shares.length || exactSum(splits) !== 1 || plainSum(splits) === 1) return;
  findings.push({
    kind: 'sum',
    path: ['load', 'lora_traffic_split'],
    message: `load.lora_traffic_split has shares that inference-perf ${targetName(target)}, adding them one by one, finds to be ${plainSum(splits)} and not 1.`,
    remedy: 'Use v0.7.0 or newer, or shares such as 0.25 or 0.5.',
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
  const message = `inference-perf ${targetName(target)} ignores '${shown}' ${parent} in silence: ${why}.`;
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
