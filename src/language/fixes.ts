// Quick fixes: for a problem with one remedy, the edit that makes it. Comments and formatting around it stay.
import type { Reading } from '../config/load';
import type { KeyFix } from '../config/issues';
import { configPitfalls } from '../pitfalls/check';
import { formatPath, type Problem, type TextRange } from '../problem';
import { overlaps, readings, type Position } from './place';

export interface Edit {
  readonly range: TextRange;
  readonly newText: string;
}

export interface CodeAction {
  readonly title: string;
  /** Code of the problem it mends. */
  readonly code: string;
  readonly problem: Problem;
  readonly edits: readonly Edit[];
  /** The one obvious fix: may be applied without looking. */
  readonly preferred: boolean;
}

/** The fixes for the problems that touch a range of the file. */
export function codeActions(text: string, range: TextRange): readonly CodeAction[] {
  return allActions(text).filter(
    (action) => action.problem.range !== undefined && overlaps(action.problem.range, range),
  );
}

/** Every fix of a file, in the order of its problems. */
export function allActions(text: string): readonly CodeAction[] {
  return readings(text).flatMap((reading) => {
    const pitfalls = reading.loaded ? configPitfalls(reading.loaded) : [];
    return [...reading.problems, ...pitfalls].flatMap((problem) => actionsFor(problem, reading, text));
  });
}

function actionsFor(problem: Problem, reading: Reading, text: string): readonly CodeAction[] {
  const { range } = problem;
  if (!range) return [];
  const action = (title: string, edits: readonly Edit[], preferred = true): CodeAction[] => [
    { title, code: problem.code, problem, edits, preferred },
  ];
  const fix = reading.fixes.get(problem);
  if (fix) return keyActions(fix, range, action);
  switch (problem.code) {
    case 'YML005':
      return action('Replace the tab by two spaces', [{ range, newText: '  ' }]);
    case 'CFG006':
      return varianceAction(problem, reading, action);
    case 'CMP029':
    case 'CMP030':
      return action(
        'Fix the seed of this run (# isoperf: seed=42)',
        [insertLine(firstLine(reading), '# isoperf: seed=42')],
        false,
      );
    case 'CMP085':
      return action('Mark this stage as warm-up', [appendToLine(text, range.startLine, ' # isoperf: warmup')]);
    case 'CMP052':
      return reading.loaded?.isWritten(['api', 'streaming'])
        ? action('Stream the answers (streaming: true)', [{ range, newText: 'true' }], false)
        : [];
    default:
      return [];
  }
}

function keyActions(
  fix: KeyFix,
  range: TextRange,
  action: (title: string, edits: readonly Edit[], preferred?: boolean) => CodeAction[],
): readonly CodeAction[] {
  if (fix.rename !== undefined) return action(`Change to '${fix.rename}'`, [{ range, newText: fix.rename }]);
  if (fix.value !== undefined) return action(`Change to ${fix.value}`, [{ range, newText: fix.value }]);
  return [];
}

/** variance needs `std_dev: 0` beside it: a line above it in block style, an entry before it in flow style. */
function varianceAction(
  problem: Problem,
  reading: Reading,
  action: (title: string, edits: readonly Edit[]) => CodeAction[],
): readonly CodeAction[] {
  const { region } = reading;
  if (!region || !problem.message.includes('variance')) return [];
  const { document, prefix } = region;
  const base = [...prefix, ...problem.path];
  const key = document.locate([...base, 'variance'])?.key;
  if (!key || document.locate([...base, 'std_dev'])) return [];
  const map = document.locate(base)?.value;
  const at = region.toFile(document.lines.range(key.start, key.start));
  const flow = map?.kind === 'map' && map.flow;
  const newText = flow ? 'std_dev: 0, ' : `std_dev: 0\n${' '.repeat(at.startColumn)}`;
  return action(`Add std_dev: 0 to ${formatPath(problem.path)}`, [{ range: at, newText }]);
}

function firstLine({ region }: Reading): Position {
  const node = region?.document.locate(region.prefix)?.value;
  if (!region || !node) return { line: 0, column: 0 };
  const { startLine, startColumn } = region.toFile(region.document.lines.range(node.start, node.start));
  return { line: startLine, column: startColumn };
}

/** A new line above a position, indented like it. */
function insertLine(position: Position, line: string): Edit {
  const range = {
    startLine: position.line,
    startColumn: position.column,
    endLine: position.line,
    endColumn: position.column,
  };
  return { range, newText: `${line}\n${' '.repeat(position.column)}` };
}

function appendToLine(text: string, line: number, addition: string): Edit {
  const content = text.split(/\r\n|\n|\r/)[line] ?? '';
  const column = content.trimEnd().length;
  const comment = / #/.test(content);
  const range = { startLine: line, startColumn: column, endLine: line, endColumn: column };
  // A line that has a comment cannot take another one: the directive goes above it, at the item's own indentation.
  if (!comment) return { range, newText: addition };
  const indent = content.length - content.trimStart().length;
  const above = { startLine: line, startColumn: indent, endLine: line, endColumn: indent };
  return { range: above, newText: `${addition.trim()}\n${' '.repeat(indent)}` };
}
