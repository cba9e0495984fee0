// A folder of ours proves itself: its files are what the run wrote, and its records are of the prompts that run.json names.
import type { FolderAccess } from '../folder/access';
import { MANIFEST_FILE, RECORDS_FILE, type RunManifest } from '../folder/manifest';
import type { RequestRecord } from '../metrics/record';
import type { Problem } from '../problem';

/** Beyond it a file is held against its size alone. */
const MAX_HASHED_BYTES = 512 * 1024 * 1024;

/** Prompts of these do not depend on what a server said before. */
const FIXED_PROMPTS: readonly string[] = ['mock', 'random', 'synthetic', 'cnn_dailymail', 'billsum_conversations'];

/**
 * REP133: a file is another than the run wrote (run.json keeps size and sha256 of each). REP134: the records are of other prompts
 * than run.json names. Folders of before such digests were kept give the second alone. Files that are gone are not this check's.
 */
export async function proofOf(
  folder: FolderAccess,
  files: readonly string[],
  manifest: RunManifest,
  records: readonly RequestRecord[] | undefined,
): Promise<readonly Problem[]> {
  const changed: string[] = [];
  for (const [file, written] of Object.entries(manifest.files ?? {})) {
    if (files.includes(file) && !(await isAsWritten(folder, file, written))) changed.push(file);
  }
  const prompts = records && manifest.state === 'complete' ? await promptsProblem(manifest, records) : undefined;
  return [...changed.map(changedProblem), ...(prompts ? [prompts] : [])];
}

async function isAsWritten(
  folder: FolderAccess,
  file: string,
  written: { readonly sha256: string; readonly bytes: number },
): Promise<boolean> {
  const size = await folder.sizeBytes?.(file);
  if (size !== undefined && size !== written.bytes) return false;
  if (!folder.readBytes || written.bytes > MAX_HASHED_BYTES) return true;
  const whole = new Uint8Array(written.bytes);
  let length = 0;
  for await (const piece of folder.readBytes(file)) {
    if (length + piece.length > whole.length) return false;
    whole.set(piece, length);
    length += piece.length;
  }
  return length === whole.length && (await sha256(whole)) === written.sha256;
}

function changedProblem(file: string): Problem {
  return {
    code: 'REP133',
    severity: 'error',
    path: [],
    message: `${file} is not what the run wrote: its size or sha256 is another than ${MANIFEST_FILE} keeps`,
    file,
    remedy: 'Take the folder as it was written; an edited or converted file (line ends, too) is no measurement',
  };
}

/** `promptsHash` again from the records, where each planned request has one and its prompt was fixed beforehand. */
async function promptsProblem(
  { workload, stages, window }: RunManifest,
  records: readonly RequestRecord[],
): Promise<Problem | undefined> {
  if (!FIXED_PROMPTS.includes(workload.dataType)) return undefined;
  const measured = stages.filter(({ id, warmup }) => !warmup && !window.warmupStages.includes(id));
  const own = measured.flatMap(({ id }) => records.filter(({ stage }) => stage === id).sort((a, b) => a.id - b.id));
  const planned = measured.reduce((sum, stage) => sum + stage.planned, 0);
  if (own.length === planned) {
    const text = own.map(({ promptHash }) => `${promptHash}\n`).join('');
    if ((await sha256(new TextEncoder().encode(text))) === workload.promptsHash) return undefined;
  }
  const why =
    own.length === planned
      ? `the prompts of its requests have another hash than ${MANIFEST_FILE} workload.promptsHash`
      : `it has ${own.length} requests of the measured stages, and ${planned} were planned in ${MANIFEST_FILE}`;
  return {
    code: 'REP134',
    severity: 'error',
    path: [],
    message: `${RECORDS_FILE} is not of this run: ${why}`,
    file: RECORDS_FILE,
    remedy: 'Take the folder as it was written: run.json and its records belong together',
  };
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest('SHA-256', bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
