// Reading a file that somebody named: regular files, pipes and standard input only, and never more than a limit that is said.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Longest file that is read as a config, in bytes; configs have some kilobytes. */
export const MAX_INPUT_BYTES = 8_000_000;
const PIECE = 65_536;

/** The bytes, or why there are none, to be put behind the file's name. System errors are thrown. */
export function readInput(file: string | number): { readonly bytes: Buffer } | { readonly refused: string } {
  const handle = typeof file === 'number' ? file : openSync(file, 'r');
  try {
    const kind = fstatSync(handle);
    if (typeof file !== 'number' && !kind.isFile() && !kind.isFIFO() && !kind.isSocket())
      return { refused: 'is no regular file and no pipe, and is not read.' };
    const pieces: Buffer[] = [];
    for (let size = 0; ;) {
      const piece = Buffer.allocUnsafe(PIECE);
      const read = readPiece(handle, piece);
      if (read === 0) return { bytes: Buffer.concat(pieces) };
      pieces.push(piece.subarray(0, read));
      size += read;
      if (size > MAX_INPUT_BYTES)
        return { refused: `has more than ${MAX_INPUT_BYTES / 1e6} MB, which no config has, and is not read.` };
    }
  } finally {
    if (handle !== file) closeSync(handle);
  }
}

/** A pipe that is not ready yet is waited for. */
function readPiece(handle: number, into: Buffer): number {
  for (;;) {
    try {
      return readSync(handle, into);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
