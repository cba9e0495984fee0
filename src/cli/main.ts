// The `isoperf` command: finds the verb, gives it the terminal, turns what it throws into one clear line.
import { nearest } from '../config/model/suggest';
import { takesColour } from './colour';
import { EXIT, UsageError, type CliIo } from './command';
import { LISTED, VERBS } from './verbs';

declare const ISOPERF_VERSION: string;

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
    const names = LISTED.map(({ name }) => name);
    const near = nearest(verb, names);
    const advice = near === undefined ? `Verbs: ${names.join(', ')}.` : `Did you mean ${near}?`;
    io.err(`isoperf: error: there is no verb '${verb}'. ${advice} See isoperf --help\n`);
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
      io.err(`isoperf ${verb}: error: ${closed((error as Error).message)} See isoperf ${verb} --help\n`);
      return EXIT.unusable;
    }
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    io.err(`isoperf ${verb}: unexpected error, please report it:\n${detail}\n`);
    return EXIT.failed;
  }
}

function closed(sentence: string): string {
  return /[.?!]$/.test(sentence) ? sentence : `${sentence}.`;
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
