// What the user names on the command line, as the readers want it; and how what they say is printed.
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { formatProblem, type Problem } from '../problem';
import { MANIFEST_FILE, MANIFEST_FORMAT, RECORDS_FILE } from '../folder/manifest';
import type { FolderAccess } from '../folder/access';
import type { CliIo } from './command';
import { diskFile, diskFolder } from './folder';
import { clean } from './text-layout';

/**
 * A file or a folder on the disk; what is not there is found out when it is listed. A manifest or a journal of ours stands for its folder,
 * another file for itself and what belongs to it.
 */
export function accessTo(name: string, cwd: string): FolderAccess {
  const place = path.resolve(cwd, name);
  const base = path.basename(place);
  if (base === RECORDS_FILE || (base === MANIFEST_FILE && isOurs(place)))
    return diskFolder(path.dirname(name), path.dirname(place));
  return isFile(place) ? diskFile(name, place) : diskFolder(name, place);
}

/** What cannot be looked at (a link to itself, a folder that is closed) is told by whoever lists it. */
export function isFile(place: string): boolean {
  try {
    return statSync(place).isFile();
  } catch {
    return false;
  }
}

/** Anybody may call a result run.json. One that is damaged stays ours by the journal beside it. */
function isOurs(place: string): boolean {
  try {
    return (
      existsSync(path.join(path.dirname(place), RECORDS_FILE)) || readFileSync(place, 'utf8').includes(MANIFEST_FORMAT)
    );
  } catch {
    return true; // What cannot be read is told by whoever reads the folder.
  }
}

/** To standard error, one line each. */
export function printProblems(problems: readonly Problem[], name: string, io: CliIo): void {
  for (const problem of problems) {
    const { file, ...rest } = problem;
    // Messages name the file themselves, with its folder.
    // eslint-disable-next-line house/no-decision-on-prose -- the sentence itself is asked what it shows
    const place = file !== undefined && problem.message.includes(file) ? rest : problem;
    // Messages quote names and keys of others' files: no control character of theirs may reach the terminal.
    io.err(`${clean(formatProblem(place, name))}\n`);
  }
}
