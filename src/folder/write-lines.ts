// A file that grows line by line while a run goes on: appended in order, on the disk within a fraction of a second.
import { open, type FileHandle } from 'node:fs/promises';

/** Milliseconds between a line and its way to the disk: a killed process loses no more than this. */
const FLUSH_MS = 200;
/** Beyond this many waiting bytes `drained` makes the producer wait. */
const HIGH_WATER = 4 * 1024 * 1024;
/** Of what the disk refused, so much is kept: the answers that were in flight when it did. */
const KEPT_BYTES = 64 * 1024 * 1024;
/** Lines wait as bytes in blocks of this size, outside the heap: strings would wait long enough to be moved to V8's old generation. */
const BLOCK_BYTES = 256 * 1024;
/** Blocks kept for the next lines. */
const SPARE_BLOCKS = 16;

const LF = 10;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Owns the file. `append` never waits and never throws; the first error of the disk is kept in `error`, told to `onError` once, and ends
 * all writing: what is on the disk then is whole lines and at most one cut one at the end; what comes after is kept, up to a limit.
 */
export class LineFile {
  /** Blocks that are full, and the one being filled. */
  private full: Buffer[] = [];
  private block = NOTHING;
  private used = 0;
  private waitingBytes = 0;
  private readonly spare: Buffer[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private failure: Error | undefined;
  private written = 0;
  private kept: Buffer[] = [];
  private keptBytes = 0;

  private constructor(
    private readonly handle: FileHandle,
    private readonly onError: (error: Error) => void,
  ) {}

  /** Creates the file, or empties it. Rejects with what the file system says. */
  static async create(file: string, onError: (error: Error) => void = () => undefined): Promise<LineFile> {
    return new LineFile(await open(file, 'w'), onError);
  }

  get error(): Error | undefined {
    return this.failure;
  }

  /**
   * `text` may hold several lines; a line end is added.
   * @returns the bytes of `text`, without the line end
   */
  append(text: string): number {
    this.makeRoom(text);
    const length = this.block.write(text, this.used);
    this.block[this.used + length] = LF;
    this.used += length + 1;
    this.waitingBytes += length + 1;
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
    return length;
  }

  private makeRoom(text: string): void {
    const room = this.block.length - this.used;
    if (3 * text.length < room) return;
    const length = Buffer.byteLength(text);
    if (length < room) return;
    this.seal();
    const needed = length + 1;
    if (needed > BLOCK_BYTES) this.block = Buffer.allocUnsafeSlow(needed);
    else this.block = this.spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
  }

  private seal(): void {
    if (this.used > 0) this.full.push(this.block.subarray(0, this.used));
    this.block = NOTHING;
    this.used = 0;
  }

  /** For producers that could outrun the disk. */
  async drained(): Promise<void> {
    if (this.waitingBytes > HIGH_WATER) await this.flush();
  }

  /** Resolves when everything appended so far is with the operating system, or writing has failed. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.seal();
    const blocks = this.full;
    this.full = [];
    this.waitingBytes = 0;
    this.writing = this.writing.then(() => this.write(blocks));
    return this.writing;
  }

  async close(): Promise<void> {
    await this.flush();
    await this.handle.close().catch((error: unknown) => {
      this.fail(error as Error);
    });
  }

  /** Bytes that are with the operating system for certain. */
  get onDisk(): number {
    return this.written;
  }

  /** Bytes that the disk refused, at the place they would have had; undefined before they were flushed, and beyond what is kept. */
  unwritten(start: number, length: number): Buffer | undefined {
    if (this.kept.length > 1) this.kept = [Buffer.concat(this.kept)];
    const from = start - this.written;
    const [bytes] = this.kept;
    return bytes === undefined || from < 0 || from + length > bytes.length
      ? undefined
      : bytes.subarray(from, from + length);
  }

  private keep(bytes: Buffer): void {
    if (this.keptBytes >= KEPT_BYTES) return;
    this.kept.push(bytes);
    this.keptBytes += bytes.length;
  }

  /** One way for all lines, after a failure too: others may still wait then, and each has its place after the ones before it. */
  private async write(blocks: readonly Buffer[]): Promise<void> {
    for (const block of blocks) {
      if (await this.isWritten(block)) this.written += block.length;
      else this.keep(Buffer.from(block));
      if (block.buffer.byteLength === BLOCK_BYTES && this.spare.length < SPARE_BLOCKS)
        this.spare.push(Buffer.from(block.buffer));
    }
  }

  private async isWritten(block: Buffer): Promise<boolean> {
    if (this.failure) return false;
    try {
      await this.handle.writeFile(block);
      return true;
    } catch (error) {
      this.fail(error as Error);
      return false;
    }
  }

  private fail(error: Error): void {
    if (this.failure) return;
    this.failure = error;
    this.onError(error);
  }
}
