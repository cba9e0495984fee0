// A sketch of a YAML text while it is being typed: which key each line holds, and where the cursor stands.
// It goes by indentation alone, so that an unfinished line anywhere does not matter; the parser has the last word elsewhere.
import type { ConfigPath } from '../problem';
import type { Position } from '../config/yaml/lines';

interface Entry {
  readonly line: number;
  /** From the file's root; list indexes count the dashes above. */
  readonly path: ConfigPath;
  /** Text after the colon, comments and quotes taken off. */
  readonly value: string;
  /** Of the mapping the key stands in: one for each YAML document, list item and parent. */
  readonly parent: string;
}

export interface Cursor {
  readonly kind: 'key' | 'value' | 'comment';
  /** For a key the mapping it would stand in; for a value the key it belongs to. From the file's root. */
  readonly path: ConfigPath;
  /** What is already typed of the word, up to the cursor, and where it begins. */
  readonly typed: string;
  readonly start: number;
  /** Column new lines of a snippet are indented to: the key's own. */
  readonly indent: number;
  /** Inside braces on one line. */
  readonly flow: boolean;
  /** Keys that stand in the same mapping already, the cursor's line left out. */
  readonly present: ReadonlySet<string>;
  /** Text follows the cursor's word on the line: a colon is there, or the value goes on. */
  readonly hasColon: boolean;
  /** A `- ` must come first: the place is a list's and not an item's. */
  readonly needsDash: boolean;
}

export interface Sketch {
  readonly cursor: Cursor;
  /** The value of the first entry with a path, from the file's root. */
  valueOf(path: ConfigPath): string | undefined;
  /** Top-level keys of the cursor's YAML document. */
  readonly topLevel: ReadonlySet<string>;
}

interface Frame {
  /** Column of the key, or of the dash. */
  readonly column: number;
  readonly path: ConfigPath;
  readonly dash: boolean;
}

const KEY = /^("[^"]*"|'[^']*'|[A-Za-z_][\w.-]*)[ \t]*:(?=\s|$)/;
const MAX_DEPTH = 40;
const FILE_KEY = /\.ya?ml(\.in)?$|^config$/;

export function sketch(text: string, position: Position): Sketch {
  const lines = text.split(/\r\n|\n|\r/);
  const walk = new Walk();
  let cursor: Cursor | undefined;
  const entries: Entry[] = [];
  let document = 0;
  let cursorDocument = 0;
  lines.forEach((line, index) => {
    if (/^---(\s|$)/.test(line)) {
      document += 1;
      walk.reset();
    }
    if (index === position.line) {
      cursor = cursorOf(line, position.column, walk);
      cursorDocument = document;
    }
    for (const entry of walk.take(line)) entries.push({ ...entry, line: index, parent: `${document} ${entry.parent}` });
  });
  cursor ??= cursorOf('', 0, walk);
  const inDocument = entries.filter((entry) => entry.parent.startsWith(`${cursorDocument} `));
  const home = `${cursorDocument} ${keyOf(cursor.kind === 'key' ? cursor.path : cursor.path.slice(0, -1))}`;
  const present = new Set(
    inDocument
      .filter((entry) => entry.parent === home && (entry.line !== position.line || cursor!.flow))
      .map((entry) => String(entry.path.at(-1))),
  );
  for (const key of cursor.present) present.add(key);
  return {
    cursor: { ...cursor, present },
    valueOf: (path) => inDocument.find((entry) => keyOf(entry.path) === keyOf(path))?.value,
    topLevel: new Set(inDocument.filter((entry) => entry.path.length === 1).map((entry) => String(entry.path[0]))),
  };
}

function keyOf(path: ConfigPath): string {
  return JSON.stringify(path);
}

type Found = Pick<Entry, 'path' | 'value' | 'parent'>;

/** Reads line after line and knows in which mappings and lists it is. */
class Walk {
  private frames: Frame[] = [];
  /** How many dashes each list has shown. */
  private counts = new Map<string, number>();
  /** Indentation of the key whose block text is being skipped. */
  private blockColumn: number | undefined;

  reset(): void {
    this.frames = [];
    this.counts = new Map();
    this.blockColumn = undefined;
  }

  take(line: string): readonly Found[] {
    const indent = line.length - line.trimStart().length;
    const content = line.slice(indent);
    if (content === '' || content.startsWith('#')) return [];
    if (this.blockColumn !== undefined && indent > this.blockColumn) return [];
    this.blockColumn = undefined;
    const { column, rest } = this.dashes(indent, content);
    const match = KEY.exec(rest);
    if (!match) return [];
    const key = match[1]!.replace(/^["']|["']$/g, '');
    const value = bare(rest.slice(match[0].length));
    const parent = this.parentOf(column, false);
    this.frames = this.frames.filter((frame) => frame.column < column);
    const path = [...parent, key];
    this.frames.push({ column, path, dash: false });
    if (/^[|>][-+\d]*$/.test(value) && !FILE_KEY.test(key)) this.blockColumn = column;
    return [{ path, value, parent: keyOf(parent) }, ...(/^[[{]/.test(value) ? walkFlow(value, path).entries : [])];
  }

  /** Enters the list items that begin on a line; gives what stands after the dashes. */
  private dashes(indent: number, content: string): { column: number; rest: string } {
    let column = indent;
    let rest = content;
    for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
      const dash = /^-(?:[ \t]+|$)/.exec(rest);
      if (!dash) break;
      const list = this.parentOf(column, true);
      this.frames = this.frames.filter((frame) => (frame.dash ? frame.column < column : frame.column <= column));
      const index = this.counts.get(keyOf(list)) ?? 0;
      this.counts.set(keyOf(list), index + 1);
      this.frames.push({ column, path: [...list, index], dash: true });
      column += dash[0].length;
      rest = rest.slice(dash[0].length);
    }
    return { column, rest };
  }

  /** The path of whatever holds something at a column. A dash may stand under its key's own column. */
  parentOf(column: number, dash: boolean): ConfigPath {
    const frame = this.frames.findLast((entry) =>
      entry.dash || !dash ? entry.column < column : entry.column <= column,
    );
    return frame?.path ?? [];
  }

  /** Whether the innermost holder of a column has shown dashes, or how many. */
  itemsOf(path: ConfigPath): number {
    return this.counts.get(keyOf(path)) ?? 0;
  }

  /** The list item that the next dash at a column would begin. */
  nextItem(column: number): ConfigPath {
    const list = this.parentOf(column, true);
    return [...list, this.itemsOf(list)];
  }
}

function bare(value: string): string {
  const text = value.replace(/(^|\s)#.*$/, '').trim();
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text;
}

const NOTHING: ReadonlySet<string> = new Set();

function cursorOf(line: string, column: number, walk: Walk): Cursor {
  const before = line.slice(0, column);
  const after = line.slice(column);
  const comment = /(?:^|\s)#(.*)$/.exec(before);
  if (comment && !/["'][^"']*#[^"']*$/.test(before)) {
    const typed = /[\w-]*$/.exec(comment[1]!)![0];
    return plain('comment', [], typed, column, 0, false, after);
  }
  const indent = before.length - before.trimStart().length;
  const dashes = /^(?:-[ \t]+)*/.exec(before.slice(indent))![0];
  const own = indent + dashes.length;
  const base = dashes === '' ? walk.parentOf(own, false) : itemPath(walk, indent, dashes);
  const content = before.slice(own);
  const key = KEY.exec(content);
  if (!key) {
    if (/^[[{]/.test(content)) return flowCursor(content, base, column, own, after);
    const typed = /[\w.-]*$/.exec(content)![0];
    const needsDash = dashes === '' && walk.itemsOf(base) > 0;
    return { ...plain('key', base, typed, column, own, false, after), needsDash };
  }
  const path = [...base, key[1]!.replace(/^["']|["']$/g, '')];
  const value = content.slice(key[0].length);
  const flow = /^\s*[[{]/.test(value) ? value.search(/[[{]/) : -1;
  if (flow >= 0) return flowCursor(value.slice(flow), path, column, own, after);
  return plain('value', path, /[^\s"'[,]*$/.exec(value)![0], column, own, false, after);
}

function itemPath(walk: Walk, indent: number, dashes: string): ConfigPath {
  const first = walk.nextItem(indent);
  const more = Math.min(MAX_DEPTH, dashes.match(/-/g)!.length - 1);
  return [...first, ...Array.from({ length: more }, () => 0)];
}

function plain(
  kind: Cursor['kind'],
  path: ConfigPath,
  typed: string,
  column: number,
  indent: number,
  flow: boolean,
  after: string,
): Cursor {
  const hasColon = /^[\w.-]*\s*:/.test(after);
  return {
    kind,
    path,
    typed,
    start: column - typed.length,
    indent,
    flow,
    present: NOTHING,
    hasColon,
    needsDash: false,
  };
}

interface Flow {
  readonly entries: readonly Found[];
  /** Where the text ends: the innermost mapping or list, its keys, the key whose value is being written, and the word. */
  readonly path: ConfigPath;
  readonly keys: readonly string[];
  readonly key: string | undefined;
  readonly word: string;
}

/** Walks braces and brackets on one line, character by character, closed or not. */
function walkFlow(content: string, base: ConfigPath): Flow {
  const stack: { path: ConfigPath; keys: string[] }[] = [];
  const entries: Found[] = [];
  let word = '';
  let key: string | undefined;
  const path = (): ConfigPath => stack.at(-1)?.path ?? base;
  const end = (): void => {
    if (key !== undefined) entries.push({ path: [...path(), key], value: bare(word), parent: keyOf(path()) });
    [word, key] = ['', undefined];
  };
  for (const character of content) {
    // No config is as deep; what is would cost the square of its depth.
    if (stack.length > MAX_DEPTH) break;
    if (character === '{' || character === '[') {
      const inner = key === undefined ? path() : [...path(), key];
      end();
      stack.push({ path: character === '[' ? [...inner, 0] : inner, keys: [] });
    } else if (character === '}' || character === ']') {
      end();
      stack.pop();
    } else if (character === ',') end();
    else if (character === ':' && key === undefined) {
      key = word.trim();
      stack.at(-1)?.keys.push(key);
      word = '';
    } else word += character;
  }
  const last = { path: path(), keys: stack.at(-1)?.keys ?? [], key, word };
  end();
  return { entries, ...last };
}

function flowCursor(content: string, base: ConfigPath, column: number, indent: number, after: string): Cursor {
  const { path, keys, key, word } = walkFlow(content, base);
  const typed = /[\w.-]*$/.exec(word)![0];
  if (key !== undefined) return plain('value', [...path, key], typed, column, indent, true, after);
  return { ...plain('key', path, typed, column, indent, true, after), present: new Set(keys) };
}
