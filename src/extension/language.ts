// Editor features on configs: sniffs YAML documents, keeps their findings current, answers lenses, hovers and fixes.
// The language room is imported when the first config is met; a YAML file that is none costs one cheap test.
import * as vscode from 'vscode';
import { looksLikeConfig } from '../config/find/detect';
import type { Diagnostic } from '../language/diagnostics';
import { registerEditing } from './editing';
import { greetNeighbour } from './neighbours';
import { explainUri, toRange } from './ranges';
import type { Lens } from '../language/lenses';
import { counted } from '../figures';
import type { RunController } from './run-controller';
import type { Services } from './services';
import { rememberedTarget, targetWords } from './targets';

const SELECTOR: vscode.DocumentSelector = { language: 'yaml' };
const DEBOUNCE_MS = 200;

const room = () => import('./language-room');

function isConfig(document: vscode.TextDocument): boolean {
  return document.languageId === 'yaml' && looksLikeConfig(document.getText());
}

/** Whether the editor in front shows a config, for the `when` clauses of commands and menus. */
function watchActiveEditor(services: Services): vscode.Disposable {
  const update = async (editor = vscode.window.activeTextEditor): Promise<void> => {
    const document = editor?.document;
    const shows = document !== undefined && isConfig(document) && !(await services.runs.holds(document.uri));
    await vscode.commands.executeCommand('setContext', 'isoperf.isConfig', shows);
  };
  void update();
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor((editor) => void update(editor)),
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === vscode.window.activeTextEditor?.document) void update();
    }),
  );
}

/** Findings as diagnostics: at once when a config is opened, a moment after the last keystroke otherwise. */
class ConfigDiagnostics implements vscode.Disposable {
  private readonly collection = vscode.languages.createDiagnosticCollection('isoperf');
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  private readonly disposables: { dispose(): unknown }[] = [];

  constructor(private readonly services: Services) {
    this.disposables.push(
      this.collection,
      vscode.workspace.onDidOpenTextDocument((document) => this.check(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.checkSoon(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.forget(document)),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (!event.affectsConfiguration('isoperf.target')) return;
        for (const document of vscode.workspace.textDocuments) this.check(document);
      }),
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
    const version = document.version;
    if (!isConfig(document) || (await this.services.runs.holds(document.uri))) {
      this.collection.delete(document.uri);
      return;
    }
    greetNeighbour(this.services, document).catch((error: unknown) => this.services.log.warn(String(error)));
    const { findingsOf } = await room();
    const found = findingsOf(document);
    if (!this.isCurrent(document, version)) return;
    this.collection.set(
      document.uri,
      found.map((problem) => toDiagnostic(problem, document.uri)),
    );
  }

  /** Documents change while one awaits, which the compiler does not know. */
  private isCurrent(document: vscode.TextDocument, version: number): boolean {
    return !document.isClosed && document.version === version;
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

function toDiagnostic(problem: Diagnostic, uri: vscode.Uri): vscode.Diagnostic {
  const remedy = problem.remedy === undefined ? '' : `\n${problem.remedy}`;
  const diagnostic = new vscode.Diagnostic(
    toRange(problem.range),
    problem.message + remedy,
    SEVERITIES[problem.severity],
  );
  diagnostic.source = 'isoperf';
  diagnostic.code = { value: problem.code, target: explainUri(problem.code) };
  if (problem.related)
    diagnostic.relatedInformation = problem.related.map(
      ({ range, message }) =>
        new vscode.DiagnosticRelatedInformation(new vscode.Location(uri, toRange(range)), message),
    );
  return diagnostic;
}

type LensWords = Omit<vscode.Command, 'arguments'>;

function compareWords({ title }: Lens, runs: number): LensWords[] {
  if (runs < 2) return [];
  const tooltip = 'Compares the newest run of this config with the run before it';
  return [{ title: `$(arrow-swap)\u00a0${title}`, command: 'isoperf.compareWithLast', tooltip }];
}

/** One line only: run (and where to), choose the target, compare. */
class ConfigLenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;
  private readonly disposables: { dispose(): unknown }[];

  constructor(
    private readonly services: Services,
    private readonly controller: RunController,
  ) {
    const changed = (): void => this.changed.fire();
    this.disposables = [this.changed, controller.onDidStartOrEnd(changed), services.runs.onDidChange(changed)];
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    if (!vscode.workspace.getConfiguration('isoperf').get<boolean>('codeLens', true) || !isConfig(document)) return [];
    const runs = await this.services.runs.of(document.uri);
    if (await this.services.runs.holds(document.uri)) return [];
    const { lensesOf } = await room();
    return lensesOf(document).flatMap((found) => {
      const range = new vscode.Range(found.line, 0, found.line, 0);
      const words = found.kind === 'run' ? this.runWords(document, found) : compareWords(found, runs.length);
      // The lens names where it will run: it need not ask again.
      const given = [document.uri, found.region, found.kind === 'run'];
      return words.map((word) => new vscode.CodeLens(range, { ...word, arguments: given }));
    });
  }

  private runWords(document: vscode.TextDocument, { title, errors }: Lens): LensWords[] {
    if (this.controller.isRunning) {
      return [
        { title: '$(pulse)\u00a0Show the run', command: 'isoperf.showLive' },
        { title: '$(debug-stop)\u00a0Stop', command: 'isoperf.stop' },
      ];
    }
    if (errors > 0) {
      const words = `Fix ${counted(errors, 'error')} to ${title.charAt(0).toLowerCase()}${title.slice(1)}`;
      return [{ title: `$(error)\u00a0${words}`, command: 'workbench.actions.view.problems' }];
    }
    const target = rememberedTarget(this.services.context.workspaceState, document.uri);
    if (!target) {
      return [
        { title: `$(play)\u00a0${title}`, command: 'isoperf.run', tooltip: 'Runs this benchmark; asks where to' },
      ];
    }
    const where = target.kind === 'config' ? 'its own endpoint' : targetWords(target, undefined);
    return [
      { title: `$(play)\u00a0${title} against ${where}`, command: 'isoperf.run', tooltip: 'Runs it where it ran last' },
      { title: '$(server)\u00a0Run against…', command: 'isoperf.runAgainst', tooltip: 'Chooses where to, then runs' },
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
    vscode.languages.registerHoverProvider(SELECTOR, {
      provideHover: async (document, position) =>
        isConfig(document) ? (await room()).hoverAt(document, position) : undefined,
    }),
    vscode.languages.registerCodeActionsProvider(
      SELECTOR,
      {
        provideCodeActions: async (document, range, { diagnostics }) =>
          isConfig(document) ? (await room()).fixesAt(document, range, diagnostics) : [],
      },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
    registerEditing(services, isConfig),
    watchActiveEditor(services),
  );
}
