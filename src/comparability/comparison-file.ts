// A comparison as a question, to be asked again: which runs, what was meant to change, how both sides are made alike, what fails.
// Kept beside the reports (comparison.yaml); the command line and the view read and write the same file.
import * as z from 'zod';
import { parseDocument } from '../config/yaml/document';
import { nearest } from '../config/model/suggest';
import { formatPath, type ConfigPath, type Problem, type Result } from '../problem';
import { toYaml } from '../folder/write-yaml';
import { ALIGNABLE, type Alignable } from './align';
import type { DimensionId } from './comparison';
import { parseCut, type WarmupCut } from './cut';
import { INTENDABLE, NOT_INTENDABLE } from './intendable';
import { GATE_CONDITIONS, parseThreshold, type GateCondition, type Threshold } from './gate';
import { own } from '../own';

export interface ComparisonFile {
  /** Folders or result files of each side as they are written, the first first; further ones are repeats. */
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly intended: readonly DimensionId[];
  readonly align: readonly Alignable[];
  readonly cut?: WarmupCut;
  readonly interpolate: boolean;
  readonly stackA?: string;
  readonly stackB?: string;
  readonly failOn?: readonly GateCondition[];
  readonly thresholds: readonly Threshold[];
  /** Equivalence bounds. */
  readonly margins?: readonly Threshold[];
}

const runs = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);
const either = <T extends z.ZodType>(one: T) => z.union([one, z.array(one)]);

/** Strict: a key that is misspelt is an error, not a comparison that means something else. */
export const comparisonFileSchema = z.strictObject({
  a: runs.meta({ description: 'Report folder of A, or a list: repeats. Relative to this file.' }),
  b: runs.meta({ description: 'Report folder of B, or a list.' }),
  intended: either(z.enum(INTENDABLE))
    .optional()
    .meta({ description: 'The one change under test: a difference there confounds nothing.' }),
  align: either(z.enum([...ALIGNABLE, 'all']))
    .optional()
    .meta({ description: 'Recompute both sides alike in these, where their records allow it.' }),
  cut: z
    .union([z.string(), z.number()])
    .optional()
    .meta({ description: 'What aligning warm-up leaves out of both windows: 50 (requests), 30s, auto (MSER-5).' }),
  interpolate: z
    .boolean()
    .optional()
    .meta({ description: 'Show loads that only one side has against interpolated values.' }),
  'stack-a': z.string().optional().meta({ description: 'What served A: a stack.yaml, relative to this file.' }),
  'stack-b': z.string().optional(),
  'fail-on': either(z.enum(GATE_CONDITIONS)).optional().meta({ description: 'What fails a build.' }),
  thresholds: either(z.string())
    .optional()
    .meta({ description: 'With fail-on regression: ttft.p95=5%, tpot.mean=0.5ms, ...' }),
  margins: either(z.string())
    .optional()
    .meta({ description: 'Bounds inside which repeats are equivalent: ttft.p95=5%, ...' }),
});

const KEYS = Object.keys(comparisonFileSchema.shape);

/** Problems: REP130 (no YAML or JSON mapping), REP131 (a key or value that means nothing here). @param name for messages */
export function parseComparisonFile(text: string, name: string): Result<ComparisonFile> {
  const document = parseDocument(text);
  const { value } = document;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const why = document.problems[0]?.message ?? 'it is no mapping of keys';
    return { ok: false, problems: [problem('REP130', [], `${name} is no comparison file: ${why}`, REMEDY)] };
  }
  const at = (path: ConfigPath): Pick<Problem, 'range'> => {
    const range = document.range(path, 'value');
    return range ? { range } : {};
  };
  const read = comparisonFileSchema.safeParse(value);
  const problems = read.success
    ? []
    : read.error.issues.map((issue) => ({ ...issueOf(issue, value), ...at(placeOf(issue)) }));
  if (!read.success) return { ok: false, problems };
  const { data } = read;
  const cut = data.cut === undefined ? undefined : parseCut(String(data.cut));
  if (typeof cut === 'string') problems.push({ ...problem('REP131', ['cut'], cut), ...at(['cut']) });
  const thresholds = list(data.thresholds).map(parseThreshold);
  thresholds.forEach((threshold, i) => {
    const path = Array.isArray(data.thresholds) ? ['thresholds', i] : ['thresholds'];
    if (typeof threshold === 'string') problems.push({ ...problem('REP131', path, threshold), ...at(path) });
  });
  const margins = list(data.margins).map(parseThreshold);
  margins.forEach((margin, i) => {
    const path = Array.isArray(data.margins) ? ['margins', i] : ['margins'];
    if (typeof margin === 'string') problems.push({ ...problem('REP131', path, margin), ...at(path) });
  });
  const failOn = data['fail-on'] === undefined ? undefined : list(data['fail-on']);
  if (thresholds.length > 0 && failOn?.includes('regression') !== true) {
    const words = 'thresholds say what a regression is, but fail-on does not hold regression';
    problems.push({ ...problem('REP131', ['thresholds'], words, 'Add fail-on: regression.'), ...at(['thresholds']) });
  }
  if (problems.length > 0) return { ok: false, problems };
  const align = list(data.align);
  return {
    ok: true,
    problems: [],
    value: {
      a: list(data.a),
      b: list(data.b),
      intended: list(data.intended),
      align: ALIGNABLE.filter((id) => align.includes('all') || align.includes(id)),
      ...(typeof cut === 'object' ? { cut } : {}),
      interpolate: data.interpolate ?? false,
      ...(data['stack-a'] === undefined ? {} : { stackA: data['stack-a'] }),
      ...(data['stack-b'] === undefined ? {} : { stackB: data['stack-b'] }),
      ...(failOn ? { failOn } : {}),
      thresholds: thresholds.filter((threshold) => typeof threshold !== 'string'),
      ...(margins.length > 0 ? { margins: margins.filter((margin) => typeof margin !== 'string') } : {}),
    },
  };
}

const REMEDY = 'Write at least "a: FOLDER" and "b: FOLDER"; isoperf schema comparison-file has all keys.';

function list<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

function problem(code: string, path: ConfigPath, message: string, remedy?: string): Problem {
  return { code, severity: 'error', path, message, ...(remedy === undefined ? {} : { remedy }) };
}

type Issue = z.core.$ZodIssue;

/** Where it stands: of an unknown key, the key itself. */
function placeOf(issue: Issue): ConfigPath {
  const path = issue.path.filter((step) => typeof step !== 'symbol');
  return issue.code === 'unrecognized_keys' ? [...path, issue.keys[0]!] : path;
}

function issueOf(issue: Issue, whole: object): Problem {
  const path = placeOf(issue);
  const name = formatPath(path);
  if (issue.code === 'unrecognized_keys') {
    const meant = nearest(String(path.at(-1)), KEYS);
    const remedy = meant === undefined ? `The keys are ${KEYS.join(', ')}.` : `Did you mean ${meant}?`;
    return problem('REP131', path, `'${name}' is no key of a comparison file`, remedy);
  }
  if (path.length === 1 && !Object.hasOwn(whole, path[0]!)) {
    return problem('REP131', path, `'${name}' is missing: a comparison needs both runs`, REMEDY);
  }
  const known = own(KNOWN, String(path[0]));
  return problem('REP131', path, `'${name}' has a value that means nothing here`, known && `It is ${known}.`);
}

const KNOWN: Readonly<Record<string, string>> = {
  a: 'a folder, or a list of folders',
  b: 'a folder, or a list of folders',
  intended: `one of ${INTENDABLE.join(', ')}, or a list of them: what else differs ${NOT_INTENDABLE}`,
  align: `all, or of ${ALIGNABLE.join(', ')}`,
  'fail-on': `of ${GATE_CONDITIONS.join(', ')}`,
  thresholds: 'a limit such as ttft.p95=5%, or a list of them',
  margins: 'a bound such as ttft.p95=5%, or a list of them',
  interpolate: 'true or false',
};

/** As a user would write it: what is not set is left out, what is one is no list. */
export function comparisonFileText(file: ComparisonFile): string {
  const one = (values: readonly string[]): unknown => (values.length === 1 ? values[0] : [...values]);
  const some = (key: string, values: readonly string[] | undefined): Record<string, unknown> =>
    values === undefined || values.length === 0 ? {} : { [key]: one(values) };
  const { cut } = file;
  const yaml = toYaml({
    a: one(file.a),
    b: one(file.b),
    ...some('intended', file.intended),
    ...some('align', file.align),
    ...(cut === undefined ? {} : { cut: cut.text }),
    ...(file.interpolate ? { interpolate: true } : {}),
    ...some('stack-a', file.stackA === undefined ? [] : [file.stackA]),
    ...some('stack-b', file.stackB === undefined ? [] : [file.stackB]),
    ...some('fail-on', file.failOn),
    ...some(
      'thresholds',
      file.thresholds.map(({ text }) => text),
    ),
    ...some(
      'margins',
      file.margins?.map(({ text }) => text),
    ),
  });
  return `# A comparison of two benchmark runs: isoperf compare THIS-FILE, or open it in VS Code. Folders are relative to this file.\n${yaml}`;
}
