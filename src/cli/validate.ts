// `isoperf validate`: what is wrong with configs, and what their numbers could not be compared for.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { looksLikeConfig } from '../config/find/detect';
import { MAX_FILE } from '../config/load';
import { loaderVerdict } from '../config/loader';
import { KNOWN_TARGETS, matchTarget, NEWEST, type Target } from '../config/model/target';
import type { Fix } from '../pitfalls/fix';
import { allActions } from '../language/fixes';
import { judgeConfigs } from '../pitfalls/check';
import type { Problem } from '../problem';
import { EXIT, UsageError, type CliIo, type Command } from './command';
import { parseOptions } from './options';
import { MAX_INPUT_BYTES, readInput } from './read-input';
import { FORMATS, render, type Format, type Result } from './validate-formats';

const HELP = `isoperf validate: judge configs before anything is sent.

Usage: isoperf validate FILE... [options]

It reports, one line each as file:line:col: severity CODE message,
  errors       what inference-perf rejects, and what it lets through but cannot run or nobody can mean
               (no server, no stages, rate .inf, a key written twice with different values)
  warnings     keys that inference-perf ignores, with what runs instead, and what makes the run's numbers
               hard to compare with others (codes CMPnnn, see docs/pitfalls.md)
  information  what a reader of the numbers should know, and placeholders that are still to be filled
The codes are explained in docs/findings.md and docs/pitfalls.md.

Configs inside ConfigMaps, Jobs' heredocs, Helm values and llm-d workload files are found, templates are read.
A directory stands for the configs in it, its subdirectories included. FILE may be - for standard input.
What is neither a regular file nor a pipe, or has more than ${MAX_INPUT_BYTES / 1e6} MB, is not read.

Options:
  --set PATH=VALUE   put a value over the file's, as 'isoperf run' does; repeat for more.
                     e.g. --set server.base_url=http://localhost:8000 --set 'load.stages[0].rate=5'
  --region NAME      the config to judge when a file holds several, e.g. workload.sanity_random
  --target VERSION   judge as this inference-perf would: ${KNOWN_TARGETS}.
                     Left out: the file's '# isoperf: target=...', the tag of the inference-perf image in it,
                     or ${NEWEST}
  --loader           answer only what inference-perf's own loader says of the whole text as it stands
  --format FORMAT    text, json, sarif (code scanning) or github (annotations of a workflow); default text
  --json             the same as --format json: {"files": [{"file", "target", "problems": [...]}]}
                     Lines and columns of a problem's range count from 1; its end column is the one after the last
  --quiet            errors only

Exit codes:
  0  no errors (warnings are allowed); with --loader: accepted
  1  at least one error; with --loader: rejected
  2  nothing to validate: no such file, an empty file, a directory without configs, or a wrong command line

Examples:
  isoperf validate config.yaml
  isoperf validate benchmarks/ --quiet
  isoperf validate config.yaml --target v0.6.1
  isoperf validate config.yaml --set server.model_name=my-model --json
  isoperf validate --loader config.yaml
  isoperf validate benchmarks/ --format sarif > isoperf.sarif
`;

const FLAGS = {
  set: { type: 'string', multiple: true },
  region: { type: 'string' },
  target: { type: 'string' },
  loader: { type: 'boolean' },
  format: { type: 'string' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean' },
} as const;

interface Question {
  readonly overrides: readonly string[];
  readonly region: string | undefined;
  readonly target: Target | undefined;
  readonly loader: boolean;
  /** Are fixes asked for? */
  readonly fixes: boolean;
}

const SKIPPED = new Set(['node_modules', '.git']);

function judge(file: string, bytes: Buffer, question: Question): Result {
  const { overrides, region, target, loader } = question;
  const text = decode(bytes);
  if (text === undefined) return { file, problems: [NOT_TEXT], ...(loader ? { accepted: false } : {}) };
  if (loader) {
    const verdict = loaderVerdict(text, target);
    return { file, target: target ?? NEWEST, accepted: verdict.accepts, problems: inOrder(verdict.problems) };
  }
  if (text.trim() === '') return { file, nothing: 'is empty: there is nothing to validate.' };
  const options = {
    overrides,
    fileName: file,
    maxText: MAX_FILE,
    ...(region === undefined ? {} : { region }),
    ...(target && { target }),
  };
  const { problems, targets } = judgeConfigs(text, options);
  const fixes = question.fixes && overrides.length === 0 ? fixesOf(text, target) : undefined;
  return {
    file,
    problems: inOrder(problems),
    ...(targets.length === 0 ? {} : { target: targets.join(', ') }),
    ...(fixes ? { fixes } : {}),
  };
}

/** The fixes of a text that need nobody's choice of words, by problem; the editor finds the same. */
function fixesOf(text: string, target: Target | undefined): (problem: Problem) => readonly Fix[] {
  const nameOf = ({ code, message, range }: Problem): string => JSON.stringify([code, message, range]);
  const known = new Map<string, Fix[]>();
  for (const action of allActions(text, target ? { defaultTarget: target } : {})) {
    if (action.edits.some((edit) => edit.snippet === true)) continue;
    const name = nameOf(action.problem);
    known.set(name, [...(known.get(name) ?? []), action]);
  }
  return (problem) => known.get(nameOf(problem)) ?? [];
}

/** Where the pages are that explain the codes: beside the bundle. */
function docsRoot(): string | undefined {
  const root = path.resolve(path.dirname(process.argv[1] ?? ''), '..');
  return existsSync(path.join(root, 'docs', 'findings.md')) ? root : undefined;
}

const NOT_TEXT: Problem = {
  code: 'YML013',
  severity: 'error',
  path: [],
  message: 'The file is not UTF-8 text, and inference-perf cannot read it.',
  remedy: 'Save it as UTF-8.',
};

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function judgePath(name: string, io: CliIo, question: Question): readonly Result[] {
  if (name === '') return [{ file: "''", nothing: 'is not a file name.' }];
  if (name === '-') return [judgeInput('<stdin>', 0, question)];
  const place = path.resolve(io.cwd, name);
  if (!existsSync(place)) return [{ file: name, nothing: 'does not exist.' }];
  if (statSync(place).isDirectory()) {
    const files = yamlFiles(place);
    const configs = files.filter((file) => looksLikeConfig(readFileSync(file, 'utf8')));
    if (configs.length === 0)
      return [
        { file: name, nothing: `holds no inference-perf config (${files.length} YAML or JSON files looked at).` },
      ];
    return configs.map((file) => judge(path.join(name, path.relative(place, file)), readFileSync(file), question));
  }
  return [judgeInput(name, place, question)];
}

function judgeInput(name: string, place: string | number, question: Question): Result {
  const input = readInput(place);
  return 'refused' in input ? { file: name, nothing: input.refused } : judge(name, input.bytes, question);
}

function yamlFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const place = path.join(folder, entry.name);
      if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : yamlFiles(place);
      return entry.isFile() &&
        /\.(?:ya?ml|json)(?:\.(?:in|tpl|tmpl|j2))?$/i.test(entry.name) &&
        statSync(place).size <= MAX_INPUT_BYTES
        ? [place]
        : [];
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

declare const ISOPERF_VERSION: string | undefined;

/** Defined when bundled; tests read the sources. */
const version = typeof ISOPERF_VERSION === 'string' ? ISOPERF_VERSION : 'development';

function formatOf(name: string | undefined, asJson: boolean): Format {
  const format = FORMATS.find((known) => known === name);
  if (name !== undefined && !format) throw new UsageError(`--format ${name} is none of ${FORMATS.join(', ')}`);
  return format ?? (asJson ? 'json' : 'text');
}

/** The version asked for; one that is only near one of ours is named, one that is none of ours is refused. */
function targetFor(version: string | undefined, io: CliIo): Target | undefined {
  if (version === undefined) return undefined;
  const match = matchTarget(version);
  const known = `known: ${KNOWN_TARGETS}`;
  if (!match) throw new UsageError(`--target ${version} is no inference-perf version; ${known}`);
  if (match.how === 'unknown')
    throw new UsageError(`--target ${version} is no inference-perf version that IsoPerf knows; ${known}`);
  if (match.how === 'near') io.err(`isoperf validate: --target ${version} is judged as ${match.target}; ${known}\n`);
  return match.target;
}

export const validateCommand: Command = {
  name: 'validate',
  summary: 'judge configs: what inference-perf rejects, what cannot run, what cannot be compared',
  help: HELP,
  run: (args, io) => {
    const { values, positionals } = parseOptions({ args: [...args], options: FLAGS, allowPositionals: true });
    if (positionals.length === 0) throw new UsageError('no file given');
    if (values.loader && values.set) throw new UsageError('--loader judges the text as it stands and takes no --set');
    const format = formatOf(values.format, values.json === true);
    const question: Question = {
      overrides: values.set ?? [],
      region: values.region,
      target: targetFor(values.target, io),
      loader: values.loader === true,
      fixes: format === 'sarif' && values.loader !== true,
    };
    const results = positionals.flatMap((name) => judgePath(name, io, question));
    for (const result of results) {
      if ('nothing' in result) io.err(`isoperf validate: error: ${result.file} ${result.nothing}\n`);
    }
    io.out(render(format, results, { version, errorsOnly: values.quiet === true, docsRoot: docsRoot() }));
    const errors = results.some(
      (result) =>
        'problems' in result &&
        (result.accepted === false || result.problems.some((problem) => problem.severity === 'error')),
    );
    const nothing = results.some((result) => 'nothing' in result);
    return Promise.resolve(nothing ? EXIT.unusable : errors ? EXIT.failed : EXIT.ok);
  },
};
