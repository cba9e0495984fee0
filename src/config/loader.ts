// What inference-perf's own loader answers: the whole text as it stands, nothing of ours added.
import type { Problem, TextRange } from '../problem';
import { parseDocument, type YamlDocument } from './yaml/document';
import type { Config } from './model/schema';
import { has, NEWEST, type Target } from './model/target';
import { resolveAlias } from './yaml/tree';
import { judgeValues } from './model/values-of-version';
import { isObject } from '../own';

export interface LoaderVerdict {
  readonly accepts: boolean;
  /** What the loader holds against the text, in our words; warnings do not count. */
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
  if (isObject(value)) return undefined;
  const what = Array.isArray(value) ? 'a list' : 'a single value';
  return {
    code: 'CFG008',
    severity: 'error',
    path: [],
    message: `The top level of the file is ${what}; a config is a mapping of sections (load, data, server, ...).`,
    remedy: Array.isArray(value) ? "Remove the leading '- '." : 'Write sections such as `load:` and `server:`.',
  };
}

/** Releases before v0.5.0 stop at a file without any section. */
export function emptyProblem(value: unknown, target: Target): Problem | undefined {
  if (isObject(value) || has(target, 'v0.5.0')) return undefined;
  const message = `The file holds no section, and inference-perf ${target} stops at it; v0.5.0 and newer take it for an empty config.`;
  return {
    code: 'CFG008',
    severity: 'error',
    path: [],
    message,
    remedy: 'Write sections such as `load:` and `server:`.',
  };
}

export function withRange(problem: Problem, range: TextRange | undefined): Problem {
  return range === undefined ? problem : { ...problem, range };
}

/** Findings about a key are shown at the key, all others at the value. */
export function partOf(problem: Problem): 'key' | 'value' {
  return problem.code === 'CFG001' || problem.code === 'CFG016' ? 'key' : 'value';
}

/** What an inference-perf version's own loader answers for the whole text as it stands, placeholders and all. */
export function loaderVerdict(text: string, target: Target = NEWEST): LoaderVerdict {
  const document = parseDocument(text);
  const at = (problem: Problem): Problem => withRange(problem, document.range(problem.path, partOf(problem)));
  if (document.problems.some((problem) => problem.severity === 'error'))
    return { accepts: false, problems: document.problems };
  const values = orEmpty(document.value);
  const top = topLevelProblem(values) ?? emptyProblem(document.value, target);
  if (top) return { accepts: false, problems: [...document.problems, at(top)] };
  const bytes = binaryPath(document);
  if (bytes) return { accepts: false, problems: [...document.problems, at(bytes)] };
  const { accepts, findings, config } = judgeValues(values, target);
  const counted = findings.filter((finding) => has(target, finding.since)).map((finding) => at(finding.problem));
  const problems = [...document.problems, ...counted];
  return config && accepts ? { accepts, problems, config } : { accepts, problems };
}

/** The loader looks for {timestamp} in a storage path before it checks any type, and stops at bytes. */
function binaryPath(document: YamlDocument): Problem | undefined {
  for (const store of ['local_storage', 'google_cloud_storage', 'simple_storage_service']) {
    const path = ['storage', store, 'path'];
    const value = document.locate(path)?.value;
    if (!value || resolveAlias(value)?.tag !== 'tag:yaml.org,2002:binary') continue;
    const message = `${path.join('.')} is binary data, and the loader stops at it.`;
    return { code: 'CFG002', severity: 'error', path, message, remedy: 'Write it as text.' };
  }
  return undefined;
}
