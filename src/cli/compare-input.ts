// A side of a comparison from a disk: the run, and what lies beside or above its folder and belongs to it.
import path from 'node:path';
import { formatProblem, type Problem } from '../problem';
import { withBeside } from '../readers/beside';
import { readRun } from '../readers/read';
import { withRecords } from '../readers/records/attach';
import type { Run } from '../readers/run';
import { accessTo, isFile } from './access';
import type { CliIo } from './command';
import { diskFolder } from './folder';
import { readStack } from './stack-file';
import { clean } from './text-layout';

function noResult(name: string): Problem {
  return {
    code: 'REP121',
    severity: 'error',
    path: [],
    message: `${name} is no report of a known tool`,
    remedy: `Name a report folder or a result file; 'isoperf import ${name}' says more`,
  };
}

/**
 * Says on standard error what is wrong when there is nothing to compare; what is only odd about a run is in the comparison's notes.
 * @param stackFile as the user named it, over what lies in the folder
 */
export async function openRun(name: string, stackFile: string | undefined, io: CliIo): Promise<Run | undefined> {
  const place = path.resolve(io.cwd, name);
  const named = isFile(place);
  const result = await readRun(accessTo(name, io.cwd));
  if (!result.ok) {
    // Of a file that was named, what its folder is or holds says nothing.
    const unknown = named && result.problems.every(({ code }) => code === 'REP103');
    const said: readonly Problem[] = unknown ? [noResult(name)] : result.problems;
    for (const problem of said) io.err(`${clean(formatProblem(problem, name))}\n`);
    return undefined;
  }
  const folder = named ? path.dirname(place) : place;
  const base = path.basename(folder);
  const stack = stackFile === undefined ? undefined : readStack(stackFile, io, base);
  const shown = named && !result.value.manifest ? { folder: name } : {};
  // The shared config comes first: which requests belong to which stage may be told by it.
  const run = await withBeside({ ...result.value, ...shown }, diskFolder(name, folder), base, stack);
  return withRecords(run);
}
