// A file of lines that is written in one order and read in another: 12 bytes of memory a line, the rest stays on the disk.
import { closeSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { LineFile } from './write-lines';

/** Read at once; lines that were written about the same time are read about the same time. */
const BLOCK_BYTES = 256 * 1024;
/** Blocks kept: so many requests may be in flight over each other before a block is read twice. */
const BLOCKS = 32;

/** Owns the file and the places of its lines. Lines are numbered by the caller, each at most once. */
export class IndexedLines {
  private readonly starts: Float64Array;
  private readonly lengths: Uint32Array;
  private end = 0;
  private written = 0;
  private reading: number | undefined;
  private readonly blocks = new Map<number, Buffer>();

  private constructor(
    private path: string,
    capacity: number,
    private readonly lines: LineFile,
  ) {
    this.starts = new Float64Array(capacity);
    this.lengths = new Uint32Array(capacity);
  }

  /** Creates the file, or empties it. Rejects with what the file system says. */
  static async create(path: string, capacity: number, onError?: (error: Error) => void): Promise<IndexedLines> {
    return new IndexedLines(path, capacity, await LineFile.create(path, onError));
  }

  get error(): Error | undefined {
    return this.lines.error;
  }

  /** Lines there are. */
  get count(): number {
    return this.written;
  }

  /** Never waits and never throws for the disk, whose first error is kept in `error`. */
  append(number: number, line: string): void {
    if (number >= this.starts.length) throw new RangeError(`line ${number} of at most ${this.starts.length}`);
    const length = this.lines.append(line);
    this.starts[number] = this.end;
    this.lengths[number] = length;
    this.end += length + 1;
    this.written++;
  }

  /** For producers that could outrun the disk. */
  drained(): Promise<void> {
    return this.lines.drained();
  }

  /** Everything appended is with the operating system, or `error` says why not. After this lines can be read. */
  async settle(): Promise<void> {
    await this.lines.close();
  }

  /** A line as it was appended; undefined when there is none, also when the disk refused it and memory had no room for it. */
  read(number: number): string | undefined {
    const length = this.lengths[number] ?? 0;
    if (length === 0) return undefined;
    const start = this.starts[number]!;
    const { onDisk } = this.lines;
    if (start + length > onDisk) return this.lines.unwritten(start, length)?.toString('utf8');
    return this.bytes(start, length).toString('utf8');
  }

  private bytes(start: number, length: number): Buffer {
    const first = Math.floor(start / BLOCK_BYTES);
    const last = Math.floor((start + length - 1) / BLOCK_BYTES);
    if (first === last) {
      const from = start - first * BLOCK_BYTES;
      return this.block(first).subarray(from, from + length);
    }
    const whole = Buffer.allocUnsafe(length);
    readFully(this.file(), whole, start);
    return whole;
  }

  private block(number: number): Buffer {
    let block = this.blocks.get(number);
    if (block) this.blocks.delete(number);
    else {
      block = Buffer.allocUnsafe(BLOCK_BYTES);
      block = block.subarray(0, readFully(this.file(), block, number * BLOCK_BYTES));
      const [oldest] = this.blocks.keys();
      if (this.blocks.size >= BLOCKS && oldest !== undefined) this.blocks.delete(oldest);
    }
    this.blocks.set(number, block);
    return block;
  }

  private file(): number {
    return (this.reading ??= openSync(this.path, 'r'));
  }

  /** Takes the place of another file, in one step. Throws what the file system throws. */
  replace(path: string): void {
    renameSync(this.path, path);
    this.path = path;
  }

  /** No more lines are read. */
  close(): void {
    if (this.reading !== undefined) closeSync(this.reading);
    this.reading = undefined;
    this.blocks.clear();
  }

  discard(): void {
    this.close();
    rmSync(this.path, { force: true });
  }
}

/** Bytes that were read: fewer than asked for at the end of the file only. */
function readFully(file: number, into: Buffer, position: number): number {
  let done = 0;
  while (done < into.length) {
    const got = readSync(file, into, done, into.length - done, position + done);
    if (got === 0) break;
    done += got;
  }
  return done;
}
