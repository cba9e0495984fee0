// Fix all: every problem with one obvious remedy, mended one after the other, as one edit.
import type { Edit } from './edits';
import { applyEdits } from './edits';
import { allActions, type CodeAction, type FixOptions } from './fixes';
import { readings } from './place';

const MAX_FIXES = 200;

/** The text with every error mended that has one obvious fix. Judgements (CMP) are the author's and stay. */
export function fixedText(text: string, options: FixOptions = {}): string {
  let current = text;
  const tried = new Set<string>();
  for (let round = 0; round < MAX_FIXES; round += 1) {
    const open = allActions(current, options).filter((action) => isSafe(action) && !tried.has(nameOf(action)));
    // An empty section may be filled by keys that belong under it: it is judged last.
    const next = open.find((action) => action.code !== 'CFG007') ?? open[0];
    if (!next) return current;
    tried.add(nameOf(next));
    const after = applyEdits(current, next.edits);
    // A fix that breaks the YAML, or does not mend what it is for, is left to the author.
    if (syntaxErrors(after) <= syntaxErrors(current) && !isThere(next, after, options)) current = after;
  }
  return current;
}

function isSafe({ preferred, problem, edits }: CodeAction): boolean {
  return preferred && !problem.code.startsWith('CMP') && !edits.some((edit) => edit.snippet === true);
}

function nameOf({ problem, title }: CodeAction): string {
  return JSON.stringify([problem.code, problem.path, title, problem.path.length === 0 ? problem.range : 0]);
}

function isThere({ problem }: CodeAction, text: string, options: FixOptions): boolean {
  const same = readings(text, options)
    .flatMap((reading) => reading.problems)
    .filter((other) => other.code === problem.code && other.message === problem.message);
  return same.some((other) => problem.path.length > 0 || other.range?.startLine === problem.range?.startLine);
}

function syntaxErrors(text: string): number {
  const found = readings(text).flatMap((reading) => reading.problems);
  return found.filter((problem) => problem.code.startsWith('YML') && problem.severity === 'error').length;
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
