// The runs VS Code knows of: report folders of the workspace and the last ones that were run elsewhere, newest first.
import path from 'node:path';
import * as vscode from 'vscode';
import { findReportFolders, parentOf, REPORT_MARKS, workingFolder } from './folders';
import { runFacts, type RunFacts } from './run-facts';

export interface KnownRun {
  readonly folder: vscode.Uri;
  readonly facts: RunFacts;
}

const REMEMBERED_KEY = 'isoperf.runs';
const REMEMBERED = 50;
/** A run of a million requests has a manifest of some kilobytes; nothing bigger is read for a list. */
const MAX_BYTES = 4 * 1024 * 1024;
const REFRESH_DELAY_MS = 500;

export class Runs implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly disposables: { dispose(): unknown }[] = [this.changed];
  private known: Promise<readonly KnownRun[]> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly memory: vscode.Memento) {
    const watcher = vscode.workspace.createFileSystemWatcher(REPORT_MARKS);
    const soon = (): void => this.refreshSoon();
    this.disposables.push(watcher, watcher.onDidCreate(soon), watcher.onDidChange(soon), watcher.onDidDelete(soon));
  }

  /** Newest first. Read once and kept until something changes on the disk. */
  all(): Promise<readonly KnownRun[]> {
    this.known ??= this.read();
    return this.known;
  }

  /** Runs of this config, newest first: by its path as the engine was called with it. */
  async of(config: vscode.Uri): Promise<readonly KnownRun[]> {
    const file = path.relative(workingFolder(config), config.fsPath);
    return (await this.all()).filter(({ facts }) => facts.configFile === file);
  }

  /** Is this file part of a report? Its config.yaml is a record of what ran, not something to mend or to run. */
  async holds(file: vscode.Uri): Promise<boolean> {
    const folder = parentOf(file).toString();
    return (await this.all()).some((run) => run.folder.toString() === folder);
  }

  async remember(folder: vscode.Uri): Promise<void> {
    const old = this.memory.get<readonly string[]>(REMEMBERED_KEY, []).filter((uri) => uri !== folder.toString());
    await this.memory.update(REMEMBERED_KEY, [folder.toString(), ...old].slice(0, REMEMBERED));
    this.refresh();
  }

  refresh(): void {
    this.known = undefined;
    this.changed.fire();
  }

  /** A report folder is written in many small steps; one look after the last one is enough. */
  private refreshSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), REFRESH_DELAY_MS);
  }

  private async read(): Promise<readonly KnownRun[]> {
    const remembered = this.memory.get<readonly string[]>(REMEMBERED_KEY, []).map((uri) => vscode.Uri.parse(uri));
    const folders = new Map([...(await findReportFolders()), ...remembered].map((uri) => [uri.toString(), uri]));
    const runs = await Promise.all([...folders.values()].map((folder) => readRunFacts(folder)));
    return runs
      .filter((run) => run !== undefined)
      .sort((a, b) => (b.facts.startedAt ?? '').localeCompare(a.facts.startedAt ?? ''));
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.disposables).dispose();
  }
}

/** Undefined when there is no report (any more). */
async function readRunFacts(folder: vscode.Uri): Promise<KnownRun | undefined> {
  const manifest = await smallText(vscode.Uri.joinPath(folder, 'run.json'));
  const summary = await smallText(vscode.Uri.joinPath(folder, 'summary_lifecycle_metrics.json'));
  if (manifest === undefined && summary === undefined) return undefined;
  return { folder, facts: runFacts(folder.path.split('/').at(-1) ?? '', manifest, summary) };
}

async function smallText(uri: vscode.Uri): Promise<string | undefined> {
  try {
    if ((await vscode.workspace.fs.stat(uri)).size > MAX_BYTES) return undefined;
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return undefined;
  }
}
