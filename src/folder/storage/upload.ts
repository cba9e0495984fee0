// Copies a finished report folder into a bucket. The local copy was written before and stays, whatever happens here.
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Problem } from '../../problem';
import { MANIFEST_FILE } from '../manifest';
import type { Bucket, Env } from './bucket';
import { explain } from './failure';
import { bucketUrl, objectKey, objectName, type BucketPlace } from './place';

const SUFFIXES = 1000;

export interface UploadContext {
  readonly env: Env;
  readonly note: (problem: Problem) => void;
}

export interface Upload {
  /** `s3://bucket/folder/`, with the folder that was used in the end. */
  readonly to: string;
  /** Objects that were written, of how many. */
  readonly written: number;
  readonly files: number;
  /** Why it is not whole; absent when it is. */
  readonly failure?: string;
}

/**
 * Before a run, whether a bucket is there and may be listed: what would fail after an hour is said at once. Problem RUN035, a warning:
 * the report has its local folder in any case.
 */
export async function lookAhead(places: readonly BucketPlace[], context: UploadContext): Promise<void> {
  for (const place of places) {
    try {
      await withBucket(place, context, (bucket) => bucket.keys(objectKey(place.folder, '')));
    } catch (error) {
      const { why, remedy } = explain(error, place, context.env);
      context.note({
        code: 'RUN035',
        severity: 'warning',
        path: ['storage', place.section],
        message: `The report will stay on this machine unless this changes before the run ends: ${why}. It is tried again then.`,
        remedy,
      });
    }
  }
}

/**
 * Uploads every file of the report. A folder of the bucket that holds files of these names is left alone and the report goes to
 * `folder-2`, as on the disk. What fails is problem RUN034; nothing is thrown.
 * @param localPrefix `report_file_prefix` of the local folder
 */
export async function uploadReport(
  report: { readonly folder: string; readonly localPrefix: string },
  place: BucketPlace,
  context: UploadContext,
  onProgress: (done: number, total: number) => void,
): Promise<Upload> {
  const files = filesOf(report, place);
  let written = 0;
  let to = place;
  let current = files[0]?.name ?? MANIFEST_FILE;
  try {
    await withBucket(place, context, async (bucket) => {
      to = { ...place, folder: await freeFolder(bucket, place, files, context) };
      for (const { name, file } of files) {
        current = name;
        const key = objectKey(to.folder, name);
        await bucket.put({ key, file, bytes: statSync(file).size, contentType: contentType(name) });
        onProgress(++written, files.length);
      }
    });
    return { to: bucketUrl(to), written, files: files.length };
  } catch (error) {
    const failure = failed(error, { report, place: to, file: current, written, files: files.length }, context);
    return { to: bucketUrl(to), written, files: files.length, failure };
  }
}

interface ReportFile {
  readonly name: string;
  readonly file: string;
}

/** The manifest last: where it lies, the upload was whole. */
function filesOf({ folder, localPrefix }: { folder: string; localPrefix: string }, place: BucketPlace): ReportFile[] {
  const found = readdirSync(folder).flatMap((file): ReportFile[] => {
    const name = objectName(file, localPrefix, place);
    return name === undefined ? [] : [{ name, file: path.join(folder, file) }];
  });
  const last = (name: string): number => (name === MANIFEST_FILE ? 1 : 0);
  return found.sort((a, b) => last(a.name) - last(b.name) || a.name.localeCompare(b.name));
}

/** The folder, or the first of `folder-2`, `folder-3`, ... with none of these names in it. */
async function freeFolder(
  bucket: Bucket,
  place: BucketPlace,
  files: readonly ReportFile[],
  { note }: UploadContext,
): Promise<string> {
  for (let number = 1; number < SUFFIXES; number++) {
    const folder = number === 1 ? place.folder : `${place.folder === '' ? 'report' : place.folder}-${number}`;
    const taken = await bucket.keys(objectKey(folder, ''));
    if (taken && files.some(({ name }) => taken.has(objectKey(folder, name)))) continue;
    if (number > 1) {
      note({
        code: 'RUN036',
        severity: 'information',
        path: ['storage', place.section, 'path'],
        message: `${bucketUrl(place)} holds a report already, so this one goes to ${bucketUrl({ ...place, folder })}.`,
      });
    }
    return folder;
  }
  throw Object.assign(new Error('the folder is taken'), { name: 'PreconditionFailed' });
}

/** The stores' own libraries are large: they are loaded when a run uses them. */
async function openBucket(place: BucketPlace, env: Env): Promise<Bucket> {
  if (place.kind === 's3') {
    const { openS3 } = await import('./store-s3');
    return openS3(place, env);
  }
  const { openGcs } = await import('./store-gcs');
  return openGcs(place, env);
}

async function withBucket<T>(
  place: BucketPlace,
  { env }: UploadContext,
  use: (bucket: Bucket) => Promise<T>,
): Promise<T> {
  const bucket = await openBucket(place, env);
  try {
    return await use(bucket);
  } finally {
    bucket.close();
  }
}

function failed(
  error: unknown,
  at: { report: { folder: string }; place: BucketPlace; file: string; written: number; files: number },
  { env, note }: UploadContext,
): string {
  const { why, remedy } = explain(error, at.place, env);
  const url = bucketUrl(at.place);
  const done = at.written === 0 ? 'No file is there' : `${at.written} of ${at.files} files are there`;
  const copy = at.place.kind === 's3' ? 'aws s3 cp --recursive' : 'gcloud storage cp --recursive';
  note({
    code: 'RUN034',
    severity: 'error',
    path: ['storage', at.place.section],
    message: `The report was not uploaded: ${at.file} could not be written to ${url}: ${why}. ${done}; the whole report is in ${at.report.folder}.`,
    remedy: `${remedy}; then copy the folder with ${copy}.`,
  });
  return why;
}

function contentType(name: string): string {
  if (name.endsWith('.jsonl')) return 'application/x-ndjson';
  return name.endsWith('.yaml') ? 'application/yaml' : 'application/json';
}
