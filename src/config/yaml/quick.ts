// The everyday part of YAML, read line by line into the same tree the full parser gives, in a tenth of its time: block mappings
// and lists, one-line values, one-line braces and brackets, anchors, comments. A value of another kind (a tag, a text or braces over
// several lines) is given to the full parser alone. It never guesses: at anything else (tabs, odd keys, every mistake) it gives up
// and the full parser reads the whole text. A test holds the two together.
import type { Lines } from './lines';
import type { Comment } from './tokens';
import { shifted, type MapNode, type Pair, type ScalarNode, type SolidNode, type YamlNode } from './tree';

export interface QuickTree {
  /** Absent when the text holds nothing but comments and blank lines. */
  readonly root: YamlNode | undefined;
  readonly comments: readonly Comment[];
}

/** What the full parser makes of one value, with offsets and lines of the part it was given. */
export interface HardPart {
  readonly node: YamlNode;
  readonly comments: readonly Comment[];
}

/** Reads a part of a text: one key or dash with its value. Undefined unless nothing at all is wrong with it. */
export type ReadPart = (part: string) => HardPart | undefined;

/** Where quick reading stopped: everything before the innermost open block's line is in order. */
export interface QuickStop {
  readonly line: number;
  /** The lines of the keys and dashes that are open there, from the outside in. */
  readonly open: readonly number[];
  /** Names above that the text below may ask for: then no part of it can be judged alone. */
  readonly hasAnchors: boolean;
}

/** Characters that need the full parser wherever they stand: tabs, unusual line breaks, byte-order marks, what PyYAML refuses. */
const UNUSUAL =
  /[^\n\r\u0020-\u007E\u00A0-\u2027\u202A-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD\u{10000}-\u{10FFFF}]|\r(?!\n)/u;
const KEY = /(?:<<|[A-Za-z0-9_][\w./-]{0,200}|"[^"\\\r\n]{0,200}"|'[^'\r\n]{0,200}'):(?=[ \r\n]|$)/y;
/** How a text without quotes may begin. */
const PLAIN_START = /[A-Za-z0-9_./+~$<=(^;\u00A0-\uFFFD]|-(?=[^ \r\n])/y;
const ANCHOR = /&[\w-]+(?=[ \r\n]|$)/y;
const ALIAS = /\*[\w-]+(?=[ \r\n]|$)/y;
const FLOW_ALIAS = /\*[\w-]+(?= *[,\]}])/y;
const SINGLE = /'[^'\r\n]*'/y;
const DOUBLE = /"[^"\\\r\n]*"/y;
/** In braces and brackets: words and numbers; a colon inside one is left to the full parser. */
const FLOW_PLAIN = /(?:[A-Za-z0-9_./+]|-(?=[0-9.A-Za-z]))[\w./+-]*(?: +[\w./+][\w./+-]*)*(?= *[,\]}])/y;
const FLOW_KEY = /(?:<<|[A-Za-z0-9_][\w./-]{0,200}|"[^"\\\r\n]{0,200}"|'[^'\r\n]{0,200}'):(?= )/y;
const MAX_DEPTH = 40;
/** Lines of one value that is not of the everyday kind, and how many such values: with more the whole text is read at once. */
const MAX_PART_LINES = 60;
const MAX_PARTS = 24;

const SPACE = 32;
const HASH = 35;
const DASH = 45;
const AMPERSAND = 38;
const STAR = 42;

/** Thrown inside only. One object: a stack trace for each would cost more than the reading. */
const GIVEN_UP = new Error('not the everyday part of YAML');

/** The tree of a text, or where it needs the full parser. */
export function quickTree(text: string, lines: Lines, readPart: ReadPart): QuickTree | QuickStop {
  const reader = new QuickReader(text, lines, UNUSUAL.exec(text)?.index ?? Infinity, readPart);
  try {
    return reader.read();
  } catch (error) {
    if (error !== GIVEN_UP) throw error;
    return reader.stop();
  }
}

function giveUp(): never {
  throw GIVEN_UP;
}

class QuickReader {
  private readonly comments: Comment[] = [];
  /** The line that is read now; beyond the last one at the end. */
  private line = -1;
  /** Offsets of its first character that is no space, and of its end without the line break. */
  private offset = 0;
  private end = 0;
  private column = 0;
  /** The anchors above; one that is still open has no node yet. */
  private readonly anchors = new Map<string, SolidNode | undefined>();
  /** For each open block the line of its key or dash. */
  private readonly open: number[] = [];
  /** Set once reading cannot go on. */
  private stopped: QuickStop | undefined;
  private parts = 0;

  constructor(
    private readonly text: string,
    private readonly lines: Lines,
    /** Offset of the first character that is not everyday. */
    private readonly limit: number,
    private readonly readPart: ReadPart,
  ) {}

  stop(): QuickStop {
    return this.stopped ?? { line: this.line, open: [...this.open], hasAnchors: this.anchors.size > 0 };
  }

  read(): QuickTree {
    const { comments } = this;
    if (!this.next()) return { root: undefined, comments };
    if (this.column === 0 && this.text.slice(this.offset, this.end) === '---' && !this.next()) giveUp();
    const root = this.block(this.column, this.offset);
    if (this.line < this.lines.count) giveUp();
    return { root, comments };
  }

  /** Goes on to the next line with more than a comment. */
  private next(): boolean {
    const { text, lines } = this;
    for (this.line += 1; this.line < lines.count; this.line += 1) {
      const start = lines.lineStart(this.line);
      let end = this.line + 1 < lines.count ? lines.lineStart(this.line + 1) - 1 : text.length;
      if (end > start && text.charCodeAt(end - 1) === 13) end -= 1;
      if (end >= this.limit) giveUp();
      let offset = start;
      while (offset < end && text.charCodeAt(offset) === SPACE) offset += 1;
      if (offset === end) continue;
      [this.offset, this.end, this.column] = [offset, end, offset - start];
      if (text.charCodeAt(offset) !== HASH) return true;
      this.comment(offset, true);
    }
    return false;
  }

  private comment(offset: number, ownLine: boolean): void {
    const start = this.lines.lineStart(this.line);
    const range = {
      startLine: this.line,
      startColumn: offset - start,
      endLine: this.line,
      endColumn: this.end - start,
    };
    this.comments.push({ text: this.text.slice(offset + 1, this.end), range, ownLine });
  }

  private isDash(offset: number): boolean {
    if (offset >= this.end || this.text.charCodeAt(offset) !== DASH) return false;
    return offset + 1 === this.end || this.text.charCodeAt(offset + 1) === SPACE;
  }

  private matched(pattern: RegExp, offset: number): string | undefined {
    pattern.lastIndex = offset;
    return pattern.exec(this.text)?.[0];
  }

  private block(column: number, offset: number): SolidNode {
    if (this.open.push(this.line) > MAX_DEPTH) giveUp();
    const node = this.isDash(offset) ? this.list(column, offset) : this.map(column, offset);
    this.open.pop();
    return node;
  }

  private map(column: number, first: number): MapNode {
    const pairs: Pair[] = [];
    for (let offset = first; ; offset = this.offset) {
      const written = this.matched(KEY, offset) ?? giveUp();
      const key = word(written.slice(0, -1), offset);
      this.open[this.open.length - 1] = this.line;
      const value = this.value(offset + written.length, column, true);
      pairs.push({ key, value });
      if (this.line >= this.lines.count || this.column < column)
        return { start: first, end: value.end, kind: 'map', flow: false, pairs };
      if (this.column > column) giveUp();
    }
  }

  private list(column: number, first: number): SolidNode {
    const items: YamlNode[] = [];
    for (let offset = first; ; offset = this.offset) {
      this.open[this.open.length - 1] = this.line;
      const item = this.item(offset + 1, column);
      items.push(item);
      if (this.line < this.lines.count && this.column > column) giveUp();
      // A list may stand under its key's own column: another key ends it.
      if (this.line >= this.lines.count || this.column < column || !this.isDash(this.offset))
        return { start: first, end: item.end, kind: 'list', flow: false, items };
    }
  }

  /** What stands after a dash: another dash, a mapping that begins there, or a value. */
  private item(after: number, column: number): YamlNode {
    let offset = after;
    while (offset < this.end && this.text.charCodeAt(offset) === SPACE) offset += 1;
    const nested = this.isDash(offset) || this.matched(KEY, offset) !== undefined;
    if (!nested) return this.value(after, column, false);
    return this.block(offset - this.lines.lineStart(this.line), offset);
  }

  /** The value after a colon or dash; leaves the reader at the line after it. */
  private value(after: number, column: number, ofKey: boolean): YamlNode {
    const { line } = this;
    const [comments, open, anchors] = [this.comments.length, this.open.length, this.anchors.size];
    try {
      return this.easyValue(after, column, ofKey);
    } catch (error) {
      if (error !== GIVEN_UP || this.stopped) throw error;
      this.stopped = this.stop();
      const part = anchors === this.anchors.size ? this.hardValue(line, after, column, ofKey) : undefined;
      if (!part) throw error;
      this.stopped = undefined;
      this.comments.splice(comments, Infinity, ...part.comments);
      this.open.length = open;
      this.line = part.lastLine;
      if (this.next() && this.column > column) giveUp();
      return part.node;
    }
  }

  /**
   * A value that ends where a line is not deeper than its key or dash, by the full parser. The part keeps the column of the key and
   * of the value, so that it means the same alone.
   */
  private hardValue(line: number, after: number, column: number, ofKey: boolean) {
    const { text, lines } = this;
    const next = this.lineAfter(line, column);
    if (next - line > MAX_PART_LINES || lines.lineStart(next) > this.limit) return undefined;
    this.parts += 1;
    if (this.parts > MAX_PARTS) return undefined;
    const start = lines.lineStart(line);
    let offset = after;
    while (text.charCodeAt(offset) === SPACE) offset += 1;
    const lead = `${' '.repeat(column)}${ofKey ? 'k:' : '-'}`.padEnd(offset - start);
    const part = this.readPart(lead + text.slice(offset, lines.lineStart(next)));
    const node = part && shifted(part.node, start);
    // What is not there at all has its place by the key, which is another one in the part.
    if (!node || node.start < offset) return undefined;
    const comments = part.comments.map((comment): Comment => {
      const { range } = comment;
      return { ...comment, range: { ...range, startLine: range.startLine + line, endLine: range.endLine + line } };
    });
    return { node, comments, lastLine: next - 1 };
  }

  /** The first line below one that is not blank and not deeper than a column; a bracket there still belongs to what is above. */
  private lineAfter(line: number, column: number): number {
    const { text, lines } = this;
    let at = line + 1;
    for (; at < lines.count && at - line <= MAX_PART_LINES; at += 1) {
      const start = lines.lineStart(at);
      let offset = start;
      while (text.charCodeAt(offset) === SPACE) offset += 1;
      const code = text.charCodeAt(offset);
      if (Number.isNaN(code) || code === 10 || code === 13 || offset - start > column) continue;
      return text[offset] === '}' || text[offset] === ']' ? at + 1 : at;
    }
    return at;
  }

  private easyValue(after: number, column: number, ofKey: boolean): YamlNode {
    let offset = after;
    while (offset < this.end && this.text.charCodeAt(offset) === SPACE) offset += 1;
    const anchor = this.text.charCodeAt(offset) === AMPERSAND ? (this.matched(ANCHOR, offset) ?? giveUp()) : undefined;
    if (anchor !== undefined) return this.anchored(anchor, offset, column, ofKey);
    if (offset === this.end || (this.text.charCodeAt(offset) === HASH && offset > after))
      return this.below(offset, column, ofKey);
    const node = this.text.charCodeAt(offset) === STAR ? this.alias(ALIAS, offset) : this.inline(offset);
    this.rest(node.end);
    // A deeper line would go on with the value.
    if (this.next() && this.column > column) giveUp();
    return node;
  }

  private anchored(written: string, offset: number, column: number, ofKey: boolean): SolidNode {
    const name = written.slice(1);
    if (this.anchors.has(name)) giveUp();
    this.anchors.set(name, undefined);
    // Not by the full parser: what an anchor belongs to, a key or its mapping, depends on what stands beside it.
    const value = this.easyValue(offset + written.length, column, ofKey);
    if (value.kind === 'alias' || value.anchor !== undefined || value.start === value.end) giveUp();
    const node = { ...value, anchor: name };
    this.anchors.set(name, node);
    return node;
  }

  private alias(pattern: RegExp, offset: number): YamlNode {
    const written = this.matched(pattern, offset) ?? giveUp();
    const name = written.slice(1);
    const target = this.anchors.get(name) ?? giveUp();
    return { kind: 'alias', name, target, start: offset, end: offset + written.length };
  }

  /** Nothing on the line: a block below it, or no value. */
  private below(offset: number, column: number, ofKey: boolean): SolidNode {
    if (offset < this.end) this.comment(offset, false);
    const isThere = this.next();
    if (isThere && (this.column > column || (ofKey && this.column === column && this.isDash(this.offset))))
      return this.block(this.column, this.offset);
    return { start: offset, end: offset, kind: 'scalar', text: '', style: 'plain' };
  }

  /** Only a comment may follow a value on its line. */
  private rest(from: number): void {
    let offset = from;
    while (offset < this.end && this.text.charCodeAt(offset) === SPACE) offset += 1;
    if (offset === this.end) return;
    if (this.text.charCodeAt(offset) !== HASH || offset === from) giveUp();
    this.comment(offset, false);
  }

  private inline(offset: number): SolidNode {
    const first = this.text[offset];
    if (first === '{' || first === '[') return this.flow(offset, 0);
    if (first === '"' || first === "'") return this.quoted(offset);
    if (this.matched(PLAIN_START, offset) === undefined) giveUp();
    const line = this.text.slice(offset, this.end);
    const hash = line.indexOf(' #');
    let length = hash < 0 ? line.length : hash;
    while (line.charCodeAt(length - 1) === SPACE) length -= 1;
    const text = line.slice(0, length);
    if (text.endsWith(':') || text.includes(': ')) giveUp();
    return { start: offset, end: offset + text.length, kind: 'scalar', text, style: 'plain' };
  }

  private quoted(offset: number): ScalarNode {
    return word(this.matched(this.text[offset] === '"' ? DOUBLE : SINGLE, offset) ?? giveUp(), offset);
  }

  /** `{a: 1, b: [2, 3]}` on one line. */
  private flow(start: number, depth: number): SolidNode {
    if (depth > MAX_DEPTH) giveUp();
    const isMap = this.text[start] === '{';
    const close = isMap ? '}' : ']';
    const items: YamlNode[] = [];
    const pairs: Pair[] = [];
    let offset = this.blanks(start + 1);
    while (this.text[offset] !== close) {
      if (isMap) {
        const written = this.matched(FLOW_KEY, offset) ?? giveUp();
        const key = word(written.slice(0, -1), offset);
        const value = this.flowValue(this.blanks(offset + written.length), depth);
        pairs.push({ key, value });
        offset = value.end;
      } else {
        const item = this.flowValue(offset, depth);
        items.push(item);
        offset = item.end;
      }
      offset = this.blanks(offset);
      if (this.text[offset] === ',') {
        offset = this.blanks(offset + 1);
        if (this.text[offset] === ',' || this.text[offset] === close) giveUp();
      } else if (this.text[offset] !== close) giveUp();
    }
    const place = { start, end: offset + 1 };
    return isMap ? { ...place, kind: 'map', flow: true, pairs } : { ...place, kind: 'list', flow: true, items };
  }

  private flowValue(offset: number, depth: number): YamlNode {
    const first = this.text[offset];
    if (first === '*') return this.alias(FLOW_ALIAS, offset);
    if (first === '{' || first === '[') return this.flow(offset, depth + 1);
    if (first === '"' || first === "'") return this.quoted(offset);
    return word(this.matched(FLOW_PLAIN, offset) ?? giveUp(), offset);
  }

  private blanks(from: number): number {
    let offset = from;
    while (offset < this.end && this.text.charCodeAt(offset) === SPACE) offset += 1;
    return offset >= this.end ? giveUp() : offset;
  }
}

/** A scalar of one line as it is written, quotes and all. */
function word(written: string, start: number): ScalarNode {
  const end = start + written.length;
  if (written.startsWith('"')) return { start, end, kind: 'scalar', text: written.slice(1, -1), style: 'double' };
  if (written.startsWith("'")) return { start, end, kind: 'scalar', text: written.slice(1, -1), style: 'single' };
  return { start, end, kind: 'scalar', text: written, style: 'plain' };
}
