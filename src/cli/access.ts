// What the user names on the command line, as the readers want it; and how what they say is printed.
import { statSync } from 'node:fs';
import path from 'node:path';
import { formatProblem, type Problem } from '../problem';
import { MANIFEST_FILE, RECORDS_FILE } from '../report/manifest';
import type { FolderAccess } from '../report/run';
import type { CliIo } from './command';
import { diskFile, diskFolder } from './folder';
import { clean } from './text-layout';

/**
 * A file or a folder on the disk; what is not there is found out when it is listed. A manifest or a journal stands for its folder,
 * another file for itself and what belongs to it.
 */
export function accessTo(name: string, cwd: string): FolderAccess {
  const place = path.resolve(cwd, name);
  const base = path.basename(place);
  if (base === MANIFEST_FILE || base === RECORDS_FILE) return diskFolder(path.dirname(name), path.dirname(place));
  return statSync(place, { throwIfNoEntry: false })?.isFile() === true
    ? diskFile(name, place)
    : diskFolder(name, place);
}

/** To standard error, one line each. */
export function printProblems(problems: readonly Problem[], name: string, io: CliIo): void {
  for (const problem of problems) {
    const { file, ...rest } = problem;
    // Messages name the file themselves, with its folder.
    const place = file !== undefined && problem.message.includes(file) ? rest : problem;
    // Messages quote names and keys of others' files: no control character of theirs may reach the terminal.
    io.err(`${clean(formatProblem(place, name))}\n`);
  }
}
