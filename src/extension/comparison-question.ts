// What a comparison view asks of its two runs: kept over a reload, turned with the sides, saved as a comparison file.
import * as vscode from 'vscode';
import type { Restore } from '../messages';
import type { Problem } from '../problem';
import { parentOf } from './folders';
import type { Pair, Question } from './read-run';

const readers = () => import('./read-run');

type Kept = Pick<Restore, 'intended' | 'aligned' | 'cut' | 'interpolate' | 'file'>;

export function restoreQuestion({ intended, aligned, cut, interpolate, from }: Question): Kept {
  return {
    intended,
    aligned,
    ...(cut === undefined ? {} : { cut }),
    ...(interpolate === true ? { interpolate } : {}),
    ...(from ? { file: from.file.toString() } : {}),
  };
}

/** What a panel asked before the reload; its comparison file may have gone since. */
export async function questionOf({ intended, aligned = [], cut, interpolate, file }: Kept): Promise<Question> {
  const own: Question = {
    intended,
    aligned,
    ...(cut === undefined ? {} : { cut }),
    ...(interpolate === true ? { interpolate } : {}),
  };
  if (file === undefined) return own;
  try {
    const { openComparisonFile } = await readers();
    const read = await openComparisonFile(vscode.Uri.parse(file));
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

export async function saveComparison(folders: Pair, question: Question): Promise<void> {
  const { comparisonText } = await readers();
  const file = await vscode.window.showSaveDialog({
    title: 'Save the Comparison',
    defaultUri: question.from?.file ?? vscode.Uri.joinPath(parentOf(folders[0]), 'comparison.yaml'),
    filters: { 'Comparison file': ['yaml', 'yml'] },
  });
  if (!file) return;
  const text = comparisonText(file, folders, question);
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
