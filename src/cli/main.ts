// The `isoperf` command: finds the verb, gives it the terminal, turns what it throws into one clear line.
import { compareCommand } from './compare';
import { EXIT, UsageError, type CliIo, type Command } from './command';
import { runCommand } from './run';
import { schemaCommand } from './schema';
import { simulateCommand } from './simulate';
import { validateCommand } from './validate';

declare const ISOPERF_VERSION: string;

const COMMANDS: readonly Command[] = [validateCommand, runCommand, compareCommand, simulateCommand, schemaCommand];

function overview(): string {
  const width = Math.max(...COMMANDS.map((command) => command.name.length));
  const verbs = COMMANDS.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`).join('\n');
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
    const asked = COMMANDS.find((command) => command.name === rest[0]);
    io.out(asked ? asked.help : overview());
    return EXIT.ok;
  }
  if (verb === '--version' || verb === '-V') {
    io.out(`${ISOPERF_VERSION}\n`);
    return EXIT.ok;
  }
  const command = COMMANDS.find((candidate) => candidate.name === verb);
  if (!command) {
    io.err(
      `isoperf: error: there is no verb '${verb}'. Verbs: ${COMMANDS.map((c) => c.name).join(', ')}. See isoperf --help\n`,
    );
    return EXIT.unusable;
  }
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
    columns: process.stderr.columns || 100,
    env: process.env,
    cwd: process.cwd(),
  };
}

if (require.main === module) {
  // A closed pipe (`isoperf ... | head`) is the reader's choice, not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  void main(process.argv.slice(2), terminal()).then((code) => {
    process.exitCode = code;
  });
}
