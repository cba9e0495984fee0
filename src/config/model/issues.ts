// From zod's issues to problems: one sentence per mistake, at its place, with the remedy.
import type * as z from 'zod';
import { formatPath, type ConfigPath, type Problem } from '../../problem';
import { fieldAt } from './fields';
import { describe, isForeign, kindOf, NON_STRING_KEY, type IssueParams, type Rule } from './lax';
import { isSecretPath, withoutCredentials } from '../secrets';
import { adviseKey, nearest } from './suggest';

type Issue = z.core.$ZodIssue;

const RULE_CODES: Readonly<Record<Rule, string>> = {
  missing: 'CFG003',
  type: 'CFG002',
  parse: 'CFG002',
  fraction: 'CFG002',
  finite: 'CFG002',
  limit: 'CFG004',
  enum: 'CFG005',
  url: 'CFG002',
  'cross-field': 'CFG006',
};

/** What a problem's fix needs to know, beside the text of its remedy. */
export interface KeyFix {
  readonly rename?: string;
  readonly moveTo?: ConfigPath;
  /** What to write instead of the value, as YAML. */
  readonly value?: string;
  /** The value is near what stands there, and not the same: the author should look. */
  readonly isGuess?: boolean;
  /** The value is empty and may be left out: the default applies. */
  readonly leaveOut?: boolean;
}

export interface ModelIssue {
  readonly problem: Problem;
  readonly rule: Rule | 'unknown-key' | 'shape' | 'ignored' | 'newer' | 'word' | 'sum';
  /** First release that makes this check; absent: all of them do. */
  readonly since?: string;
  /** Of values that do not go together: their keys below the path, dotted. */
  readonly between?: readonly string[];
  readonly fix?: KeyFix;
}

const MAX_FINDINGS = 50;

/** Problems of one validation, in the document's order of paths, no ranges yet. */
export function findingsOf(
  issues: readonly Issue[],
  values: unknown,
): { readonly findings: readonly ModelIssue[]; readonly more: number } {
  const loadType = valueAt(values, ['load', 'type']);
  // A type that nobody knows is judged as an open loop: its keys have names all the same.
  const words = fieldAt(['load', 'type'])?.enumValues ?? {};
  const type = typeof loadType !== 'string' ? undefined : Object.hasOwn(words, loadType) ? loadType : 'constant';
  const found: ModelIssue[] = [];
  let total = 0;
  for (const issue of issues) {
    total += countOf(issue);
    // A text that is wrong in so many places is wrong in one way; saying it more often costs time and helps nobody.
    if (found.length < MAX_FINDINGS) found.push(...convert(issue, [], values, type));
  }
  const findings = found.filter((finding) => !insideForeign(finding.problem.path, values));
  return { findings, more: found.length >= MAX_FINDINGS ? Math.max(0, total - found.length) : 0 };
}

/** How many findings an issue stands for; of a union's branches the one with the fewest counts. */
function countOf(issue: Issue): number {
  if (issue.code === 'unrecognized_keys') return issue.keys.length;
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return 1;
  return Math.min(...issue.errors.map((branch) => branch.reduce((sum, inner) => sum + countOf(inner), 0)));
}

/** A date where a section belongs has no keys: one problem says so, and what it lacks is no news. */
function insideForeign(path: ConfigPath, values: unknown): boolean {
  return path.some((_step, depth) => isForeign(valueAt(values, path.slice(0, depth))));
}

export function valueAt(values: unknown, path: ConfigPath): unknown {
  let current = values;
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = (current as Record<string | number, unknown>)[key];
  }
  return current;
}

function convert(issue: Issue, prefix: ConfigPath, values: unknown, loadType: string | undefined): ModelIssue[] {
  const path = [...prefix, ...(issue.path as (string | number)[])];
  const name = displayName(path);
  switch (issue.code) {
    case 'unrecognized_keys':
      if (isForeign(valueAt(values, path))) return [shape(path, 'object', values)];
      return issue.keys.slice(0, MAX_FINDINGS).map((key) => unknownKey(key, path, loadType));
    case 'invalid_union':
      return pickBranch(issue.errors, path, values, loadType);
    case 'invalid_type':
      return [shape(path, issue.expected, values)];
    case 'invalid_key':
      return issue.issues.flatMap((inner) => convert(inner, path.slice(0, -1), values, loadType));
    case 'too_small':
      return [make('CFG004', 'limit', path, `${name} must not be empty.`)];
    case 'custom': {
      const params = issue.params as IssueParams | undefined;
      const rule = params?.rule ?? 'cross-field';
      const guess = rule === 'enum' ? nearestWord(path, values, loadType) : undefined;
      const remedy = params?.remedy ?? (guess === undefined ? undefined : `Did you mean '${guess}'?`);
      const value = valueAt(values, path);
      const said = isSecretPath(path) && rule === 'type' ? `must be text, and is ${kindOf(value)}.` : issue.message;
      const words = path.length === 0 ? said : `${name} ${withoutCredentials(said)}`;
      const finding = make(
        RULE_CODES[rule],
        rule,
        path,
        words,
        remedy,
        valueFix(guess, params, path, values, loadType),
      );
      const { since, between } = params ?? {};
      return [{ ...finding, ...(since === undefined ? {} : { since }), ...(between === undefined ? {} : { between }) }];
    }
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_value':
    case 'not_multiple_of':
    case 'too_big':
      return [make('CFG002', 'type', path, `${name}: ${issue.message}.`)];
  }
}

function displayName(path: ConfigPath): string {
  return path.length === 0 ? 'The config' : formatPath(path);
}

function make(
  code: string,
  rule: ModelIssue['rule'],
  path: ConfigPath,
  message: string,
  remedy?: string,
  fix?: KeyFix,
): ModelIssue {
  const base: Problem = { code, severity: 'error', path, message };
  return {
    problem: remedy === undefined ? base : { ...base, remedy },
    rule,
    ...(fix === undefined ? {} : { fix }),
  };
}

/** Other names of the same thing. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ['gaussian', 'normal'],
  ['gauss', 'normal'],
  ['log_normal', 'lognormal'],
  ['completions', 'completion'],
  ['chat_completions', 'chat'],
]);

function nearestWord(path: ConfigPath, values: unknown, loadType: string | undefined): string | undefined {
  const value = valueAt(values, path);
  if (typeof value !== 'string') return undefined;
  const words = Object.keys(fieldAt(path, loadType)?.enumValues ?? {});
  const same = OTHER_WORDS.get(value.toLowerCase());
  return same !== undefined && words.includes(same) ? same : nearest(value, words);
}

/** The one value that mends the mistake, when there is one. */
function valueFix(
  guess: string | undefined,
  params: IssueParams | undefined,
  path: ConfigPath,
  values: unknown,
  loadType: string | undefined,
): KeyFix | undefined {
  if (guess !== undefined) return { value: guess };
  const value = valueAt(values, path);
  if (value === null) return fieldAt(path, loadType)?.required === false ? { leaveOut: true } : undefined;
  if (params?.meant !== undefined) return { value: params.meant };
  if (typeof value === 'number' && params?.rule === 'fraction')
    return { value: String(Math.round(value)), isGuess: true };
  // 1,000: no reader of YAML takes the comma for a thousand.
  if (typeof value === 'string' && params?.rule === 'parse' && /^\d{1,3}(?:,\d{3})+$/.test(value))
    return { value: value.replaceAll(',', '') };
  return undefined;
}

function unknownKey(key: string, parent: ConfigPath, loadType: string | undefined): ModelIssue {
  if (key.startsWith(NON_STRING_KEY)) {
    const shown = key.slice(NON_STRING_KEY.length);
    const message = `The key ${shown} ${place(parent)} is not text (YAML reads it as a value), and inference-perf does not know it.`;
    return make('CFG001', 'unknown-key', [...parent, key], message, 'Remove it, or put it in quotes.');
  }
  const alias = fieldAt([...parent, key], loadType);
  if (alias !== undefined) {
    // Known, yet unrecognised: both spellings of one field are given.
    const message = `'${key}' and '${otherSpelling(alias.aliases, key, parent)}' are two names of one field, and both are given ${place(parent)}.`;
    return make('CFG006', 'unknown-key', [...parent, key], message, 'Keep one of them.');
  }
  const advice = adviseKey(key, parent, loadType);
  const session = loadType === 'trace_session_replay' && parent[1] === 'stages';
  const others = session ? '' : '; releases up to v0.6.1 ignore it in silence';
  const { rename, moveTo, remedy, since } = advice ?? {};
  const why = since === undefined ? others : `: ${since}`;
  const message = `inference-perf does not know '${key}' ${place(parent)} and stops${why}.`;
  const fix = { ...(rename === undefined ? {} : { rename }), ...(moveTo === undefined ? {} : { moveTo }) };
  return make('CFG001', 'unknown-key', [...parent, key], message, remedy ?? 'Remove it.', fix);
}

const OTHER_SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['num_unique_system_prompts', 'num_groups'],
  ['num_users_per_system_prompt', 'num_prompts_per_group'],
]);

function otherSpelling(aliases: readonly string[] | undefined, key: string, parent: ConfigPath): string {
  return OTHER_SPELLINGS.get(key) ?? aliases?.[0] ?? formatPath([...parent, key]);
}

function place(parent: ConfigPath): string {
  return parent.length === 0 ? 'at the top level' : `under ${formatPath(parent)}`;
}

/** A mapping or list was wanted and something else stands there. */
function shape(path: ConfigPath, expected: string, values: unknown): ModelIssue {
  const value = valueAt(values, path);
  const name = displayName(path);
  const what = expected === 'array' ? 'a list' : 'a mapping';
  if (value === undefined) return make('CFG003', 'missing', path, `${name} is required.`);
  if (value === null) {
    const message = `${name} is written without a value, which sets it to null; it must be ${what}.`;
    return make('CFG007', 'shape', path, message, 'Fill it in, or remove the key to get the defaults.');
  }
  const remedy =
    formatPath(path) === 'api' && typeof value === 'string'
      ? `Write 'api: {type: ${value}}'; the plain word is an old spelling.`
      : expected === 'array'
        ? 'Write it as a list, e.g. with "- " before each entry.'
        : undefined;
  const fix = formatPath(path) === 'api' && typeof value === 'string' ? { value: `{ type: ${value} }` } : undefined;
  return make('CFG002', 'shape', path, `${name} must be ${what}, and is ${describe(value)}.`, remedy, fix);
}

/** Of a union's branches, the one the user meant: by the `type` key, else by the kind of value. */
function pickBranch(
  branches: readonly (readonly Issue[])[],
  path: ConfigPath,
  values: unknown,
  loadType: string | undefined,
): ModelIssue[] {
  const value = valueAt(values, path);
  if (value === undefined) return [make('CFG003', 'missing', path, `${displayName(path)} is required.`)];
  if (branches.length === 0) return [make('CFG002', 'type', path, `${displayName(path)} is not valid.`)];
  const isRoot = (issue: Issue): boolean => issue.path.length === 0;
  const isType = (issue: Issue): boolean => issue.path.length === 1 && issue.path[0] === 'type';
  const ruleOf = (issue: Issue): unknown => (issue.code === 'custom' ? issue.params?.['rule'] : undefined);
  const wrongKind = (issue: Issue): boolean =>
    isRoot(issue) &&
    (issue.code === 'invalid_type' ||
      ruleOf(issue) === 'type' ||
      (ruleOf(issue) === 'enum' && typeof value !== 'string'));
  const fitting = branches.filter((branch) => !branch.some(wrongKind));
  const typed = fitting.filter((branch) => !branch.some(isType));
  const chosen = typed[0] ?? fitting[0];
  if (chosen) return chosen.slice(0, MAX_FINDINGS).flatMap((issue) => convert(issue, path, values, loadType));
  const wanted = fieldAt(path, loadType)?.types.join(' or ') ?? 'something else';
  return [make('CFG002', 'type', path, `${displayName(path)} must be ${wanted}, and is ${describe(value)}.`)];
}
