// Report folders in VS Code: named for the reader, found in the workspace, remembered where they lie outside it.
import nodePath from 'node:path';
import * as vscode from 'vscode';
import type { Place } from '../reader-messages';

/** How the reader is told of a file or folder. */
export function placeOf(uri: vscode.Uri): Place {
  const { scheme, authority, path, query } = uri;
  return {
    uri: { scheme, authority, path, query },
    name: vscode.workspace.asRelativePath(uri, false),
    ...(scheme === 'file' ? { disk: uri.fsPath } : {}),
  };
}

export function uriOf({ uri }: Pick<Place, 'uri'>): vscode.Uri {
  return vscode.Uri.from(uri);
}

const PART_OF_REPORT = /^(?:run\.json|records\.jsonl|.*_(?:lifecycle|prometheus)_metrics\.json|.*config\.ya?ml)$/;

export function isPartOfReport({ path }: vscode.Uri): boolean {
  return PART_OF_REPORT.test(path.split('/').at(-1) ?? '');
}

/** A file of a report folder stands for its folder; any other file, or a folder, for itself. */
export function reportPlace(given: vscode.Uri): vscode.Uri {
  return isPartOfReport(given) ? parentOf(given) : given;
}

/** What marks a folder as a report: our manifest, or inference-perf's summary. */
const MARKS = '**/{run.json,*summary_lifecycle_metrics.json}';
const NOT_THERE = '**/{node_modules,.git,.venv,__pycache__}/**';
const LIMIT = 2000;

/** Report folders of the workspace, each once. */
export async function findReportFolders(): Promise<vscode.Uri[]> {
  const files = await vscode.workspace.findFiles(MARKS, NOT_THERE, LIMIT);
  const folders = new Map(files.map((file) => [parentOf(file).toString(), parentOf(file)]));
  return [...folders.values()];
}

export function parentOf(uri: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(uri, '..');
}

export const REPORT_MARKS = MARKS;

/** The workspace folder of a config, else the config's own: reports land there. */
export function workingFolder(config: vscode.Uri): string {
  return vscode.workspace.getWorkspaceFolder(config)?.uri.fsPath ?? nodePath.dirname(config.fsPath);
}
