// The files of one kind in the workspace, kept up to date by a watcher: a save is one file read, not all of them.
import * as vscode from 'vscode';
import { FileCache, type Found } from './file-cache';

export const FILES_SETTING = 'isoperf.search.maxFiles';
const REFRESH_DELAY_MS = 500;
/** URIs alone are cheap; beyond so many there is no end to counting. */
const MOST_URIS = 50_000;
const NOT_THERE = ['node_modules', '.git', '.venv', 'site-packages', '__pycache__'] as const;

export interface WorkspaceFilesParts<T> {
  readonly glob: string;
  /** By its place alone; what is refused is none of these files and does not count. */
  readonly accepts: (uri: vscode.Uri) => boolean;
  readonly read: (uris: readonly vscode.Uri[]) => Promise<readonly (T | undefined)[]>;
}

export class WorkspaceFiles<T> implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly cache: FileCache<T>;
  private readonly disposables: { dispose(): unknown }[] = [this.changed];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly parts: WorkspaceFilesParts<T>) {
    this.cache = new FileCache({
      list: async () => {
        const found = await vscode.workspace.findFiles(parts.glob, `**/{${NOT_THERE.join(',')}}/**`, MOST_URIS);
        return found.filter((uri) => this.isOurs(uri)).map((uri) => uri.toString());
      },
      read: (uris) => parts.read(uris.map((uri) => vscode.Uri.parse(uri))),
      limit: () => vscode.workspace.getConfiguration().get<number>(FILES_SETTING, 1000),
    });
  }

  /** Nothing is read, or watched, until somebody asks. */
  all(): Promise<Found<T>> {
    this.watch();
    return this.cache.all();
  }

  private isOurs(uri: vscode.Uri): boolean {
    const steps = uri.path.split('/');
    return !NOT_THERE.some((name) => steps.includes(name)) && this.parts.accepts(uri);
  }

  private watch(): void {
    if (this.disposables.length > 1) return;
    const watcher = vscode.workspace.createFileSystemWatcher(this.parts.glob);
    const written = (uri: vscode.Uri): void => {
      if (!this.isOurs(uri)) return;
      this.cache.changed(uri.toString());
      this.soon();
    };
    const gone = (uri: vscode.Uri): void => {
      this.cache.removed(uri.toString());
      this.soon();
    };
    const again = (): void => {
      this.cache.reset();
      this.soon();
    };
    this.disposables.push(
      watcher,
      watcher.onDidCreate(written),
      watcher.onDidChange(written),
      watcher.onDidDelete(gone),
      vscode.workspace.onDidChangeWorkspaceFolders(again),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(FILES_SETTING) || event.affectsConfiguration('isoperf.target')) again();
      }),
    );
  }

  private soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.changed.fire(), REFRESH_DELAY_MS);
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.disposables).dispose();
  }
}
