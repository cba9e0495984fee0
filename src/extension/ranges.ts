// Places and links in VS Code's own types.
import * as vscode from 'vscode';
import type { TextRange } from '../problem';

export function toRange({ startLine, startColumn, endLine, endColumn }: TextRange): vscode.Range {
  return new vscode.Range(startLine, startColumn, endLine, endColumn);
}

/** A link that opens the page of a pitfall. */
export function explainUri(code: string): vscode.Uri {
  return vscode.Uri.parse(`command:isoperf.explain?${encodeURIComponent(JSON.stringify([code]))}`);
}

export function fromRange({ start, end }: vscode.Range): TextRange {
  return { startLine: start.line, startColumn: start.character, endLine: end.line, endColumn: end.character };
}
