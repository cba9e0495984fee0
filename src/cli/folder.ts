// A report folder on this machine's disk, as the readers want it.
import { createReadStream, statSync, type Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { companions } from '../readers/companions';
import { linesOf } from '../folder/read-lines';
import type { FolderAccess } from '../folder/access';

/**
 * @param name as the user wrote it; messages repeat it
 * @param place absolute path
 */
export function diskFolder(name: string, place: string): FolderAccess {
  const inside = (file: string): string => path.join(place, file);
  return {
    name,
    // Links to folders are not followed, and pipes, sockets and devices are no files that end.
    list: async () => (await entries(place)).filter((entry) => isFile(entry, place)).map((entry) => entry.name),
    folders: async () =>
      (await entries(place))
        .filter((entry) => entry.isDirectory())
        .map((entry) => diskFolder(path.join(name, entry.name), inside(entry.name))),
    readText: async (file) => {
      try {
        return await readFile(inside(file), 'utf8');
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined;
        throw error;
      }
    },
    sizeBytes: async (file) => {
      try {
        return (await stat(inside(file))).size;
      } catch {
        return undefined;
      }
    },
    readLines: (file) => lines(inside(file)),
    readBytes: (file) => bytes(inside(file)),
    parent: () => diskFolder(path.join(name, '..'), path.dirname(place)),
  };
}

/** One file as a folder that holds nothing else but what belongs to it: a user may point at a result file itself. */
export function diskFile(name: string, place: string): FolderAccess {
  const folder = diskFolder(path.dirname(name), path.dirname(place));
  const file = path.basename(place);
  return {
    ...folder,
    list: async () => companions(file, await folder.list()),
    folders: () => Promise.resolve([]),
    parent: () => folder,
  };
}

async function* bytes(file: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file, { highWaterMark: 4 * 1024 * 1024 }) as AsyncIterable<Uint8Array>;
}

async function entries(place: string) {
  try {
    return await readdir(place, { withFileTypes: true });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') throw new Error('there is no such folder', { cause: error });
    if (code === 'ENOTDIR') throw new Error('it is neither a folder nor a file that ends', { cause: error });
    if (code === 'ELOOP') throw new Error('it is a link that leads to itself', { cause: error });
    if (code === 'EACCES') throw new Error('you may not read it', { cause: error });
    throw error;
  }
}

function isFile(entry: Dirent, place: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isFile();
  try {
    return statSync(path.join(place, entry.name)).isFile();
  } catch {
    return true; // A link that leads nowhere is named by whoever reads it.
  }
}

async function* lines(file: string): AsyncGenerator<string> {
  try {
    yield* linesOf(createReadStream(file));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
