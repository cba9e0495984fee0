// A file that grows line by line while a run goes on: appended in order, on the disk within a fraction of a second.
import { open, type FileHandle } from 'node:fs/promises';

/** Milliseconds between a line and its way to the disk: a killed process loses no more than this. */
const FLUSH_MS = 200;
/** Beyond this many waiting characters `drained` makes the producer wait. */
const HIGH_WATER = 4 * 1024 * 1024;
/** Of what the disk refused, so much is kept: the answers that were in flight when it did. */
const KEPT_BYTES = 64 * 1024 * 1024;

/**
 * Owns the file. `append` never waits and never throws; the first error of the disk is kept in `error`, told to `onError` once, and ends
 * all writing: what is on the disk then is whole lines and at most one cut one at the end; what comes after is kept, up to a limit.
 */
export class LineFile {
  private waiting: string[] = [];
  private waitingLength = 0;
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

  /** `text` may hold several lines; a line end is added. */
  append(text: string): void {
    if (this.failure) {
      this.keep(`${text}\n`);
      return;
    }
    this.waiting.push(text, '\n');
    this.waitingLength += text.length;
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  /** For producers that could outrun the disk. */
  async drained(): Promise<void> {
    if (this.waitingLength > HIGH_WATER) await this.flush();
  }

  /** Resolves when everything appended so far is with the operating system, or writing has failed. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const text = this.waiting.join('');
    this.waiting = [];
    this.waitingLength = 0;
    this.writing = this.writing.then(() => this.write(text));
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

  /** Bytes that the disk refused, at the place they would have had; undefined beyond what is kept. */
  unwritten(start: number, length: number): Buffer | undefined {
    if (this.kept.length > 1) this.kept = [Buffer.concat(this.kept)];
    const from = start - this.written;
    const [bytes] = this.kept;
    return bytes === undefined || from < 0 || from + length > bytes.length
      ? undefined
      : bytes.subarray(from, from + length);
  }

  private keep(text: string): void {
    if (this.keptBytes >= KEPT_BYTES) return;
    const bytes = Buffer.from(text);
    this.kept.push(bytes);
    this.keptBytes += bytes.length;
  }

  private async write(text: string): Promise<void> {
    if (text === '') return;
    if (this.failure) {
      this.keep(text);
      return;
    }
    try {
      const bytes = Buffer.from(text);
      await this.handle.writeFile(bytes);
      this.written += bytes.length;
    } catch (error) {
      this.keep(text);
      this.fail(error as Error);
    }
  }

  private fail(error: Error): void {
    if (this.failure) return;
    this.failure = error;
    this.onError(error);
  }
}
