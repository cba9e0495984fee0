// The config model as JSON Schema (draft 2020-12), for editors and for a second opinion in tests.
// The zod model gives the verdict at run time; docs/decisions/001-zod-and-ajv.md says who does what.
// Written out here instead of by z.toJSONSchema, which knows neither coercing scalars nor our units, versions and aliases.
import type * as z from 'zod';
import { configSchema } from './schema';
import { distributionSchema } from './schema/distribution';
import { multimodalSchema } from './schema/multimodal';
import { traceSchema } from './schema/replay';
import { NEWEST } from './target';

type Json = Record<string, unknown>;
type Schema = z.ZodType;

interface Def {
  readonly type: string;
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly out?: Schema;
  readonly options?: readonly Schema[];
  readonly element?: Schema;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly catchall?: Schema;
  readonly valueType?: Schema;
  readonly defaultValue?: unknown;
}

/** Sections that stand in several places are written once. */
const SHARED: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [distributionSchema, 'distribution'],
  [multimodalSchema, 'multimodal'],
  [traceSchema, 'trace'],
]);

const ANNOTATIONS = [
  ['description', 'description'],
  ['unit', 'x-unit'],
  ['since', 'x-since'],
  ['whenAbsent', 'x-when-absent'],
  ['secret', 'x-secret'],
] as const;

const SCALAR_KEYS = ['type', 'enum', 'format', 'minimum', 'maximum', 'exclusiveMinimum'] as const;

/** The JSON Schema of what may be written in a config.yaml. */
export function configJsonSchema(): Json {
  const definitions: Json = {};
  for (const [schema, name] of SHARED) definitions[name] = core(schema as Schema, true);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:isoperf:inference-perf-config',
    title: `inference-perf config (${NEWEST})`,
    description:
      'Every section and field of an inference-perf config, with units, defaults and the version that introduced them.',
    ...core(configSchema, false),
    $defs: definitions,
  };
}

function annotated(schema: Schema): Json {
  const meta = schema.meta() ?? {};
  const notes: Json = {};
  for (const [from, to] of ANNOTATIONS) if (meta[from] !== undefined) notes[to] = meta[from];
  return { ...core(schema, false), ...notes };
}

function core(schema: Schema, inDefinitions: boolean): Json {
  const name = SHARED.get(schema);
  if (name !== undefined && !inDefinitions) return { $ref: `#/$defs/${name}` };
  const def = schema.def as Def;
  switch (def.type) {
    case 'default':
      return { ...core(def.innerType!, false), default: def.defaultValue };
    case 'prefault':
      return { ...core(def.innerType!, false), default: {} };
    case 'optional':
      return core(def.innerType!, false);
    case 'nullable':
      return orNull(core(def.innerType!, false));
    case 'union':
      return { anyOf: def.options!.map((option) => core(option, false)) };
    case 'array':
      return { type: 'array', items: core(def.element!, false), ...minItems(schema) };
    case 'record':
      return { type: 'object', additionalProperties: core(def.valueType!, false) };
    case 'object':
      return object(def);
    case 'pipe':
      return (def.in!.def as Def).type === 'transform' ? core(def.out!, false) : scalar(schema);
    default:
      return {};
  }
}

function scalar(schema: Schema): Json {
  const meta = schema.meta() ?? {};
  const json: Json = {};
  for (const key of SCALAR_KEYS) if (meta[key] !== undefined) json[key] = meta[key];
  const words = meta['enumValues'] as Readonly<Record<string, { readonly doc: string }>> | undefined;
  // Editors show these beside the words they complete.
  return words === undefined
    ? json
    : { ...json, markdownEnumDescriptions: Object.values(words).map((word) => word.doc) };
}

function orNull(json: Json): Json {
  if (typeof json['type'] === 'string' && json['type'] !== 'object' && json['enum'] === undefined)
    return { ...json, type: [json['type'], 'null'] };
  return { anyOf: [...((json['anyOf'] as Json[] | undefined) ?? [json]), { type: 'null' }] };
}

function minItems(schema: Schema): Json {
  const checks = (schema.def as { readonly checks?: readonly z.core.$ZodCheck[] }).checks ?? [];
  const least = checks
    .map((check) => (check._zod.def as { readonly minimum?: number }).minimum)
    .find((n) => n !== undefined);
  return least === undefined ? {} : { minItems: least };
}

function object(def: Def): Json {
  const properties: Json = {};
  const needed: string[] = [];
  for (const [name, field] of Object.entries(def.shape!)) {
    const json = annotated(field);
    properties[name] = json;
    const kind = (field.def as Def).type;
    if (kind !== 'default' && kind !== 'prefault' && kind !== 'optional') needed.push(name);
    for (const alias of (field.meta()?.['aliases'] as readonly string[] | undefined) ?? [])
      properties[alias] = { ...json, description: `Other name of ${name}. ${String(json['description'])}` };
  }
  return {
    type: 'object',
    properties,
    ...(needed.length === 0 ? {} : { required: needed }),
    // Only the circuit breakers let unknown keys pass, in upstream as here.
    ...(def.catchall === undefined ? {} : { additionalProperties: false }),
  };
}
