// Editor features on configs: sniffs YAML documents, keeps their findings current, answers lenses (hovers and fixes: providers.ts).
// The language room is imported when the first config is met; a YAML file that is none costs one cheap test.
import * as vscode from 'vscode';
import { looksLikeConfig } from '../config/detect';
import type { Problem, TextRange } from '../problem';
import type { RunController } from './run-controller';
import type { Services } from './services';
import { rememberedTarget, targetWords } from './targets';

export const SELECTOR: vscode.DocumentSelector = { language: 'yaml' };
const DEBOUNCE_MS = 200;

const room = () => import('./language-room');

export function isConfig(document: vscode.TextDocument): boolean {
  return document.languageId === 'yaml' && looksLikeConfig(document.getText());
}

/** Whether the editor in front shows a config, for the `when` clauses of commands and menus. */
export function watchActiveEditor(): vscode.Disposable {
  const update = (editor = vscode.window.activeTextEditor): void => {
    void vscode.commands.executeCommand(
      'setContext',
      'isoperf.isConfig',
      editor !== undefined && isConfig(editor.document),
    );
  };
  update();
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor(update),
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === vscode.window.activeTextEditor?.document) update();
    }),
  );
}

/** Findings as diagnostics: at once when a config is opened, a moment after the last keystroke otherwise. */
export class ConfigDiagnostics implements vscode.Disposable {
  private readonly collection = vscode.languages.createDiagnosticCollection('isoperf');
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  private readonly disposables: vscode.Disposable[] = [];

  constructor(private readonly services: Services) {
    this.disposables.push(
      this.collection,
      vscode.workspace.onDidOpenTextDocument((document) => this.check(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.checkSoon(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.forget(document)),
    );
    for (const document of vscode.workspace.textDocuments) this.check(document);
  }

  private checkSoon(document: vscode.TextDocument): void {
    if (document.languageId !== 'yaml') return;
    const key = document.uri.toString();
    clearTimeout(this.timers.get(key));
    this.timers.set(
      key,
      setTimeout(() => this.check(document), DEBOUNCE_MS),
    );
  }

  private check(document: vscode.TextDocument): void {
    this.judge(document).catch((error: unknown) => {
      this.services.log.error(error instanceof Error ? error : String(error));
    });
  }

  private async judge(document: vscode.TextDocument): Promise<void> {
    if (document.isClosed) return;
    if (!isConfig(document)) {
      this.collection.delete(document.uri);
      return;
    }
    const version = document.version;
    const { findingsOf } = await room();
    const found = findingsOf(document.getText());
    if (document.isClosed || document.version !== version) return;
    this.collection.set(
      document.uri,
      found.map((problem) => toDiagnostic(problem)),
    );
  }

  private forget(document: vscode.TextDocument): void {
    clearTimeout(this.timers.get(document.uri.toString()));
    this.collection.delete(document.uri);
  }

  dispose(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    vscode.Disposable.from(...this.disposables).dispose();
  }
}

const SEVERITIES = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
} as const;

function toDiagnostic(problem: Problem): vscode.Diagnostic {
  const remedy = problem.remedy === undefined ? '' : `\n${problem.remedy}`;
  const range = problem.range ? toRange(problem.range) : new vscode.Range(0, 0, 0, 0);
  const diagnostic = new vscode.Diagnostic(range, problem.message + remedy, SEVERITIES[problem.severity]);
  diagnostic.source = 'isoperf';
  const target = explainUri(problem.code);
  diagnostic.code = { value: problem.code, target };
  return diagnostic;
}

/** A link that opens the page of a code. */
export function explainUri(code: string): vscode.Uri {
  return vscode.Uri.parse(`command:isoperf.explain?${encodeURIComponent(JSON.stringify([code]))}`);
}

export function toRange({ startLine, startColumn, endLine, endColumn }: TextRange): vscode.Range {
  return new vscode.Range(startLine, startColumn, endLine, endColumn);
}

/** Line 1 only: run (and where to), choose the target, compare. */
export class ConfigLenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly services: Services,
    private readonly controller: RunController,
  ) {
    const changed = (): void => this.changed.fire();
    this.disposables = [this.changed, controller.onDidStartOrEnd(changed), services.runs.onDidChange(changed)];
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    if (!vscode.workspace.getConfiguration('isoperf').get('codeLens', true) || !isConfig(document)) return [];
    const line = new vscode.Range(0, 0, 0, 0);
    const lens = (title: string, command: string, tooltip: string): vscode.CodeLens =>
      new vscode.CodeLens(line, { title, command, tooltip, arguments: [document.uri] });
    const lenses = this.controller.isRunning ? this.runningLenses(line) : this.runLenses(document, lens);
    const runs = await this.services.runs.all();
    if (runs.length >= 2) {
      const newest = 'Compares the newest run of this config with the run before it';
      lenses.push(lens('$(arrow-swap) Compare with last run', 'isoperf.compareWithLast', newest));
    }
    return lenses;
  }

  private runLenses(
    document: vscode.TextDocument,
    lens: (title: string, command: string, tooltip: string) => vscode.CodeLens,
  ): vscode.CodeLens[] {
    const target = rememberedTarget(this.services.context.workspaceState, document.uri);
    if (!target) return [lens('$(play) Run', 'isoperf.run', 'Runs this benchmark; asks where to')];
    const where = target.kind === 'config' ? 'its own endpoint' : targetWords(target, undefined);
    return [
      lens(`$(play) Run against ${where}`, 'isoperf.run', 'Runs this benchmark where it ran last'),
      lens('$(server) Run against…', 'isoperf.runAgainst', 'Chooses where the requests go, then runs'),
    ];
  }

  private runningLenses(line: vscode.Range): vscode.CodeLens[] {
    return [
      new vscode.CodeLens(line, { title: '$(pulse) Show the run', command: 'isoperf.showLive' }),
      new vscode.CodeLens(line, { title: '$(debug-stop) Stop', command: 'isoperf.stop' }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }
}

export function registerLanguage(services: Services, controller: RunController): vscode.Disposable {
  const lenses = new ConfigLenses(services, controller);
  return vscode.Disposable.from(
    new ConfigDiagnostics(services),
    lenses,
    vscode.languages.registerCodeLensProvider(SELECTOR, lenses),
    watchActiveEditor(),
  );
}
