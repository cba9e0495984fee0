// The files of a report that the extension asks about: from this machine's disk, or through VS Code where its file system is another.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FolderAccess } from '../folder/access';
import { linesOf } from '../folder/read-lines';
import { companions } from '../readers/companions';
import type { NeedKind, Needs, Place } from '../reader-messages';
import { isFile } from './access';
import { diskFile, diskFolder } from './folder';

/** Asks VS Code. Rejects with its words. */
export type AskFiles = <K extends NeedKind>(need: K, uri: Place['uri']) => Promise<Needs[K]>;

/** A place of a report, opened. */
export interface OpenPlace {
  /** What the report is read from: the folder, or one file of results that stands for itself and what belongs to it. */
  readonly access: FolderAccess;
  /** The folder it lies in, which is itself unless it is a file. */
  readonly folder: FolderAccess;
  /** The name of that folder alone. */
  readonly folderName: string;
  readonly isFile: boolean;
}

/** A place that is not there is opened as a folder: who lists it is told why it cannot be read. */
export async function openPlace(place: Place, askFiles: AskFiles): Promise<OpenPlace> {
  const { disk, name, uri } = place;
  if (disk !== undefined) {
    const opened = { access: diskFolder(name, disk), folderName: path.basename(disk), isFile: false };
    if (!isFile(disk)) return { ...opened, folder: opened.access };
    const above = path.dirname(disk);
    const folder = diskFolder(path.dirname(name), above);
    return { access: { ...diskFile(name, disk), name }, folder, folderName: path.basename(above), isFile: true };
  }
  const kind = await askFiles('stat', uri);
  const access = askedFolder(place, askFiles);
  if (kind === undefined || (kind.type & FILE) === 0)
    return { access, folder: access, folderName: path.posix.basename(uri.path), isFile: false };
  const folder = access.parent!();
  const file = path.posix.basename(uri.path);
  return {
    access: {
      ...folder,
      name,
      list: async () => companions(file, await folder.list()),
      parent: () => folder,
      folders: () => Promise.resolve([]),
    },
    folder,
    folderName: path.posix.basename(path.posix.dirname(uri.path)),
    isFile: true,
  };
}

/** Rejects when the file is not there. */
export async function textOf({ disk, uri, name }: Place, askFiles: AskFiles): Promise<string> {
  const bytes = disk === undefined ? await askFiles('read', uri) : await readFile(disk);
  if (bytes === undefined) throw new Error(`${name} is not there`);
  return new TextDecoder().decode(bytes);
}

/** Bits of VS Code's `FileType`. */
const FILE = 1;
const FOLDER = 2;

function askedFolder({ name, uri }: Omit<Place, 'disk'>, askFiles: AskFiles): FolderAccess {
  const at = (file: string): Place['uri'] => ({ ...uri, path: path.posix.join(uri.path, file) });
  const entries = async (bit: number): Promise<string[]> =>
    (await askFiles('list', uri)).filter(([, type]) => (type & bit) !== 0).map(([entry]) => entry);
  return {
    name,
    list: () => entries(FILE),
    folders: async () =>
      (await entries(FOLDER)).map((entry) =>
        askedFolder({ name: path.posix.join(name, entry), uri: at(entry) }, askFiles),
      ),
    parent: () => askedFolder({ name: path.posix.dirname(name), uri: at('..') }, askFiles),
    async readText(file) {
      const bytes = await askFiles('read', at(file));
      return bytes && new TextDecoder().decode(bytes);
    },
    sizeBytes: async (file) => (await askFiles('stat', at(file)))?.size,
    readLines: (file) => linesOf(pieces(at(file), askFiles)),
    readBytes: (file) => pieces(at(file), askFiles),
  };
}

async function* pieces(uri: Place['uri'], askFiles: AskFiles): AsyncGenerator<Uint8Array> {
  const bytes = await askFiles('read', uri);
  if (bytes !== undefined) yield bytes;
}
