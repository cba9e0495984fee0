// Records of a Parquet data set, one after the other: a row group is in memory at a time, and only the columns that are asked for.
import { RecordsError } from './json-records';
import type { ParquetFile, ReadOptions } from './parquet-file';

/** Decompressed bytes of the wanted columns in one row group. Data sets of the hub have up to some 100 MB. */
const MAX_GROUP_BYTES = 512 * 1024 * 1024;

const REMEDY =
  'If it was cut off, get it again (a file in the cache of downloads: delete it, then --download). Otherwise write it anew with snappy, or as JSON with one record a line.';

/** Objects in the file's order. Throws RecordsError for what cannot be read, and the file system's errors. */
export async function* parquetRecords(
  place: string,
  wanted: readonly string[],
  options: ReadOptions = {},
): AsyncGenerator<Record<string, unknown>> {
  const { openParquet } = await import('./parquet-file');
  const file = await readable(place, () => openParquet(place));
  for (const name of wanted) {
    if (!file.columns.includes(name)) throw missingColumn(place, name, file);
  }
  for (const [index, group] of file.groups.entries()) {
    const bytes = wanted.reduce((sum, name) => sum + (group.bytesOf[name] ?? 0), 0);
    if (bytes > MAX_GROUP_BYTES) throw tooLarge(place, index, bytes);
    yield* await readable(place, () => file.read(group, wanted, options));
  }
}

async function readable<T>(place: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    // The file system says itself which file it means; what zlib says is about the bytes.
    if (code !== undefined && /^E[A-Z]+$/.test(code)) throw error;
    throw new RecordsError(`${place} cannot be read as Parquet: ${message}`, REMEDY, error);
  }
}

function missingColumn(place: string, name: string, { columns }: ParquetFile): RecordsError {
  return new RecordsError(
    `${place} has no column '${name}'; it has ${columns.slice(0, 12).join(', ') || 'none'}`,
    'Take the file of the data set that data.type names, or rename the column in it.',
  );
}

function tooLarge(place: string, index: number, bytes: number): RecordsError {
  const megabytes = (size: number): string => Math.round(size / 1024 / 1024).toLocaleString('en-US');
  return new RecordsError(
    `row group ${index} of ${place} takes ${megabytes(bytes)} MB, and ${megabytes(MAX_GROUP_BYTES)} MB are read at a time`,
    'Write it anew with smaller row groups (10,000 rows, say), or as JSON with one record a line.',
  );
}
