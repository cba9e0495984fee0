// What the files of a finished run were when it wrote them: who reads the folder later can tell whether they still are.
import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import path from 'node:path';
import { MANIFEST_FILE, type RunManifest } from '../folder/manifest';

const PIECE = 1_048_576;

/** sha256 and size of every file of the folder but run.json itself. Throws what the file system throws. */
export function fileDigests(folder: string): NonNullable<RunManifest['files']> {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== MANIFEST_FILE && !entry.name.endsWith('.tmp'))
    .map(({ name }) => name)
    .sort();
  return Object.fromEntries(names.map((name) => [name, digest(path.join(folder, name))]));
}

function digest(file: string): { sha256: string; bytes: number } {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(PIECE);
  const handle = openSync(file, 'r');
  let bytes = 0;
  try {
    for (;;) {
      const read = readSync(handle, piece, 0, PIECE, null);
      if (read === 0) break;
      hash.update(piece.subarray(0, read));
      bytes += read;
    }
  } finally {
    closeSync(handle);
  }
  return { sha256: hash.digest('hex'), bytes };
}
