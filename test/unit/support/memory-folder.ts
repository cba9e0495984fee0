// A report folder in memory, for readers.
import type { FolderAccess } from '../../../src/folder/access';

export interface MemoryFiles {
  readonly [name: string]: string | MemoryFiles;
}

/** Texts are files, objects are folders. */
export function memoryFolder(files: MemoryFiles, name = 'folder'): FolderAccess {
  const entries = Object.entries(files);
  return {
    name,
    list: () => Promise.resolve(entries.filter(([, value]) => typeof value === 'string').map(([key]) => key)),
    readText: (file) => {
      const value = files[file];
      return Promise.resolve(typeof value === 'string' ? value : undefined);
    },
    folders: () =>
      Promise.resolve(
        entries.flatMap(([key, value]) => (typeof value === 'string' ? [] : [memoryFolder(value, `${name}/${key}`)])),
      ),
  };
}
