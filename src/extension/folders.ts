// Report folders in VS Code: read through its file system, found in the workspace, remembered where they lie outside it.
import * as vscode from 'vscode';
import { companions } from '../readers/companions';
import type { FolderAccess } from '../folder/access';

/** Reads a folder wherever VS Code can: local disk, remote, virtual workspace. */
export function folderAccess(uri: vscode.Uri): FolderAccess {
  const entries = (type: vscode.FileType): Promise<string[]> =>
    Promise.resolve(vscode.workspace.fs.readDirectory(uri)).then((list) =>
      list.filter(([, kind]) => (kind & type) !== 0).map(([name]) => name),
    );
  return {
    name: vscode.workspace.asRelativePath(uri, false),
    list: () => entries(vscode.FileType.File),
    async readText(file) {
      const bytes = await readFile(vscode.Uri.joinPath(uri, file));
      return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
    },
    parent: () => folderAccess(parentOf(uri)),
    folders: async () =>
      (await entries(vscode.FileType.Directory)).map((name) => folderAccess(vscode.Uri.joinPath(uri, name))),
    async sizeBytes(file) {
      try {
        return (await vscode.workspace.fs.stat(vscode.Uri.joinPath(uri, file))).size;
      } catch {
        return undefined;
      }
    },
    async *readLines(file) {
      const bytes = await readFile(vscode.Uri.joinPath(uri, file));
      if (bytes !== undefined) yield* linesOf(bytes);
    },
  };
}

/**
 * What a report is read from: its folder, or one file of results that stands for itself.
 * @param alone without the files that would belong to it
 */
export async function reportAccess(place: vscode.Uri, alone = false): Promise<FolderAccess> {
  const isFile = ((await typeOf(place)) & vscode.FileType.File) !== 0;
  if (!isFile) return folderAccess(place);
  const folder = folderAccess(parentOf(place));
  const file = place.path.split('/').at(-1)!;
  return {
    ...folder,
    name: vscode.workspace.asRelativePath(place, false),
    list: async () => (alone ? [file] : companions(file, await folder.list())),
    parent: () => folder,
    folders: () => Promise.resolve([]),
  };
}

/** The folder a report lies in: its own, or that of its one file. */
export async function folderOfReport(place: vscode.Uri): Promise<vscode.Uri> {
  return ((await typeOf(place)) & vscode.FileType.File) !== 0 ? parentOf(place) : place;
}

/** A place that is not there is read as a folder: the reader says why it cannot be opened. */
async function typeOf(place: vscode.Uri): Promise<vscode.FileType> {
  try {
    return (await vscode.workspace.fs.stat(place)).type;
  } catch {
    return vscode.FileType.Directory;
  }
}

const PART_OF_REPORT = /^(?:run\.json|records\.jsonl|.*_(?:lifecycle|prometheus)_metrics\.json|.*config\.ya?ml)$/;

/** A file of a report folder stands for its folder; any other file, or a folder, for itself. */
export function reportPlace(given: vscode.Uri): vscode.Uri {
  return PART_OF_REPORT.test(given.path.split('/').at(-1) ?? '') ? parentOf(given) : given;
}

/** Line by line, so that a file of a gigabyte is never one string. */
function* linesOf(bytes: Uint8Array): Iterable<string> {
  const decoder = new TextDecoder();
  let from = 0;
  while (from < bytes.length) {
    const found = bytes.indexOf(10, from);
    const to = found < 0 ? bytes.length : found;
    yield decoder.decode(bytes.subarray(from, bytes[to - 1] === 13 ? to - 1 : to));
    from = to + 1;
  }
}

async function readFile(uri: vscode.Uri): Promise<Uint8Array | undefined> {
  try {
    return await vscode.workspace.fs.readFile(uri);
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return undefined;
    throw error;
  }
}

/** What marks a folder as a report: our manifest, or inference-perf's summary. */
const MARKS = '**/{run.json,*summary_lifecycle_metrics.json}';
const NOT_THERE = '**/{node_modules,.git,.venv,__pycache__}/**';
const LIMIT = 2000;

/** Report folders of the workspace, each once. */
export async function findReportFolders(): Promise<vscode.Uri[]> {
  const files = await vscode.workspace.findFiles(MARKS, NOT_THERE, LIMIT);
  const folders = new Map(files.map((file) => [parentOf(file).toString(), parentOf(file)]));
  return [...folders.values()];
}

export function parentOf(uri: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(uri, '..');
}

export const REPORT_MARKS = MARKS;
