// The command line of `isoperf compare`, read and checked.
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { ALIGNABLE, type Alignable } from '../comparability/align';
import type { DimensionId } from '../comparability/comparison';
import { comparisonFileText, parseComparisonFile, type ComparisonFile } from '../comparability/comparison-file';
import { parseCut, type WarmupCut } from '../comparability/cut';
import { INTENDABLE, isIntendable, NOT_INTENDABLE } from '../comparability/intendable';
import { DIMENSIONS } from '../comparability/dimensions';
import { GATE_CONDITIONS, parseThreshold, type GateCondition, type Threshold } from '../comparability/gate';
import { formatProblem } from '../problem';
import { UsageError } from './command';
import { parseOptions } from './options';

export const FORMATS = ['table', 'json', 'markdown'] as const;
export type Format = (typeof FORMATS)[number];

export interface CompareArguments {
  /** Folders of each side, the first first; of a saved comparison, its file alone in `a`. */
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly format: Format;
  /** Every number and all evidence, not the answer alone. */
  readonly all: boolean;
  readonly out: string | undefined;
  /** The view as one file. */
  readonly html: string | undefined;
  readonly save: string | undefined;
  readonly intended: readonly DimensionId[];
  readonly align: readonly Alignable[];
  readonly cut: WarmupCut | undefined;
  readonly interpolate: boolean;
  readonly stackA: string | undefined;
  readonly stackB: string | undefined;
  /** Undefined: the verdict decides. */
  readonly failOn: readonly GateCondition[] | undefined;
  readonly thresholds: readonly Threshold[];
  /** Equivalence bounds. */
  readonly margins: readonly Threshold[];
}

export function compareArguments(args: readonly string[], cwd: string): CompareArguments {
  const { values, positionals } = parseOptions({
    args: [...args],
    allowPositionals: true,
    options: {
      intended: { type: 'string', multiple: true },
      align: { type: 'string', multiple: true },
      cut: { type: 'string' },
      interpolate: { type: 'boolean' },
      comparison: { type: 'string' },
      format: { type: 'string' },
      json: { type: 'boolean' },
      all: { type: 'boolean' },
      out: { type: 'string' },
      html: { type: 'string' },
      save: { type: 'string' },
      'stack-a': { type: 'string' },
      'stack-b': { type: 'string' },
      'fail-on': { type: 'string', multiple: true },
      threshold: { type: 'string', multiple: true },
      margin: { type: 'string', multiple: true },
    },
  });
  const question = questionOf(values.comparison, positionals, cwd);
  const [nameA, nameB, ...more] = question ? [] : positionals;
  const saved = nameA !== undefined && nameB === undefined && nameA.endsWith('.json');
  if (!question && (nameA === undefined || (nameB === undefined && !saved) || more.length > 0)) {
    throw new UsageError(
      `two report folders are needed, or one comparison file (.yaml) or saved comparison (.json); ${positionals.length} given`,
    );
  }
  const limits = (option: string, texts: readonly string[]): Threshold[] =>
    texts.map((text) => {
      const parsed = parseThreshold(text);
      if (typeof parsed === 'string') throw new UsageError(`${option} ${text}: ${parsed}`);
      return parsed;
    });
  const given = limits('--threshold', words(values.threshold));
  const thresholds = given.length > 0 ? given : (question?.thresholds ?? []);
  const failOn =
    (values['fail-on'] && oneOf(words(values['fail-on']), GATE_CONDITIONS, '--fail-on', 'a condition')) ??
    question?.failOn;
  if (given.length > 0 && failOn?.includes('regression') !== true) {
    throw new UsageError('--threshold says what a regression is: it needs --fail-on regression');
  }
  if (values.save !== undefined && !/\.(?:ya?ml|json)$/.test(values.save)) {
    throw new UsageError(
      `--save ${values.save}: the ending says what is saved: .yaml the question, to be asked again; .json what was judged`,
    );
  }
  const cut = cutOf(values.cut) ?? question?.cut;
  const align = values.align ? alignments(words(values.align)) : (question?.align ?? []);
  const result: CompareArguments = {
    a: question?.a ?? folders(nameA!, cwd),
    b: question?.b ?? (nameB === undefined ? [] : folders(nameB, cwd)),
    format: formatOf(values.format, values.json === true, values.out),
    all: values.all === true,
    out: values.out,
    html: values.html,
    save: values.save,
    intended: values.intended ? intendedOf(words(values.intended)) : (question?.intended ?? []),
    // A cut is what aligning the warm-up does.
    align: cut && !align.includes('warmup-window') ? ['warmup-window', ...align] : align,
    cut,
    interpolate: values.interpolate ?? question?.interpolate ?? false,
    stackA: values['stack-a'] ?? question?.stackA,
    stackB: values['stack-b'] ?? question?.stackB,
    failOn,
    thresholds,
    margins: values.margin ? limits('--margin', words(values.margin)) : (question?.margins ?? []),
  };
  if (saved) refuseWithSaved(result);
  return result;
}

/** A comparison file, named by --comparison or alone; its folders become paths from here. */
function questionOf(
  named: string | undefined,
  positionals: readonly string[],
  cwd: string,
): ComparisonFile | undefined {
  const [alone, second] = positionals;
  const file =
    named ??
    (alone !== undefined && second === undefined && /\.ya?ml$/.test(alone) && !isFolder(alone, cwd)
      ? alone
      : undefined);
  if (file === undefined) return undefined;
  if (named !== undefined && positionals.length > 0) {
    throw new UsageError(`--comparison ${named} names both runs already: leave out ${positionals.join(' ')}`);
  }
  let text: string;
  try {
    text = readFileSync(path.resolve(cwd, file), 'utf8');
  } catch (error) {
    throw new UsageError(`the comparison file ${file} cannot be read: ${(error as Error).message}`);
  }
  const read = parseComparisonFile(text, file);
  if (!read.ok) throw new UsageError(read.problems.map((problem) => formatProblem(problem, file)).join('\n'));
  const folder = path.dirname(file);
  const from = (name: string): string => (path.isAbsolute(name) ? name : path.join(folder, name));
  const { a, b, stackA, stackB, ...rest } = read.value;
  return {
    ...rest,
    a: a.map(from),
    b: b.map(from),
    ...(stackA === undefined ? {} : { stackA: from(stackA) }),
    ...(stackB === undefined ? {} : { stackB: from(stackB) }),
  };
}

function isFolder(name: string, cwd: string): boolean {
  try {
    return statSync(path.resolve(cwd, name)).isDirectory();
  } catch {
    return false;
  }
}

function cutOf(text: string | undefined): WarmupCut | undefined {
  if (text === undefined) return undefined;
  const cut = parseCut(text);
  if (typeof cut === 'string') throw new UsageError(`--cut: ${cut}`);
  return cut;
}

/** The same question as a file at this place: folders are written relative to it. */
export function questionText(asked: CompareArguments, cwd: string): string {
  const folder = path.dirname(path.resolve(cwd, asked.save ?? '.'));
  const to = (name: string): string => path.relative(folder, path.resolve(cwd, name)) || '.';
  const { intended, align, cut, interpolate, failOn, thresholds, margins, stackA, stackB } = asked;
  return comparisonFileText({
    a: asked.a.map(to),
    b: asked.b.map(to),
    intended,
    align,
    ...(cut ? { cut } : {}),
    interpolate,
    ...(stackA === undefined ? {} : { stackA: to(stackA) }),
    ...(stackB === undefined ? {} : { stackB: to(stackB) }),
    ...(failOn ? { failOn } : {}),
    thresholds,
    ...(margins.length > 0 ? { margins } : {}),
  });
}

/** A saved comparison has no runs in it to judge anew. */
function refuseWithSaved({
  intended,
  align,
  interpolate,
  margins,
  stackA,
  stackB,
  save,
  html,
}: CompareArguments): void {
  const anew = [
    intended.length > 0 && '--intended',
    align.length > 0 && '--align, --cut',
    interpolate && '--interpolate',
    margins.length > 0 && '--margin',
    (stackA ?? stackB) !== undefined && '--stack-a, --stack-b',
    save !== undefined && '--save',
    html !== undefined && '--html',
  ].filter((option) => option !== false);
  if (anew.length > 0) {
    throw new UsageError(
      `${anew.join(', ')}: a saved comparison is shown as it was judged; name the two folders instead`,
    );
  }
}

/** "A1,A2" are repeats of one side, unless a folder has that very name. */
function folders(name: string, cwd: string): string[] {
  if (name !== '' && existsSync(path.resolve(cwd, name))) return [name];
  const parts = name
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length === 0) throw new UsageError(`'${name}' names no report folder`);
  return parts;
}

function words(lists: readonly string[] | undefined): string[] {
  const all = (lists ?? []).flatMap((list) => list.split(',').map((name) => name.trim()));
  return [...new Set(all.filter((name) => name !== ''))];
}

function alignments(asked: readonly string[]): readonly Alignable[] {
  return asked.includes('all') ? ALIGNABLE : oneOf(asked, ALIGNABLE, '--align', 'a dimension that can be aligned');
}

function intendedOf(asked: readonly string[]): DimensionId[] {
  const not = asked.find((name) => !isIntendable(name) && DIMENSIONS.some(({ id }) => id === name));
  if (not !== undefined) {
    throw new UsageError(`--intended ${not}: it ${NOT_INTENDABLE}. What can be: ${INTENDABLE.join(', ')}`);
  }
  return oneOf(asked, INTENDABLE, '--intended', 'a dimension that can be intended');
}

function oneOf<T extends string>(asked: readonly string[], known: readonly T[], option: string, what: string): T[] {
  return asked.map((name) => {
    const found = known.find((each) => each === name);
    if (found === undefined) {
      throw new UsageError(`${option} ${name} is no ${what.replace(/^an? /, '')}: it is one of ${known.join(', ')}`);
    }
    return found;
  });
}

function formatOf(asked: string | undefined, json: boolean, out: string | undefined): Format {
  if (json && asked !== undefined && asked !== 'json')
    throw new UsageError(`--json and --format ${asked} exclude each other`);
  if (json) return 'json';
  if (asked === undefined) {
    if (out?.endsWith('.json')) return 'json';
    return out?.endsWith('.md') ? 'markdown' : 'table';
  }
  const format = FORMATS.find((name) => name === asked);
  if (!format) throw new UsageError(`--format ${asked} is unknown: it is one of ${FORMATS.join(', ')}`);
  return format;
}
