// The benchmark configs VS Code knows of: found by content among the workspace's YAML files, judged when their text changes.
import * as vscode from 'vscode';
import type { Problem } from '../problem';
import { looksLikeConfig } from '../config/find/detect';
import type { Found } from './file-cache';
import { WorkspaceFiles } from './workspace-files';

export interface KnownConfig {
  readonly uri: vscode.Uri;
  readonly errors: number;
  readonly warnings: number;
  readonly notes: number;
}

const MAX_BYTES = 1_000_000;

export class Configs implements vscode.Disposable {
  private readonly files = new WorkspaceFiles<KnownConfig>({
    glob: '**/*.{yaml,yml}',
    accepts: ({ path }) => !/\/reports-[^/]*\//.test(path),
    read: (uris) => Promise.all(uris.map((uri) => readConfig(uri))),
  });
  readonly onDidChange = this.files.onDidChange;

  /** Nothing is read until somebody asks for the list. */
  all(): Promise<Found<KnownConfig>> {
    return this.files.all();
  }

  dispose(): void {
    this.files.dispose();
  }
}

async function readConfig(uri: vscode.Uri): Promise<KnownConfig | undefined> {
  const text = await readText(uri);
  if (text === undefined || !looksLikeConfig(text)) return undefined;
  // A report keeps a copy of its config beside its manifest: that is a run, not a config to edit.
  if (await exists(vscode.Uri.joinPath(uri, '..', 'run.json'))) return undefined;
  const { findingsOfText } = await import('./language-room');
  return { uri, ...tally(findingsOfText(text, uri)) };
}

function tally(problems: readonly Problem[]): Omit<KnownConfig, 'uri'> {
  const count = (severity: Problem['severity']): number =>
    problems.filter((problem) => problem.severity === severity).length;
  return { errors: count('error'), warnings: count('warning'), notes: count('information') };
}

async function readText(uri: vscode.Uri): Promise<string | undefined> {
  try {
    if ((await vscode.workspace.fs.stat(uri)).size > MAX_BYTES) return undefined;
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return undefined;
  }
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}
