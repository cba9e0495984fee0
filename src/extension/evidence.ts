// Opens the places a finding was read from, in the files of A on the left and of B on the right.
import * as vscode from 'vscode';
import type { EvidencePlace, Pair } from '../reader-messages';
import { uriOf } from './folders';
import { toRange } from './ranges';

export async function showEvidence(folders: Pair, places: readonly EvidencePlace[]): Promise<void> {
  for (const { side, file, range } of places) {
    const folder = uriOf(folders[side === 'a' ? 0 : 1]);
    await vscode.window.showTextDocument(vscode.Uri.joinPath(folder, file), {
      viewColumn: side === 'a' ? vscode.ViewColumn.One : vscode.ViewColumn.Two,
      preview: true,
      ...(range ? { selection: toRange(range) } : {}),
    });
  }
}
