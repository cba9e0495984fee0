// What the reader asks VS Code for: files and folders of file systems that are not this machine's disk.
import * as vscode from 'vscode';
import type { NeedKind, Needs, Place } from '../reader-messages';

/** Rejects with VS Code's words. */
export async function readFiles(need: NeedKind, given: Place['uri']): Promise<Needs[NeedKind]> {
  const uri = vscode.Uri.from(given);
  switch (need) {
    case 'list':
      return vscode.workspace.fs.readDirectory(uri);
    case 'read':
      try {
        return await vscode.workspace.fs.readFile(uri);
      } catch (error) {
        if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return undefined;
        throw error;
      }
    case 'stat':
      try {
        const { type, size } = await vscode.workspace.fs.stat(uri);
        return { type, size };
      } catch {
        return undefined;
      }
  }
}
