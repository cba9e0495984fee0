// A panel's process that reads and judges its reports: asked over a channel, given files of other file systems, gone with the panel.
import type { ChildProcess } from 'node:child_process';
import { dirname } from 'node:path';
import type { AskKind, Asks, FromReader, NeedKind, Needs, Place, ToReader } from '../reader-messages';
import { forkCli } from './engine';
import { lineSplitter } from './lines';

/** Reads what does not lie on this machine's disk. */
export type ReadFiles = (need: NeedKind, uri: Place['uri']) => Promise<Needs[NeedKind]>;

export interface ReaderOptions {
  /** Absolute path of `dist/cli.js`. */
  readonly cli: string;
  readonly readFiles: ReadFiles;
  /** Lines of its standard error. */
  readonly onText: (line: string) => void;
}

/** The process ended before it answered. */
export class ReaderGone extends Error {}

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class Reader {
  private child: ChildProcess | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;
  private isClosed = false;

  constructor(private readonly options: ReaderOptions) {}

  /** Starts the process when there is none (any more). Rejects with ReaderGone, or with what went wrong in the process. */
  ask<K extends AskKind>(kind: K, ask: Asks[K]['ask']): Promise<Asks[K]['answer']> {
    if (this.isClosed) return Promise.reject(new ReaderGone('its panel is closed'));
    const child = (this.child ??= this.start());
    const id = ++this.asked;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject });
      this.say(child, { type: 'ask', id, kind, ask } as ToReader);
    });
  }

  /** Whatever it is at is cancelled. */
  dispose(): void {
    this.isClosed = true;
    this.child?.kill('SIGKILL');
  }

  private start(): ChildProcess {
    const { cli, onText } = this.options;
    const child = forkCli({ cli, args: ['reader'], cwd: dirname(cli), env: {} });
    const lines = lineSplitter(onText);
    child.stderr?.on('data', (chunk: Buffer) => lines.push(chunk)).on('end', () => lines.end());
    child.stdout?.resume();
    child.on('message', (message: FromReader) => this.receive(child, message));
    child.once('error', (error) => this.gone(child, error.message));
    child.once('close', (code, signal) => this.gone(child, signal === null ? `code ${code}` : signal));
    return child;
  }

  private receive(child: ChildProcess, message: FromReader): void {
    if (message.type === 'need') {
      const { id, need, uri } = message;
      this.options.readFiles(need, uri).then(
        (value) => this.say(child, { type: 'got', id, value }),
        (error: unknown) =>
          this.say(child, { type: 'refused', id, message: error instanceof Error ? error.message : String(error) }),
      );
      return;
    }
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.type === 'answer') waiting?.resolve(message.answer);
    else waiting?.reject(new Error(message.stack));
  }

  /** That it cannot hear us any more is told by its end. */
  private say(child: ChildProcess, message: ToReader): void {
    child.send(message, () => undefined);
  }

  private gone(child: ChildProcess, how: string): void {
    if (this.child !== child) return;
    this.child = undefined;
    for (const { reject } of this.waiting.values()) reject(new ReaderGone(how));
    this.waiting.clear();
  }
}

/**
 * Does one thing at a time; of what is wished for meanwhile only the newest is done, and the answer to an older wish is dropped.
 * @param answer of a wish, as slow as it may be
 * @param draw called with the answer to the newest wish only
 */
export function newestOnly<W, A>(
  answer: (wish: W) => Promise<A>,
  draw: (answer: A) => void,
): (wish: W) => Promise<void> {
  const next: W[] = [];
  let isBusy = false;
  return async (wish) => {
    next.splice(0, next.length, wish);
    if (isBusy) return;
    isBusy = true;
    try {
      while (next.length > 0) {
        const answered = await answer(next.pop()!);
        if (next.length === 0) draw(answered);
      }
    } finally {
      isBusy = false;
    }
  };
}
