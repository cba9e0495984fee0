// Keeps what a run brings in: records in memory and in records.jsonl as they come, answers in a waiting file until they are counted.
import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { WireResult } from '../client/types';
import type { RequestRecord } from '../metrics/record';
import { RECORDS_FILE } from '../report/manifest';
import { LineFile } from '../report/write-lines';
import { waitingLine, type SentTurn } from './answers';

/** Answers whose tokens are not counted yet; gone when the run has ended by itself. */
const WAITING_FILE = 'answers.waiting.jsonl';

export interface StoreOptions {
  readonly folder: string;
  /** Answers' texts are needed: there is a tokenizer to count them. */
  readonly texts: boolean;
  /** Answers as received are needed: per-request reports are asked for. */
  readonly raw: boolean;
  /** Told once, by the first error of the disk. */
  readonly onError: (error: Error) => void;
}

/** Owns both files. Memory holds numbers only; texts of answers go to the disk at once. */
export class RunStore {
  /** By id; holes are requests that have not ended. */
  readonly records: RequestRecord[] = [];
  /** Answers in the waiting file. */
  waiting = 0;

  private constructor(
    private readonly options: StoreOptions,
    private readonly journal: LineFile,
    private readonly answers: LineFile | undefined,
  ) {}

  /** Rejects with the file system's error. */
  static async open(options: StoreOptions): Promise<RunStore> {
    let told = false;
    const onError = (error: Error): void => {
      if (told) return;
      told = true;
      options.onError(error);
    };
    const journal = await LineFile.create(path.join(options.folder, RECORDS_FILE), onError);
    const needed = options.texts || options.raw;
    const answers = needed ? await LineFile.create(path.join(options.folder, WAITING_FILE), onError) : undefined;
    return new RunStore(options, journal, answers);
  }

  get error(): Error | undefined {
    return this.journal.error ?? this.answers?.error;
  }

  get waitingFile(): string {
    return path.join(this.options.folder, WAITING_FILE);
  }

  /** `sent` is the request as it went out, for a turn of a conversation. */
  add(record: RequestRecord, result: WireResult | undefined, sent?: SentTurn): void {
    this.records[record.id] = record;
    this.journal.append(JSON.stringify(record));
    const ended = record.outcome.kind === 'ok' || record.outcome.kind === 'failed';
    const line = result && ended ? waitingLine(record.id, result, this.options, sent) : undefined;
    if (line === undefined || !this.answers) return;
    this.answers.append(line);
    this.waiting++;
  }

  /** Everything added is on the disk, or `error` says why not. */
  async settle(): Promise<void> {
    await Promise.all([this.journal.close(), this.answers?.close()]);
  }

  /**
   * Replaces the journal by the counted records in planned order. The journal stays as it was when the disk refuses; that error is
   * thrown.
   */
  async rewriteJournal(): Promise<void> {
    const file = path.join(this.options.folder, RECORDS_FILE);
    const temporary = `${file}.tmp`;
    try {
      const lines = await LineFile.create(temporary);
      for (const record of this.records) {
        lines.append(JSON.stringify(record));
        await lines.drained();
      }
      await lines.close();
      if (lines.error) throw lines.error;
      renameSync(temporary, file);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  }

  discardWaiting(): void {
    if (existsSync(this.waitingFile)) rmSync(this.waitingFile);
  }
}
