// The engine in a process of its own: forks dist/cli.js, reads its events, asks it to stop. Nothing of it runs in this host.
import { fork, type ChildProcess } from 'node:child_process';
import type { RunCommand, RunEvent } from '../events';
import { lineSplitter } from './lines';

export interface EngineOptions {
  readonly cli: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Added to the environment; secrets travel here, never in arguments. */
  readonly env: Readonly<Record<string, string>>;
  /** Lines of standard error, and of standard output that are no events. */
  readonly onText: (line: string) => void;
  readonly onEvent: (event: RunEvent) => void;
}

export interface EngineEnd {
  /** Exit code; undefined when a signal or a failed start ended it. */
  readonly code?: number;
  readonly signal?: string;
  readonly error?: string;
}

export interface Engine {
  /** Gracefully first; `now` cancels the requests in flight too. Ends the process when it does not obey in time. */
  stop(now: boolean): void;
  /** Resolves when the process is gone; never rejects. */
  readonly ended: Promise<EngineEnd>;
}

/** A graceful stop waits for requests in flight; after `stop now` there is nothing left to wait for. */
const KILL_AFTER_MS = 15_000;

export function startEngine(options: EngineOptions): Engine {
  const child = forkCli(options);
  const ended = endOf(child);
  let killTimer: ReturnType<typeof setTimeout> | undefined;
  void ended.then(() => clearTimeout(killTimer));
  readLines(child, options, (line) => {
    const event = parseEvent(line);
    if (event) options.onEvent(event);
    else options.onText(line);
  });
  return {
    ended,
    stop(now) {
      const command: RunCommand = { type: 'stop', now };
      child.stdin?.write(`${JSON.stringify(command)}\n`);
      if (!now || killTimer) return;
      killTimer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    },
  };
}

/** The command line as a child of this host, with a channel that carries bytes as they are. */
export function forkCli({ cli, args, cwd, env }: Pick<EngineOptions, 'cli' | 'args' | 'cwd' | 'env'>): ChildProcess {
  const inherited = { ...process.env };
  // A debugger's bootloader must not get into the engine; and on the desktop this executable is Electron.
  delete inherited['NODE_OPTIONS'];
  return fork(cli, [...args], {
    cwd,
    env: { ...inherited, ELECTRON_RUN_AS_NODE: '1', ...env },
    execArgv: [],
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
}

function readLines(child: ChildProcess, options: EngineOptions, onLine: (line: string) => void): void {
  const out = lineSplitter(onLine);
  const err = lineSplitter(options.onText);
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk)).on('end', () => out.end());
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk)).on('end', () => err.end());
  // Writing to a process that has just ended is no error of ours.
  child.stdin?.on('error', () => undefined);
}

function endOf(child: ChildProcess): Promise<EngineEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ error: error.message }));
    child.once('close', (code, signal) =>
      resolve({ ...(code === null ? {} : { code }), ...(signal === null ? {} : { signal }) }),
    );
  });
}

/** An event of the engine, or undefined for any other line. Events come from our own bundle: their fields are trusted. */
export function parseEvent(line: string): RunEvent | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'type' in value ? (value as RunEvent) : undefined;
  } catch {
    return undefined;
  }
}
