// The scalar types of inference-perf's config: what pydantic's lax mode accepts from YAML, as zod types.
// Every type carries its JSON Schema in its meta, because a coercing zod type has no shape that zod could derive it from.
import * as z from 'zod';

/** Why a value was rejected, for the code that turns zod's issues into problems. */
export type Rule = 'missing' | 'type' | 'parse' | 'fraction' | 'finite' | 'limit' | 'enum' | 'url' | 'cross-field';

export interface IssueParams {
  readonly rule: Rule;
  readonly remedy?: string;
  /** First release that checks it; absent: all of them. */
  readonly since?: string;
  /** Of a clash: the keys below the place that it is between, dotted. */
  readonly between?: readonly string[];
  /** The one value that was meant, as YAML. */
  readonly meant?: string;
}

interface Limits {
  /** First release that keeps the limits. */
  readonly since?: string;
  readonly gt?: number;
  readonly ge?: number;
  readonly le?: number;
}

/** A YAML timestamp, binary or other value that is none of JSON's types. No field of the config takes one. */
export class ForeignValue {
  constructor(
    readonly foreign: 'date' | 'binary',
    readonly text: string,
  ) {}
}

export function isForeign(value: unknown): value is ForeignValue {
  return value instanceof ForeignValue;
}

/** A text that holds a placeholder such as `${X}`. Every scalar type takes it and gives a stand-in value of its own kind. */
export class Placeholder {
  constructor(readonly text: string) {}
}

/** Names a value as the user wrote it, short enough for a message. */
export function describe(value: unknown): string {
  if (value === null) return 'empty (null)';
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return `the text '${value.length > 60 ? `${value.slice(0, 57)}...` : value}'`;
  if (typeof value === 'boolean') return value ? 'true (yes, on)' : 'false (no, off)';
  if (Array.isArray(value)) return 'a list';
  if (isForeign(value)) return value.foreign === 'date' ? `a date (${value.text})` : 'binary data';
  if (typeof value === 'object') return 'a mapping';
  return `the number ${(value as number | bigint).toString()}`;
}

/** Names the kind of a value that must not be shown. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'object')
    return describe(value).replace(/ \(.*\)$/, '');
  return typeof value === 'bigint' ? 'a number' : typeof value === 'string' ? 'text' : `a ${typeof value}`;
}

type Context = z.core.$RefinementCtx;

/** Adds an issue of ours and gives back zod's "no value". */
export function fail(
  context: Context,
  rule: Rule,
  message: string,
  remedy?: string,
  since?: string,
  meant?: string,
): never {
  const params: IssueParams = {
    rule,
    ...(remedy === undefined ? {} : { remedy }),
    ...(since === undefined ? {} : { since }),
    ...(meant === undefined ? {} : { meant }),
  };
  context.issues.push({ code: 'custom', message, params: { ...params }, input: context.value, continue: false });
  return z.NEVER;
}

/** Adds an issue about values that do not go together: they stand under the given keys (dotted) of the value that is checked. */
export function clash(
  context: Context,
  between: readonly string[],
  message: string,
  remedy?: string,
  since?: string,
): void {
  const params: IssueParams = {
    rule: 'cross-field',
    between,
    ...(remedy === undefined ? {} : { remedy }),
    ...(since === undefined ? {} : { since }),
  };
  context.issues.push({ code: 'custom', message, params: { ...params }, input: context.value, continue: false });
}

function lax<T>(
  json: Readonly<Record<string, unknown>>,
  coerce: (value: unknown, context: Context) => T,
  standIn: (text: string) => T,
) {
  return z
    .unknown()
    .transform((value, context) => {
      if (value === undefined) return fail(context, 'missing', 'is required.');
      if (value instanceof Placeholder) return standIn(value.text);
      return coerce(value, context);
    })
    .meta({ ...json });
}

// Python's int() and float() grammars as pydantic-core reads them (measured with pydantic 2.13): surrounding white space,
// a sign, single underscores between digits; an int may end in '.000'; a float may be inf or nan; nothing else.
const INT_TEXT = /^[+-]?\d+(?:_\d+)*(?:\.0+)?$/;
const FLOAT_TEXT =
  /^[+-]?(?:(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?|inf(?:inity)?|nan)$/i;
const MAX_INT_TEXT = 4300;
const INT64 = 2 ** 63;

function limit<T extends Seed>(value: T, limits: Limits, context: Context): T {
  const { gt, ge, le, since } = limits;
  const refuse = (words: string): T => fail(context, 'limit', `must be ${words}, and is ${value}.`, undefined, since);
  if (gt !== undefined && !(value > gt)) return refuse(`greater than ${gt}`);
  if (ge !== undefined && !(value >= ge)) return refuse(`at least ${ge}`);
  if (le !== undefined && !(value <= le)) return refuse(`at most ${le}`);
  return value;
}

/** A number the limits allow, to stand in for a placeholder. */
function allowed(limits: Limits): number {
  return Math.min(Math.max(1, (limits.gt ?? 0) + 1, limits.ge ?? 1), limits.le ?? Infinity);
}

function jsonLimits(limits: Limits): Record<string, unknown> {
  return {
    ...(limits.gt === undefined ? {} : { exclusiveMinimum: limits.gt }),
    ...(limits.ge === undefined ? {} : { minimum: limits.ge }),
    ...(limits.le === undefined ? {} : { maximum: limits.le }),
  };
}

/** A whole number with all its digits: a `number` as long as a double has them. */
export type Seed = number | bigint;

/** A seed as JSON keeps it: JSON's readers round long numbers, so those are texts. */
export function seedJson(seed: Seed): number | string {
  return typeof seed === 'bigint' ? String(seed) : seed;
}

/** The seed of a text of digits. */
export function seedOf(digits: string): Seed {
  return exact(BigInt(digits));
}

function exact(whole: bigint): Seed {
  const number = Number(whole);
  return Number.isSafeInteger(number) ? number : whole;
}

function toInt(value: unknown, context: Context): Seed {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'bigint') return exact(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return fail(context, 'finite', `must be a whole number, and is ${value}.`);
    if (!Number.isInteger(value))
      return fail(context, 'fraction', `must be a whole number, and ${value} has a fraction.`, 'Round it.');
    if (!Number.isSafeInteger(value) && Math.abs(value) >= INT64)
      return fail(context, 'limit', `${value} is too large for a whole number.`);
    return value === 0 ? 0 : Number.isSafeInteger(value) ? value : BigInt(value);
  }
  if (typeof value === 'string') {
    const text = value.trim();
    if (INT_TEXT.test(text) && text.length <= MAX_INT_TEXT)
      return exact(BigInt(text.replaceAll('_', '').replace(/^\+/, '').replace(/\.0+$/, '')));
    const meant = FLOAT_TEXT.test(text)
      ? String(Number(text.replaceAll('_', '').replace(/^[+]/, '')) || 1000)
      : undefined;
    const remedy = meant && `Write the digits out, e.g. ${meant}: inference-perf reads '${text}' as text.`;
    return fail(context, 'parse', `must be a whole number, and is ${describe(value)}.`, remedy, undefined, meant);
  }
  return fail(context, 'type', `must be a whole number, and is ${describe(value)}.`);
}

function toFloat(value: unknown, context: Context): number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') return value;
  if (typeof value === 'string') {
    const text = value.trim();
    if (FLOAT_TEXT.test(text)) {
      const word = /^[+-]?(inf|nan)/i.exec(text)?.[1]?.toLowerCase();
      if (word === 'nan') return Number.NaN;
      if (word === 'inf') return text.startsWith('-') ? -Infinity : Infinity;
      return Number(text.replaceAll('_', ''));
    }
    const meant = secondsOf(text);
    const remedy = meant && `Write it without a unit, in seconds: ${meant}.`;
    return fail(context, 'parse', `must be a number, and is ${describe(value)}.`, remedy, undefined, meant);
  }
  return fail(context, 'type', `must be a number, and is ${describe(value)}.`);
}

/** `200ms`: the reader meant a duration; every duration of the config is in seconds. */
function secondsOf(text: string): string | undefined {
  const match = /^([\d.]+)\s*(ms|s|sec|m|min)$/.exec(text);
  if (!match) return undefined;
  const factor = { ms: 0.001, s: 1, sec: 1, m: 60, min: 60 }[match[2] as 'ms'];
  return String(Number((Number(match[1]) * factor).toPrecision(12)));
}

/** A count or a length: one that a double cannot hold to the last digit is nothing that can be counted, and is rounded to it. */
export function pyInt(limits: Limits = {}) {
  return lax(
    { type: 'integer', ...jsonLimits(limits) },
    (value, context) => {
      const before = context.issues.length;
      const whole = toInt(value, context);
      return Number(context.issues.length > before ? whole : limit(whole, limits, context));
    },
    () => allowed(limits),
  );
}

/** A whole number whose every digit counts, however many there are: Python's are not limited, and 64-bit seeds are usual. */
export function pySeed() {
  return lax<Seed>({ type: 'integer' }, toInt, () => allowed({}));
}

export function pyFloat(limits: Limits = {}) {
  return lax(
    { type: 'number', ...jsonLimits(limits) },
    (value, context) => {
      const before = context.issues.length;
      const number = toFloat(value, context);
      return context.issues.length > before ? number : limit(number, limits, context);
    },
    () => allowed(limits),
  );
}

const TRUE_TEXT = new Set(['1', 'true', 't', 'yes', 'y', 'on']);
const FALSE_TEXT = new Set(['0', 'false', 'f', 'no', 'n', 'off']);

export function pyBool() {
  return lax(
    { type: 'boolean' },
    (value, context): boolean => {
      if (typeof value === 'boolean') return value;
      if (value === 1 || value === 0) return value === 1;
      const text = typeof value === 'string' ? value.toLowerCase() : '';
      if (TRUE_TEXT.has(text)) return true;
      if (FALSE_TEXT.has(text)) return false;
      return fail(context, 'type', `must be true or false, and is ${describe(value)}.`);
    },
    () => false,
  );
}

/** A string; numbers, dates and booleans are not turned into one (pydantic's rule), they need quotes. */
export function pyString() {
  return lax(
    { type: 'string' },
    (value, context): string => {
      if (typeof value === 'string') return value;
      const isPlain = typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint';
      const remedy = isPlain || isForeign(value) ? 'Put it in quotes.' : undefined;
      const meant = isPlain ? JSON.stringify(String(value)) : undefined;
      return fail(context, 'type', `must be text, and is ${describe(value)}.`, remedy, undefined, meant);
    },
    (text) => text,
  );
}

export interface EnumValue {
  readonly doc: string;
  readonly since?: string;
}

/** One of the given words, exactly as spelt. `known` names all words of the key when this type takes only some of them. */
export function pyEnum<const Name extends string>(
  values: Readonly<Record<Name, EnumValue>>,
  known: readonly string[] = Object.keys(values),
) {
  const names = Object.keys(values) as Name[];
  return lax<Name>(
    { enum: names, enumValues: values },
    (value, context) => {
      const found = names.find((name) => name === value);
      if (found !== undefined) return found;
      return fail(context, 'enum', `must be one of ${known.join(', ')}, and is ${describe(value)}.`);
    },
    () => names[0]!,
  );
}

const MAX_URL = 2083; // pydantic's HttpUrl

/** An http or https URL, normalised as the WHATWG standard says (upstream's parser follows the same standard). */
export function pyHttpUrl() {
  return lax(
    { type: 'string', format: 'uri' },
    (value, context): string => {
      const example = 'Write it out, e.g. http://prometheus:9090';
      if (typeof value !== 'string')
        return fail(context, 'type', `must be an http(s) URL, and is ${describe(value)}.`, example);
      if (value.length > MAX_URL) return fail(context, 'url', `is a URL longer than ${MAX_URL} characters.`);
      const url = URL.canParse(value) ? new URL(value) : undefined;
      if (!url) return fail(context, 'url', `'${value}' is not a complete URL.`, example);
      if (url.protocol !== 'http:' && url.protocol !== 'https:')
        return fail(context, 'url', `must begin with http:// or https://, and '${value}' does not.`, example);
      return url.href;
    },
    (text) => text,
  );
}

/** Keys of YAML that are not strings (true, 8000, 2020-01-01) carry this mark; no field of the config takes one. */
export const NON_STRING_KEY = '\u0000';

export function pyDict<T extends z.ZodType>(value: T) {
  const key = z.string().superRefine((text, context) => {
    if (text.startsWith(NON_STRING_KEY))
      fail(context, 'type', `the key ${text.slice(1)} is not text.`, 'Put the key in quotes.');
  });
  return z.record(key, value);
}

/** Any YAML value, in JSON's types; a whole number keeps its digits. */
export function pyAny() {
  return z.unknown().transform((value) => toJson(value));
}

function toJson(value: unknown): unknown {
  if (isForeign(value) || value instanceof Placeholder) return value.text;
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key.replace(NON_STRING_KEY, ''), toJson(entry)]),
  );
}
