// Parquet files by way of hyparquet, one row group at a time; a program of its own, read when the first such file is met.
import { open, type FileHandle } from 'node:fs/promises';
import zlib from 'node:zlib';
import {
  parquetMetadataAsync,
  parquetReadObjects,
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
} from 'hyparquet';

export interface ParquetFile {
  /** Names of the outermost columns, in the file's order. */
  readonly columns: readonly string[];
  readonly groups: readonly ParquetGroup[];
  /** Rows of one group as objects of the wanted columns. The file is open only while this works. */
  read(group: ParquetGroup, wanted: readonly string[], options?: ReadOptions): Promise<Record<string, unknown>[]>;
}

export interface ReadOptions {
  /** Columns that are not declared as text stay bytes. */
  readonly binary?: boolean;
}

export interface ParquetGroup {
  readonly rowStart: number;
  readonly rowEnd: number;
  /** What a column takes once decompressed, as the file says. */
  readonly bytesOf: Readonly<Record<string, number>>;
}

/** Reads the footer. Rejects with hyparquet's words for what is no Parquet file, and with the file system's errors. */
export async function openParquet(place: string): Promise<ParquetFile> {
  const metadata = await withFile(place, (file) => parquetMetadataAsync(file));
  return {
    columns: columnsOf(metadata),
    groups: groupsOf(metadata),
    read: ({ rowStart, rowEnd }, wanted, { binary = false } = {}) =>
      withFile(place, (file) =>
        parquetReadObjects({
          file,
          metadata,
          columns: [...wanted],
          rowStart,
          rowEnd,
          utf8: !binary,
          compressors: COMPRESSORS,
        }),
      ),
  };
}

/** The library brings snappy; these are Node's own. Zstandard is in Node from 22.15 on. */
const COMPRESSORS: Compressors = {
  GZIP: (input, length) => zlib.gunzipSync(input, { maxOutputLength: atLeastOne(length) }),
  BROTLI: (input, length) => zlib.brotliDecompressSync(input, { maxOutputLength: atLeastOne(length) }),
  ZSTD: (input, length) => {
    const { zstdDecompressSync } = zlib as typeof zlib & {
      zstdDecompressSync?: (bytes: Uint8Array, options: { maxOutputLength: number }) => Buffer;
    };
    if (!zstdDecompressSync)
      throw new Error(`it is compressed with zstd, which Node ${process.versions.node} cannot read`);
    return zstdDecompressSync(input, { maxOutputLength: atLeastOne(length) });
  },
};

function atLeastOne(length: number): number {
  return Math.max(1, length);
}

async function withFile<T>(place: string, use: (file: AsyncBuffer) => Promise<T>): Promise<T> {
  const handle = await open(place);
  try {
    const byteLength = (await handle.stat()).size;
    return await use({ byteLength, slice: (start, end = byteLength) => bytesOf(handle, start, end) });
  } finally {
    await handle.close();
  }
}

async function bytesOf(handle: FileHandle, start: number, end: number): Promise<ArrayBuffer> {
  const bytes = new Uint8Array(end - start);
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) throw new Error('it ends earlier than its own table of contents says');
    filled += bytesRead;
  }
  return bytes.buffer;
}

/** The schema is a tree written in depth-first order; its root comes first. */
function columnsOf({ schema }: FileMetaData): string[] {
  const names: string[] = [];
  let at = 1;
  const skip = (): void => {
    for (let left = schema[at++]?.num_children ?? 0; left > 0; left--) skip();
  };
  while (at < schema.length) {
    names.push(schema[at]!.name);
    skip();
  }
  return names;
}

function groupsOf({ row_groups: groups }: FileMetaData): ParquetGroup[] {
  let rowStart = 0;
  return groups.map(({ num_rows: rows, columns }) => {
    const bytesOf: Record<string, number> = {};
    for (const { meta_data: column } of columns) {
      const name = column?.path_in_schema[0];
      if (column && name !== undefined) bytesOf[name] = (bytesOf[name] ?? 0) + Number(column.total_uncompressed_size);
    }
    const group = { rowStart, rowEnd: rowStart + Number(rows), bytesOf };
    rowStart = group.rowEnd;
    return group;
  });
}
