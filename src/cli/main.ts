// The `isoperf` command: finds the verb, gives it the terminal, turns what it throws into one clear line.
import { takesColour } from './colour';
import { EXIT, UsageError, type CliIo, type Command } from './command';

declare const ISOPERF_VERSION: string;

interface Verb {
  readonly name: string;
  readonly summary: string;
  /** Of a verb that no person types; it stands in no list. */
  readonly isInner?: true;
  /** Loaded when asked for: `validate` must not pay for the engine's start-up. */
  load(): Promise<Command>;
}

const VERBS: readonly Verb[] = [
  {
    name: 'validate',
    summary: 'check configs as inference-perf would, and for what cannot run',
    load: async () => (await import('./validate')).validateCommand,
  },
  {
    name: 'plan',
    summary: 'say what a run will really send, and freeze it for any server',
    load: async () => (await import('./plan')).planCommand,
  },
  {
    name: 'run',
    summary: 'run a benchmark and write its report folder',
    load: async () => (await import('./run')).runCommand,
  },
  {
    name: 'compare',
    summary: 'judge whether two runs may be compared, and compare them',
    load: async () => (await import('./compare')).compareCommand,
  },
  {
    name: 'import',
    summary: "read anybody's results: what they are, what the numbers mean, what is wrong with them",
    load: async () => (await import('./import')).importCommand,
  },
  {
    name: 'convert',
    summary: "anybody's results as Markdown, CSV, HTML or an llm-d Benchmark Report",
    load: async () => (await import('./convert')).convertCommand,
  },
  {
    name: 'simulate',
    summary: 'serve a simulated model whose truth is set by flags',
    load: async () => (await import('./simulate')).simulateCommand,
  },
  {
    name: 'schema',
    summary: 'print the JSON Schema of a config, a run or a comparison',
    load: async () => (await import('./schema')).schemaCommand,
  },
  {
    name: 'reader',
    summary: 'reads and judges reports for the extension',
    isInner: true,
    load: async () => (await import('./reader')).readerCommand,
  },
];
const LISTED = VERBS.filter(({ isInner }) => isInner !== true);

function overview(): string {
  const width = Math.max(...LISTED.map((verb) => verb.name.length));
  const verbs = LISTED.map((verb) => `  ${verb.name.padEnd(width)}  ${verb.summary}`).join('\n');
  return `isoperf ${ISOPERF_VERSION}: LLM serving benchmarks whose numbers can honestly be compared.

Usage: isoperf <verb> [options]

Verbs:
${verbs}

  isoperf <verb> --help   what the verb does, its options and exit codes
  isoperf --version       the version

A first run, without a server of your own:
  isoperf simulate --port 8000 &
  isoperf run config.yaml --set server.base_url=http://127.0.0.1:8000
  isoperf compare reports-A reports-B
`;
}

/** Runs one command line; never throws. */
export async function main(args: readonly string[], io: CliIo): Promise<number> {
  const [verb, ...rest] = args;
  if (verb === undefined) {
    io.err(overview());
    return EXIT.unusable;
  }
  if (verb === '--help' || verb === '-h' || verb === 'help') {
    const asked = VERBS.find((candidate) => candidate.name === rest[0]);
    io.out(asked ? (await asked.load()).help : overview());
    return EXIT.ok;
  }
  if (verb === '--version' || verb === '-V') {
    io.out(`${ISOPERF_VERSION}\n`);
    return EXIT.ok;
  }
  const found = VERBS.find((candidate) => candidate.name === verb);
  if (!found) {
    io.err(
      `isoperf: error: there is no verb '${verb}'. Verbs: ${LISTED.map((candidate) => candidate.name).join(', ')}. See isoperf --help\n`,
    );
    return EXIT.unusable;
  }
  const command = await found.load();
  if (rest.includes('--help') || rest.includes('-h')) {
    io.out(command.help);
    return EXIT.ok;
  }
  try {
    return await command.run(rest, io);
  } catch (error) {
    if (error instanceof UsageError || isParseArgsError(error)) {
      io.err(`isoperf ${verb}: error: ${(error as Error).message}. See isoperf ${verb} --help\n`);
      return EXIT.unusable;
    }
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    io.err(`isoperf ${verb}: unexpected error, please report it:\n${detail}\n`);
    return EXIT.failed;
  }
}

function isParseArgsError(error: unknown): boolean {
  return error instanceof TypeError && String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');
}

function terminal(): CliIo {
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    isTerminal: process.stderr.isTTY && process.env['CI'] === undefined,
    isColoured: takesColour(process.stdout.isTTY, process.env),
    columns: process.stdout.columns || process.stderr.columns || Number(process.env['COLUMNS']) || 100,
    env: process.env,
    cwd: process.cwd(),
  };
}

/**
 * A closed pipe (`isoperf ... | head`) is the reader's choice, not an error: what was asked for is done to its end, and the exit code is
 * true. Only a reader of `--events` is who watches and stops the run: without it the run is stopped as by Ctrl+C.
 */
function outliveReader(isWatched: boolean): void {
  let isGone = false;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      if (isWatched && !isGone && stream === process.stdout) process.emit('SIGINT', 'SIGINT');
      isGone ||= stream === process.stdout;
    });
  }
}

if (require.main === module) {
  const args = process.argv.slice(2);
  outliveReader(args.includes('--events'));
  void main(args, terminal()).then((code) => {
    process.exitCode = code;
  });
}
