// Editing features on configs: completion, hints, outline, folding, links, fix all. Answers come from the language room.
import * as vscode from 'vscode';
import { mayBecomeConfig } from '../config/find/detect';
import type { Services } from './services';
import { WORKERS_SETTING } from './workers-setting';

const room = () => import('./language-room');

const SELECTOR: vscode.DocumentSelector = { language: 'yaml' };
export const FIX_ALL = vscode.CodeActionKind.SourceFixAll.append('isoperf');

type IsConfig = (document: vscode.TextDocument) => boolean;

/** Settings are read when they are needed: they may change for one folder alone. */
function isHinting(document: vscode.TextDocument): boolean {
  return vscode.workspace.getConfiguration('isoperf', document.uri).get<boolean>('hints', true);
}

class ConfigHints implements vscode.InlayHintsProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeInlayHints = this.changed.event;
  private readonly watcher: vscode.Disposable;

  constructor(
    private readonly services: Services,
    private readonly isConfig: IsConfig,
  ) {
    this.watcher = vscode.workspace.onDidChangeConfiguration((event) => {
      const isOurs = ['isoperf.hints', WORKERS_SETTING].some((name) => event.affectsConfiguration(name));
      if (isOurs) this.changed.fire();
    });
  }

  async provideInlayHints(document: vscode.TextDocument, range: vscode.Range): Promise<vscode.InlayHint[]> {
    if (!isHinting(document) || !this.isConfig(document)) return [];
    // What a report keeps has happened: there is nothing to expect.
    if (await this.services.runs.holds(document.uri)) return [];
    return (await room()).hintsIn(document, range);
  }

  dispose(): void {
    vscode.Disposable.from(this.watcher, this.changed).dispose();
  }
}

/** Registers the providers; each costs one cheap test on a YAML file that is no config. */
export function registerEditing(services: Services, isConfig: IsConfig): vscode.Disposable {
  const hints = new ConfigHints(services, isConfig);
  return vscode.Disposable.from(
    hints,
    vscode.languages.registerInlayHintsProvider(SELECTOR, hints),
    vscode.languages.registerCompletionItemProvider(
      SELECTOR,
      {
        provideCompletionItems: async (document, position) =>
          mayBecomeConfig(document.getText()) ? (await room()).completionsAt(document, position) : undefined,
      },
      ' ',
      ':',
      '#',
    ),
    vscode.languages.registerDocumentSymbolProvider(
      SELECTOR,
      {
        provideDocumentSymbols: async (document) => (isConfig(document) ? (await room()).symbolsOf(document) : []),
      },
      { label: 'IsoPerf' },
    ),
    vscode.languages.registerFoldingRangeProvider(SELECTOR, {
      provideFoldingRanges: async (document) => (isConfig(document) ? (await room()).foldsOf(document) : undefined),
    }),
    vscode.languages.registerDocumentLinkProvider(SELECTOR, {
      provideDocumentLinks: async (document) => (isConfig(document) ? (await room()).linksOf(document) : []),
    }),
    vscode.languages.registerCodeActionsProvider(
      SELECTOR,
      {
        provideCodeActions: async (document) => (isConfig(document) ? (await room()).fixAllOf(document) : []),
      },
      { providedCodeActionKinds: [FIX_ALL] },
    ),
    vscode.commands.registerCommand('isoperf.newConfig', () => newConfig()),
    vscode.commands.registerCommand('isoperf.keepApiKey', (uri: vscode.Uri) => keepApiKey(services, uri)),
  );
}

/** An untitled config from a template; where it belongs is decided when it is saved. */
async function newConfig(): Promise<void> {
  const { TEMPLATES } = await import('../language/templates');
  const items = TEMPLATES.map((template) => ({
    label: template.name,
    description: `measures ${template.measures}`,
    detail: `Leaves out ${template.leavesOut}`,
    template,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'New Config: What Is to Be Measured?',
    matchOnDescription: true,
  });
  if (!chosen) return;
  const document = await vscode.workspace.openTextDocument({ language: 'yaml', content: chosen.template.text });
  await vscode.window.showTextDocument(document);
}

/** Takes the API key out of the text and keeps it for the config's endpoint. */
async function keepApiKey(services: Services, uri: vscode.Uri): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const [found] = (await room()).keysIn(document);
  if (!found) return;
  const { baseUrl = '', key, edits } = found;
  if (!/^https?:\/\//.test(baseUrl)) {
    void vscode.window.showInformationMessage('Fill in server.base_url first: keys are kept by endpoint.');
    return;
  }
  await services.keys.set(baseUrl, key);
  const edit = new vscode.WorkspaceEdit();
  edit.set(uri, [...edits]);
  await vscode.workspace.applyEdit(edit);
  void vscode.window.showInformationMessage(
    `The key for ${new URL(baseUrl).origin} is in the secret storage and out of the text. If the file was ever shared or committed, the key should be replaced.`,
  );
}
