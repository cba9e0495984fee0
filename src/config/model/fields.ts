// The config model as data: which field stands at a path, what it means, what may stand there.
// Read from the zod model, so that hover, suggestions and documentation can never say anything else than the check.
import type * as z from 'zod';
import type { ConfigPath } from '../../problem';
import type { EnumValue } from './lax';
import type { FieldMeta } from './field';
import { configSchema } from './schema';
import { own } from '../../own';

export interface FieldInfo extends Partial<FieldMeta> {
  readonly name: string;
  readonly path: ConfigPath;
  readonly required: boolean;
  /** Present when leaving the field out means this value. */
  readonly default?: { readonly value: unknown };
  /** In words: "whole number", "text", "list", "mapping", "word". */
  readonly types: readonly string[];
  readonly enumValues?: Readonly<Record<string, EnumValue>>;
}

type Schema = z.ZodType;
interface Def {
  readonly type: string;
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly out?: Schema;
  readonly options?: readonly Schema[];
  readonly element?: Schema;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly valueType?: Schema;
  readonly defaultValue?: unknown;
}

function defOf(schema: Schema): Def {
  return schema.def;
}

/** Takes off defaults, nullability and preprocessing; a union gives all of its options. */
export function cores(schema: Schema): Schema[] {
  const def = defOf(schema);
  switch (def.type) {
    case 'default':
    case 'prefault':
    case 'nullable':
    case 'optional':
      return cores(def.innerType!);
    case 'pipe':
      // A coercing scalar is unknown -> transform; a preprocessed object is transform -> object.
      return defOf(def.in!).type === 'transform' ? cores(def.out!) : [schema];
    case 'union':
      return def.options!.flatMap(cores);
    default:
      return [schema];
  }
}

/** The load section has three shapes; `loadType` picks one. */
export function isOtherLoadShape(shape: Readonly<Record<string, Schema>>, loadType: string | undefined): boolean {
  if (loadType === undefined || !('stages' in shape)) return false;
  const values = cores(shape['type']!)[0]?.meta()?.['enumValues'] as Record<string, unknown> | undefined;
  return values !== undefined && !Object.hasOwn(values, loadType);
}

function step(schema: Schema, key: string | number, loadType: string | undefined): Schema[] {
  const found: Schema[] = [];
  for (const core of cores(schema)) {
    const def = defOf(core);
    if (def.type === 'object' && typeof key === 'string' && !isOtherLoadShape(def.shape!, loadType)) {
      const canonical = Object.keys(def.shape!).find(
        (name) => name === key || (def.shape![name]!.meta()?.['aliases'] as string[] | undefined)?.includes(key),
      );
      if (canonical !== undefined) found.push(def.shape![canonical]!);
    } else if (def.type === 'array' && typeof key === 'number') found.push(def.element!);
    else if (def.type === 'record' && typeof key === 'string') found.push(def.valueType!);
  }
  return found;
}

function schemasAt(path: ConfigPath, loadType: string | undefined): Schema[] {
  let current: Schema[] = [configSchema];
  for (const key of path) current = current.flatMap((schema) => step(schema, key, loadType));
  return current;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  string: 'text',
};

function typeWords(schema: Schema): string[] {
  const words = cores(schema).map((core) => {
    const kind = defOf(core).type;
    if (kind === 'object' || kind === 'record') return 'mapping';
    if (kind === 'array') return 'list';
    const meta = core.meta() ?? {};
    if (meta['enumValues'] !== undefined) return 'word';
    return own(TYPE_WORDS, String(meta['type'])) ?? 'any value';
  });
  return [...new Set(words)];
}

function defaultOf(schema: Schema): { readonly value: unknown } | undefined {
  const def = defOf(schema);
  return def.type === 'default' ? { value: def.defaultValue } : undefined;
}

function info(schema: Schema, path: ConfigPath): FieldInfo {
  const meta = (schema.meta() ?? {}) as Partial<FieldMeta>;
  const standard = defaultOf(schema);
  const enumCore = cores(schema).find((core) => core.meta()?.['enumValues'] !== undefined);
  const enumValues = enumCore?.meta()?.['enumValues'] as Readonly<Record<string, EnumValue>> | undefined;
  const { description, unit, since, aliases, whenAbsent, secret } = meta;
  const kind = defOf(schema).type;
  return {
    name: String(path.at(-1) ?? ''),
    path,
    required: kind !== 'default' && kind !== 'prefault' && kind !== 'optional',
    types: typeWords(schema),
    ...(standard === undefined ? {} : { default: standard }),
    ...(enumValues === undefined ? {} : { enumValues }),
    ...(description === undefined ? {} : { description }),
    ...(unit === undefined ? {} : { unit }),
    ...(since === undefined ? {} : { since }),
    ...(aliases === undefined ? {} : { aliases }),
    ...(whenAbsent === undefined ? {} : { whenAbsent }),
    ...(secret === undefined ? {} : { secret }),
  };
}

/** The field at a path, or undefined when the model has none there. Words of several shapes are joined (load.type). */
export function fieldAt(path: ConfigPath, loadType?: string): FieldInfo | undefined {
  // The load type itself may be any of its words, whichever stands there now.
  const shape = path.length === 2 && path[0] === 'load' && path[1] === 'type' ? undefined : loadType;
  const [first, ...others] = schemasAt(path, shape);
  if (!first) return undefined;
  const field = info(first, path);
  if (field.enumValues === undefined || others.length === 0) return field;
  const all = [first, ...others].map((schema) => info(schema, path).enumValues ?? {});
  return { ...field, enumValues: Object.assign({}, ...all) as Readonly<Record<string, EnumValue>> };
}

/** The fields that may stand directly under a path, in the model's order. */
export function fieldsUnder(path: ConfigPath, loadType?: string): readonly FieldInfo[] {
  const found = new Map<string, FieldInfo>();
  for (const schema of schemasAt(path, loadType)) {
    for (const core of cores(schema)) {
      const { shape } = defOf(core);
      if (!shape || isOtherLoadShape(shape, loadType)) continue;
      for (const name of Object.keys(shape)) {
        if (!found.has(name)) found.set(name, fieldAt([...path, name], loadType)!);
      }
    }
  }
  return [...found.values()];
}

/** Every field of the model once, as patterns: list indexes are 0. Sections before their fields. */
export function allFields(): readonly FieldInfo[] {
  const fields: FieldInfo[] = [];
  const visit = (path: ConfigPath, depth: number): void => {
    if (depth > 9) return;
    for (const field of fieldsUnder(path)) {
      fields.push(field);
      visit(field.path, depth + 1);
      visit([...field.path, 0], depth + 1);
    }
  };
  visit([], 0);
  return fields;
}
