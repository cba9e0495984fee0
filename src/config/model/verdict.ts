// What one inference-perf version holds against the values of a config: main's model, read as the version reads it.
import type * as z from 'zod';
import type { Problem } from '../../problem';
import { findingsOf, valueAt, type Finding } from './issues';
import { Placeholder } from './lax';
import { readAs, type ReleaseFinding } from './releases';
import { configSchema, configSchemaFor, type Config } from './schema';
import { loadShapeOf } from './schema/load';
import { has, type Target } from './target';

export interface Verdict {
  /** Would the loader of that version go on? Warnings do not count, nor checks that it does not have yet. */
  readonly accepts: boolean;
  /** Errors, and warnings about keys that are ignored. No ranges yet. */
  readonly findings: readonly Finding[];
  /** How many findings are not listed, because there are so many. */
  readonly more: number;
  /** The effective values; absent when main's model refuses them, whatever an older version thinks. */
  readonly config?: Config;
}

/** Judges the values of one config, placeholders marked or not. */
export function judgeValues(values: unknown, target: Target): Verdict {
  const reading = readAs(target, values);
  const { config, findings: refused, more } = judgedByModel(reading.values);
  const released = reading.findings.map(toFinding);
  const counts = (finding: Finding): boolean => finding.problem.severity === 'error' && has(target, finding.since);
  const findings = [...refused, ...released];
  return {
    accepts: !findings.some(counts),
    findings,
    more: more + reading.more,
    ...(config === undefined ? {} : { config }),
  };
}

interface Judged {
  readonly config?: Config;
  readonly findings: readonly Finding[];
  readonly more: number;
}

/**
 * The model's judgement. Of a config that it refuses, all three forms of the load section would be tried, each over all stages:
 * so the one that the type can mean is tried alone, which gives the same findings while they are few.
 */
function judgedByModel(values: unknown): Judged {
  const type = valueAt(values, ['load', 'type']);
  // What a placeholder will be nobody knows: any form may fit.
  const one = type instanceof Placeholder ? undefined : configSchemaFor(loadShapeOf(type)).safeParse(values);
  if (one?.success) return { config: one.data, findings: [], more: 0 };
  const issues = one && asOfUnion(one.error.issues);
  const few = issues && findingsOf(issues, values);
  if (few && !few.isCut) return few;
  const all = configSchema.safeParse(values);
  return all.success ? { config: all.data, findings: [], more: 0 } : findingsOf(all.error.issues, values);
}

type Issue = z.core.$ZodIssue;

/** Issues of the load section as the union of its forms reports them; undefined where it might report them otherwise. */
function asOfUnion(issues: readonly Issue[]): readonly Issue[] | undefined {
  const isOfLoad = ({ path }: Issue): boolean => path[0] === 'load';
  const first = issues.findIndex(isOfLoad);
  if (first < 0) return issues;
  const load = issues.filter(isOfLoad);
  // An issue that lets zod go on (too_small and the like) is reported by a union as it is.
  if (!load.every(({ code }) => ENDING.has(code))) return undefined;
  const errors = [load.map((issue) => ({ ...issue, path: issue.path.slice(1) }))];
  const union = { code: 'invalid_union', path: ['load'], errors, message: 'Invalid input' } as unknown as Issue;
  return [...issues.slice(0, first), union, ...issues.slice(first).filter((issue) => !isOfLoad(issue))];
}

const ENDING: ReadonlySet<string> = new Set([
  'custom',
  'unrecognized_keys',
  'invalid_type',
  'invalid_union',
  'invalid_key',
]);

const CODES = { ignored: 'CFG016', word: 'CFG005', shape: 'CFG002' } as const;

function toFinding({ kind, path, message, remedy, fix }: ReleaseFinding): Finding {
  const severity = kind === 'ignored' ? 'warning' : 'error';
  const problem: Problem = { code: CODES[kind], severity, path, message, remedy };
  return { problem, rule: kind, ...(fix === undefined ? {} : { fix }) };
}
