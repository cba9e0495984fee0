// Outline and folding of a config: its sections with their gist, stages with their load.
import { fieldsUnder } from '../config/model/fields';
import type { Reading } from '../config/load';
import { resolveAlias, type MapNode, type YamlNode } from '../config/yaml/tree';
import type { ConfigPath, TextRange } from '../problem';
import { placed, readings, type Asked } from './place';

export interface OutlineEntry {
  readonly name: string;
  readonly detail: string;
  readonly kind: 'config' | 'section' | 'stage' | 'list' | 'value';
  /** With all under it. */
  readonly range: TextRange;
  /** The key alone. */
  readonly selection: TextRange;
  readonly children: readonly OutlineEntry[];
}

/** Sections, their fields and stages; a file with several configs has one entry for each. */
export function outline(text: string, given: Asked = {}): readonly OutlineEntry[] {
  return readings(text, given)
    .map(outlined)
    .flatMap((reading): readonly OutlineEntry[] => {
      const { region } = reading;
      const found = region?.document.locate(region.prefix);
      const body = found && resolveAlias(found.value);
      if (!region || !found || body?.kind !== 'map') return [];
      const children = mapEntries(body, reading, []);
      if (region.name === '') return children;
      const selection = placed(reading, found.key ?? found.value);
      return [
        {
          name: region.name,
          detail: 'config',
          kind: 'config',
          range: joined(selection, placed(reading, body)),
          selection,
          children,
        },
      ];
    });
}

/** A text with a broken line has no region yet; what was read of it still has an outline. */
function outlined(reading: Reading): Reading {
  const document = reading.search.whole;
  if (reading.region || document.root?.kind !== 'map') return reading;
  const known = fieldsUnder([]).some(({ name }) => document.locate([name]) !== undefined);
  if (!known) return reading;
  return { ...reading, region: { kind: 'file', name: '', document, prefix: [], blocks: [], toFile: (range) => range } };
}

function joined(left: TextRange, right: TextRange): TextRange {
  const isLater = right.endLine > left.endLine || (right.endLine === left.endLine && right.endColumn > left.endColumn);
  return isLater ? { ...left, endLine: right.endLine, endColumn: right.endColumn } : left;
}

const MAX_DEPTH = 8;

function mapEntries(map: MapNode, reading: Reading, path: ConfigPath): readonly OutlineEntry[] {
  if (path.length > MAX_DEPTH) return [];
  return map.pairs.flatMap((pair): readonly OutlineEntry[] => {
    if (pair.key.kind !== 'scalar' || pair.key.text === '') return [];
    const name = pair.key.text;
    const own = [...path, name];
    const selection = placed(reading, pair.key);
    const range = joined(selection, placed(reading, pair.value));
    const { value } = pair;
    if (value.kind === 'map') {
      const kind = 'section';
      return [{ name, detail: typeOf(value), kind, range, selection, children: mapEntries(value, reading, own) }];
    }
    if (value.kind === 'list') {
      const isStages = own.join('.') === 'load.stages';
      const children = isStages ? value.items.flatMap((item, index) => stageEntry(item, index, reading)) : [];
      const count = value.items.length;
      const detail = isStages ? `${count} stage${count === 1 ? '' : 's'}` : `${count} item${count === 1 ? '' : 's'}`;
      return [{ name, detail, kind: 'list', range, selection, children }];
    }
    const isSecret = SECRET.test(name);
    const detail = value.kind === 'alias' ? `*${value.name}` : isSecret ? '' : firstLine(value.text);
    return [{ name, detail, kind: 'value', range, selection, children: [] }];
  });
}

const SECRET = /^(api_key|token)$|authorization|api[-_]key|secret|password/i;

function firstLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}

function typeOf(map: MapNode): string {
  return scalarOf(map, 'type') ?? '';
}

function scalarOf(map: MapNode, key: string): string | undefined {
  const pair = map.pairs.find((entry) => entry.key.kind === 'scalar' && entry.key.text === key);
  const value = pair && resolveAlias(pair.value);
  return value?.kind === 'scalar' && value.text !== '' ? value.text : undefined;
}

function stageEntry(node: YamlNode, index: number, reading: Reading): readonly OutlineEntry[] {
  const item = resolveAlias(node);
  if (item?.kind !== 'map') return [];
  const range = placed(reading, node);
  const warmup = reading.loaded?.warmupStages.has(index) === true ? ', warm-up' : '';
  const detail = loadWords(item) + warmup;
  const name = detail === '' ? `stage ${index}` : `stage ${index}: ${detail}`;
  const selection = { ...range, endLine: range.startLine, endColumn: range.startColumn };
  return [{ name, detail: '', kind: 'stage', range, selection, children: [] }];
}

/** "10 rps, 30 s", "32 concurrent, 640 requests", "8 sessions". */
function loadWords(stage: MapNode): string {
  const parts: string[] = [];
  const add = (key: string, unit: string): void => {
    const value = scalarOf(stage, key);
    if (value !== undefined) parts.push(`${value} ${unit}`);
  };
  add('rate', 'rps');
  add('duration', 's');
  add('concurrency_level', 'concurrent');
  add('num_requests', 'requests');
  add('concurrent_sessions', 'sessions');
  add('session_rate', 'sessions/s');
  return parts.join(', ');
}

export interface Fold {
  readonly startLine: number;
  readonly endLine: number;
  readonly kind: 'block' | 'comment';
}

/** Mappings and lists with more than one line, stages, and runs of comment lines. */
export function folds(text: string, given: Asked = {}): readonly Fold[] {
  const found: Fold[] = [];
  const visit = (entries: readonly OutlineEntry[]): void => {
    for (const { range, children } of entries) {
      const endLine = range.endColumn === 0 && range.endLine > range.startLine ? range.endLine - 1 : range.endLine;
      if (endLine > range.startLine) found.push({ startLine: range.startLine, endLine, kind: 'block' });
      visit(children);
    }
  };
  visit(outline(text, given));
  return [...found, ...commentRuns(text)];
}

function commentRuns(text: string): readonly Fold[] {
  const found: Fold[] = [];
  let first: number | undefined;
  const lines = text.split(/\r\n|\n|\r/);
  for (let line = 0; line <= lines.length; line += 1) {
    const isComment = /^\s*#/.test(lines[line] ?? '');
    if (isComment) first ??= line;
    else if (first !== undefined) {
      if (line - first > 1) found.push({ startLine: first, endLine: line - 1, kind: 'comment' });
      first = undefined;
    }
  }
  return found;
}
