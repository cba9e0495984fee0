// Completion: keys, words, snippets and directives that fit where the cursor is, in texts that are not finished yet.
import { DIRECTIVES } from '../config/directives';
import { fieldAt, fieldsUnder, type FieldInfo } from '../config/model/fields';
import { readConfig } from '../config/load';
import { mayBecomeConfig } from '../config/find/detect';
import { findRegions } from '../config/find/regions';
import { has } from '../config/model/target';
import { docsAnchor, pitfallByCode } from '../pitfalls/catalogue';
import { configPitfalls } from '../pitfalls/check';
import type { ConfigPath, TextRange } from '../problem';
import type { Position } from '../config/yaml/lines';
import { describeField } from './describe';
import { innerText, type Inner } from './inner';
import { targetFor, type Asked } from './place';
import { hasEffect, runs, shapes, type Chosen } from './relevant';
import { sketch, type Cursor, type Sketch } from './sketch';
import { block, DISTRIBUTIONS, isDistribution, keySnippet, ladder, stageLines, type Place } from './snippets';
import { own } from '../own';

export interface Completion {
  readonly label: string;
  readonly kind: 'key' | 'value' | 'snippet' | 'directive';
  /** Type, unit and default, short. */
  readonly detail: string;
  /** Markdown. */
  readonly documentation: string;
  /** A snippet in VS Code's syntax; indentation is absolute. */
  readonly insertText: string;
  /** What it replaces. */
  readonly range: TextRange;
  /** Order in the list, as text. */
  readonly sortText: string;
  /** Words follow: the list should open again. */
  readonly asksForMore: boolean;
}

/** What may be written at a position. Works by indentation where the text cannot be parsed. Never throws. */
export function completions(text: string, position: Position, given: Asked = {}): readonly Completion[] {
  const lines = text.split(/\r\n|\n|\r/);
  const inner = innerText(lines, position);
  // The version that will run stands in the outer text: its image, its directive.
  if (inner && mayBecomeConfig(inner.text))
    return completions(inner.text, inner.position, { ...given, defaultTarget: targetFor(text, given) }).map((entry) =>
      moved(entry, inner),
    );
  const line = lines[position.line] ?? '';
  const found = sketch(text, { line: position.line, column: Math.min(position.column, line.length) });
  const { cursor } = found;
  if (cursor.kind === 'comment') return directives(text, line, position);
  const prefix = prefixOf(text, found);
  if (prefix === undefined) return [];
  const path = cursor.path.slice(prefix.length);
  const chosen = { ...chosenOf(found, prefix, cursor), target: targetFor(text, given) };
  const range = {
    startLine: position.line,
    startColumn: cursor.start,
    endLine: position.line,
    endColumn: cursor.hasColon || cursor.kind === 'key' ? wordEnd(line, position.column) : position.column,
  };
  if (cursor.kind === 'value') return values(path, chosen, cursor, range);
  return keys(path, chosen, cursor, range);
}

/** An entry of an inner text in the file's own lines and columns. */
function moved(entry: Completion, { line, column }: Inner): Completion {
  const { startLine, startColumn, endLine, endColumn } = entry.range;
  const range = {
    startLine: startLine + line,
    startColumn: startColumn + column,
    endLine: endLine + line,
    endColumn: endColumn + column,
  };
  return { ...entry, range, insertText: entry.insertText.replaceAll('\n', `\n${' '.repeat(column)}`) };
}

function wordEnd(line: string, column: number): number {
  return column + /^[\w.-]*/.exec(line.slice(column))![0].length;
}

/** Where the config begins in the file's tree; undefined outside of configs. */
function prefixOf(text: string, found: Sketch): ConfigPath | undefined {
  const { path } = found.cursor;
  const [first, second] = path;
  if (found.topLevel.has('kind') && found.topLevel.has('apiVersion')) {
    const isMap = found.valueOf(['kind']) === 'ConfigMap' && first === 'data' && second !== undefined;
    return isMap ? [first, second] : undefined;
  }
  if (first === 'workload') return second === undefined ? undefined : [first, second];
  if (first === 'config') return [first];
  const known = fieldsUnder([]).map((field) => field.name);
  if (first === undefined || known.includes(String(first))) return [];
  // An uncommon wrapper: the parser knows, when the text can be parsed.
  const regions = findRegions(text).regions.map((region) => region.prefix);
  return regions.find((prefix) => prefix.length > 0 && prefix.every((step, index) => step === path[index]));
}

function chosenOf(found: Sketch, prefix: ConfigPath, cursor: Cursor): Omit<Chosen, 'target'> {
  const own = cursor.kind === 'key' ? cursor.path : cursor.path.slice(0, -1);
  return {
    loadType: found.valueOf([...prefix, 'load', 'type']),
    dataType: found.valueOf([...prefix, 'data', 'type']),
    ownType: found.valueOf([...own, 'type']),
  };
}

function item(order: number, entry: Omit<Completion, 'sortText' | 'asksForMore'>, asksForMore = false): Completion {
  return { ...entry, sortText: String(order).padStart(4, '0'), asksForMore };
}

function keys(path: ConfigPath, chosen: Chosen, cursor: Cursor, range: TextRange): readonly Completion[] {
  const { loadType } = chosen;
  const own = fieldAt(path, loadType);
  if (own?.types.includes('list') === true && typeof path.at(-1) !== 'number')
    return listItem(path, chosen, cursor, range);
  if (cursor.needsDash) return [];
  const place: Place = { loadType, indent: cursor.indent, flow: cursor.flow };
  const isShape = isDistribution(path);
  const fields = fieldsUnder(path, loadType)
    .filter((field) => has(chosen.target, field.since))
    .filter((field) => ![field.name, ...(field.aliases ?? [])].some((name) => cursor.present.has(name)))
    .filter((field) => (isShape ? shapes(path, field.name, chosen) : hasEffect(path, field.name, chosen)));
  const found = fields.map((field, index) => {
    const insertText = cursor.hasColon ? field.name : keySnippet(field, place);
    return item(
      (field.required ? 0 : 1000) + index,
      {
        label: field.name,
        kind: 'key',
        detail: detailOf(field),
        documentation: describeField(field),
        insertText,
        range,
      },
      !cursor.hasColon && insertText.endsWith(': '),
    );
  });
  return cursor.hasColon || cursor.flow ? found : [...found, ...snippets(path, fields, place, cursor, range)];
}

function detailOf(field: FieldInfo): string {
  const standing = field.required
    ? 'required'
    : field.whenAbsent !== undefined || field.default === undefined || field.default.value === null
      ? 'optional'
      : `default ${JSON.stringify(field.default.value)}`;
  return [field.types.join(' or '), ...(field.unit === undefined ? [] : [field.unit]), standing].join(', ');
}

/** A place in a list that needs its dash first. */
function listItem(path: ConfigPath, chosen: Chosen, cursor: Cursor, range: TextRange): readonly Completion[] {
  if (path.join('.') !== 'load.stages' || cursor.flow) return [];
  const lines = stageLines(chosen.loadType);
  const insertText = lines.join(`\n${' '.repeat(cursor.indent)}`);
  const documentation = 'One more stage, run after the ones above it.';
  return [item(0, { label: '- stage', kind: 'snippet', detail: 'one stage', documentation, insertText, range })];
}

function snippets(
  path: ConfigPath,
  fields: readonly FieldInfo[],
  place: Place,
  cursor: Cursor,
  range: TextRange,
): readonly Completion[] {
  const found: Completion[] = [];
  const steps =
    path.join('.') === 'load' && fields.some((field) => field.name === 'stages') ? ladder(place.loadType) : undefined;
  if (steps) {
    const insertText = block('stages', steps.lines, cursor.indent);
    found.push(item(5000, { ...shown(steps), insertText, range }));
  }
  for (const field of fields.filter((entry) => isDistribution([...path, entry.name]))) {
    DISTRIBUTIONS.forEach((shape, index) => {
      const insertText = block(field.name, shape.lines, cursor.indent);
      found.push(item(6000 + index, { ...shown(shape), label: `${field.name}: ${shape.label}`, insertText, range }));
    });
  }
  if (isDistribution(path) && cursor.present.size === 0)
    DISTRIBUTIONS.forEach((shape, index) => {
      const insertText = shape.lines.join(`\n${' '.repeat(cursor.indent)}`);
      found.push(item(6000 + index, { ...shown(shape), insertText, range }));
    });
  return found;
}

function shown({ label, detail, lines }: { label: string; detail: string; lines: readonly string[] }) {
  const plain = lines.map((line) => line.replace(/\$\{\d+:([^}]*)\}/g, '$1'));
  return { label, kind: 'snippet', detail, documentation: `\`\`\`yaml\n${plain.join('\n')}\n\`\`\`` } as const;
}

function values(path: ConfigPath, chosen: Chosen, cursor: Cursor, range: TextRange): readonly Completion[] {
  const field = fieldAt(path, chosen.loadType) ?? fieldAt(path);
  if (!field) return [];
  const found: Completion[] = [];
  const add = (label: string, detail: string, documentation: string): void => {
    found.push(item(found.length, { label, kind: 'value', detail, documentation, insertText: label, range }));
  };
  for (const [word, { doc, since }] of Object.entries(field.enumValues ?? {})) {
    if (!runs(path, word, chosen) || !has(chosen.target, since)) continue;
    add(word, since === undefined ? '' : `since ${since}`, doc);
  }
  const standard = field.default?.value;
  if (field.types.includes('true or false'))
    for (const word of ['true', 'false'])
      add(word, String(standard) === word ? 'default' : '', field.description ?? '');
  if (found.length === 0 && typeof standard === 'number') add(String(standard), 'default', field.description ?? '');
  return found;
}

const DIRECTIVE_VALUES: Readonly<Record<string, string>> = {
  none: '',
  seed: '=${1:42}',
  arrivals: '=${1|even,burst,burst:8|}',
  seconds: '=${1:60}',
  rates: '=${1:5 10 20}',
};

/** Inside `# ...`: the mark, then directives, then the codes to disable. */
function directives(text: string, line: string, position: Position): readonly Completion[] {
  const before = line.slice(0, position.column);
  const start = before.lastIndexOf('#') + 1;
  const comment = before.slice(start);
  const typed = /[\w-]*$/.exec(comment)![0];
  const range = {
    startLine: position.line,
    startColumn: position.column - typed.length,
    endLine: position.line,
    endColumn: wordEnd(line, position.column),
  };
  const mark = /^\s*isoperf\s*:\s*/i.exec(comment);
  if (!mark) {
    if (!/^\s*[A-Za-z]*$/.test(comment)) return [];
    const documentation = 'A directive of IsoPerf; inference-perf ignores it, because it is a comment.';
    const insertText = `${/^\s/.test(comment) ? '' : ' '}isoperf: `;
    return [
      item(0, { label: 'isoperf:', kind: 'directive', detail: 'directive', documentation, insertText, range }, true),
    ];
  }
  const rest = comment.slice(mark[0].length);
  const disabled = /^disable\s+(?:[A-Z]{3}\d{3}\s*,\s*)*[A-Z\d]*$/i.test(rest);
  if (disabled) return codes(text, range);
  if (!/(^|,)\s*[\w-]*$/.test(rest)) return [];
  const found = Object.entries(DIRECTIVES).map(([name, kind], index) =>
    item(index, {
      label: name,
      kind: 'directive',
      detail:
        kind.scope === 'either'
          ? 'of a stage or of the document'
          : `of ${kind.scope === 'stage' ? 'a stage' : 'the document'}`,
      documentation: kind.doc,
      insertText: name + (own(DIRECTIVE_VALUES, kind.value) ?? ''),
      range,
    }),
  );
  const documentation = 'These findings are known and accepted in this file; the reason is for the next reader.';
  const disable = item(
    found.length,
    { label: 'disable', kind: 'directive', detail: 'accept a finding', documentation, insertText: 'disable ', range },
    true,
  );
  return [...found, disable];
}

/** The findings this file has: what there is to disable. */
function codes(text: string, range: TextRange): readonly Completion[] {
  const { loaded } = readConfig(text);
  const found = loaded ? [...new Set(configPitfalls(loaded).map((problem) => problem.code))].sort() : [];
  return found.map((code, index) => {
    const entry = pitfallByCode(code);
    return item(index, {
      label: code,
      kind: 'directive',
      detail: entry?.title ?? '',
      documentation: `${entry?.consequence ?? ''} [${code}](${docsAnchor(code)})`,
      insertText: `${code} because \${1:reason}`,
      range,
    });
  });
}
