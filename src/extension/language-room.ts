// The language room as the extension sees it: imported when the first config is met, not when VS Code starts.
import * as vscode from 'vscode';
import { loadConfig, readConfig } from '../config/load';
import { diagnostics, type Diagnostic } from '../language/diagnostics';
import { codeActions, type CodeAction } from '../language/fixes';
import { hover } from '../language/hover';
import { lenses, type Lens } from '../language/lenses';
import { linkedMarkdown, optionsFor, rewritesAt, toEdits } from './language-edits';
import { fromRange, toRange } from './ranges';

export { completionsAt, fixAllOf, foldsOf, hintsIn, keysIn, linksOf, symbolsOf } from './language-edits';

/** Everything that is wrong with a text or hinders comparison. */
export function findingsOf(document: vscode.TextDocument): readonly Diagnostic[] {
  return diagnostics(document.getText(), optionsFor(document));
}

/** The same of a text that no editor shows. */
export function findingsOfText(text: string, uri: vscode.Uri): readonly Diagnostic[] {
  return diagnostics(text, optionsFor({ uri }));
}

export function lensesOf(document: vscode.TextDocument): readonly Lens[] {
  return lenses(document.getText(), optionsFor(document));
}

/** Base URL a config names; undefined when it names none or cannot be read. */
export function baseUrlOf(text: string, region: string | undefined): string | undefined {
  return readConfig(text, optionsOf(region)).loaded?.config.server?.base_url;
}

/** How many errors would keep a run from starting. */
export function errorCount(text: string, region: string | undefined): number {
  const loaded = loadConfig(text, optionsOf(region));
  return loaded.ok ? 0 : loaded.problems.filter((problem) => problem.severity === 'error').length;
}

function optionsOf(region: string | undefined): { readonly region?: string } {
  return region === undefined || region === '' ? {} : { region };
}

export function hoverAt(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
  const place = { line: position.line, column: position.character };
  const found = hover(document.getText(), place, optionsFor(document));
  return found && new vscode.Hover(linkedMarkdown(found.markdown), toRange(found.range));
}

export function fixesAt(
  document: vscode.TextDocument,
  range: vscode.Range,
  shown: readonly vscode.Diagnostic[],
): vscode.CodeAction[] {
  const found = codeActions(document.getText(), fromRange(range), optionsFor(document));
  return [...found.map((action) => toCodeAction(document, action, shown)), ...rewritesAt(document, range)];
}

function toCodeAction(
  document: vscode.TextDocument,
  action: CodeAction,
  shown: readonly vscode.Diagnostic[],
): vscode.CodeAction {
  const result = new vscode.CodeAction(action.title, vscode.CodeActionKind.QuickFix);
  result.isPreferred = action.preferred;
  result.edit = new vscode.WorkspaceEdit();
  result.edit.set(document.uri, toEdits(action.edits));
  const mended = action.problem.range && toRange(action.problem.range);
  result.diagnostics = shown.filter(
    (diagnostic) => diagnostic.source === 'isoperf' && mended !== undefined && diagnostic.range.isEqual(mended),
  );
  return result;
}
