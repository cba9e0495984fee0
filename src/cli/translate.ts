// `isoperf translate`: another tool's benchmark command as a config.yaml, and a config.yaml as that tool's command.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { shellWords } from '../cluster/shell';
import { loadConfig } from '../config/load';
import { formatProblem } from '../problem';
import { lineText } from '../translate/draft';
import { commandsOf, configOf, peerOf, toolOf, TOOLS, type Translated } from '../translate/translate';
import { EXIT, UsageError, type CliIo, type Command } from './command';
import { parseOptions } from './options';

const CHANGED = 3;
const REFUSED = 1;

const HELP = `isoperf translate: another tool's benchmark command as a config.yaml, and back; nothing is lost in silence

Usage: isoperf translate --from TOOL@VERSION [options] -- COMMAND...
       isoperf translate --from TOOL@VERSION [options] < FILE
       isoperf translate config.yaml --to TOOL@VERSION [options]

The first two write a config.yaml with a comment in front: one line for every flag, saying that it is lossless, that its
meaning changed and how, that a default was written out, or that it changes nothing. The third writes a command for every
measured stage of the config. What has no counterpart is refused with its reason and what to do; nothing is guessed.

Tools: ${TOOLS.map(({ name, title, versions }) => `${name} (${title} ${versions.join(', ')})`).join('; ')}

Options:
  --from TOOL@VERSION   the tool of the command, e.g. vllm@0.32; flags change their meaning between releases
  --to TOOL@VERSION     the tool to write a command for
  --assume-version      read a version that is not known as the newest that is
  --drop FLAG           leave this flag out although it has no counterpart (may be repeated)
  --out FILE            write there instead of to standard output
  -h, --help            this text

API keys are written nowhere: set ISOPERF_API_KEY, or the tool's own variable.

Exit codes:
  0  translated without loss
  3  translated, and the meaning of something changed: numbers of the two are not of one workload
  1  refused: every reason is said
  2  unusable: the file, the tool or the command line is wrong

Examples:
  isoperf translate --from vllm@0.32 -- vllm bench serve --model m --random-input-len 512 --request-rate 8
  isoperf translate --from sglang@0.5 < bench.sh
  isoperf translate config.yaml --to vllm@0.32
`;

export const translateCommand: Command = {
  name: 'translate',
  summary: "another tool's benchmark command as a config.yaml, and back",
  help: HELP,
  // eslint-disable-next-line @typescript-eslint/require-await -- every verb is awaited
  async run(args, io) {
    const end = args.indexOf('--');
    const { values, positionals } = parseOptions({
      args: end < 0 ? [...args] : args.slice(0, end),
      allowPositionals: true,
      options: {
        from: { type: 'string' },
        to: { type: 'string' },
        'assume-version': { type: 'boolean' },
        drop: { type: 'string', multiple: true },
        out: { type: 'string' },
      },
    });
    const isAssumed = values['assume-version'] === true;
    if (values.to !== undefined) {
      if (values.from !== undefined) throw new UsageError('either --from or --to is given, not both');
      const [file, ...more] = positionals;
      if (file === undefined || more.length > 0 || end >= 0) throw new UsageError('one config.yaml is needed');
      return back(file, named(values.to, isAssumed), values.out, io);
    }
    if (positionals.length > 0) throw new UsageError(`the command stands behind --: '${positionals[0]}' does not`);
    const words = end < 0 ? wordsOf(readFileSync(0, 'utf8')) : commandWords(args.slice(end + 1));
    const found = toolOf(words);
    if (values.from === undefined) {
      const versions = found?.versions.map((version) => `${found.name}@${version}`).join(' or ');
      throw new UsageError(`--from TOOL@VERSION is needed${versions === undefined ? '' : `: --from ${versions}`}`);
    }
    return answer(configOf(words, named(values.from, isAssumed), values.drop), values.out, io);
  },
};

function named(text: string, isAssumed: boolean) {
  const peer = peerOf(text, isAssumed);
  if (typeof peer === 'string') throw new UsageError(peer);
  return peer;
}

/** A command as words, or as one quoted text. */
function commandWords(words: readonly string[]): readonly string[] {
  return words.length === 1 && /\s/.test(words[0]!) ? wordsOf(words[0]!) : words;
}

function wordsOf(text: string): readonly string[] {
  const words = shellWords(text.replace(/^\s*\$\s+/, ''));
  if (!words) throw new UsageError('the command has a quote that is never closed');
  if (words.length === 0) throw new UsageError('there is no command');
  return words.filter((word) => word !== '\n');
}

function back(file: string, peer: ReturnType<typeof named>, out: string | undefined, io: CliIo): number {
  let text: string;
  try {
    text = readFileSync(path.resolve(io.cwd, file), 'utf8');
  } catch (error) {
    io.err(`isoperf translate: error: ${file} cannot be read: ${(error as Error).message}\n`);
    return EXIT.unusable;
  }
  const read = loadConfig(text, { fileName: file });
  if (!read.ok) {
    for (const problem of read.problems) if (problem.severity === 'error') io.err(`${formatProblem(problem, file)}\n`);
    return EXIT.unusable;
  }
  const made = commandsOf(read.value, peer);
  for (const line of made.lines) io.err(`${lineText(line)}\n`);
  return answer(made, out, io);
}

function answer({ text, refusals, isChanged }: Translated, out: string | undefined, io: CliIo): number {
  for (const { what, why, remedy } of refusals)
    io.err(`isoperf translate: refused: ${what}: ${why} Remedy: ${remedy}\n`);
  if (text === undefined) return REFUSED;
  if (out === undefined) io.out(text);
  else {
    try {
      writeFileSync(path.resolve(io.cwd, out), text);
    } catch (error) {
      io.err(`isoperf translate: error: ${out} could not be written: ${(error as Error).message}\n`);
      return EXIT.unusable;
    }
  }
  return isChanged ? CHANGED : EXIT.ok;
}
