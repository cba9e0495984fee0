// JSON as benchmark tools really write it: with Python's bare NaN and Infinity; errors say file, line and column.
import type { Problem, Result } from '../problem';

/** Nesting beyond which a report is taken for an attack or an accident. */
const MAX_DEPTH = 200;

/** `NaN`, `Infinity` and `-Infinity` become those numbers. A byte-order mark is skipped. */
export function parseJson(text: string, file: string): Result<unknown> {
  try {
    return { ok: true, value: JSON.parse(text), problems: [] };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const scanner = new Scanner(text);
  try {
    return { ok: true, value: scanner.document(), problems: [] };
  } catch (error) {
    if (error instanceof JsonError) return { ok: false, problems: [problemAt(text, file, error)] };
    throw error;
  }
}

class JsonError extends Error {
  constructor(
    readonly position: number,
    message: string,
  ) {
    super(message);
  }
}

function problemAt(text: string, file: string, error: JsonError): Problem {
  const before = text.slice(0, error.position);
  const line = before.split('\n').length - 1;
  const column = error.position - (before.lastIndexOf('\n') + 1);
  const cut = error.position >= text.trimEnd().length;
  return {
    code: 'REP105',
    severity: 'error',
    path: [],
    message: cut
      ? `${file} is cut off: ${error.message} at line ${line + 1}, column ${column + 1}`
      : `${file} is not JSON: ${error.message} at line ${line + 1}, column ${column + 1}`,
    remedy: cut ? 'Copy the file again, or run again: the writer was stopped in the middle' : 'Open the file there',
    file,
    range: { startLine: line, startColumn: column, endLine: line, endColumn: column + 1 },
  };
}

/** A plain recursive-descent reader; only reached when JSON.parse refuses the text. */
class Scanner {
  private at = 0;

  constructor(private readonly text: string) {}

  document(): unknown {
    if (this.text.startsWith('\uFEFF')) this.at = 1;
    const value = this.value(0);
    this.space();
    if (this.at < this.text.length) throw new JsonError(this.at, 'something follows the end of the value');
    return value;
  }

  private value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw new JsonError(this.at, `nested more than ${MAX_DEPTH} deep`);
    this.space();
    const next = this.text[this.at];
    if (next === undefined) throw new JsonError(this.at, 'the file ends where a value is expected');
    if (next === '{') return this.object(depth);
    if (next === '[') return this.array(depth);
    if (next === '"') return this.string();
    return this.word();
  }

  private object(depth: number): Record<string, unknown> {
    // No prototype: a key `__proto__` in a hostile report is a key like any other.
    const entries = Object.create(null) as Record<string, unknown>;
    this.at++;
    this.space();
    if (this.take('}')) return entries;
    for (;;) {
      this.space();
      if (this.text[this.at] !== '"') this.fail('a key in double quotes');
      const key = this.string();
      this.space();
      if (!this.take(':')) this.fail("':'");
      entries[key] = this.value(depth + 1);
      this.space();
      if (this.take('}')) return entries;
      if (!this.take(',')) this.fail("',' or '}'");
    }
  }

  private array(depth: number): unknown[] {
    const items: unknown[] = [];
    this.at++;
    this.space();
    if (this.take(']')) return items;
    for (;;) {
      items.push(this.value(depth + 1));
      this.space();
      if (this.take(']')) return items;
      if (!this.take(',')) this.fail("',' or ']'");
    }
  }

  private string(): string {
    const from = this.at;
    const pattern = /"(?:[^"\\]|\\.)*"/sy;
    pattern.lastIndex = from;
    const match = pattern.exec(this.text);
    if (!match) throw new JsonError(this.text.length, 'the file ends inside a text in double quotes');
    try {
      const value = JSON.parse(match[0]) as string;
      this.at += match[0].length;
      return value;
    } catch {
      throw new JsonError(from, 'a text with a line break or a wrong escape in it');
    }
  }

  private word(): unknown {
    const pattern = /-?Infinity|NaN|true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (!match) return this.fail('a value');
    this.at += match[0].length;
    switch (match[0]) {
      case 'true':
        return true;
      case 'false':
        return false;
      case 'null':
        return null;
      default:
        return Number(match[0]);
    }
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private space(): void {
    while (' \t\r\n'.includes(this.text[this.at] ?? 'x')) this.at++;
  }

  private fail(expected: string): never {
    const found = this.text[this.at];
    if (found === undefined) throw new JsonError(this.at, `the file ends where ${expected} is expected`);
    throw new JsonError(this.at, `${JSON.stringify(found)} where ${expected} is expected`);
  }
}
