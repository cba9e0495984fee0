// A report folder -> Run. Ours are read whole; inference-perf's for what they hold; anything else is named as what it is.
import * as z from 'zod';
import { parseDocument } from '../config/yaml/document';
import { redactText } from '../config/secrets';
import type { LifecycleReport } from '../metrics/lifecycle';
import { formatPath, type Problem, type Result } from '../problem';
import { openForeign, type OpenedReport } from './foreign';
import { parseJson } from '../folder/json';
import {
  MANIFEST_FILE,
  MANIFEST_FORMAT,
  MANIFEST_VERSION,
  RECORDS_FILE,
  manifestSchema,
  type RunManifest,
} from '../folder/manifest';
import { parseLifecycle } from './read-lifecycle';
import { proofOf } from './proof';
import { readRecords } from '../folder/read-records';
import type { FolderAccess } from '../folder/access';
import type { Run } from './run';
import { isObject } from '../own';

/** A lifecycle report has a few kilobytes per stage and error message; a manifest less. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;
/** Of `records.jsonl`. Beyond it a string or the heap gives up. */
const MAX_RECORDS_BYTES = 2 * 1024 * 1024 * 1024;

const SUMMARY = /^(.*)summary_lifecycle_metrics\.json$/;
const STAGE = /^(?!adapter_)(.*?)stage_(\d+)_lifecycle_metrics\.json$/;
const CONFIG = /^(.*)config\.ya?ml$/;

/**
 * Reads the folder itself when it is a run, else the one run directly inside it. Never throws for what a folder may hold:
 * missing, empty, foreign, damaged and ambiguous folders are problems REP101 to REP104.
 */
export async function readRun(folder: FolderAccess): Promise<Result<Run>> {
  let files: readonly string[];
  try {
    files = await folder.list();
  } catch (error) {
    return fail('REP101', `${folder.name} cannot be opened: ${reasonOf(error)}`, 'Name a report folder that exists');
  }
  if (holdsRun(files)) {
    const own = await readFolder(folder, files);
    // A run.json of somebody else may be a result of its own; beside reports or a journal it is a damaged one of ours.
    const isAlone = !files.includes(RECORDS_FILE) && !files.some(isLifecycle);
    const isOthers = isAlone && !own.ok && own.problems.some(({ reason }) => reason === 'not-ours');
    const foreign = isOthers ? await readForeign(folder) : undefined;
    return foreign?.ok === true ? foreign : own;
  }
  const inside = await runsInside(folder);
  const [only] = inside;
  if (only && inside.length === 1) return readFolder(only.folder, only.files);
  if (inside.length > 1) {
    const names = inside.map((run) => run.folder.name).sort();
    return fail('REP104', `${folder.name} holds ${names.length} runs: ${listed(names)}`, 'Name one of them');
  }
  const foreign = await readForeign(folder);
  if (foreign) return foreign;
  if (files.length === 0) {
    return fail('REP102', `${folder.name} is empty: no report is in it`, `Name a folder with a ${MANIFEST_FILE} in it`);
  }
  return fail(
    'REP103',
    `${folder.name} is no report folder: it has neither a ${MANIFEST_FILE} (IsoPerf) nor a *_lifecycle_metrics.json (inference-perf). It holds ${listed(files)}`,
    `Name a folder that 'isoperf run' or inference-perf wrote`,
  );
}

/** None was recognised, or this one was not: of a folder that is said in other words. */
const NOT_OURS: readonly string[] = ['REP102', 'REP121'];

/** The results of a tool other than ours and inference-perf; undefined when there is nothing that could be one. */
async function readForeign(folder: FolderAccess): Promise<Result<Run> | undefined> {
  const opened = await openForeign(folder);
  if (!opened.ok) {
    // Cut off, unreadable, in another encoding: that is why, and not that it is no folder of ours.
    const why = opened.problems.filter(({ severity, code }) => severity === 'error' && !NOT_OURS.includes(code));
    return why.length > 0 ? { ok: false, problems: why } : undefined;
  }
  const { reports, problems } = opened.value;
  const [only] = reports;
  if (!only || reports.length > 1) {
    const names = reports.map(({ report }) => report.name).sort();
    return fail('REP104', `${folder.name} holds ${names.length} runs: ${listed(names)}`, 'Name one of them');
  }
  const { report } = only;
  const nothing = problems.filter(({ code }) => code === 'REP129');
  if (nothing.length > 0) return { ok: false, problems: nothing };
  const version = report.toolVersion;
  const run: Run = {
    folder: folder.name,
    tool: { name: report.tool, ...(version === undefined ? {} : { version }) },
    ...(report.config ? { config: report.config } : {}),
    stages: new Map(),
    canonical: report,
    ...perRequestOf(only),
    files: report.files,
    problems,
  };
  return { ok: true, value: run, problems };
}

/** inference-perf's folder, with the config beside its files to show and click. */
async function readInferencePerf(folder: FolderAccess, files: readonly string[]): Promise<Result<Run>> {
  const opened = await openForeign({ ...folder, folders: () => Promise.resolve([]) });
  const found = opened.ok ? opened.value.reports.find((one) => one.report.tool === 'inference-perf') : undefined;
  // What else lies in the folder is no part of the run.
  const problems = opened.problems.flatMap((problem): Problem[] =>
    problem.file !== undefined && isLifecycle(problem.file) ? [{ ...problem, severity: 'error' }] : [],
  );
  if (!found) return { ok: false, problems: problems.length > 0 ? problems : opened.problems };
  const config = await configIn(folder, files, problems);
  const run: Run = {
    folder: folder.name,
    tool: { name: 'inference-perf' },
    ...(config ? { ...foreignConfig(config.configText), ...config } : {}),
    stages: new Map(),
    canonical: found.report,
    ...perRequestOf(found),
    files,
    problems,
  };
  return { ok: true, value: run, problems };
}

function isLifecycle(file: string): boolean {
  return SUMMARY.test(file) || STAGE.test(file);
}

/** The folder's config.yaml as text; the shortest name where there are several. */
async function configIn(
  folder: FolderAccess,
  files: readonly string[],
  problems: Problem[],
): Promise<{ readonly configText: string; readonly configFile: string } | undefined> {
  const configFile = files.filter((file) => CONFIG.test(file)).sort((a, b) => a.length - b.length)[0];
  const configText = configFile === undefined ? undefined : await readSmall(folder, configFile, problems);
  return configText === undefined || configFile === undefined ? undefined : { configText, configFile };
}

function perRequestOf({ folder, recordsFile }: OpenedReport): Pick<Run, 'perRequest'> {
  return recordsFile === undefined ? {} : { perRequest: { folder, file: recordsFile } };
}

function holdsRun(files: readonly string[]): boolean {
  return files.includes(MANIFEST_FILE) || files.some(isLifecycle);
}

async function runsInside(folder: FolderAccess): Promise<{ folder: FolderAccess; files: readonly string[] }[]> {
  const found: { folder: FolderAccess; files: readonly string[] }[] = [];
  for (const inner of (await folder.folders?.()) ?? []) {
    try {
      const files = await inner.list();
      if (holdsRun(files)) found.push({ folder: inner, files });
    } catch {
      // A folder that may not be read cannot be the run that was meant; the outer folder's message stands.
    }
  }
  return found;
}

async function readFolder(folder: FolderAccess, files: readonly string[]): Promise<Result<Run>> {
  if (!files.includes(MANIFEST_FILE)) return readInferencePerf(folder, files);
  const problems: Problem[] = [];
  const manifest = await readManifest(folder);
  if (!manifest.ok) {
    problems.push(...manifest.problems);
    if (manifest.foreign || !files.includes(RECORDS_FILE)) return { ok: false, problems };
  }
  const value = manifest.ok ? manifest.value : undefined;
  const config = await configIn(folder, files, problems);
  const records = files.includes(RECORDS_FILE) ? await readJournal(folder, problems) : undefined;
  const reports = await readLifecycles(folder, files, problems);
  problems.push(...missingParts(value, records !== undefined, reports.summary !== undefined));
  if (value) problems.push(...(await proofOf(folder, files, value, records)));
  const run: Run = {
    folder: folder.name,
    tool: value ? { name: value.tool.name, version: value.tool.version } : { name: 'isoperf' },
    ...(value ? { manifest: value, config: value.config.effective } : foreignConfig(config?.configText)),
    ...config,
    ...(records ? { records } : {}),
    ...(reports.summary ? { summary: reports.summary } : {}),
    stages: reports.stages,
    files,
    problems,
    ...(manifest.ok ? {} : { damaged: true }),
  };
  return { ok: true, value: run, problems };
}

/** The values of another tool's config.yaml; whether they are valid is not this reader's question. */
function foreignConfig(text: string | undefined): { config?: Readonly<Record<string, unknown>> } {
  const value = text === undefined ? undefined : parseDocument(redactText(text)).value;
  return isObject(value) ? { config: value } : {};
}

type ManifestResult =
  | { readonly ok: true; readonly value: RunManifest }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly foreign: boolean };

async function readManifest(folder: FolderAccess): Promise<ManifestResult> {
  const place = `${folder.name}/${MANIFEST_FILE}`;
  const problems: Problem[] = [];
  const text = await readSmall(folder, MANIFEST_FILE, problems);
  if (text === undefined) return { ok: false, problems, foreign: true };
  const parsed = parseJson(text, place);
  if (!parsed.ok) return { ok: false, problems: parsed.problems, foreign: false };
  const head = z.object({ format: z.literal(MANIFEST_FORMAT), version: z.number() }).safeParse(parsed.value);
  if (!head.success) {
    const problem = refusal('REP107', `${place} is not IsoPerf's: its 'format' is not '${MANIFEST_FORMAT}'`, place);
    return { ok: false, problems: [{ ...problem, reason: 'not-ours' }], foreign: true };
  }
  if (head.data.version > MANIFEST_VERSION) {
    const problem = refusal(
      'REP108',
      `${place} was written by a newer IsoPerf: its version is ${head.data.version}, this one reads up to ${MANIFEST_VERSION}`,
      place,
    );
    return { ok: false, problems: [{ ...problem, remedy: 'Update IsoPerf' }], foreign: true };
  }
  const checked = manifestSchema.safeParse(parsed.value);
  if (checked.success) return { ok: true, value: checked.data };
  const issues = checked.error.issues.slice(0, 3).map((issue) => {
    const path = issue.path.filter((step) => typeof step !== 'symbol');
    return { ...refusal('REP107', `${place} is damaged at '${formatPath(path)}': ${issue.message}`, place), path };
  });
  return { ok: false, problems: issues, foreign: false };
}

async function readJournal(folder: FolderAccess, problems: Problem[]): Promise<Run['records']> {
  if (await tooLarge(folder, RECORDS_FILE, MAX_RECORDS_BYTES, problems)) return undefined;
  try {
    const journal = await readRecords(folder, RECORDS_FILE);
    problems.push(...(journal?.problems ?? []));
    return journal?.records;
  } catch (error) {
    problems.push(unreadable(folder, RECORDS_FILE, error));
    return undefined;
  }
}

async function readLifecycles(
  folder: FolderAccess,
  files: readonly string[],
  problems: Problem[],
): Promise<{ summary?: LifecycleReport; stages: Map<number, LifecycleReport> }> {
  const read = async (file: string): Promise<LifecycleReport | undefined> => {
    const text = await readSmall(folder, file, problems);
    if (text === undefined) return undefined;
    const parsed = parseLifecycle(text, `${folder.name}/${file}`);
    problems.push(...parsed.problems);
    return parsed.ok ? parsed.value : undefined;
  };
  const summaryFile = files.filter((file) => SUMMARY.test(file) && !file.startsWith('adapter_')).sort()[0];
  const summary = summaryFile === undefined ? undefined : await read(summaryFile);
  const stages = new Map<number, LifecycleReport>();
  const named = files.flatMap((file) => {
    const match = STAGE.exec(file);
    return match ? [{ file, stage: Number(match[2]) }] : [];
  });
  for (const { file, stage } of named.sort((a, b) => a.stage - b.stage)) {
    const report = await read(file);
    if (report) stages.set(stage, report);
  }
  return { ...(summary ? { summary } : {}), stages };
}

function missingParts(manifest: RunManifest | undefined, hasRecords: boolean, hasSummary: boolean): Problem[] {
  if (!manifest) return [];
  const missing: string[] = [];
  if (!hasRecords) missing.push(`${RECORDS_FILE} (no per-request evidence, so no intervals)`);
  if (!hasSummary && manifest.state === 'complete') missing.push('summary_lifecycle_metrics.json');
  return missing.map((what) => ({
    code: 'REP112',
    severity: 'warning',
    path: [],
    message: `the folder has no ${what}`,
  }));
}

async function readSmall(folder: FolderAccess, file: string, problems: Problem[]): Promise<string | undefined> {
  if (await tooLarge(folder, file, MAX_JSON_BYTES, problems)) return undefined;
  try {
    return await folder.readText(file);
  } catch (error) {
    problems.push(unreadable(folder, file, error));
    return undefined;
  }
}

async function tooLarge(folder: FolderAccess, file: string, limit: number, problems: Problem[]): Promise<boolean> {
  const bytes = await folder.sizeBytes?.(file);
  if (bytes === undefined || bytes <= limit) return false;
  const mebibytes = (value: number): string => `${Math.round(value / 1024 / 1024).toLocaleString('en-US')} MiB`;
  problems.push(
    refusal(
      'REP114',
      `${folder.name}/${file} was not read: ${mebibytes(bytes)} is over the limit of ${mebibytes(limit)}`,
      file,
    ),
  );
  return true;
}

function unreadable(folder: FolderAccess, file: string, error: unknown): Problem {
  return refusal('REP113', `${folder.name}/${file} cannot be read: ${reasonOf(error)}`, file);
}

function refusal(code: string, message: string, file: string): Problem {
  return { code, severity: 'error', path: [], message, file };
}

function fail(code: string, message: string, remedy: string): Result<Run> {
  return { ok: false, problems: [{ code, severity: 'error', path: [], message, remedy }] };
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown || 'only folders';
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
