// What every verb of the command line looks like, and the little they share.

export interface CliIo {
  /** Writes to standard output as is. */
  out(text: string): void;
  /** Writes to standard error as is. */
  err(text: string): void;
  /** True when standard error is a terminal: progress bars are allowed there. */
  readonly isTerminal: boolean;
  /** Standard output takes colours. Absent: it does not. */
  readonly isColoured?: boolean;
  readonly columns: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

export interface Command {
  readonly name: string;
  /** One line for `isoperf --help`. */
  readonly summary: string;
  /** What `isoperf <name> --help` prints: usage, options with defaults, examples, exit codes. */
  readonly help: string;
  /** Exit code. Throws UsageError for a wrong command line. */
  run(args: readonly string[], io: CliIo): Promise<number>;
}

/** How `isoperf` finds a verb. */
export interface Verb {
  readonly name: string;
  readonly summary: string;
  /** Of a verb that no person types; it stands in no list. */
  readonly isInner?: true;
  /** Loaded when asked for: `validate` must not pay for the engine's start-up. */
  readonly load: () => Promise<Command>;
}

/** The same terminal, and what is said on its error stream: a refusal under --json repeats it as JSON. */
export function overheard(io: CliIo): { readonly io: CliIo; readonly said: readonly string[] } {
  const said: string[] = [];
  const err = (text: string): void => {
    said.push(text.trim());
    io.err(text);
  };
  return { io: { ...io, err }, said };
}

/** A wrong command line: printed with a pointer to --help, exit code 2. */
export class UsageError extends Error {}

/** Shared by the verbs: 0 fine, 1 the thing judged is bad, 2 nothing usable was given. 3 and 4 belong to `compare`. */
export const EXIT = { ok: 0, failed: 1, unusable: 2, confounded: 3, undetermined: 4 } as const;
