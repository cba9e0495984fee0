// Templates: values that something else fills in before the run. They are "to be filled", never a type error.
import { fieldAt } from './model/fields';
import { isForeign, Placeholder } from './model/lax';
import { unmasked } from './yaml/template';
import type { ConfigPath } from '../problem';

export interface FoundPlaceholder {
  readonly path: ConfigPath;
  /** The placeholder as written, e.g. `${MODEL}`. */
  readonly name: string;
  /** The whole value it stands in. */
  readonly text: string;
}

// ${X}, ${A[$k]}, $X, $(X), {{ .Values.x }}, {% x %}, REPLACE_ENV_X, <x>, __X__, @X@
const PATTERN =
  /\$\{[^{}\n]{0,200}\}|\$\([A-Za-z_]\w*\)|\$[A-Za-z_]\w*|\{\{[^{}\n]{0,200}\}\}|\{%[^%\n]{0,200}%\}|REPLACE_ENV_\w+|<[A-Za-z][^<>\n]{0,60}>|\b__[A-Z][A-Z0-9_]*__\b|@[A-Z][A-Z0-9_]*@/;

/** In code only what no Python and no JMESPath means: they compare with < and >, and use brackets. */
const IN_CODE =
  /\$\{[^{}\n]{0,200}\}|\$\([A-Za-z_]\w*\)|(?<!\{)\{\{-?\s*[.$A-Za-z_][^{}\n:,'"]{0,200}\}\}(?!\})|REPLACE_ENV_\w+|\b__[A-Z][A-Z0-9_]*__\b|@[A-Z][A-Z0-9_]*@/;

const BARE = /^[A-Z][A-Z0-9_]{1,60}$/;
/** What template writers call the texts of a config; other upper-case texts may be values. */
const BARE_TEXT =
  /(?:^|_)(?:MODEL|NAME|URL|URI|ENDPOINT|HOST|IP|PORT|TOKEN|TOKENIZER|PATH|DIR|BUCKET|KEY|SECRET|GATEWAY|SERVER|NAMESPACE|TODO|FIXME|CHANGEME|PLACEHOLDER)(?:_|$)/;

/** A placeholder in a text that stands at a path; undefined when the text is a value. */
function findPlaceholder(text: string, path: ConfigPath): string | undefined {
  const key = path.findLast((step) => typeof step === 'string');
  if (key === 'filter' || key === 'matches' || key === 'rules') {
    const inCode = IN_CODE.exec(text)?.[0];
    return inCode === undefined ? undefined : unmasked(inCode);
  }
  const found = PATTERN.exec(text)?.[0];
  if (found !== undefined) return unmasked(found);
  return BARE.test(text) && isBarePlaceholder(text, path) ? text : undefined;
}

/** A bare upper-case word: where a number or a word of a list belongs it can only be a template, in a text only by its name. */
function isBarePlaceholder(text: string, path: ConfigPath): boolean {
  const field = fieldAt(path);
  if (!field) return false;
  const words = Object.keys(field.enumValues ?? {});
  if (words.some((word) => word.toLowerCase() === text.toLowerCase())) return false;
  if (field.name === 'base_url') return true;
  if (field.types.includes('any value')) return false;
  return field.types.includes('text') ? BARE_TEXT.test(text) : !field.types.includes('true or false');
}

/** `{your-token}`: YAML reads a mapping of one key without value; where no mapping can stand it is a template. */
function braced(value: object, path: ConfigPath): string | undefined {
  const [entry, second] = Object.entries(value);
  if (!entry || second || entry[1] !== null || !/^[A-Za-z][\w-]*$/.test(entry[0])) return undefined;
  const field = fieldAt(path);
  const scalar = field && !field.types.some((type) => ['mapping', 'list', 'any value'].includes(type));
  return scalar ? `{${entry[0]}}` : undefined;
}

/** A template may have some dozens; a list of thousands is for nobody. */
const MAX_FOUND = 200;

/** A copy of the values in which every text with a placeholder is marked, and the list of them. */
export function markPlaceholders(values: unknown): {
  values: unknown;
  found: readonly FoundPlaceholder[];
  /** How many more are marked and not listed. */
  more: number;
} {
  const found: FoundPlaceholder[] = [];
  let more = 0;
  const mark = (path: ConfigPath, name: string, text: string): Placeholder => {
    if (found.length < MAX_FOUND) found.push({ path, name, text });
    else more += 1;
    return new Placeholder(text);
  };
  const walk = (value: unknown, path: ConfigPath): unknown => {
    if (typeof value === 'string') {
      const name = findPlaceholder(value, path);
      return name === undefined ? value : mark(path, name, value);
    }
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (typeof value !== 'object' || value === null || isForeign(value)) return value;
    const name = braced(value, path);
    if (name !== undefined) return mark(path, name, name);
    const copy = Object.create(null) as Record<string, unknown>;
    for (const [key, entry] of Object.entries(value)) copy[key] = walk(entry, [...path, key]);
    return copy;
  };
  return { values: walk(values, []), found, more };
}
