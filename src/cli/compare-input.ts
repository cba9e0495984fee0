// A side of a comparison from a disk: the run, and what lies beside or above its folder and belongs to it.
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseDocument } from '../config/document';
import { redactText } from '../config/secrets';
import { formatProblem } from '../problem';
import { readRun } from '../report/read';
import { withRecords } from '../report/records/attach';
import type { Run } from '../report/run';
import { parseStack, STACK_FILES, type StackRecord } from '../report/stack';
import { accessTo } from './access';
import type { CliIo } from './command';
import { readStack } from './stack-file';

/**
 * Says on standard error what is wrong when there is nothing to compare; what is only odd about a run is in the comparison's notes.
 * @param stackFile as the user named it, over what lies in the folder
 */
export async function openRun(name: string, stackFile: string | undefined, io: CliIo): Promise<Run | undefined> {
  const place = path.resolve(io.cwd, name);
  const isFile = statSync(place, { throwIfNoEntry: false })?.isFile() === true;
  const folder = isFile ? path.dirname(place) : place;
  const result = await readRun(accessTo(name, io.cwd));
  if (!result.ok) {
    for (const problem of result.problems) io.err(`${formatProblem(problem, name)}\n`);
    return undefined;
  }
  const shown = isFile && !result.value.manifest ? { folder: name } : {};
  const run = await withRecords({ ...result.value, ...shown, ...sharedConfig(result.value, folder) });
  const stack = stackFile === undefined ? stackBeside(run, folder) : readStack(stackFile, io, path.basename(folder));
  return stack ? { ...run, stack } : run;
}

/** Several runs of one campaign often share the config.yaml of the folder above. */
function sharedConfig(run: Run, folder: string): Partial<Run> {
  const file = path.join(folder, '..', 'config.yaml');
  if (run.manifest || run.config || run.configText !== undefined || !existsSync(file)) return {};
  const configText = readFileSync(file, 'utf8');
  const { value } = parseDocument(redactText(configText));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return { configText, configFile: '../config.yaml', config: value as Record<string, unknown> };
}

/** In the run's own folder, else above it; there a list of several servers' arguments has a part with the folder's name. */
function stackBeside(run: Run, folder: string): StackRecord | undefined {
  if (run.manifest?.stack) return undefined;
  for (const [prefix, place] of [
    ['', folder],
    ['../', path.join(folder, '..')],
  ] as const) {
    for (const name of STACK_FILES) {
      const file = path.join(place, name);
      if (!existsSync(file)) continue;
      const parsed = parseStack(readFileSync(file, 'utf8'), `${prefix}${name}`, path.basename(folder));
      if (parsed.ok) return parsed.value;
    }
  }
  return undefined;
}
