// Editor features as VS Code itself asks for them.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { CONFIG, eventually, openText } from './support';

const ours = (uri: vscode.Uri): vscode.Diagnostic[] =>
  vscode.languages.getDiagnostics(uri).filter((diagnostic) => diagnostic.source === 'isoperf');

describe('a config in the editor', () => {
  it('is judged by its content, and again as it changes', async () => {
    const document = await openText(CONFIG.replace('num_workers', 'num_worker'));
    const [error] = await eventually('a diagnostic', () => {
      const found = ours(document.uri).filter((d) => d.severity === vscode.DiagnosticSeverity.Error);
      return found.length > 0 ? found : undefined;
    });
    assert.match(error!.message, /num_workers/);
    assert.equal(document.getText(error!.range), 'num_worker');
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, error!.range, 'num_workers');
    await vscode.workspace.applyEdit(edit);
    await eventually('the error to go', () =>
      ours(document.uri).some((d) => d.severity === vscode.DiagnosticSeverity.Error) ? undefined : true,
    );
  });

  it('is left alone when it is any other YAML', async () => {
    const document = await openText('apiVersion: v1\nkind: Service\nmetadata:\n  name: x\n');
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
    );
    assert.deepEqual(lenses, []);
    assert.deepEqual(ours(document.uri), []);
  });

  it('links findings to the catalogue', async () => {
    const document = await openText(CONFIG);
    const linked = await eventually('a pitfall', () => ours(document.uri).find((d) => typeof d.code === 'object'));
    assert.match((linked.code as { target: vscode.Uri }).target.toString(), /isoperf\.explain/);
  });

  it('offers the fix of a misspelt key as the preferred one', async () => {
    const document = await openText(CONFIG.replace('num_workers', 'num_worker'));
    await eventually('a diagnostic', () => (ours(document.uri).length > 0 ? true : undefined));
    const range = new vscode.Range(3, 4, 3, 4);
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      document.uri,
      range,
    );
    const fix = actions.find((action) => action.title.includes('num_workers'));
    assert.ok(fix, actions.map((action) => action.title).join(', '));
    assert.equal(fix.isPreferred, true);
    assert.equal(await vscode.workspace.applyEdit(fix.edit!), true);
    assert.equal(document.getText(), CONFIG);
  });

  it('documents a key on hover, with links that open the catalogue', async () => {
    const document = await openText(CONFIG);
    const position = new vscode.Position(3, 4);
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      document.uri,
      position,
    );
    const text = hovers
      .flatMap((hover) => hover.contents.map((part) => (part as vscode.MarkdownString).value))
      .join('\n');
    assert.match(text, /load\.num_workers/);
    assert.doesNotMatch(text, /\]\(docs\//);
  });

  it('offers to run it', async () => {
    const document = await openText(CONFIG);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
    );
    assert.ok(
      lenses.some((lens) => lens.command?.command === 'isoperf.run'),
      JSON.stringify(lenses),
    );
  });
});
