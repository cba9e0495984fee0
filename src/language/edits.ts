// Edits on a config's text by path: rename, move, add, comment out. Comments and formatting around them stay.
import type { Reading } from '../config/load';
import { Lines, type Position } from '../config/yaml/lines';
import type { Region } from '../config/find/regions';
import type { MapNode, Pair, YamlNode } from '../config/yaml/tree';
import type { ConfigText, Edit } from '../pitfalls/fix';
import type { ConfigPath, TextRange } from '../problem';
import { toRegion } from './place';

/** The text after edits that do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const lines = new Lines(text);
  const placed = edits.map(({ range, newText }) => ({
    start: lines.offset({ line: range.startLine, column: range.startColumn }),
    end: lines.offset({ line: range.endLine, column: range.endColumn }),
    newText,
  }));
  return placed
    .sort((left, right) => right.start - left.start)
    .reduce((current, { start, end, newText }) => current.slice(0, start) + newText + current.slice(end), text);
}

/** A config in its file: where keys stand, and edits in the file's own coordinates. */
export class Page implements ConfigText {
  private readonly file: Lines;
  private constructor(
    private readonly region: Region,
    text: string,
  ) {
    this.file = new Lines(text);
  }

  static of(reading: Reading, text: string): Page | undefined {
    return reading.region && new Page(reading.region, text);
  }

  private located(path: ConfigPath) {
    return this.region.document.locate([...this.region.prefix, ...path]);
  }

  private place(offset: number): Position {
    const { startLine, startColumn } = this.region.toFile(this.region.document.lines.range(offset, offset));
    return { line: startLine, column: startColumn };
  }

  has(path: ConfigPath): boolean {
    return this.located(path) !== undefined;
  }

  isNull(path: ConfigPath): boolean {
    const value = this.located(path)?.value;
    return value?.kind === 'scalar' && value.style === 'plain' && /^(null|~)?$/i.test(value.text);
  }

  /** The text of a scalar. */
  scalar(path: ConfigPath): string | undefined {
    const value = this.located(path)?.value;
    return value?.kind === 'scalar' ? value.text : undefined;
  }

  /** Keys of a mapping in the order of the text. */
  keys(path: ConfigPath): readonly string[] {
    const pairs = this.mapping(path)?.pairs ?? [];
    return pairs.map(({ key }) => (key.kind === 'scalar' ? key.text : ''));
  }

  /** A new entry in front of one that stands there. */
  before(path: ConfigPath, entry: string): readonly Edit[] | undefined {
    const key = this.located(path)?.key;
    if (!key) return undefined;
    const start = this.place(key.start);
    if (this.isFlow(path.slice(0, -1))) return [{ range: at(start), newText: `${entry}, ` }];
    return [this.above(start, [entry])];
  }

  /** Several `key: value` entries for one mapping. */
  addAll(path: ConfigPath, entries: readonly string[]): readonly Edit[] | undefined {
    const first = this.keys(path)[0];
    if (first === undefined) return undefined;
    if (this.isFlow(path)) return this.before([...path, first], entries.join(', '));
    const target = this.tail(path);
    if (!target) return undefined;
    const lead = ' '.repeat(target.column);
    const end = { line: target.line, column: this.file.line(target.line).length };
    return [{ range: at(end), newText: entries.map((entry) => `\n${lead}${entry}`).join('') }];
  }

  keyRange(path: ConfigPath): TextRange | undefined {
    const key = this.located(path)?.key;
    return key && this.rangeOf(key.start, key.end);
  }

  /** First character of the config: where a directive of the document goes. */
  start(): Position {
    const node = this.located([])?.value;
    return node ? this.place(node.start) : { line: 0, column: 0 };
  }

  private rangeOf(start: number, end: number): TextRange {
    return this.region.toFile(this.region.document.lines.range(start, end));
  }

  /** The mapping a path stands for when it is written out there. */
  private mapping(path: ConfigPath): MapNode | undefined {
    const value = this.located(path)?.value;
    return value?.kind === 'map' && value.pairs.length > 0 ? value : undefined;
  }

  isFlow(path: ConfigPath): boolean {
    const value = this.located(path)?.value;
    return (value?.kind === 'map' || value?.kind === 'list') && value.flow;
  }

  /** First and last line of a key with all under it, when nothing else stands on those lines. */
  private lines(path: ConfigPath): { first: number; last: number; column: number } | undefined {
    const found = this.located(path);
    if (!found?.key || this.isFlow(path.slice(0, -1))) return undefined;
    const start = this.place(found.key.start);
    if (this.file.line(start.line).slice(0, start.column).trim() !== '') return undefined;
    const end = this.place(Math.max(found.key.end, found.value.end));
    const last = end.column === 0 && end.line > start.line ? end.line - 1 : end.line;
    return { first: start.line, last, column: start.column };
  }

  private wholeLines(first: number, last: number): TextRange {
    if (last + 1 < this.file.count) return { startLine: first, startColumn: 0, endLine: last + 1, endColumn: 0 };
    return { startLine: first, startColumn: 0, endLine: last, endColumn: this.file.line(last).length };
  }

  /** Turns a key and all under it into comments; in braces it is taken out. */
  commentOut(path: ConfigPath): readonly Edit[] | undefined {
    const block = this.lines(path);
    if (!block) return this.takeOut(path);
    const edits: Edit[] = [];
    for (let line = block.first; line <= block.last; line += 1) {
      if (this.file.line(line).trim() === '') continue;
      const column = Math.min(block.column, this.file.line(line).length);
      edits.push({ range: at({ line, column }), newText: '# ' });
    }
    return edits;
  }

  /** Indents keys with all under them by two. */
  indent(paths: readonly ConfigPath[]): readonly Edit[] | undefined {
    const blocks = paths.map((path) => this.lines(path));
    const edits: Edit[] = [];
    for (const block of blocks) {
      if (!block) return undefined;
      for (let line = block.first; line <= block.last; line += 1)
        if (this.file.line(line).trim() !== '') edits.push({ range: at({ line, column: 0 }), newText: '  ' });
    }
    return edits;
  }

  /** Takes out the earlier one of a key that is written twice; `place` is where the later one stands. */
  removeEarlier(place: TextRange): readonly Edit[] | undefined {
    const { document } = this.region;
    const { line, column } = toRegion(this.region, { line: place.startLine, column: place.startColumn });
    const twins = document.root && twinsAt(document.root, document.lines.offset({ line, column }));
    if (!twins) return undefined;
    const [earlier, next] = twins;
    const from = this.place(earlier.key.start);
    const to = this.place(next.key.start);
    const isAlone = this.file.line(from.line).slice(0, from.column).trim() === '';
    if (!isAlone || to.line === from.line)
      return [{ range: this.rangeOf(earlier.key.start, next.key.start), newText: '' }];
    const end = this.place(Math.max(earlier.key.end, earlier.value.end));
    return [{ range: this.wholeLines(from.line, end.line), newText: '' }];
  }

  /** Removes the lines of a key. */
  remove(path: ConfigPath): readonly Edit[] | undefined {
    const block = this.lines(path);
    return block ? [{ range: this.wholeLines(block.first, block.last), newText: '' }] : this.takeOut(path);
  }

  /** Takes an entry out of `{a: 1, b: 2}`, with its comma. */
  private takeOut(path: ConfigPath): readonly Edit[] | undefined {
    const map = this.mapping(path.slice(0, -1));
    if (map?.flow !== true) return undefined;
    const index = map.pairs.findIndex((pair) => pair.key.kind === 'scalar' && pair.key.text === path.at(-1));
    const pair = map.pairs[index];
    if (!pair) return undefined;
    const next = map.pairs[index + 1];
    const before = map.pairs[index - 1];
    const end = Math.max(pair.key.end, pair.value.end);
    if (next) return [{ range: this.rangeOf(pair.key.start, next.key.start), newText: '' }];
    if (before) return [{ range: this.rangeOf(Math.max(before.key.end, before.value.end), end), newText: '' }];
    return [{ range: this.rangeOf(pair.key.start, end), newText: '' }];
  }

  /** Moves a key with all under it, comments included, to the end of another mapping. */
  move(from: ConfigPath, to: ConfigPath): readonly Edit[] | undefined {
    const block = this.lines(from);
    const parent = to.slice(0, -1);
    if (!block || this.has(to) || this.isFlow(parent)) return undefined;
    const target = this.tail(parent);
    if (!target || (target.line >= block.first && target.line < block.last)) return undefined;
    const shift = target.column - block.column;
    const moved: string[] = [];
    for (let line = block.first; line <= block.last; line += 1) moved.push(indented(this.file.line(line), shift));
    // Where the block ends what it stands in, or follows the target, only its indentation changes.
    if (target.line === block.first - 1 || this.endsAll(from, parent.length, block.last)) {
      const range = {
        startLine: block.first,
        startColumn: 0,
        endLine: block.last,
        endColumn: this.file.line(block.last).length,
      };
      return [{ range, newText: moved.join('\n') }];
    }
    const end = { line: target.line, column: this.file.line(target.line).length };
    return [
      { range: this.wholeLines(block.first, block.last), newText: '' },
      { range: at(end), newText: `\n${moved.join('\n')}` },
    ];
  }

  /** Is a line the last of every mapping between a key and its ancestor of a depth? */
  private endsAll(path: ConfigPath, depth: number, line: number): boolean {
    if (path.length - 1 <= depth) return false;
    const between = Array.from({ length: path.length - 1 - depth }, (_, step) => path.slice(0, path.length - 1 - step));
    return between.every((ancestor) => this.tail(ancestor)?.line === line);
  }

  /** Last line of a block mapping and the column of its keys; for an empty key a place under it. */
  private tail(path: ConfigPath): { line: number; column: number } | undefined {
    const map = this.mapping(path);
    if (map) {
      if (map.flow) return undefined;
      const last = map.pairs.at(-1)!;
      const end = this.place(Math.max(last.key.end, last.value.end));
      const column = this.place(map.pairs[0]!.key.start).column;
      return { line: end.column === 0 ? end.line - 1 : end.line, column };
    }
    const key = this.located(path)?.key;
    if (!key || !this.isNull(path)) return undefined;
    const { line, column } = this.place(key.start);
    return { line, column: column + 2 };
  }

  /** Adds `key: value` to a mapping, which is made if need be; lines of a block value are relative to the key. */
  add(path: ConfigPath, value: string, more: { readonly snippet?: boolean } = {}): readonly Edit[] | undefined {
    const parent = path.slice(0, -1);
    const entry = `${String(path.at(-1))}:${value.startsWith('\n') ? '' : ' '}${value}`;
    const map = this.mapping(parent);
    if (map?.flow === true) {
      const { key } = map.pairs[0]!;
      return [{ range: this.rangeOf(key.start, key.start), newText: `${entry}, `, ...more }];
    }
    const target = this.tail(parent);
    if (target) {
      const end = { line: target.line, column: this.file.line(target.line).length };
      const lead = ' '.repeat(target.column);
      const lines = entry.split('\n').map((line) => lead + line);
      return [{ range: at(end), newText: `\n${lines.join('\n')}`, ...more }];
    }
    if (parent.length === 0 || this.has(parent)) return undefined;
    return this.add(
      parent,
      `\n${entry
        .split('\n')
        .map((line) => `  ${line}`)
        .join('\n')}`,
      more,
    );
  }

  /** Writes a value: over the one that stands there, or as a new key. */
  set(path: ConfigPath, value: string, more: { readonly snippet?: boolean } = {}): readonly Edit[] | undefined {
    const found = this.located(path);
    if (!found) return this.add(path, value, more);
    if (found.value.kind === 'alias') return undefined;
    const { key, value: node } = found;
    if (node.start === node.end && key) {
      const { line, column } = this.place(key.end);
      const rest = /^\s*:/.exec(this.file.line(line).slice(column));
      return rest
        ? [{ range: at({ line, column: column + rest[0].length }), newText: ` ${value}`, ...more }]
        : undefined;
    }
    return [{ range: this.rangeOf(node.start, node.end), newText: value, ...more }];
  }

  /** The dash of a list item in block style. */
  dash(path: ConfigPath): Position | undefined {
    const item = this.located(path)?.value;
    if (!item || this.isFlow(path.slice(0, -1))) return undefined;
    const start = this.place(item.start);
    const column = this.file.line(start.line).slice(0, start.column).lastIndexOf('-');
    return column < 0 ? undefined : { line: start.line, column };
  }

  /** New lines above a position, indented like it. */
  above(position: Position, lines: readonly string[], more: { readonly snippet?: boolean } = {}): Edit {
    const lead = ' '.repeat(position.column);
    return { range: at(position), newText: lines.map((line) => `${line}\n${lead}`).join(''), ...more };
  }

  /** A comment at the end of a line; a line that has one gets it above, at the same indentation. */
  note(line: number, comment: string): Edit {
    const content = this.file.line(line);
    if (!/(^|\s)#/.test(content))
      return { range: at({ line, column: content.trimEnd().length }), newText: ` ${comment}` };
    const indent = content.length - content.trimStart().length;
    return this.above({ line, column: indent }, [comment]);
  }
}

/** The pair of the same key before the one whose key begins at an offset, and the pair that follows it. */
function twinsAt(root: YamlNode, offset: number): readonly [Pair, Pair] | undefined {
  const open: YamlNode[] = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    if (offset < node.start || offset > node.end) continue;
    if (node.kind === 'list') open.push(...node.items);
    if (node.kind !== 'map') continue;
    const { pairs } = node;
    const later = pairs.findIndex(({ key }) => key.start === offset);
    if (later < 0) {
      open.push(...pairs.map((pair) => pair.value));
      continue;
    }
    const name = (pair: Pair): string | undefined => (pair.key.kind === 'scalar' ? pair.key.text : undefined);
    const earlier = pairs.slice(0, later).findLastIndex((pair) => name(pair) === name(pairs[later]!));
    return earlier < 0 ? undefined : [pairs[earlier]!, pairs[earlier + 1]!];
  }
  return undefined;
}

export function at({ line, column }: Position): TextRange {
  return { startLine: line, startColumn: column, endLine: line, endColumn: column };
}

function indented(line: string, shift: number): string {
  if (line.trim() === '') return line;
  if (shift >= 0) return ' '.repeat(shift) + line;
  const blank = line.length - line.trimStart().length;
  return line.slice(Math.min(blank, -shift));
}
