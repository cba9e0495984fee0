// The benchmark configs VS Code knows of: found by content among the workspace's YAML files, judged when their text changes.
import * as vscode from 'vscode';
import type { Problem } from '../problem';
import { looksLikeConfig } from '../config/find/detect';

export interface KnownConfig {
  readonly uri: vscode.Uri;
  readonly errors: number;
  readonly warnings: number;
  readonly notes: number;
}

const YAML = '**/*.{yaml,yml}';
const NOT_THERE = '**/{node_modules,.git,.venv,site-packages,reports-*}/**';
const LIMIT = 1000;
const MAX_BYTES = 1_000_000;
const REFRESH_DELAY_MS = 500;

export class Configs implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly disposables: { dispose(): unknown }[] = [this.changed];
  private known: Promise<readonly KnownConfig[]> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** Nothing is read until somebody asks for the list. */
  all(): Promise<readonly KnownConfig[]> {
    if (!this.known) {
      this.known = findConfigs();
      this.watch();
    }
    return this.known;
  }

  private watch(): void {
    if (this.disposables.length > 1) return;
    const watcher = vscode.workspace.createFileSystemWatcher(YAML);
    const soon = (): void => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.known = undefined;
        this.changed.fire();
      }, REFRESH_DELAY_MS);
    };
    this.disposables.push(watcher, watcher.onDidCreate(soon), watcher.onDidChange(soon), watcher.onDidDelete(soon));
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.disposables).dispose();
  }
}

async function findConfigs(): Promise<readonly KnownConfig[]> {
  const files = await vscode.workspace.findFiles(YAML, NOT_THERE, LIMIT);
  const known: KnownConfig[] = [];
  for (const uri of files.sort((a, b) => a.path.localeCompare(b.path))) {
    const text = await readText(uri);
    if (text === undefined || !looksLikeConfig(text)) continue;
    // A report keeps a copy of its config beside its manifest: that is a run, not a config to edit.
    if (await exists(vscode.Uri.joinPath(uri, '..', 'run.json'))) continue;
    const { findingsOfText } = await import('./language-room');
    known.push({ uri, ...tally(findingsOfText(text, uri)) });
  }
  return known;
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
