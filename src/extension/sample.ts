// "Try with the simulator": a sample workspace, two runs against the embedded simulator, and their comparison. One click.
import path from 'node:path';
import * as vscode from 'vscode';
import { workingFolder } from './folders';
import type { RunController } from './run-controller';
import type { Services } from './services';
import { rememberTarget, type Target } from './targets';

const FOLDER = 'isoperf-sample';
const CONFIGS = ['baseline.yaml', 'candidate.yaml'] as const;
const SIMULATOR: Target = { kind: 'simulator' };

export async function trySimulator(services: Services, controller: RunController): Promise<void> {
  const home = sampleHome(services);
  await copySample(services.context.extensionUri, home);
  const configs = CONFIGS.map((name) => vscode.Uri.joinPath(home, name));
  const folders: vscode.Uri[] = [];
  for (const config of configs) {
    await rememberTarget(services.context.workspaceState, config, SIMULATOR);
    const folder = await controller.run({ config, target: SIMULATOR, baseUrl: undefined });
    // Stopped, or refused: the view of the run says why.
    if (!folder) return;
    folders.push(folder);
  }
  const [a, b] = folders;
  if (a && b) await services.reports.showComparison([a, b]);
}

/** Beside the user's own files where a folder is open; else in a place of the extension's own. */
function sampleHome({ context }: Services): vscode.Uri {
  const open = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file');
  return vscode.Uri.joinPath(open?.uri ?? context.globalStorageUri, FOLDER);
}

/** What stands there already is the user's, who may have changed it. */
async function copySample(extension: vscode.Uri, home: vscode.Uri): Promise<void> {
  const samples = vscode.Uri.joinPath(extension, 'samples');
  await vscode.workspace.fs.createDirectory(home);
  const tokenizer = vscode.Uri.joinPath(home, 'tokenizer');
  await copyTo(vscode.Uri.joinPath(samples, 'tokenizer'), tokenizer);
  for (const name of CONFIGS) {
    const to = vscode.Uri.joinPath(home, name);
    if (await exists(to)) continue;
    // The engine takes paths from where it is started.
    const place = path.relative(workingFolder(to), tokenizer.fsPath).split(path.sep).join('/');
    const from = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(samples, 'workspace', name));
    const text = new TextDecoder().decode(from).replace(/(pretrained_model_name_or_path: )tokenizer$/m, `$1${place}`);
    await vscode.workspace.fs.writeFile(to, new TextEncoder().encode(text));
  }
}

async function copyTo(from: vscode.Uri, to: vscode.Uri): Promise<void> {
  if (!(await exists(to))) await vscode.workspace.fs.copy(from, to);
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}
