// From the tree of a YAML text to values, as PyYAML's safe_load builds them: merge keys, duplicates, tags, hashable keys.
import type { Problem } from '../../problem';
import { NON_STRING_KEY } from '../model/lax';
import { SECRET_HEADER, withoutCredentials } from '../secrets';
import { scalarValue, shortTag, type ScalarValue } from './scalars';
import { isMergeKey, resolveAlias, type MapNode, type Pair, type SolidNode, type YamlNode } from './tree';

export interface Complaint {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly node: YamlNode;
  readonly message: string;
  readonly remedy?: string;
  readonly reason?: Problem['reason'];
}

export interface Construction {
  /** Absent when the text holds something that has no value (an endless alias, too many expanded nodes). */
  readonly value: unknown;
  readonly complaints: readonly Complaint[];
  /** How many complaints are not in the list, because it is long enough. */
  readonly more: number;
}

const TAG = 'tag:yaml.org,2002:';
/** So many values beyond those that are written out: a document is taken for an alias bomb. */
const MAX_EXPANDED = 30_000;
/** Beyond so many errors, and so many warnings, a text is broken in one way that was said often enough. */
const MAX_COMPLAINTS = 50;

interface State {
  readonly text: string;
  readonly complaints: Complaint[];
  readonly counts: Record<Complaint['severity'], number>;
  readonly done: Map<YamlNode, { value: unknown; size: number }>;
  readonly open: Set<YamlNode>;
  /** Values that are written out, each counted once. */
  written: number;
  readonly flat: Map<MapNode, ReadonlyMap<string, YamlNode>>;
}

class Endless extends Error {}

/** Values of the node. Mappings become plain objects without prototype, keys that are not text carry NON_STRING_KEY. */
export function construct(root: YamlNode, text: string): Construction {
  const counts = { error: 0, warning: 0 };
  const more = (): number => Object.values(counts).reduce((sum, count) => sum + Math.max(0, count - MAX_COMPLAINTS), 0);
  const state: State = { text, complaints: [], counts, done: new Map(), open: new Set(), written: 0, flat: new Map() };
  try {
    const { value } = build(root, state);
    return { value, complaints: state.complaints, more: more() };
  } catch (error) {
    if (!(error instanceof Endless)) throw error;
    return { value: undefined, complaints: state.complaints, more: more() };
  }
}

function complain(state: State, complaint: Complaint): void {
  state.counts[complaint.severity] += 1;
  if (state.counts[complaint.severity] <= MAX_COMPLAINTS) state.complaints.push(complaint);
}

function build(node: YamlNode, state: State): { value: unknown; size: number } {
  if (node.kind === 'alias') {
    const target = node.target;
    if (!target || state.open.has(target)) {
      complain(state, {
        code: 'YML009',
        severity: 'error',
        node,
        message: `The alias *${node.name} stands inside its own anchor, so its value is endless.`,
        remedy: 'Write the value out.',
      });
      throw new Endless();
    }
    return build(target, state);
  }
  const before = state.done.get(node);
  if (before) return before;
  state.open.add(node);
  state.written += 1;
  const result = buildFresh(node, state);
  state.open.delete(node);
  state.done.set(node, result);
  if (result.size > MAX_EXPANDED + state.written) {
    complain(state, {
      code: 'YML008',
      severity: 'error',
      node,
      message: `The aliases of this document expand to more than ${MAX_EXPANDED} values beyond those written out, so it is not read.`,
      remedy: 'Write the values out without nested aliases.',
    });
    throw new Endless();
  }
  return result;
}

function buildFresh(node: SolidNode, state: State): { value: unknown; size: number } {
  switch (node.kind) {
    case 'scalar': {
      const result = scalarValue(node.text, node.tag, node.style === 'plain');
      if ('value' in result) return { value: result.value, size: 1 };
      complain(state, scalarComplaint(node, result.error));
      return { value: node.text, size: 1 };
    }
    case 'list': {
      checkTag(node, ['seq', 'omap', 'pairs'], state);
      let size = 1;
      const value = node.items.map((item) => {
        const built = build(item, state);
        size += built.size;
        return built.value;
      });
      return { value, size };
    }
    case 'map':
      checkTag(node, ['map', 'set'], state);
      return buildMap(node, state);
  }
}

function scalarComplaint(node: YamlNode, message: string): Complaint {
  return {
    code: 'YML006',
    severity: 'error',
    node,
    message: `${message}.`,
    ...printedReason(node),
    remedy: 'Remove the tag, or put the text in quotes.',
  };
}

function printedReason({ tag }: YamlNode): { readonly reason?: 'python-object' } {
  return tag?.startsWith(`${TAG}python/`) === true ? { reason: 'python-object' } : {};
}

function checkTag(node: YamlNode, known: readonly string[], state: State): void {
  if (node.tag === undefined || node.tag === '!' || known.some((name) => node.tag === TAG + name)) return;
  const printed = printedReason(node);
  complain(state, {
    code: 'YML006',
    severity: 'error',
    node,
    message: `inference-perf cannot load the tag ${shortTag(node.tag)}.`,
    ...printed,
    remedy: printed.reason
      ? 'This is a printed Python object: write its fields as plain keys.'
      : 'Remove the tag and write the value out.',
  });
}

function buildMap(node: MapNode, state: State): { value: unknown; size: number } {
  // `{{ x }}` is a mapping whose key is a mapping. People mean a template: it keeps its text as value.
  const source = state.text.slice(node.start, node.end);
  if (node.flow && /^\{\{[\s\S]*\}\}$/.test(source)) {
    complain(state, {
      code: 'YML010',
      severity: 'error',
      node,
      message: `The template ${source.length > 60 ? `${source.slice(0, 57)}...` : source} is not filled in, and YAML reads the braces as mappings.`,
      remedy: 'Render the template, or put it in quotes.',
    });
    return { value: source, size: 1 };
  }
  const entries = new Map<string, unknown>();
  let size = 1;
  for (const [key, value] of mergedEntries(node, state)) {
    const built = build(value, state);
    size += built.size;
    entries.set(key, built.value);
  }
  const own = new Map<string, Pair>();
  for (const pair of node.pairs) {
    if (isMergeKey(pair.key)) continue;
    const key = keyText(pair, state);
    const built = build(pair.value, state);
    size += built.size;
    if (key === undefined) continue;
    const earlier = own.get(key);
    if (earlier) warnDuplicate(earlier, pair, key, entries.get(key) === built.value, state);
    own.set(key, pair);
    // A repeated key keeps its first place and gets its last value, as in Python.
    entries.set(key, built.value);
  }
  // A set is a list of its keys: the config's list fields take one.
  if (node.tag === `${TAG}set`) return { value: [...entries.keys()], size };
  const value: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [key, entry] of entries) value[key] = entry;
  return { value, size };
}

/** The value as written, when it is short and nobody's secret. */
function shortly({ key, value }: Pair): string {
  const node = resolveAlias(value);
  const name = key.kind === 'scalar' ? key.text : '';
  const isShort = node?.kind === 'scalar' && node.text !== '' && node.text.length <= 40 && !node.text.includes('\n');
  return isShort && !SECRET_HEADER.test(name) ? ` (${withoutCredentials(node.text)})` : '';
}

function warnDuplicate(earlier: Pair, pair: Pair, key: string, same: boolean, state: State): void {
  const isBlock = resolveAlias(pair.value)?.kind !== 'scalar';
  const lost = isBlock ? 'everything under the earlier one' : `the earlier one${shortly(earlier)}`;
  complain(state, {
    code: same ? 'YML012' : 'YML007',
    severity: 'warning',
    node: pair.key,
    message: same
      ? `'${key}' is written twice here, with the same value.`
      : `'${key}' is written twice here: inference-perf takes this last one${shortly(pair)}, and ${lost} is lost.`,
    remedy: same ? 'Remove one of them.' : isBlock ? 'Merge the two blocks.' : 'Remove the one that is not meant.',
  });
}

function keyText(pair: Pair, state: State): string | undefined {
  const node = resolveAlias(pair.key);
  if (node?.kind === 'map' || node?.kind === 'list' || node === undefined) {
    complain(state, {
      code: 'YML011',
      severity: 'error',
      node: pair.key,
      message: 'A mapping or list cannot be a key.',
      remedy: 'Put text with braces or brackets in quotes.',
    });
    return undefined;
  }
  const result = scalarValue(node.text, node.tag, node.style === 'plain');
  if ('error' in result) {
    // A lone `=` as key is the one case where PyYAML takes the "value" tag for text.
    if (node.text === '=' && node.tag === undefined) return node.text;
    complain(state, scalarComplaint(pair.key, result.error));
    return node.text;
  }
  return typeof result.value === 'string' ? result.value : NON_STRING_KEY + keyName(result.value);
}

function keyName(value: Exclude<ScalarValue, string>): string {
  if (value === null) return 'null';
  if (typeof value === 'object') return value.text;
  return String(value);
}

/** What `<<` brings in: later merges and later keys win; of a list of maps the first wins. */
function mergedEntries(node: MapNode, state: State): Map<string, YamlNode> {
  const merged = new Map<string, YamlNode>();
  for (const pair of node.pairs) {
    if (!isMergeKey(pair.key)) continue;
    const source = resolveAlias(pair.value);
    const maps = source?.kind === 'list' ? [...source.items].reverse() : [pair.value];
    for (const item of maps) {
      const map = resolveAlias(item);
      if (map?.kind !== 'map' || state.open.has(map)) {
        complain(state, {
          code: 'YML011',
          severity: 'error',
          node: pair.value,
          message: 'A merge key (<<) needs a mapping or a list of mappings.',
        });
        continue;
      }
      for (const [key, value] of flatEntries(map, state)) merged.set(key, value);
    }
  }
  return merged;
}

/** All keys of a mapping that is merged into another: what it merges itself, then its own. */
function flatEntries(map: MapNode, state: State): ReadonlyMap<string, YamlNode> {
  const before = state.flat.get(map);
  if (before) return before;
  state.open.add(map);
  const flat = mergedEntries(map, state);
  state.open.delete(map);
  for (const entry of map.pairs) {
    if (isMergeKey(entry.key)) continue;
    const key = keyText(entry, state);
    if (key !== undefined) flat.set(key, entry.value);
  }
  state.flat.set(map, flat);
  return flat;
}
