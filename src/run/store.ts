// Keeps what a run brings in: each record goes to records.jsonl as it comes, each answer to a waiting file until it is counted.
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { AnswerNeeds, WaitingAnswer } from '../loadgen/answer-line';
import type { EndedRequest } from '../loadgen/share';
import type { RequestRecord } from '../metrics/record';
import { IndexedLines } from '../folder/indexed-lines';
import { RECORDS_FILE } from '../folder/manifest';

/** Answers whose tokens are not counted yet; gone when the run has ended by itself. */
const WAITING_FILE = 'answers.waiting.jsonl';

export interface StoreOptions {
  readonly folder: string;
  /** Planned requests; records have ids below it. */
  readonly capacity: number;
  readonly answers: AnswerNeeds;
  /** Told once, by the first error of the disk. */
  readonly onError: (error: Error) => void;
}

/** Owns both files. Memory holds the places of the lines only: 24 bytes a request. */
export class RunStore {
  private counted: IndexedLines | undefined;

  private constructor(
    private readonly options: StoreOptions,
    private readonly journal: IndexedLines,
    private readonly answers: IndexedLines | undefined,
  ) {}

  /** Rejects with the file system's error. */
  static async open(options: StoreOptions): Promise<RunStore> {
    let told = false;
    const onError = (error: Error): void => {
      if (told) return;
      told = true;
      options.onError(error);
    };
    const { folder, capacity, answers } = options;
    const journal = await IndexedLines.create(path.join(folder, RECORDS_FILE), capacity, onError);
    const isNeeded = answers.texts || answers.raw;
    const waiting = isNeeded
      ? await IndexedLines.create(path.join(folder, WAITING_FILE), capacity, onError)
      : undefined;
    return new RunStore(options, journal, waiting);
  }

  /** Answers in the waiting file. */
  get waiting(): number {
    return this.answers?.count ?? 0;
  }

  add({ id, line, answer }: EndedRequest): void {
    this.journal.append(id, line);
    if (answer !== undefined) this.answers?.append(id, answer);
  }

  /** Everything added is on the disk, or was refused by it. After this records and answers can be read. */
  async settle(): Promise<void> {
    await Promise.all([this.journal.settle(), this.answers?.settle()]);
  }

  /** Counted, once `rewrite` has ended; undefined when the disk refused it and memory had no room either. */
  record(id: number): RequestRecord | undefined {
    const line = this.line(id);
    return line === undefined ? undefined : (JSON.parse(line) as RequestRecord);
  }

  private line(id: number): string | undefined {
    return this.counted ? this.counted.read(id) : this.journal.read(id);
  }

  answer(id: number): WaitingAnswer | undefined {
    const line = this.answers?.read(id);
    return line === undefined ? undefined : (JSON.parse(line) as WaitingAnswer);
  }

  /**
   * Replaces the journal by what `count` makes of its records, in planned order; the same record stays the same line. The journal stays as it was when the disk refuses;
   * that error is thrown.
   */
  async rewrite(
    count: (record: RequestRecord, answer: WaitingAnswer | undefined) => Promise<RequestRecord>,
  ): Promise<void> {
    const { folder, capacity } = this.options;
    const file = path.join(folder, RECORDS_FILE);
    const lines = await IndexedLines.create(`${file}.tmp`, capacity);
    try {
      for (let id = 0; id < capacity; id++) {
        const line = this.line(id);
        if (line === undefined) continue;
        const record = JSON.parse(line) as RequestRecord;
        const counted = await count(record, this.answer(id));
        lines.append(id, counted === record ? line : JSON.stringify(counted));
        await lines.drained();
        if (lines.error) break;
      }
      await lines.settle();
      if (lines.error) throw lines.error;
      lines.replace(file);
    } catch (error) {
      lines.discard();
      throw error;
    }
    this.journal.close();
    this.counted = lines;
  }

  /** Nothing is read any more. */
  close(): void {
    this.journal.close();
    this.answers?.close();
    this.counted?.close();
  }

  discardWaiting(): void {
    // A file that is open keeps its room on the disk.
    this.answers?.close();
    const file = path.join(this.options.folder, WAITING_FILE);
    if (existsSync(file)) rmSync(file);
  }
}
