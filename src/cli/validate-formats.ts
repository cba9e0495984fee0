// The findings of `isoperf validate` as lines, JSON, SARIF 2.1.0 or GitHub annotations.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Fix } from '../pitfalls/fix';
import { docsAnchor, pitfallByCode } from '../pitfalls/catalogue';
import { NEWEST, targetName } from '../config/model/target';
import { formatProblem, legible, problemJson, type Problem, type Severity, type TextRange } from '../problem';

export const FORMATS = ['text', 'json', 'sarif', 'github'] as const;

export type Format = (typeof FORMATS)[number];

export interface Judged {
  readonly file: string;
  readonly problems: readonly Problem[];
  /** The inference-perf version that was judged for; absent when there was no config to judge. */
  readonly target?: string;
  /** What can be done about a problem without asking its author; by the problem. */
  readonly fixes?: (problem: Problem) => readonly Fix[];
  /** Only with --loader: what that version's own loader answers. */
  readonly accepted?: boolean;
}

/** Something that cannot be judged at all. */
export interface Nothing {
  readonly file: string;
  readonly nothing: string;
}

export type Result = Judged | Nothing;

interface Options {
  readonly version: string;
  readonly errorsOnly: boolean;
  /** Folder that holds docs/, for links to the pages that explain the codes; absent: no links. */
  readonly docsRoot?: string | undefined;
}

/** What goes to standard output, the trailing line break included. */
export function render(format: Format, results: readonly Result[], { version, errorsOnly, docsRoot }: Options): string {
  const shown = results.map((result) =>
    'nothing' in result || !errorsOnly
      ? result
      : { ...result, problems: result.problems.filter((problem) => problem.severity === 'error') },
  );
  switch (format) {
    case 'text':
      // The count at the end is of everything, shown or not.
      return results.map((result, index) => ('nothing' in result ? '' : text(result, visible(shown[index])))).join('');
    case 'json':
      return json(shown);
    case 'sarif':
      return sarif(shown, version, docsRoot);
    case 'github':
      return shown
        .flatMap((result) => ('nothing' in result ? [] : result.problems.map((each) => annotation(each, result.file))))
        .join('');
  }
}

function visible(result: Result | undefined): readonly Problem[] {
  return result && 'problems' in result ? result.problems : [];
}

function text({ file, problems, target, accepted }: Judged, shown: readonly Problem[]): string {
  const lines = shown.map((problem) => `${formatProblem(problem, file)}\n`).join('');
  if (accepted !== undefined)
    return `${lines}${file}: ${accepted ? 'accepted' : 'rejected'} by inference-perf ${named(target ?? NEWEST)}\n`;
  const judged = target === undefined || target === NEWEST ? '' : ` (judged for inference-perf ${named(target)})`;
  return `${lines}${file}: ${counted(problems)}${judged}\n`;
}

/** One version, or those of several configs in one file. */
function named(targets: string): string {
  return targets.replace(/\bmain\b/, targetName('main'));
}

function counted(problems: readonly Problem[]): string {
  const count = (severity: Severity, one: string): string => {
    const n = problems.filter((problem) => problem.severity === severity).length;
    return `${n} ${one}${n === 1 || one === 'information' ? '' : 's'}`;
  };
  return `${count('error', 'error')}, ${count('warning', 'warning')}, ${count('information', 'information')}`;
}

function json(results: readonly Result[]): string {
  const files = results.map((result) =>
    'nothing' in result ? { ...result, problems: [] } : { ...result, problems: result.problems.map(problemJson) },
  );
  return printed({ files });
}

/** JSON without a raw character that could turn or steer what is shown; read back it is the same. */
function printed(value: unknown): string {
  const lines = JSON.stringify(value, undefined, 2).split('\n');
  return `${lines.map(legible).join('\n')}\n`;
}

const LEVELS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', information: 'note' };

/** Static Analysis Results Interchange Format, OASIS standard 2.1.0: what code scanning services take. */
function sarif(results: readonly Result[], version: string, docsRoot: string | undefined): string {
  const judged = results.filter((result): result is Judged => !('nothing' in result));
  const problems = judged.flatMap(({ file, problems: found, fixes }) =>
    found.map((problem) => ({ file, problem, fixes: fixes?.(problem) ?? [] })),
  );
  const codes = [...new Set(problems.map(({ problem }) => problem.code))].sort();
  const run = {
    tool: { driver: { name: 'IsoPerf', version, rules: codes.map((code) => rule(code, docsRoot)) } },
    columnKind: 'utf16CodeUnits',
    invocations: [
      {
        executionSuccessful: judged.length === results.length,
        toolExecutionNotifications: results.flatMap((result) =>
          'nothing' in result ? [{ level: 'error', message: { text: `${result.file} ${result.nothing}` } }] : [],
        ),
      },
    ],
    results: problems.map(({ file, problem, fixes }) => ({
      ruleId: problem.code,
      ruleIndex: codes.indexOf(problem.code),
      level: LEVELS[problem.severity],
      message: { text: sentence(problem) },
      locations: [{ physicalLocation: location(problem, file) }],
      ...(problem.related
        ? {
            relatedLocations: problem.related.map((place) => ({
              physicalLocation: location({ ...problem, range: place.range }, file),
              message: { text: legible(place.message) },
            })),
          }
        : {}),
      ...(fixes.length === 0 ? {} : { fixes: fixes.map((each) => sarifFix(each, file)) }),
    })),
  };
  return printed({ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] });
}

function sarifFix({ title, edits }: Fix, file: string): Record<string, unknown> {
  const { artifactLocation } = location({ range: undefined }, file);
  const replacements = edits.map(({ range, newText }) => ({
    deletedRegion: region(range),
    ...(newText === '' ? {} : { insertedContent: { text: newText } }),
  }));
  return { description: { text: `${legible(title)}.` }, artifactChanges: [{ artifactLocation, replacements }] };
}

function rule(code: string, docsRoot: string | undefined): Record<string, unknown> {
  const pitfall = pitfallByCode(code);
  const help = { text: `${pitfall ? `${pitfall.consequence} ${pitfall.remedy} ` : ''}See ${docsAnchor(code)}.` };
  const [page = '', anchor = ''] = docsAnchor(code).split('#');
  const helpUri = docsRoot === undefined ? undefined : `${pathToFileURL(path.join(docsRoot, page)).href}#${anchor}`;
  return {
    id: code,
    ...(pitfall ? { shortDescription: { text: pitfall.title } } : {}),
    help,
    ...(helpUri === undefined ? {} : { helpUri }),
  };
}

function sentence(problem: Problem): string {
  return legible(problem.remedy === undefined ? problem.message : `${problem.message} ${problem.remedy}`);
}

/** Lines and columns of SARIF count from 1; the end column is exclusive. */
function region(range: TextRange): Record<string, number> {
  return {
    startLine: range.startLine + 1,
    startColumn: range.startColumn + 1,
    endLine: range.endLine + 1,
    endColumn: range.endColumn + 1,
  };
}

interface Placed {
  readonly range?: TextRange | undefined;
  readonly file?: string | undefined;
}

function location({ range, file: other }: Placed, file: string): Record<string, unknown> {
  const uri = encodeURI((other ?? file).split(path.sep).join('/'));
  return { artifactLocation: { uri }, ...(range ? { region: region(range) } : {}) };
}

const COMMANDS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', information: 'notice' };

/** A workflow command of GitHub Actions: shown at the line in the diff of a pull request. */
function annotation(problem: Problem, file: string): string {
  const { range } = problem;
  const place = range && {
    line: range.startLine + 1,
    endLine: range.endLine + 1,
    // GitHub shows columns only for one line.
    ...(range.startLine === range.endLine ? { col: range.startColumn + 1, endColumn: range.endColumn + 1 } : {}),
  };
  const fields = { file: problem.file ?? file, ...place, title: problem.code };
  const parts = Object.entries(fields).map(([name, value]) => `${name}=${escaped(String(value), true)}`);
  return `::${COMMANDS[problem.severity]} ${parts.join(',')}::${escaped(sentence(problem), false)}\n`;
}

function escaped(value: string, property: boolean): string {
  const message = value.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  return property ? message.replaceAll(':', '%3A').replaceAll(',', '%2C') : message;
}
