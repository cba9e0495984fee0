// What the panels of reports and of comparisons share: names of tabs, files to open, what is kept over a reload, a failure's words.
import * as vscode from 'vscode';
import type { Restore, Side, WebviewMessage } from '../messages';
import type { Problem } from '../problem';
import type { Pair, RunLabel } from '../reader-messages';
import { distinctPaths } from '../readers/distinct';
import { parentOf, placeOf } from './folders';

export const indexOf = (side: Side): 0 | 1 => (side === 'a' ? 0 : 1);

export async function receiveCommon(message: WebviewMessage): Promise<void> {
  if (message.type === 'explain') await vscode.commands.executeCommand('isoperf.explain', message.code);
  else if (message.type === 'showLog') await vscode.commands.executeCommand('isoperf.showLog');
}

/** Only files the reader listed: a view cannot name its way out of the folder. */
export async function openFile(folder: vscode.Uri, files: readonly string[] | undefined, file: string): Promise<void> {
  if (!files?.includes(file)) return;
  // A single file of results is its own folder.
  const base = nameOf(folder) === file ? parentOf(folder) : folder;
  await vscode.window.showTextDocument(vscode.Uri.joinPath(base, file), { viewColumn: vscode.ViewColumn.Beside });
}

export function restoreOf(kind: Restore['kind'], folders: readonly vscode.Uri[]): Restore {
  return { kind, folders: folders.map((uri) => uri.toString()), intended: [] };
}

export function placesOf([a, b]: Pair<vscode.Uri>): Pair {
  return [placeOf(a), placeOf(b)];
}

/** The message of a view that cannot show anything: one cause, one action. */
export function failureOf(problems: readonly Problem[]): { readonly message: string; readonly remedy: string } {
  const first = problems.find((problem) => problem.severity === 'error') ?? problems[0];
  return {
    message: first ? `${first.message} (${first.code})` : 'The report could not be read',
    remedy: first?.remedy ?? 'The log says more.',
  };
}

export function nameOf(folder: vscode.Uri): string {
  return folder.path.split('/').filter(Boolean).at(-1) ?? folder.toString();
}

export function pairName([a, b]: Pair<vscode.Uri>): string {
  return distinctPaths(a.path, b.path).join(' ↔ ');
}

/** Tells runs of one config apart: "chat-8b, 11-29 16:54". */
export function tabName(label: RunLabel | undefined, folder: vscode.Uri): string {
  return label ? `${label.name}, ${label.startedAt.slice(5, 16).replace('T', ' ')}` : nameOf(folder);
}
