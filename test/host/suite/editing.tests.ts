// Editing features as VS Code asks for them: completion, hints, outline, folds, links, fix all, wrapped configs, suppression.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { CONFIG, eventually, openText } from './support';

const ours = (uri: vscode.Uri): vscode.Diagnostic[] =>
  vscode.languages.getDiagnostics(uri).filter((diagnostic) => diagnostic.source === 'isoperf');
const codes = (uri: vscode.Uri): string[] =>
  ours(uri).map(({ code }) => String(typeof code === 'object' ? code.value : code));
const WHOLE = new vscode.Range(0, 0, 200, 0);

async function labels(document: vscode.TextDocument, line: number, column: number): Promise<string[]> {
  const found = await vscode.commands.executeCommand<vscode.CompletionList>(
    'vscode.executeCompletionItemProvider',
    document.uri,
    new vscode.Position(line, column),
  );
  // VS Code's own suggestions are words of the open files.
  const items = found.items.filter(({ kind }) => kind !== vscode.CompletionItemKind.Text);
  return items.map(({ label }) => (typeof label === 'string' ? label : label.label));
}

async function hintsOf(document: vscode.TextDocument): Promise<string[]> {
  const found = await vscode.commands.executeCommand<vscode.InlayHint[]>(
    'vscode.executeInlayHintProvider',
    document.uri,
    WHOLE,
  );
  return found.map(({ label }) => (typeof label === 'string' ? label : label.map(({ value }) => value).join('')));
}

async function symbolsOf(document: vscode.TextDocument): Promise<vscode.DocumentSymbol[]> {
  return vscode.commands.executeCommand<vscode.DocumentSymbol[]>('vscode.executeDocumentSymbolProvider', document.uri);
}

async function actionsAt(
  document: vscode.TextDocument,
  range: vscode.Range,
  kind?: string,
): Promise<vscode.CodeAction[]> {
  return vscode.commands.executeCommand<vscode.CodeAction[]>(
    'vscode.executeCodeActionProvider',
    document.uri,
    range,
    kind,
  );
}

describe('editing a config', () => {
  it('completes the keys of a stage for the chosen load type', async () => {
    const document = await openText('load:\n  type: concurrent\n  stages:\n    - \n');
    const found = await labels(document, 3, 6);
    assert.ok(found.includes('num_requests') && found.includes('concurrency_level'), found.join(', '));
    assert.ok(!found.includes('rate'), found.join(', '));
  });

  it('completes words and directives', async () => {
    const document = await openText(CONFIG.replace('type: constant', 'type: ').replace('load:', '# isoperf: \nload:'));
    assert.ok((await labels(document, 2, 8)).includes('poisson'));
    assert.ok((await labels(document, 0, 11)).includes('seed'));
  });

  it('says beside the lines what will really happen, unless told not to', async () => {
    const document = await openText(CONFIG);
    assert.ok((await hintsOf(document)).some((label) => /^10 requests/.test(label)));
    const settings = vscode.workspace.getConfiguration('isoperf');
    await settings.update('hints', false, vscode.ConfigurationTarget.Global);
    try {
      assert.deepEqual(await hintsOf(document), []);
    } finally {
      await settings.update('hints', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('has an outline with its stages, folds, and links', async () => {
    const document = await openText(CONFIG);
    const names = (await symbolsOf(document)).flatMap(function deep({ name, children }): string[] {
      return [name, ...children.flatMap(deep)];
    });
    assert.ok(names.includes('stage 0: 5 rps, 2 s'), names.join(', '));
    const folds = await vscode.commands.executeCommand<vscode.FoldingRange[]>(
      'vscode.executeFoldingRangeProvider',
      document.uri,
    );
    assert.ok(folds.some(({ start, end }) => start === 0 && end === 6));
    const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
      'vscode.executeLinkProvider',
      document.uri,
    );
    assert.ok(links.some(({ target }) => target?.authority === '127.0.0.1:9'));
  });

  it('fixes everything that has one remedy at once', async () => {
    const document = await openText(CONFIG.replace('num_workers', 'num_worker').replace('constant', 'constnat'));
    const [action] = await actionsAt(document, WHOLE, 'source.fixAll.isoperf');
    assert.ok(action?.edit);
    await vscode.workspace.applyEdit(action.edit);
    assert.equal(document.getText(), CONFIG);
  });

  it('accepts a pitfall with a reason, and the finding goes', async () => {
    const document = await openText(CONFIG);
    await eventually('a pitfall', () => (codes(document.uri).includes('CMP001') ? true : undefined));
    const [place] = ours(document.uri).filter(({ code }) => typeof code === 'object' && code.value === 'CMP001');
    const accept = (await actionsAt(document, place!.range)).find(({ title }) => title.startsWith('Accept CMP001'));
    assert.ok(accept?.edit);
    await vscode.workspace.applyEdit(accept.edit);
    assert.match(document.getText(), /^# isoperf: disable CMP001 because /);
    await eventually('the finding to go', () => (codes(document.uri).includes('CMP001') ? undefined : true));
  });

  it('works inside a ConfigMap', async () => {
    const inner = CONFIG.replace('num_workers', 'num_worker').replace(/^(?=.)/gm, '    ');
    const document = await openText(
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  config.yaml: |\n${inner}`,
    );
    const error = await eventually('an error in the block', () =>
      ours(document.uri).find((d) => d.severity === vscode.DiagnosticSeverity.Error),
    );
    assert.equal(document.getText(error.range), 'num_worker');
    assert.ok((await hintsOf(document)).some((label) => /^10 requests/.test(label)) || codes(document.uri).length > 0);
    const found = await labels(document, 9, 6);
    assert.ok(found.includes('base_seed'), found.join(', '));
  });

  it('moves an API key out of the text', async () => {
    const document = await openText(CONFIG.replace('  base_url', '  api_key: sk-not-a-secret\n  base_url'));
    const line = document
      .getText()
      .split('\n')
      .findIndex((text) => text.includes('api_key'));
    const move = (await actionsAt(document, new vscode.Range(line, 3, line, 3))).find(({ title }) =>
      title.includes('secret storage'),
    );
    assert.ok(move?.command);
    await vscode.commands.executeCommand(move.command.command, ...((move.command.arguments ?? []) as unknown[]));
    assert.equal(document.getText(), CONFIG);
  });

  it('judges as the version in the settings would', async () => {
    const settings = vscode.workspace.getConfiguration('isoperf');
    await settings.update('target', 'v0.2.0', vscode.ConfigurationTarget.Global);
    try {
      const document = await openText(CONFIG.replace('num_workers', 'request_timeout: 9\n  num_workers'));
      const found = await eventually('a word on v0.2.0', () =>
        ours(document.uri).find(({ message }) => /request_timeout/.test(message) && /v0\.2\.0/.test(message)),
      );
      assert.notEqual(found.severity, vscode.DiagnosticSeverity.Error);
    } finally {
      await settings.update('target', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('leaves a YAML file that is not ours untouched', async () => {
    const document = await openText('services:\n  web:\n    image: nginx\n    ports: ["80:80"]\n    \n');
    assert.deepEqual(await hintsOf(document), []);
    assert.equal((await labels(document, 4, 4)).includes('base_url'), false);
    assert.deepEqual(await actionsAt(document, WHOLE, 'source.fixAll.isoperf'), []);
    assert.deepEqual(ours(document.uri), []);
  });
});
