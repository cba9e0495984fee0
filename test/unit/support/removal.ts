// A run's files without some of their fields, read back as any folder is: what a comparison sees when evidence is missing.
import { readRun } from '../../../src/readers/read';
import type { Run } from '../../../src/readers/run';
import { memoryFolder } from './memory-folder';
import { fieldsOf, withoutFields, type FieldPath } from './watched';

/** The contents of a report folder as values. */
export interface Contents {
  /** run.json; absent for another tool's folder. */
  readonly manifest?: unknown;
  readonly records?: readonly unknown[];
  /** Stage 0 and the summary, which are the same for runs of one stage. */
  readonly report?: unknown;
  /** config.yaml, where there is no run.json to hold it. */
  readonly config?: unknown;
  /** What `--stack` says, where there is no run.json. */
  readonly stack?: unknown;
}

export function contentsOf(run: Run): Contents {
  return {
    ...(run.manifest ? { manifest: run.manifest } : {}),
    ...(run.records ? { records: run.records } : {}),
    ...(run.summary ? { report: run.summary } : {}),
    ...(run.manifest || !run.config ? {} : { config: run.config }),
    ...(run.stack ? { stack: run.stack } : {}),
  };
}

export function contentFields(contents: Contents): FieldPath[] {
  return fieldsOf(contents);
}

const TEXTS = new WeakMap<object, string>();

/** Written once for what stays as it is. */
function written(value: object, write: () => string): string {
  const known = TEXTS.get(value) ?? write();
  TEXTS.set(value, known);
  return known;
}

function text(value: unknown): string {
  return typeof value === 'object' && value !== null
    ? written(value, () => JSON.stringify(value))
    : JSON.stringify(value);
}

function linesOf(records: readonly unknown[]): string {
  return written(records, () => records.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** Undefined when nothing is left that a reader would open. */
export async function readWithout(contents: Contents, dropped: ReadonlySet<FieldPath>): Promise<Run | undefined> {
  const { manifest, records, report, config, stack } = withoutFields(contents, dropped);
  const read = await readRun(
    memoryFolder({
      ...(manifest === undefined ? {} : { 'run.json': text(manifest) }),
      ...(records === undefined ? {} : { 'records.jsonl': linesOf(records) }),
      ...(report === undefined
        ? {}
        : { 'summary_lifecycle_metrics.json': text(report), 'stage_0_lifecycle_metrics.json': text(report) }),
      ...(config === undefined ? {} : { 'config.yaml': text(config) }),
    }),
  );
  if (!read.ok) return undefined;
  return stack === undefined ? read.value : { ...read.value, stack: stack as NonNullable<Run['stack']> };
}

/** Where a field that a dimension read stands in the folder; undefined for what is no content of it. */
export function fieldInFolder(path: FieldPath): FieldPath | undefined {
  if (path.startsWith('config.')) return `manifest.config.effective.${path.slice('config.'.length)}`;
  if (path.startsWith('stages[].')) return `report.${path.slice('stages[].'.length)}`;
  if (path.startsWith('summary.')) return `report.${path.slice('summary.'.length)}`;
  return /^(?:manifest|stack)\.|^records\[\]\./.test(path) ? path : undefined;
}
