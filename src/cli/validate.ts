// `isoperf validate`: what is wrong with configs, and what their numbers could not be compared for.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { looksLikeConfig } from '../config/detect';
import { loaderVerdict } from '../config/loader';
import { configFindings } from '../pitfalls/check';
import { formatProblem, type Problem } from '../problem';
import { EXIT, UsageError, type CliIo, type Command } from './command';

const HELP = `isoperf validate: judge configs before anything is sent.

Usage: isoperf validate FILE... [options]

It reports, one line each as file:line:col: severity CODE message,
  errors       what inference-perf main rejects, and what it lets through but cannot run or nobody can mean
               (no server, no stages, rate .inf, a key written twice, a placeholder that is still to be filled)
  warnings     what makes the run's numbers hard to compare with others (codes CMPnnn, see docs/pitfalls.md)
  information  what a reader of the numbers should know

Configs inside ConfigMaps, Helm values (config:) and llm-d workload files (workload.NAME) are found.
A directory stands for the configs in it, its subdirectories included. FILE may be - for standard input.

Options:
  --set PATH=VALUE   put a value over the file's, as 'isoperf run' does; repeat for more.
                     e.g. --set server.base_url=http://localhost:8000 --set 'load.stages[0].rate=5'
  --region NAME      the config to judge when a file holds several, e.g. workload.sanity_random
  --loader           answer only what inference-perf main's own loader says of the whole text as it stands
  --json             one JSON object instead of lines: {"files": [{"file", "problems": [...]}]}
  --quiet            errors only

Exit codes:
  0  no errors (warnings are allowed); with --loader: accepted
  1  at least one error; with --loader: rejected
  2  nothing to validate: no such file, an empty file, a directory without configs, or a wrong command line

Examples:
  isoperf validate config.yaml
  isoperf validate benchmarks/ --quiet
  isoperf validate config.yaml --set server.model_name=my-model --json
  isoperf validate --loader config.yaml
`;

const FLAGS = {
  set: { type: 'string', multiple: true },
  region: { type: 'string' },
  loader: { type: 'boolean' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean' },
} as const;

interface Judged {
  readonly file: string;
  readonly problems: readonly Problem[];
}

/** Something that cannot be judged at all. */
interface Nothing {
  readonly file: string;
  readonly nothing: string;
}

interface Question {
  readonly overrides: readonly string[];
  readonly region: string | undefined;
  readonly loader: boolean;
}

const MAX_BYTES = 8_000_000;
const SKIPPED = new Set(['node_modules', '.git']);

function judge(file: string, text: string, question: Question): Judged | Nothing {
  if (question.loader) return { file, problems: loaderVerdict(text).problems };
  if (text.trim() === '') return { file, nothing: 'is empty: there is nothing to validate.' };
  const { overrides, region } = question;
  return {
    file,
    problems: configFindings(text, { overrides, fileName: file, ...(region === undefined ? {} : { region }) }),
  };
}

function judgePath(name: string, io: CliIo, question: Question): readonly (Judged | Nothing)[] {
  if (name === '') return [{ file: "''", nothing: 'is not a file name.' }];
  if (name === '-') return [judge('<stdin>', readFileSync(0, 'utf8'), question)];
  const place = path.resolve(io.cwd, name);
  if (!existsSync(place)) return [{ file: name, nothing: 'does not exist.' }];
  if (statSync(place).isDirectory()) {
    const files = yamlFiles(place);
    const configs = files.filter((file) => looksLikeConfig(readFileSync(file, 'utf8')));
    if (configs.length === 0)
      return [{ file: name, nothing: `holds no inference-perf config (${files.length} YAML files looked at).` }];
    return configs.map((file) =>
      judge(path.join(name, path.relative(place, file)), readFileSync(file, 'utf8'), question),
    );
  }
  return [judge(name, readFileSync(place, 'utf8'), question)];
}

function yamlFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const place = path.join(folder, entry.name);
      if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : yamlFiles(place);
      return entry.isFile() && /\.ya?ml(\.in)?$/i.test(entry.name) && statSync(place).size <= MAX_BYTES ? [place] : [];
    });
}

const ORDER = { error: 0, warning: 1, information: 2 } as const;

function inOrder(problems: readonly Problem[]): readonly Problem[] {
  const place = (problem: Problem): number =>
    (problem.range?.startLine ?? -1) * 1e5 + (problem.range?.startColumn ?? 0);
  return [...problems].sort(
    (left, right) => place(left) - place(right) || ORDER[left.severity] - ORDER[right.severity],
  );
}

function counted(problems: readonly Problem[]): string {
  const count = (severity: Problem['severity'], one: string): string => {
    const n = problems.filter((problem) => problem.severity === severity).length;
    return `${n} ${one}${n === 1 || one === 'information' ? '' : 's'}`;
  };
  return `${count('error', 'error')}, ${count('warning', 'warning')}, ${count('information', 'information')}`;
}

function print(results: readonly (Judged | Nothing)[], quiet: boolean, loader: boolean, io: CliIo): void {
  for (const result of results) {
    if ('nothing' in result) {
      io.err(`isoperf validate: error: ${result.file} ${result.nothing}\n`);
      continue;
    }
    const shown = inOrder(result.problems).filter((problem) => !quiet || problem.severity === 'error');
    for (const problem of shown) io.out(`${formatProblem(problem, result.file)}\n`);
    const rejected = result.problems.some((problem) => problem.severity === 'error');
    if (loader) io.out(`${result.file}: ${rejected ? 'rejected' : 'accepted'} by inference-perf main\n`);
    else io.out(`${result.file}: ${counted(result.problems)}\n`);
  }
}

function printJson(results: readonly (Judged | Nothing)[], io: CliIo): void {
  const files = results.map((result) =>
    'nothing' in result
      ? { file: result.file, problems: [], nothing: result.nothing }
      : { ...result, problems: inOrder(result.problems) },
  );
  io.out(`${JSON.stringify({ files }, undefined, 2)}\n`);
}

export const validateCommand: Command = {
  name: 'validate',
  summary: 'judge configs: what inference-perf rejects, what cannot run, what cannot be compared',
  help: HELP,
  run: (args, io) => {
    const { values, positionals } = parseArgs({ args: [...args], options: FLAGS, allowPositionals: true });
    if (positionals.length === 0) throw new UsageError('no file given');
    if (values.loader && values.set) throw new UsageError('--loader judges the text as it stands and takes no --set');
    const question: Question = { overrides: values.set ?? [], region: values.region, loader: values.loader === true };
    const results = positionals.flatMap((name) => judgePath(name, io, question));
    if (values.json) printJson(results, io);
    else print(results, values.quiet === true, question.loader, io);
    const errors = results.some(
      (result) => 'problems' in result && result.problems.some((problem) => problem.severity === 'error'),
    );
    const nothing = results.some((result) => 'nothing' in result);
    return Promise.resolve(nothing ? EXIT.unusable : errors ? EXIT.failed : EXIT.ok);
  },
};
