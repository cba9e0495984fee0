// Files of a folder -> parsed documents: by content, with limits of size and depth; what cannot be read says why.
import { TABLE_HEAD } from './readers/serving-table';
import { parseDocument } from '../config/yaml/document';
import type { Problem } from '../problem';
import { counted } from '../figures';
import { parseJson } from '../folder/json';
import type { SourceDocument } from './readers/reader';
import type { FolderAccess } from '../folder/access';

/** A result file without per-request data has kilobytes; with it, tens of megabytes. */
export const MAX_PARSED_BYTES = 256 * 1024 * 1024;
const HEAD_BYTES = 64 * 1024;
/** No report nests deeper than 20. */
const MAX_DEPTH = 100;
const MAX_FILES = 2000;
const REPORT_NAME = /\.(?:json|jsonl|ndjson|ya?ml)$/i;

export interface LoadedDocument extends SourceDocument {
  /** Only the beginning was parsed: the rest is streamed when the requests are asked for. */
  readonly partial?: true;
}

export interface Loaded {
  readonly documents: readonly LoadedDocument[];
  /** Files that are no document, with the reason; `report` when the name promises one. */
  readonly rejected: readonly { readonly problem: Problem; readonly report: boolean }[];
  /** What was left out of documents that were read. */
  readonly warnings: readonly Problem[];
}

export async function loadDocuments(folder: FolderAccess, files: readonly string[]): Promise<Loaded> {
  const documents: LoadedDocument[] = [];
  const rejected: { problem: Problem; report: boolean }[] = [];
  const warnings: Problem[] = [];
  for (const file of files.slice(0, MAX_FILES)) {
    const loaded = await loadDocument(folder, file);
    if ('document' in loaded) {
      documents.push(loaded.document);
      if (loaded.warning) warnings.push(loaded.warning);
    } else rejected.push({ problem: loaded.problem, report: REPORT_NAME.test(file) });
  }
  if (files.length > MAX_FILES) {
    const message = `${folder.name} holds ${files.length.toLocaleString('en-US')} files: only the first ${MAX_FILES.toLocaleString('en-US')} were looked at`;
    rejected.push({ problem: problem('REP115', message, folder.name), report: true });
  }
  return { documents, rejected, warnings };
}

type LoadResult = { readonly document: LoadedDocument; readonly warning?: Problem } | { readonly problem: Problem };

async function loadDocument(folder: FolderAccess, file: string): Promise<LoadResult> {
  const place = `${folder.name}/${file}`;
  const refuse = (code: string, why: string, remedy?: string): LoadResult => ({
    problem: { ...problem(code, `${place} ${why}`, file), ...(remedy === undefined ? {} : { remedy }) },
  });
  try {
    const bytes = await folder.sizeBytes?.(file);
    if (bytes === 0) return refuse('REP116', 'is empty');
    const head = await headOf(folder, file);
    const fault = head === undefined ? undefined : faultOf(head);
    if (fault) return refuse(fault.code, fault.why, fault.remedy);
    const sample = head === undefined ? undefined : streamedSample(head, file);
    if (sample) return { document: sample };
    if (bytes !== undefined && bytes > MAX_PARSED_BYTES) {
      const size = `${Math.round(bytes / 1024 / 1024).toLocaleString('en-US')} MiB`;
      return refuse('REP114', `was not read: ${size} is over the limit of ${MAX_PARSED_BYTES / 1024 / 1024} MiB`);
    }
    const text = await folder.readText(file);
    if (text === undefined) return refuse('REP113', 'is not there any more');
    if (text.trim() === '') return refuse('REP116', 'is empty');
    const late = faultOf(text.slice(0, HEAD_BYTES));
    if (late) return refuse(late.code, late.why, late.remedy);
    return parse(text, file, place);
  } catch (error) {
    return refuse('REP113', `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The first bytes as text, where the folder can give bytes. */
async function headOf(folder: FolderAccess, file: string): Promise<string | undefined> {
  if (!folder.readBytes) return undefined;
  for await (const piece of folder.readBytes(file)) {
    return new TextDecoder('utf-8').decode(piece.subarray(0, HEAD_BYTES));
  }
  return '';
}

function faultOf(head: string): { code: string; why: string; remedy?: string } | undefined {
  // UTF-16 decoded as UTF-8: the byte-order mark is no UTF-8, and every second byte of plain text is 0.
  if (/^\uFFFD{2}/.test(head) || /^(?:[^\0]\0){4}|^(?:\0[^\0]){4}/.test(head)) {
    return { code: 'REP117', why: 'is UTF-16 text, not UTF-8', remedy: 'Save it as UTF-8 and open it again' };
  }
  if (head.includes('\0')) return { code: 'REP118', why: 'is a binary file, no report' };
  return undefined;
}

/** Per-request files can be gigabytes: they are known by their first entry and never held whole. */
function streamedSample(head: string, file: string): LoadedDocument | undefined {
  if (
    /^\uFEFF?\s*\[\s*\{/.test(head) &&
    ['"start_time"', '"end_time"', '"request"'].every((key) => head.includes(key))
  ) {
    return { file, format: 'json', value: [{ start_time: null, end_time: null, request: null }], partial: true };
  }
  const line = head.split('\n', 1)[0]!;
  if (line.includes('"request_start_ns"') && line.includes('"metrics"')) {
    const parsed = parseJson(line, file);
    if (parsed.ok) return { file, format: 'jsonl', value: [parsed.value], partial: true };
  }
  return undefined;
}

function parse(text: string, file: string, place: string): LoadResult {
  const start = /^\uFEFF?\s*([[{])/.exec(text)?.[1];
  if (start === undefined) return parseOther(text, file, place);
  const whole = parseJson(text, place);
  if (whole.ok) return checked({ file, format: 'json', value: whole.value }, place);
  const lines = parseLines(text, place);
  if (lines) {
    const result = checked({ file, format: 'jsonl', value: lines.values }, place);
    if (!lines.isCut || !('document' in result)) return result;
    const message = `the last line of ${place} is cut off, and left out: ${counted(lines.values.length, 'line')} before it ${lines.values.length === 1 ? 'was' : 'were'} read`;
    return { ...result, warning: { code: 'REP110', severity: 'warning', path: [], message, file } };
  }
  // A YAML flow mapping also begins with a brace.
  if (/\.ya?ml$/i.test(file)) return parseOther(text, file, place);
  return { problem: whole.problems[0]! };
}

/** Two lines or more that are JSON each; a last line that is cut off is left out, and told. */
function parseLines(text: string, place: string): { values: unknown[]; isCut: boolean } | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (lines.length < 2) return undefined;
  const values: unknown[] = [];
  for (const [index, line] of lines.entries()) {
    const parsed = parseJson(line, place);
    if (!parsed.ok) {
      return index === lines.length - 1 && values.length > 0 ? { values, isCut: true } : undefined;
    }
    values.push(parsed.value);
  }
  return { values, isCut: false };
}

function parseOther(text: string, file: string, place: string): LoadResult {
  if (!/\.ya?ml$/i.test(file) && !/^[A-Za-z_][\w.-]*\s*:(?:\s|$)/m.test(text.slice(0, 4000))) {
    return { document: { file, format: 'text', value: text } };
  }
  if (text.includes('MLPerf Results Summary') || text.includes(TABLE_HEAD))
    return { document: { file, format: 'text', value: text } };
  const document = parseDocument(text);
  if (document.value === undefined) {
    const found = document.problems.find(({ severity }) => severity === 'error');
    const message = `${place} is neither JSON nor YAML that can be read${found ? `: ${found.message}` : ''}`;
    return { problem: { ...problem('REP119', message, file), ...(found?.range ? { range: found.range } : {}) } };
  }
  return checked({ file, format: 'yaml', value: document.value }, place);
}

function checked(document: LoadedDocument, place: string): LoadResult {
  return isTooDeep(document.value)
    ? { problem: problem('REP120', `${place} is nested more than ${MAX_DEPTH} deep: no report is`, document.file) }
    : { document };
}

function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    const next: unknown[] = [];
    for (const entry of level) {
      if (typeof entry !== 'object' || entry === null) continue;
      for (const inner of Array.isArray(entry) ? entry : Object.values(entry)) {
        if (typeof inner === 'object' && inner !== null) next.push(inner);
      }
    }
    level = next;
  }
  return false;
}

function problem(code: string, message: string, file: string): Problem {
  return { code, severity: 'error', path: [], message, file };
}

/** Asked for without a limit, as SGLang writes its default: all requests at once. That is what was meant, and is read so. */
function isEndlessSetting(key: string, value: number): boolean {
  return value === Infinity && ENDLESS_SETTINGS.has(key);
}

const ENDLESS_SETTINGS: ReadonlySet<string> = new Set(['request_rate', 'requested_rate', 'rate', 'burstiness']);

/** NaN or Infinity in a file that calls itself JSON: Python writes them, no strict reader takes them. YAML has words for both. */
export function hasBareNumber({ format, value }: LoadedDocument): boolean {
  if (format !== 'json' && format !== 'jsonl') return false;
  let level: object[] = typeof value === 'object' && value !== null ? [value] : [];
  while (level.length > 0) {
    const next: object[] = [];
    for (const entry of level) {
      // Detailed files hold millions of numbers: they are looked at, not kept.
      const isList = Array.isArray(entry);
      for (const key of Object.keys(entry)) {
        const inner = (entry as Readonly<Record<string, unknown>>)[key];
        if (typeof inner === 'number' && !Number.isFinite(inner) && (isList || !isEndlessSetting(key, inner)))
          return true;
        if (typeof inner === 'object' && inner !== null) next.push(inner);
      }
    }
    level = next;
  }
  return false;
}
