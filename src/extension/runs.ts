// The runs VS Code knows of: report folders and any tool's result files of the workspace, and the last runs elsewhere, newest first.
import path from 'node:path';
import * as vscode from 'vscode';
import { findReportFolders, isPartOfReport, parentOf, placeOf, REPORT_MARKS, workingFolder } from './folders';
import type { Reader } from './reader';
import { runFacts, type RunFacts } from './run-facts';
import { WorkspaceFiles } from './workspace-files';

export interface KnownRun {
  /** Or the file, of a tool that writes one. */
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
  private readonly results: WorkspaceFiles<Result>;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** @param reader a process that reads reports; files are recognised there as the command line does, by their content */
  constructor(
    private readonly memory: vscode.Memento,
    reader: () => Reader,
  ) {
    this.results = new WorkspaceFiles({
      glob: '**/*.{json,jsonl,ndjson,yaml,yml,txt}',
      // A file of a report folder is known by its folder.
      accepts: (uri) => !isPartOfReport(uri),
      read: (uris) => recognise(uris, reader()),
    });
    const watcher = vscode.workspace.createFileSystemWatcher(REPORT_MARKS);
    const soon = (): void => this.refreshSoon();
    this.disposables.push(
      this.results,
      this.results.onDidChange(() => this.changed.fire()),
    );
    this.disposables.push(watcher, watcher.onDidCreate(soon), watcher.onDidChange(soon), watcher.onDidDelete(soon));
  }

  /** Newest first; without a time last. Read once and kept until something changes on the disk. */
  async all(): Promise<readonly KnownRun[]> {
    return (await this.everything()).runs;
  }

  /** The same, with how many files nobody looked at. */
  async everything(): Promise<{ readonly runs: readonly KnownRun[]; readonly leftOut: number }> {
    const [folders, { entries, leftOut }] = await Promise.all([this.folders(), this.results.all()]);
    const inside = new Set(folders.map(({ folder }) => folder.toString()));
    const files = distinctResults(entries).filter(({ uri }) => !inside.has(parentOf(uri).toString()));
    const runs = [...folders, ...files.map(({ uri, facts }) => ({ folder: uri, facts }))].sort(newestFirst);
    const paths = files.map(({ uri }) => uri.fsPath);
    await vscode.commands.executeCommand('setContext', 'isoperf.resultFiles', paths);
    return { runs, leftOut };
  }

  /** Report folders alone: what a config or a lens is asked about must not wait for other tools' files. */
  private folders(): Promise<readonly KnownRun[]> {
    this.known ??= this.read();
    return this.known;
  }

  /** Runs of this config, newest first: by its path as the engine was called with it. */
  async of(config: vscode.Uri): Promise<readonly KnownRun[]> {
    const file = path.relative(workingFolder(config), config.fsPath);
    return (await this.folders()).filter(({ facts }) => facts.configFile === file);
  }

  /** Is this file part of a report? Its config.yaml is a record of what ran, not something to mend or to run. */
  async holds(file: vscode.Uri): Promise<boolean> {
    const folder = parentOf(file).toString();
    return (await this.folders()).some((run) => run.folder.toString() === folder);
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
    return runs.filter((run) => run !== undefined).sort(newestFirst);
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.disposables).dispose();
  }
}

function newestFirst(a: KnownRun, b: KnownRun): number {
  return (b.facts.startedAt ?? '').localeCompare(a.facts.startedAt ?? '');
}

/** Another tool's file, and the files beside it that belong to the same run. */
interface Result {
  readonly uri: vscode.Uri;
  readonly facts: RunFacts;
  readonly files: readonly string[];
}

async function recognise(uris: readonly vscode.Uri[], reader: Reader): Promise<readonly (Result | undefined)[]> {
  try {
    const answers = await reader.ask('recognise', { places: uris.map(placeOf) });
    return uris.map((uri, index) => {
      const known = answers[index];
      if (!known) return undefined;
      const { files, ...facts } = known;
      return { uri, files, facts: { name: uri.path.split('/').at(-1) ?? '', state: 'unknown', ...facts } };
    });
  } finally {
    reader.dispose();
  }
}

/** A tool may write its summary and its requests as two files: one run, under the name of the first. */
function distinctResults(found: readonly Result[]): readonly Result[] {
  const taken = new Set<string>();
  return found.filter(({ uri, files }) => {
    if (taken.has(uri.toString())) return false;
    for (const file of files) taken.add(vscode.Uri.joinPath(uri, '..', file).toString());
    return true;
  });
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
