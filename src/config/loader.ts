// What inference-perf main's own loader answers: the whole text as it stands, nothing of ours added.
import type { Problem, TextRange } from '../problem';
import { parseDocument } from './document';
import { findingsOf } from './issues';
import { configSchema, type Config } from './schema';

export interface LoaderVerdict {
  readonly accepts: boolean;
  /** What main's loader holds against the text, in our words; warnings do not count. */
  readonly problems: readonly Problem[];
  /** The effective values when accepted. */
  readonly config?: Config;
}

/** Python's `yaml.safe_load(...) or {}`: an empty list or a zero counts as an empty config, too. */
export function orEmpty(value: unknown): unknown {
  const empty =
    value === null ||
    value === false ||
    value === 0 ||
    value === 0n ||
    value === '' ||
    (Array.isArray(value) && value.length === 0);
  return empty ? {} : value;
}

export function topLevelProblem(value: unknown): Problem | undefined {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return undefined;
  const what = Array.isArray(value) ? 'a list' : 'a single value';
  return {
    code: 'CFG008',
    severity: 'error',
    path: [],
    message: `The top level of the file is ${what}; a config is a mapping of sections (load, data, server, ...).`,
    remedy: Array.isArray(value) ? "Remove the leading '- '." : 'Write sections such as `load:` and `server:`.',
  };
}

export function withRange(problem: Problem, range: TextRange | undefined): Problem {
  return range === undefined ? problem : { ...problem, range };
}

/** What inference-perf main's own loader answers for the whole text as it stands, placeholders and all. */
export function loaderVerdict(text: string): LoaderVerdict {
  const document = parseDocument(text);
  const at = (problem: Problem): Problem =>
    withRange(problem, document.range(problem.path, problem.code === 'CFG001' ? 'key' : 'value'));
  if (document.problems.some((problem) => problem.severity === 'error'))
    return { accepts: false, problems: document.problems };
  const values = orEmpty(document.value);
  const top = topLevelProblem(values);
  if (top) return { accepts: false, problems: [...document.problems, at(top)] };
  const result = configSchema.safeParse(values);
  if (result.success) return { accepts: true, problems: document.problems, config: result.data };
  const found = findingsOf(result.error.issues, values).map((finding) => at(finding.problem));
  return { accepts: false, problems: [...document.problems, ...found] };
}
