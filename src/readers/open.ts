// Anything a user points at -> the reports in it, in canonical quantities: our own folders and every known tool's.
import type { Problem, Result } from '../problem';
import { reportOf } from './own';
import { factsOf } from './facts-of';
import { openForeign, type Opened, type OpenedReport } from './foreign';
import { MANIFEST_FILE, RECORDS_FILE } from '../folder/manifest';
import { maskFacts, maskReport } from './mask';
import { readRun } from './read';
import type { FolderAccess } from '../folder/access';

/**
 * Opens the folder and those inside it. Fails only when nothing in it is a report; then the problems say what each file is.
 * Never throws for what a folder may hold.
 */
export function openReports(folder: FolderAccess): Promise<Result<Opened>> {
  return openForeign(folder, openOwn);
}

async function openOwn(
  folder: FolderAccess,
  files: readonly string[],
  found: OpenedReport[],
  problems: Problem[],
): Promise<boolean> {
  if (!files.includes(MANIFEST_FILE)) return false;
  const run = await readRun(folder);
  // A run.json of somebody else is no reason to give up: the other files may be known.
  if (!run.ok && run.problems.some(({ reason }) => reason === 'not-ours')) return false;
  problems.push(...run.problems);
  if (run.ok) {
    const records = files.includes(RECORDS_FILE) ? { recordsFile: RECORDS_FILE } : {};
    found.push({ report: maskReport(reportOf(run.value)), facts: maskFacts(factsOf(run.value)), folder, ...records });
  }
  return true;
}
