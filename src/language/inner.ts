// The config around a cursor when it stands in the text of another file: a block of a ConfigMap, a here-document of a Job's script.
// It goes by lines and indentation, because the text is being typed and need not be YAML at the moment.
import type { Position } from '../config/yaml/lines';

export interface Inner {
  /** Without the outer indentation. */
  readonly text: string;
  readonly position: Position;
  /** Lines and columns of the outer text before it. */
  readonly line: number;
  readonly column: number;
}

const HEREDOC = /<<-?[ \t]*(?:'([\w.-]+)'|"([\w.-]+)"|([\w.-]+))/;
const BLOCK = /^[ \t]*(?:-[ \t]+)*(?:"[^"]*"|'[^']*'|[\w./-]+)[ \t]*:[ \t]*\|[-+\d]*[ \t]*(?:#.*)?$/;

const indentOf = (line: string): number => line.length - line.trimStart().length;
const isBlank = (line: string): boolean => line.trim() === '';

/** The innermost text within the text that a position stands in; undefined when it stands in none. */
export function innerText(lines: readonly string[], position: Position): Inner | undefined {
  return heredoc(lines, position) ?? block(lines, position);
}

interface Open {
  readonly word: string;
  readonly line: number;
}

/** Between `<<EOF` and the line `EOF`, or the end of the text when that is not written yet. */
function heredoc(lines: readonly string[], position: Position): Inner | undefined {
  const open = lines.slice(0, Math.max(0, position.line)).reduce<Open | undefined>((current, content, line) => {
    if (current) return content.trim() === current.word ? undefined : current;
    const [, single, double, plain] = HEREDOC.exec(content) ?? [];
    const word = single ?? double ?? plain;
    return word === undefined ? undefined : { word, line };
  }, undefined);
  if (!open || lines[position.line]?.trim() === open.word) return undefined;
  const after = lines.slice(open.line + 1);
  const end = after.findIndex((each) => each.trim() === open.word);
  return dedented(after.slice(0, end < 0 ? undefined : end), open.line + 1, position);
}

/** Under `name: |`: the lines that are deeper than the key. */
function block(lines: readonly string[], position: Position): Inner | undefined {
  const own = lines[position.line] ?? '';
  let depth = isBlank(own) ? position.column : indentOf(own);
  for (let line = position.line - 1; line >= 0 && depth > 0; line -= 1) {
    const content = lines[line] ?? '';
    if (isBlank(content) || indentOf(content) >= depth) continue;
    depth = indentOf(content);
    if (!BLOCK.test(content)) continue;
    const after = lines.slice(line + 1);
    const end = after.findIndex((each) => !isBlank(each) && indentOf(each) <= depth);
    return dedented(after.slice(0, end < 0 ? undefined : end), line + 1, position);
  }
  return undefined;
}

function dedented(body: readonly string[], line: number, position: Position): Inner | undefined {
  const written = body.filter((each, index) => !isBlank(each) && line + index !== position.line);
  const column = Math.min(...written.map(indentOf), position.column);
  const text = body.map((each) => each.slice(Math.min(column, indentOf(each)))).join('\n');
  return { text, line, column, position: { line: position.line - line, column: position.column - column } };
}
