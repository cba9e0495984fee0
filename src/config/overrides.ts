// `--set a.b[0].c=value`: values put over those of the file before anything is checked.
import type { ConfigPath, Problem } from '../problem';
import { parseDocument } from './yaml/document';
import { isFieldName } from './model/suggest';

export interface Override {
  readonly path: ConfigPath;
  readonly value: unknown;
  readonly text: string;
}

/** `a.b[0]."x.y"` to keys and indexes; undefined when it is not such a path. */
export function parsePath(text: string): ConfigPath | undefined {
  const path: (string | number)[] = [];
  const step = /(?:^|\.)(?:"([^"]+)"|([^.[\]"=]+))|\[(\d+)\]/y;
  while (step.lastIndex < text.length) {
    const match = step.exec(text);
    if (!match) return undefined;
    path.push(match[3] === undefined ? (match[1] ?? match[2]!).trim() : Number(match[3]));
  }
  return path.length === 0 ? undefined : path;
}

/** Names the path only: the value may be a secret, and messages reach logs. */
function refuse(text: string, message: string, remedy: string): Problem {
  const equals = text.indexOf('=');
  const shown = equals < 0 ? (/^[A-Za-z_]+(?:[.[][\w\]]*)*/.exec(text)?.[0] ?? '') : text.slice(0, equals).trim();
  const known = isFieldName(/^\w*/.exec(shown)![0]) || equals >= 0;
  return { code: 'CFG015', severity: 'error', path: [], message: `--set ${known ? shown : '...'}: ${message}`, remedy };
}

const EXAMPLE = 'Write --set load.stages[0].rate=5';

/** Reads one override. The value is YAML as in the file: `5`, `true`, `[1, 2]`, `{type: fixed, mean: 64}`. */
export function parseOverride(text: string): Override | Problem {
  const equals = text.indexOf('=');
  if (equals < 0) return refuse(text, 'the value is missing.', EXAMPLE);
  const path = parsePath(text.slice(0, equals).trim());
  if (!path) return refuse(text, 'this is not a path of keys and indexes.', EXAMPLE);
  const raw = text.slice(equals + 1);
  const document = parseDocument(raw);
  const error = document.problems.find((problem) => problem.severity === 'error');
  // A template in the value is taken as text, as in the file.
  if (error && error.code !== 'YML010')
    return refuse(text, 'the value cannot be read as YAML.', 'Put the value in quotes.');
  return { path, value: document.value, text };
}

/** A copy of the values with the overrides put in, in order. */
export function applyOverrides(
  values: unknown,
  overrides: readonly Override[],
): { values: unknown; problems: readonly Problem[] } {
  const problems: Problem[] = [];
  let current = values;
  for (const override of overrides) {
    const result = put(current, override.path, 0, override);
    if (typeof result === 'string') problems.push({ ...refuse(override.text, result, EXAMPLE), path: override.path });
    else current = result.value;
  }
  return { values: current, problems };
}

type Put = { readonly value: unknown } | string;

function put(value: unknown, path: ConfigPath, depth: number, override: Override): Put {
  if (depth === path.length) return { value: override.value };
  const key = path[depth]!;
  if (typeof key === 'number') {
    const list: unknown[] =
      value === undefined || value === null ? [] : Array.isArray(value) ? [...(value as unknown[])] : [];
    if (value !== undefined && value !== null && !Array.isArray(value))
      return 'an index stands after something that is not a list.';
    if (key > list.length) return `there is no entry ${key}: the list has ${list.length}.`;
    const inner = put(list[key], path, depth + 1, override);
    if (typeof inner === 'string') return inner;
    list[key] = inner.value;
    return { value: list };
  }
  if (Array.isArray(value)) return `'${key}' stands after a list; an index such as [0] is missing.`;
  const map: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  if (typeof value === 'object' && value !== null) Object.assign(map, value);
  const inner = put(map[key], path, depth + 1, override);
  if (typeof inner === 'string') return inner;
  map[key] = inner.value;
  return { value: map };
}
