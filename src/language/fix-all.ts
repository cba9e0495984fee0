// Fix all: every problem with one obvious remedy, mended, as one edit.
import type { Problem } from '../problem';
import type { Edit } from '../pitfalls/fix';
import { applyEdits } from './edits';
import { allActions, type CodeAction, type FixOptions } from './fixes';
import { overlaps, readings } from './place';

/** Mending a key may bring to light what is wrong under it: so often is looked again. */
const MAX_ROUNDS = 12;
/** Rounds when more is wrong than is listed: somebody waits for the answer, and can ask again. */
const MANY_ROUNDS = 2;

/** The text with every error mended that has one obvious fix. Judgements (CMP) are the author's and stay. */
export function fixedText(text: string, options: FixOptions = {}): string {
  let current = text;
  const tried = new Set<string>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const isMany = round >= MANY_ROUNDS && problemsOf(current, options).some((problem) => problem.code === 'CFG023');
    if (isMany) return current;
    const open = allActions(current, options).filter((action) => isSafe(action) && !tried.has(nameOf(action)));
    const next = Math.min(...open.map(rank));
    let batch = apart(open.filter((action) => rank(action) === next));
    if (batch.length === 0) return current;
    let result = mend(current, batch, options);
    // Together they did harm: one alone, and the others are looked at again.
    if (result.broken && batch.length > 1) {
      batch = batch.slice(0, 1);
      result = mend(current, batch, options);
    }
    // A fix that breaks the YAML, or does not mend what it is for, is left to the author.
    for (const action of batch) tried.add(nameOf(action));
    const useful = batch.filter((action) => !result.useless.includes(action));
    if (result.broken || useful.length === 0) continue;
    const after = useful.length === batch.length ? result : mend(current, useful, options);
    if (!after.broken) current = after.text;
  }
  return current;
}

/** What decides over other findings comes first: a type; then what keeps what was written; an empty section may still be filled. */
function rank({ code, problem, edits }: CodeAction): number {
  if (problem.path.at(-1) === 'type') return 0;
  if (code === 'CFG007') return 3;
  return edits.every(({ newText }) => newText === '# ' || newText === '') ? 2 : 1;
}

interface Mended {
  readonly text: string;
  /** More is wrong with the YAML than before. */
  readonly broken: boolean;
  /** The fixes whose problems are still there. */
  readonly useless: readonly CodeAction[];
}

function mend(text: string, actions: readonly CodeAction[], options: FixOptions): Mended {
  const edits = actions.flatMap((action) => action.edits);
  const after = applyEdits(text, edits);
  const left = problemsOf(after, options);
  const broken = syntaxErrors(left) > syntaxErrors(problemsOf(text, options));
  return { text: after, broken, useless: actions.filter((action) => isThere(action.problem, left)) };
}

/** Fixes that touch different places, so that they can be made at once. */
function apart(actions: readonly CodeAction[]): readonly CodeAction[] {
  const chosen: CodeAction[] = [];
  for (const action of actions) {
    const touches = (other: CodeAction): boolean =>
      action.edits.some((edit) => other.edits.some((each) => overlaps(edit.range, each.range)));
    if (!chosen.some(touches)) chosen.push(action);
  }
  return chosen;
}

function isSafe({ preferred, problem, edits }: CodeAction): boolean {
  return preferred && !problem.code.startsWith('CMP') && !edits.some((edit) => edit.snippet === true);
}

function nameOf({ problem, title }: CodeAction): string {
  return JSON.stringify([problem.code, problem.path, title, problem.path.length === 0 ? problem.range : 0]);
}

function problemsOf(text: string, options: FixOptions): readonly Problem[] {
  return readings(text, options).flatMap((reading) => reading.problems);
}

function isThere(problem: Problem, left: readonly Problem[]): boolean {
  const same = left.filter((other) => other.code === problem.code && other.message === problem.message);
  return same.some((other) => problem.path.length > 0 || other.range?.startLine === problem.range?.startLine);
}

function syntaxErrors(problems: readonly Problem[]): number {
  return problems.filter((problem) => problem.code.startsWith('YML') && problem.severity === 'error').length;
}

/** One edit that turns a text into its mended form; undefined when there is nothing to mend. */
export function fixAll(text: string, options: FixOptions = {}): Edit | undefined {
  const after = fixedText(text, options);
  if (after === text) return undefined;
  const [old, fresh] = [text.split('\n'), after.split('\n')];
  let first = 0;
  while (first < old.length && first < fresh.length && old[first] === fresh[first]) first += 1;
  let [last, end] = [old.length - 1, fresh.length - 1];
  while (last >= first && end >= first && old[last] === fresh[end]) [last, end] = [last - 1, end - 1];
  // A line more than differs, so that whole lines can be replaced at either end of the text.
  const from = Math.max(0, Math.min(first, old.length - 1, last + 1) - (last < first || end < first ? 1 : 0));
  const to = Math.max(last, from);
  const range = { startLine: from, startColumn: 0, endLine: to, endColumn: (old[to] ?? '').length };
  return { range, newText: fresh.slice(from, fresh.length - (old.length - 1 - to)).join('\n') };
}
