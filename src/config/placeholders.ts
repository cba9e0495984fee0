// Templates: values that something else fills in before the run. They are "to be filled", never a type error.
import { isForeign, Placeholder } from './lax';
import type { ConfigPath } from '../problem';

export interface FoundPlaceholder {
  readonly path: ConfigPath;
  /** The placeholder as written, e.g. `${MODEL}`. */
  readonly name: string;
  /** The whole value it stands in. */
  readonly text: string;
}

// ${X}, ${A[$k]}, $X, {{ .Values.x }}, REPLACE_ENV_X, <x>
const PATTERN = /\$\{[^}]*\}|\$[A-Za-z_]\w*|\{\{[\s\S]*?\}\}|REPLACE_ENV_\w+|<[A-Za-z][^<>\n]{0,60}>/;

/** The first placeholder in a text. */
function findPlaceholder(text: string): string | undefined {
  return PATTERN.exec(text)?.[0];
}

/** A copy of the values in which every text with a placeholder is marked, and the list of them. */
export function markPlaceholders(values: unknown): { values: unknown; found: readonly FoundPlaceholder[] } {
  const found: FoundPlaceholder[] = [];
  const walk = (value: unknown, path: ConfigPath): unknown => {
    if (typeof value === 'string') {
      // A Python lambda compares with < and >; it is text whatever stands in it.
      if (path.at(-1) === 'filter') return value;
      const name = findPlaceholder(value);
      if (name === undefined) return value;
      found.push({ path, name, text: value });
      return new Placeholder(value);
    }
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (typeof value !== 'object' || value === null || isForeign(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, walk(entry, [...path, key])]));
  };
  return { values: walk(values, []), found };
}
