// What one inference-perf version holds against the values of a config: main's model, read as the version reads it.
import type { Problem } from '../problem';
import { findingsOf, type Finding } from './issues';
import { readAs, type ReleaseFinding } from './releases';
import { configSchema, type Config } from './schema';
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
  const result = configSchema.safeParse(reading.values);
  const released = reading.findings.map(toFinding);
  const { findings: refused, more } = result.success
    ? { findings: [], more: 0 }
    : findingsOf(result.error.issues, reading.values);
  const counts = (finding: Finding): boolean => finding.problem.severity === 'error' && has(target, finding.since);
  const findings = [...refused, ...released];
  return {
    accepts: !findings.some(counts),
    findings,
    more: more + reading.more,
    ...(result.success ? { config: result.data } : {}),
  };
}

const CODES = { ignored: 'CFG016', word: 'CFG005', shape: 'CFG002' } as const;

function toFinding({ kind, path, message, remedy, fix }: ReleaseFinding): Finding {
  const severity = kind === 'ignored' ? 'warning' : 'error';
  const problem: Problem = { code: CODES[kind], severity, path, message, remedy };
  return { problem, rule: kind, ...(fix === undefined ? {} : { fix }) };
}
