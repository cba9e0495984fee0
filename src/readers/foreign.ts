// Folders of other tools' results -> the reports in them, translated; several runs and several tools at once are kept apart.
import { jsonText } from '../figures';
import { looksLikeConfig } from '../config/find/detect';
import type { Problem, Result } from '../problem';
import type { CanonicalReport } from './canonical';
import type { RunFacts } from './facts';
import { factsOf } from './facts-of';
import { hasBareNumber, loadDocuments, type Loaded, type LoadedDocument } from './documents';
import { maskReport, maskValue } from './mask';
import { withoutImpossibleRates } from './refute';
import { emptyReport, withoutEmptyParts, withoutUnmeasured, withoutZeros } from './nothing-measured';
import { otherFormOf } from './other-forms';
import { withStarts } from './readers/inference-perf-starts';

import { textNumbers } from './text-numbers';
import { isObject, own } from '../own';
import type { ConfigDocument, ReportReader } from './readers/reader';
import { aiperfReader } from './readers/aiperf';
import { guidellmReader } from './readers/guidellm';
import { hfReader } from './readers/hf';
import { inferencePerfReader } from './readers/inference-perf';
import { inferenceXReader } from './readers/inferencex';
import { llmdReader } from './readers/llm-d';
import { llmperfReader } from './readers/llmperf';
import { mlperfReader } from './readers/mlperf';
import { sglangReader } from './readers/sglang';
import { servingTableReader } from './readers/serving-table';
import { vllmReader } from './readers/vllm';
import type { FolderAccess } from '../folder/access';

/** Most particular first: a document belongs to the first that knows it. */
const READERS: readonly ReportReader[] = [
  inferencePerfReader,
  sglangReader,
  inferenceXReader,
  vllmReader,
  servingTableReader,
  guidellmReader,
  aiperfReader,
  llmperfReader,
  hfReader,
  llmdReader,
  mlperfReader,
];

export const READABLE_TOOLS: readonly string[] = ['isoperf', ...READERS.map(({ tool }) => tool)];

const PARTIAL = /partial\.stage_\d+\.ya?ml$/;

/** Runs are at most this far below the folder that was named. */
const MAX_LEVELS = 3;
const MAX_FOLDERS = 500;

export interface OpenedReport {
  readonly report: CanonicalReport;
  /** The same facts that a comparison of it would have. */
  readonly facts: RunFacts;
  readonly folder: FolderAccess;
  /** File with one entry per request, where there is one. */
  readonly recordsFile?: string;
}

export interface Opened {
  readonly reports: readonly OpenedReport[];
  /** Files that were not read, and why; those whose name promises a report come as errors. */
  readonly problems: readonly Problem[];
}

/** Opens a folder as one of ours when it is; true when it was, well or badly. */
export type OwnReader = (
  folder: FolderAccess,
  files: readonly string[],
  found: OpenedReport[],
  problems: Problem[],
) => Promise<boolean>;

/** The reports in a folder and those inside it. @param own absent: our own folders are not looked for */
export async function openForeign(folder: FolderAccess, own?: OwnReader): Promise<Result<Opened>> {
  const found: OpenedReport[] = [];
  const problems: Problem[] = [];
  const search: Search = { found, problems, folders: MAX_FOLDERS, ...(own ? { own } : {}) };
  await openFolder(folder, await parentConfig(folder), 0, search);
  if (found.length > 0) {
    const told = problems.flatMap(besidesReports);
    return { ok: true, value: { reports: found, problems: told }, problems: told };
  }
  const errors = problems.filter(({ severity }) => severity === 'error');
  return {
    ok: false,
    problems: errors.length > 0 ? problems : [...problems, nothing(folder.name, 'none was recognised')],
  };
}

/** Where a report was found, what else lies about is no error, and logs and what its tool writes beside it are not worth a line. */
function besidesReports(problem: Problem): Problem[] {
  if (problem.reason === 'by-product') return [];
  if (problem.code !== 'REP121' || problem.severity !== 'error') return [problem];
  if (problem.reason === 'plain-text') return [];
  const { code, path, message, file } = problem;
  return [{ code, path, message, severity: 'information', ...(file === undefined ? {} : { file }) }];
}

interface Search {
  readonly found: OpenedReport[];
  readonly problems: Problem[];
  /** How many folders may still be looked into. */
  folders: number;
  readonly own?: OwnReader;
}

async function openFolder(
  folder: FolderAccess,
  inherited: ConfigDocument | undefined,
  level: number,
  search: Search,
): Promise<void> {
  const { found, problems } = search;
  let files: readonly string[];
  try {
    files = await folder.list();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    problems.push({
      ...nothing(folder.name, reason),
      code: 'REP101',
      message: `${folder.name} cannot be opened: ${reason}`,
    });
    return;
  }
  if (search.own && (await search.own(folder, files, found, problems))) return;
  // Hidden files are a tool's own bookkeeping; one that was named itself is alone in the list.
  const seen = files.length > 1 ? files.filter((file) => !file.startsWith('.')) : files;
  const loaded = await loadDocuments(folder, [...seen].sort());
  const here = configIn(loaded.documents);
  readDocuments(folder, loaded, here ?? inherited, found, problems);
  if (level >= MAX_LEVELS) return;
  for (const inner of (await folder.folders?.()) ?? []) {
    if (--search.folders < 0) {
      problems.push(nothing(inner.name, `only ${MAX_FOLDERS} folders are looked into`));
      return;
    }
    const shared = here ?? inherited;
    await openFolder(inner, shared && above(shared), level + 1, search);
  }
}

function above(config: ConfigDocument): ConfigDocument {
  return { ...config, file: config.file.startsWith('../') ? config.file : `../${config.file}`, assumed: true };
}

function readDocuments(
  folder: FolderAccess,
  loaded: Loaded,
  config: ConfigDocument | undefined,
  found: OpenedReport[],
  problems: Problem[],
): void {
  const known = new Map<ReportReader, (LoadedDocument & { recognition: { role: string; evidence: string } })[]>();
  const unknown: LoadedDocument[] = [];
  for (const document of loaded.documents) {
    const match = READERS.map((reader) => ({ reader, recognition: reader.recognise(document) })).find(
      (candidate) => candidate.recognition !== undefined,
    );
    if (match?.recognition) {
      known.set(match.reader, [...(known.get(match.reader) ?? []), { ...document, recognition: match.recognition }]);
    } else unknown.push(document);
  }
  const starts = dropByProducts(known);
  const usable = [...known].filter(([, documents]) => documents.length > 0);
  for (const [reader, documents] of usable) {
    const result = reader.read({ place: folder.name, documents, ...(config ? { config } : {}) });
    const records = documents.find(
      ({ recognition }) => recognition.role === 'records' || recognition.role === 'detailed',
    );
    problems.push(...result.problems, ...result.reports.flatMap((report) => report.problems));
    const whole = documents.filter(({ recognition: { role } }) => role !== 'records' && role !== 'by-product');
    problems.push(...whole.flatMap((document) => textNumbers(document, result.reports[0]?.tool ?? reader.tool)));
    for (const read of result.reports) {
      const dated = reader === inferencePerfReader && result.reports.length === 1 ? withStarts(read, starts) : read;
      const report = withoutEmptyParts(withoutUnmeasured(withoutZeros(dated)));
      const rest: { recordsFile?: string } =
        records && report.files.includes(records.file) ? { recordsFile: records.file } : {};
      const bareNumbers = documents.filter(hasBareNumber).map(({ file }) => file);
      const bare = bareNumbers.filter((file) => report.files.includes(file));
      const told = bare.length > 0 ? { ...report, bareNumbers: bare } : report;
      const empty = emptyReport(report, rest.recordsFile !== undefined);
      if (empty) problems.push(empty);
      found.push(opened(maskReport(withoutImpossibleRates(told)), folder, rest));
    }
    if (result.reports.length === 0) problems.push(fragment(folder, reader, documents));
  }
  if (usable.length > 1)
    problems.push(
      mixed(
        folder,
        usable.map(([reader]) => reader.tool),
      ),
    );
  problems.push(...loaded.warnings, ...complaints(folder, loaded, unknown, usable.length > 0));
}

function opened(report: CanonicalReport, folder: FolderAccess, rest: { readonly recordsFile?: string }): OpenedReport {
  const { tool, files, config } = report;
  const facts = factsOf({ tool: { name: tool }, files, canonical: report, ...(config ? { config } : {}) });
  return { report: { ...report, notRecorded: stillMissing(report.notRecorded, facts) }, facts, folder, ...rest };
}

/** What formats usually leave out, by the name their readers have for it: said only where this one really does. */
const USUALLY_MISSING: Readonly<Record<string, (facts: RunFacts) => boolean>> = {
  ignore_eos: ({ ignoreEos }) => ignoreEos.value === undefined,
  'sampling parameters': ({ sampling }) => sampling.value === undefined,
  'warm-up': ({ warmupRequests }) => warmupRequests.value === undefined,
  'dataset and asked lengths': ({ inputAsked, outputAsked }) => (inputAsked.value ?? outputAsked.value) === undefined,
  'asked lengths and their range ratio': ({ inputAsked }) => inputAsked.value === undefined,
  'server version and flags': ({ stack }) => stack.value?.args === undefined,
  hardware: ({ stack }) => stack.value?.accelerator === undefined,
  seed: ({ seed }) => seed.value === undefined,
  model: ({ model }) => model.value === undefined,
  tokenizer: ({ tokenizer }) => tokenizer.value === undefined,
  streaming: ({ streaming }) => streaming.value === undefined,
};

function stillMissing(names: readonly string[], facts: RunFacts): readonly string[] {
  return names.filter((name) => own(USUALLY_MISSING, name)?.(facts) ?? true);
}

/**
 * inference-perf writes Benchmark Reports of its stages beside its own files: the same numbers, not another tool's.
 * @returns those that were left out: they alone have the wall-clock start
 */
function dropByProducts<D extends LoadedDocument & { readonly recognition: { readonly role: string } }>(
  known: Map<ReportReader, D[]>,
): readonly D[] {
  const lifecycle = known.get(inferencePerfReader)?.some(({ recognition }) => recognition.role === 'lifecycle');
  const reports = known.get(llmdReader);
  if (lifecycle !== true || !reports) return [];
  const others = reports.filter(({ file }) => !PARTIAL.test(file));
  if (others.length === 0) known.delete(llmdReader);
  else known.set(llmdReader, others);
  return reports.filter(({ file }) => PARTIAL.test(file));
}

function complaints(folder: FolderAccess, loaded: Loaded, unknown: readonly LoadedDocument[], any: boolean): Problem[] {
  const rejected = loaded.rejected
    .filter(({ report }) => report || !any)
    .map(({ problem, report }): Problem => (report ? problem : { ...problem, severity: 'information' }));
  const strange = unknown
    .filter((document) => !isConfig(document) && (document.format !== 'text' || !any))
    .map((document): Problem => ({
      code: 'REP121',
      severity: any ? 'information' : 'error',
      path: [],
      ...(any ? { message: strangeWords(folder, document) } : refusal(folder, document)),
      file: document.file,
      ...(document.format === 'text' ? { reason: 'plain-text' as const } : {}),
    }));
  return [...rejected, ...strange];
}

/** Another form of a known tool's results says what to open instead. */
function refusal(folder: FolderAccess, document: LoadedDocument): { message: string; remedy: string } {
  const form = document.format === 'text' ? otherFormOf(String(document.value)) : undefined;
  return form
    ? {
        message: `${folder.name}/${document.file} is ${form.words}, which is not read: it holds less than the report beside it`,
        remedy: `Open ${form.instead}`,
      }
    : { message: strangeWords(folder, document), remedy: `Known are ${READABLE_TOOLS.join(', ')}` };
}

function strangeWords(folder: FolderAccess, document: LoadedDocument): string {
  return `${folder.name}/${document.file} is no report of a known tool: ${describe(document)}`;
}

function describe({ format, value }: LoadedDocument): string {
  if (format === 'text') return 'it is plain text';
  const what = format === 'yaml' ? 'YAML' : format === 'jsonl' ? 'JSON lines' : 'JSON';
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (!isObject(first)) return `it is ${what} without the keys of one`;
  const keys = Object.keys(first).slice(0, 6);
  return keys.length === 0 ? `it is an empty ${what} object` : `it is ${what} with the keys ${keys.join(', ')}`;
}

function isConfig({ format, value, file }: LoadedDocument): boolean {
  if (format !== 'yaml' && format !== 'json') return false;
  return (
    isObject(value) &&
    (isObject(value['load']) || isObject(value['server'])) &&
    /config|\.ya?ml$/i.test(file) &&
    !Object.hasOwn(value, 'results')
  );
}

function configIn(documents: readonly LoadedDocument[]): ConfigDocument | undefined {
  const candidates = documents.filter(
    (document) => isConfig(document) && looksLikeConfig(jsonText(document.value).slice(0, 60_000)),
  );
  const named = documents.filter(
    (document) => /(?:^|[-_.])config\.ya?ml$/.test(document.file) && isObject(document.value),
  );
  const chosen = [...named, ...candidates].sort((a, b) => a.file.length - b.file.length)[0];
  if (!chosen || !isObject(chosen.value)) return undefined;
  return { file: chosen.file, value: maskValue(chosen.value) as Record<string, unknown>, assumed: false };
}

/** A config.yaml one folder up, which several runs share. */
async function parentConfig(folder: FolderAccess): Promise<ConfigDocument | undefined> {
  const parent = folder.parent?.();
  if (!parent) return undefined;
  try {
    const files = (await parent.list()).filter((file) => /(?:^|[-_.])config\.ya?ml$/.test(file));
    const loaded = await loadDocuments(parent, files);
    const config = configIn(loaded.documents);
    return config && above(config);
  } catch {
    return undefined;
  }
}

function fragment(
  folder: FolderAccess,
  reader: ReportReader,
  documents: readonly { readonly file: string; readonly recognition: { readonly role: string } }[],
): Problem {
  const what = documents
    .slice(0, 3)
    .map(({ file, recognition }) => `${file} (${recognition.role})`)
    .join(', ');
  return {
    code: 'REP123',
    severity: 'warning',
    path: [],
    message: `${folder.name}: ${what} is of ${reader.tool}, but no report by itself`,
    remedy: 'Name the folder it was written into, with its summary',
    ...(documents.every(({ recognition }) => recognition.role === 'by-product') ? { reason: 'by-product' } : {}),
  };
}

function mixed(folder: FolderAccess, tools: readonly string[]): Problem {
  return {
    code: 'REP124',
    severity: 'warning',
    path: [],
    message: `${folder.name} holds results of ${tools.length} tools (${tools.join(', ')}): they are kept apart, and nothing says that they belong together`,
  };
}

function nothing(place: string, why: string): Problem {
  return {
    code: 'REP102',
    severity: 'error',
    path: [],
    message: `there is no report in ${place}: ${why}`,
    remedy: `Name a result file or a folder with one. Known are ${READABLE_TOOLS.join(', ')}`,
  };
}
