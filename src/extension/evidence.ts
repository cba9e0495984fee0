// Opens the place a finding was read from, in the files of A on the left and of B on the right.
import * as vscode from 'vscode';
import { placeOf } from '../views/comparison/view';
import type { Evidence } from '../comparability/comparison';
import { parseDocument } from '../config/yaml/document';
import { parsePath } from '../config/overrides';
import type { Side } from '../messages';
import type { ConfigPath, TextRange } from '../problem';
import type { Run } from '../readers/run';
import { toRange } from './ranges';
import type { OpenComparison } from './read-run';

export async function showEvidence(
  opened: OpenComparison,
  folders: readonly [vscode.Uri, vscode.Uri],
  index: number,
  side: Side | undefined,
): Promise<void> {
  const finding = opened.comparison.findings[index];
  if (!finding) return;
  const sides = side === undefined ? (['a', 'b'] as const) : [side];
  for (const which of sides) {
    const evidence = placeOf(finding[which], opened[which]);
    if (!evidence) continue;
    await showPlace(folders[which === 'a' ? 0 : 1], opened[which], evidence, which);
  }
}

async function showPlace(folder: vscode.Uri, run: Run, evidence: Evidence, side: Side): Promise<void> {
  const inConfig = evidence.configPath !== undefined && run.configText !== undefined;
  const file = inConfig ? (run.configFile ?? 'config.yaml') : evidence.file;
  const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder, file));
  // JSON is YAML: one reader finds the place in run.json and in config.yaml alike.
  const path = inConfig ? evidence.configPath : file.endsWith('.json') ? parsePath(evidence.key) : undefined;
  const range = path && rangeOf(document.getText(), path);
  await vscode.window.showTextDocument(document, {
    viewColumn: side === 'a' ? vscode.ViewColumn.One : vscode.ViewColumn.Two,
    preview: true,
    ...(range ? { selection: toRange(range) } : {}),
  });
}

function rangeOf(text: string, path: ConfigPath): TextRange | undefined {
  return parseDocument(text).range(path);
}
