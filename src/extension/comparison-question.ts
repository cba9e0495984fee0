// What a comparison view asks of its two runs: read from a comparison file, kept over a reload, turned with the sides, saved.
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Restore } from '../messages';
import type { Problem, Result } from '../problem';
import type { Asks, Pair, Place, Question } from '../reader-messages';
import { parentOf, placeOf, uriOf } from './folders';
import type { Reader } from './reader';

/** Which runs a comparison file names, and how it wants them compared. */
export async function openComparisonFile(
  file: vscode.Uri,
  reader: Reader,
): Promise<Result<{ readonly folders: Pair; readonly question: Question }>> {
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  const read = await reader.ask('comparisonFile', { text, name: file.path.split('/').at(-1)! });
  if (!read.ok) return read;
  const { a, b, intended, align, cut, interpolate, stackA, stackB, failOn, thresholds, margins } = read.value;
  const at = (name: string): Place => placeOf(pointedAt(name, file));
  const [[firstA, ...moreA], [firstB, ...moreB]] = [a.map(at), b.map(at)];
  return {
    ok: true,
    problems: [],
    value: {
      folders: [firstA!, firstB!],
      question: {
        intended,
        aligned: cut ? [...new Set([...align, 'warmup-window'])] : align,
        ...(cut ? { cut: cut.text } : {}),
        interpolate,
        from: {
          file: placeOf(file),
          repeats: [moreA, moreB],
          stacks: [stackA === undefined ? undefined : at(stackA), stackB === undefined ? undefined : at(stackB)],
          gate: { thresholds, ...(failOn ? { failOn } : {}), ...(margins ? { margins } : {}) },
        },
      },
    },
  };
}

/** What a comparison file names, relative to it; either kind of slash, and Windows' drives. */
function pointedAt(name: string, file: vscode.Uri): vscode.Uri {
  const slashed = name.replace(/\\/g, '/');
  if (/^[a-z]:\//i.test(slashed)) return file.with({ path: `/${slashed}` });
  return file.with({ path: slashed.startsWith('/') ? slashed : path.posix.join(parentOf(file).path, slashed) });
}

/** What a comparison file at this place is to say; folders relative to it. */
function fileContent(file: vscode.Uri, folders: Pair, question: Question): Asks['comparisonText']['ask'] {
  const { intended, aligned, cut, interpolate = false, from } = question;
  const to = ({ uri }: Place): string => path.posix.relative(parentOf(file).path, uri.path) || '.';
  const [stackA, stackB] = from?.stacks ?? [];
  return {
    a: [folders[0], ...(from?.repeats[0] ?? [])].map(to),
    b: [folders[1], ...(from?.repeats[1] ?? [])].map(to),
    intended,
    aligned,
    ...(cut === undefined ? {} : { cut }),
    interpolate,
    ...(stackA ? { stackA: to(stackA) } : {}),
    ...(stackB ? { stackB: to(stackB) } : {}),
    ...(from?.gate ?? { thresholds: [] }),
  };
}

type Kept = Pick<Restore, 'intended' | 'aligned' | 'cut' | 'interpolate' | 'file'>;

export function restoreQuestion({ intended, aligned, cut, interpolate, from }: Question): Kept {
  return {
    intended,
    aligned,
    ...(cut === undefined ? {} : { cut }),
    ...(interpolate === true ? { interpolate } : {}),
    ...(from ? { file: uriOf(from.file).toString() } : {}),
  };
}

/** What a panel asked before the reload; its comparison file may have gone since. */
export async function questionOf(
  { intended, aligned = [], cut, interpolate, file }: Kept,
  reader: Reader,
): Promise<Question> {
  const own: Question = {
    intended,
    aligned,
    ...(cut === undefined ? {} : { cut }),
    ...(interpolate === true ? { interpolate } : {}),
  };
  if (file === undefined) return own;
  try {
    const read = await openComparisonFile(vscode.Uri.parse(file), reader);
    const from = read.ok ? read.value.question.from : undefined;
    return from ? { ...own, from } : own;
  } catch {
    return own;
  }
}

/** With A and B in each other's place. */
export function turned(question: Question): Question {
  const { from } = question;
  if (!from) return question;
  const [repeatsA, repeatsB] = from.repeats;
  const [stackA, stackB] = from.stacks;
  return { ...question, from: { ...from, repeats: [repeatsB, repeatsA], stacks: [stackB, stackA] } };
}

export async function saveComparison(folders: Pair, question: Question, reader: Reader): Promise<void> {
  const { from } = question;
  const file = await vscode.window.showSaveDialog({
    title: 'Save the Comparison',
    defaultUri: from ? uriOf(from.file) : vscode.Uri.joinPath(parentOf(uriOf(folders[0])), 'comparison.yaml'),
    filters: { 'Comparison file': ['yaml', 'yml'] },
  });
  if (!file) return;
  const text = await reader.ask('comparisonText', fileContent(file, folders, question));
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
  const chosen = await vscode.window.showInformationMessage(`The comparison is saved.`, 'Open the File');
  if (chosen !== undefined) await vscode.window.showTextDocument(file, { viewColumn: vscode.ViewColumn.Beside });
}

/** Of a comparison file that cannot be asked: what is wrong, and the way to its place. */
export async function showMistake(file: vscode.Uri, problems: readonly Problem[]): Promise<void> {
  const [first] = problems;
  const words = [first?.message, first?.remedy].filter(Boolean).join('. ');
  if ((await vscode.window.showErrorMessage(words, 'Show the Place')) === undefined) return;
  const at = new vscode.Position(first?.range?.startLine ?? 0, first?.range?.startColumn ?? 0);
  await vscode.window.showTextDocument(file, { selection: new vscode.Range(at, at) });
}
