// Helpers of the tests that run inside the extension host.
import * as vscode from 'vscode';

export const EXTENSION_ID = 'isoperf.isoperf';

export function extension(): vscode.Extension<unknown> {
  const found = vscode.extensions.getExtension(EXTENSION_ID);
  if (!found) throw new Error(`${EXTENSION_ID} is not installed`);
  return found;
}

export function workspaceFile(name: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (!folder) throw new Error('the tests need a workspace');
  return vscode.Uri.joinPath(folder.uri, name);
}

/** Asks again until there is an answer: editors answer when they have looked. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  limitMs = 20_000,
): Promise<T> {
  const until = Date.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > until) throw new Error(`waited ${limitMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A config in an editor, not on the disk. */
export async function openText(content: string): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument({ language: 'yaml', content });
  await vscode.window.showTextDocument(document);
  return document;
}

export const CONFIG = `load:
  type: constant
  interval: 0
  num_workers: 1
  stages:
    - rate: 5
      duration: 2
api:
  type: completion
  streaming: true
server:
  type: vllm
  model_name: sim-model
  base_url: http://127.0.0.1:9
  ignore_eos: true
data:
  type: mock
`;
