// What the language room answers, in VS Code's own types: completion, hints, outline, folds, links, fixes.
import * as os from 'node:os';
import * as vscode from 'vscode';
import { isTarget, NEWEST } from '../config/model/target';
import { completions, type Completion } from '../language/completion';
import type { Edit } from '../pitfalls/fix';
import { fixAll } from '../language/fix-all';
import type { FixOptions } from '../language/fixes';
import { hints } from '../language/hints';
import { links, type Link } from '../language/links';
import { rewrites, writtenKeys } from '../language/rewrites';
import { folds, outline, type OutlineEntry } from '../language/symbols';
import { usableCores } from '../cores';
import { explainUri, fromRange, toRange } from './ranges';
import { workersFor } from './workers-setting';

/** Read once: this is asked at every keystroke. */
let cores: number | undefined;

/** The machine that would run it, and the version the settings name. */
export function optionsFor({ uri }: Pick<vscode.TextDocument, 'uri'>): FixOptions {
  const target = vscode.workspace.getConfiguration('isoperf', uri).get<string>('target', NEWEST);
  return {
    cpus: os.cpus().length,
    sending: { asked: workersFor(uri).asked, cores: (cores ??= usableCores()) },
    ...(isTarget(target) ? { defaultTarget: target } : {}),
  };
}

/** Links to the catalogue's page by its path in the extension become commands that open it. */
export function linkedMarkdown(markdown: string): vscode.MarkdownString {
  const linked = markdown.replace(/\]\(docs\/(?:pitfalls|findings)\.md#([a-z0-9]+)\)/g, (_, code: string) => {
    return `](${explainUri(code.toUpperCase()).toString()})`;
  });
  const text = new vscode.MarkdownString(linked);
  text.isTrusted = { enabledCommands: ['isoperf.explain'] };
  return text;
}

const KINDS = {
  key: vscode.CompletionItemKind.Property,
  value: vscode.CompletionItemKind.EnumMember,
  snippet: vscode.CompletionItemKind.Snippet,
  directive: vscode.CompletionItemKind.Keyword,
} as const;

export function completionsAt(document: vscode.TextDocument, position: vscode.Position): vscode.CompletionItem[] {
  const place = { line: position.line, column: position.character };
  const found = completions(document.getText(), place, optionsFor(document));
  return found.map((entry) => toItem(entry));
}

function toItem(entry: Completion): vscode.CompletionItem {
  const item = new vscode.CompletionItem({ label: entry.label, description: entry.detail }, KINDS[entry.kind]);
  item.documentation = linkedMarkdown(entry.documentation);
  item.insertText = new vscode.SnippetString(entry.insertText);
  item.range = toRange(entry.range);
  item.sortText = entry.sortText;
  // Indentation is that of the key, which after a dash is not that of the line.
  item.keepWhitespace = true;
  if (entry.asksForMore) item.command = { command: 'editor.action.triggerSuggest', title: 'Suggest' };
  return item;
}

export function hintsIn(document: vscode.TextDocument, range: vscode.Range): vscode.InlayHint[] {
  return hints(document.getText(), optionsFor(document)).flatMap(({ position, label, tooltip }) => {
    const place = new vscode.Position(position.line, position.column);
    if (!range.contains(place)) return [];
    const hint = new vscode.InlayHint(place, label);
    hint.paddingLeft = true;
    hint.tooltip = linkedMarkdown(tooltip);
    return [hint];
  });
}

const SYMBOLS = {
  config: vscode.SymbolKind.File,
  section: vscode.SymbolKind.Module,
  stage: vscode.SymbolKind.Event,
  list: vscode.SymbolKind.Array,
  value: vscode.SymbolKind.Property,
} as const;

export function symbolsOf(document: vscode.TextDocument): vscode.DocumentSymbol[] {
  return outline(document.getText(), optionsFor(document)).map(toSymbol);
}

function toSymbol({ name, detail, kind, range, selection, children }: OutlineEntry): vscode.DocumentSymbol {
  const symbol = new vscode.DocumentSymbol(name, detail, SYMBOLS[kind], toRange(range), toRange(selection));
  symbol.children = children.map(toSymbol);
  return symbol;
}

export function foldsOf(document: vscode.TextDocument): vscode.FoldingRange[] {
  return folds(document.getText(), optionsFor(document)).map(
    ({ startLine, endLine, kind }) =>
      new vscode.FoldingRange(startLine, endLine, kind === 'comment' ? vscode.FoldingRangeKind.Comment : undefined),
  );
}

export function linksOf(document: vscode.TextDocument): vscode.DocumentLink[] {
  return links(document.getText(), optionsFor(document)).flatMap((link) => {
    const target = targetOf(link, document);
    if (!target) return [];
    const found = new vscode.DocumentLink(toRange(link.range), target);
    found.tooltip = link.tooltip;
    return [found];
  });
}

/** Paths are relative to where the run is started, mostly the folder of the config or of the workspace: the config's is taken. */
function targetOf({ kind, target }: Link, document: vscode.TextDocument): vscode.Uri | undefined {
  if (kind === 'url') return vscode.Uri.parse(target);
  if (kind === 'pitfall') return explainUri(target.slice(target.indexOf('#') + 1).toUpperCase());
  if (target.startsWith('/')) return document.uri.with({ path: target });
  return document.uri.scheme === 'untitled' ? undefined : vscode.Uri.joinPath(document.uri, '..', target);
}

/** Edits of a code action; those with tab stops as snippets. */
export function toEdits(edits: readonly Edit[]): (vscode.TextEdit | vscode.SnippetTextEdit)[] {
  return edits.map((edit) =>
    edit.snippet === true
      ? new vscode.SnippetTextEdit(toRange(edit.range), new vscode.SnippetString(edit.newText))
      : new vscode.TextEdit(toRange(edit.range), edit.newText),
  );
}

export function fixAllOf(document: vscode.TextDocument): vscode.CodeAction[] {
  const edit = fixAll(document.getText(), optionsFor(document));
  if (!edit) return [];
  const action = new vscode.CodeAction(
    'Fix all that has one remedy',
    vscode.CodeActionKind.SourceFixAll.append('isoperf'),
  );
  action.edit = new vscode.WorkspaceEdit();
  action.edit.set(document.uri, toEdits([edit]));
  return [action];
}

/** Changes one may want at a place where nothing is wrong. */
export function rewritesAt(document: vscode.TextDocument, range: vscode.Range): vscode.CodeAction[] {
  const text = document.getText();
  const found = rewrites(text, fromRange(range), optionsFor(document)).map(({ title, edits }) => {
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    action.edit = new vscode.WorkspaceEdit();
    action.edit.set(document.uri, toEdits(edits));
    return action;
  });
  const isHere = writtenKeys(text, optionsFor(document)).some(
    (key) => toRange(key.range).start.line === range.start.line,
  );
  if (!isHere) return found;
  const title = 'Move the API key to the secret storage';
  const move = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  move.command = { command: 'isoperf.keepApiKey', title, arguments: [document.uri] };
  return [...found, move];
}

export interface KeyInText {
  readonly key: string;
  readonly baseUrl: string | undefined;
  readonly edits: readonly vscode.TextEdit[];
}

export function keysIn(document: vscode.TextDocument): readonly KeyInText[] {
  return writtenKeys(document.getText(), optionsFor(document)).map(({ key, baseUrl, edits }) => ({
    key,
    baseUrl,
    edits: edits.map((edit) => new vscode.TextEdit(toRange(edit.range), edit.newText)),
  }));
}
