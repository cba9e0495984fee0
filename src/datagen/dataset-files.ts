// Which files a data set is read from: one, those of a folder, or the parts of a data set of the hub, each when it is its turn.
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Problem, Result } from '../problem';
import { DATASETS, type DatasetType } from './dataset-records';
import { jsonRecords } from './json-records';
import { parquetRecords } from './parquet-records';

/** Where the records come from, before it is known whether they are there. */
export interface DatasetPlace {
  /** Absolute path of a .json, .jsonl or .parquet file, or of a folder of them. */
  readonly file: string;
  /** As the config has it, for messages. */
  readonly configured: string;
  /**
   * The part after the first `count`, fetched when the ones before are used up: a path, or undefined when there is none. A data set of
   * the hub is three files of 250 MB, and most runs need some hundred records of the first.
   */
  readonly more?: (count: number) => Promise<Result<string | undefined>>;
}

/** Errors RUN050 (no path) and RUN051 (nothing there); warnings RUN053 and RUN058 say where inference-perf would read something else. */
export function datasetFiles(type: DatasetType, place: DatasetPlace | undefined): Result<readonly string[]> {
  if (!place) return withoutPath(type);
  const { file, configured, more } = place;
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return refuse('RUN051', `Nothing was sent: ${configured} does not exist.`, 'Correct data.path.');
  if (stat.isFile() && /\.jsonl?$/.test(file)) return found([file], []);
  if (stat.isFile() && file.endsWith('.parquet')) return found([file], more ? [] : [parquetNote()]);
  const names = stat.isDirectory() ? readdirSync(file).sort() : [];
  const json = names.filter((name) => name.endsWith('.json'));
  const chosen = json.length > 0 ? json : names.filter((name) => name.endsWith('.parquet'));
  if (chosen.length === 0) {
    const what = stat.isDirectory()
      ? 'holds no .json and no .parquet file'
      : 'is neither a .json or .parquet file nor a folder';
    return refuse(
      'RUN051',
      `Nothing was sent: ${configured} ${what}.`,
      'Name a .json file (an array of records, or one record a line), a .parquet file, or a folder of such files.',
    );
  }
  return found(
    chosen.map((name) => path.join(file, name)),
    [json.length > 0 ? folderNote(chosen.length) : parquetNote()],
  );
}

/** Records of one file, by its kind. */
export function recordsOf(type: DatasetType, file: string): AsyncGenerator<Record<string, unknown>> {
  return file.endsWith('.parquet') ? parquetRecords(file, DATASETS[type].columns) : jsonRecords(file);
}

function withoutPath(type: DatasetType): Result<never> {
  const { hub } = DATASETS[type];
  const from = hub ? ` (inference-perf would download ${hub.repository})` : '';
  return refuse(
    'RUN050',
    `Nothing was sent: data type ${type} needs data.path, a JSON or Parquet file or a folder of them${from}.`,
    hub ? 'Download the data set and set data.path, or allow the download with --download.' : 'Set data.path.',
  );
}

function folderNote(count: number): Problem {
  return {
    code: 'RUN053',
    severity: 'warning',
    path: ['data', 'path'],
    message: `The ${count} .json files of the folder are read in alphabetical order; inference-perf looks for them in its working directory instead, in the file system's order.`,
    remedy: 'Name one file to have the same records in both tools.',
  };
}

function parquetNote(): Problem {
  return {
    code: 'RUN058',
    severity: 'warning',
    path: ['data', 'path'],
    message:
      'The data set is read from Parquet; inference-perf takes .json files in data.path only and refuses this config.',
    remedy: 'Convert the records to one .json file, in the same order, to run the config in both tools.',
  };
}

function found(files: readonly string[], problems: readonly Problem[]): Result<readonly string[]> {
  return { ok: true, value: files, problems: [...problems] };
}

function refuse(code: string, message: string, remedy: string): Result<never> {
  return { ok: false, problems: [{ code, severity: 'error', path: ['data', 'path'], message, remedy }] };
}
