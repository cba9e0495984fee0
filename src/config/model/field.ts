// How a field of the config is declared: its type, what it means, its unit, since when inference-perf knows it.
import type * as z from 'zod';

export interface FieldMeta {
  /** What the field does, in a sentence or two of our own; shown on hover and in the JSON Schema. */
  readonly description: string;
  readonly unit?: string;
  /** First inference-perf version that knows the field; absent: v0.2.0 or older. */
  readonly since?: string;
  /** Other spellings upstream accepts. */
  readonly aliases?: readonly string[];
  /** First version that knows the other spellings. */
  readonly aliasesSince?: string;
  /** First version in which a mapping may stand where there was only a number before. */
  readonly mappingSince?: string;
  /** What happens when the field is left out, when that is not a plain default. */
  readonly whenAbsent?: string;
  /** Value that must not reach logs, reports or diagnostics. */
  readonly secret?: boolean;
}

type More = Omit<FieldMeta, 'description'>;

function note<T extends z.ZodType>(type: T, description: string, more: More): T {
  return type.meta({ ...(type.meta() ?? {}), description, ...more });
}

/** A field with a default. */
export function field<T extends z.ZodType>(
  type: T,
  standard: z.output<T> & z.core.util.NoUndefined<z.output<T>>,
  description: string,
  more: More = {},
) {
  return note(type.default(standard), description, more);
}

/** A field that must be given when its section is. */
export function required<T extends z.ZodType>(type: T, description: string, more: More = {}) {
  return note(type, description, more);
}

/** A field that may be null, and is null when left out. */
export function nullable<T extends z.ZodType>(type: T, description: string, more: More = {}) {
  return note(type.nullable().default(null), description, more);
}

/** A nullable field with another default. */
export function nullableWith<T extends z.ZodType>(
  type: T,
  standard: z.core.util.NoUndefined<z.output<T>>,
  description: string,
  more: More = {},
) {
  return note(type.nullable().default(standard), description, more);
}

/** A section whose own defaults apply when it is left out. */
export function section<T extends z.ZodType>(type: T, description: string, more: More = {}) {
  return note(type.prefault({} as z.input<T>), description, more);
}

/** A field that stays undefined when left out, because its default depends on the machine or the clock. */
export function runtimeDefault<T extends z.ZodType>(type: T, description: string, more: More = {}) {
  return note(type.optional(), description, more);
}
