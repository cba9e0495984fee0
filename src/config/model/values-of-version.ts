// What one inference-perf version holds against the values of a config: the newest model, read as the version reads it.
import type { Problem } from '../../problem';
import { findingsOf, valueAt, type ModelIssue } from './issues';
import { Placeholder } from './lax';
import { readAs, type ReleaseFinding } from './releases';
import { configSchemaFor, type Config } from './schema';
import { LOAD_SHAPES, loadShapeOf, type LoadShape } from './schema/load';
import { has, type Target } from './target';

export interface Judgement {
  /** Would the loader of that version go on? Warnings do not count, nor checks that it does not have yet. */
  readonly accepts: boolean;
  /** Errors, and warnings about keys that are ignored. No ranges yet. */
  readonly findings: readonly ModelIssue[];
  /** How many findings are not listed, because there are so many. */
  readonly more: number;
  /** The effective values; absent when the newest model refuses them, whatever an older version thinks. */
  readonly config?: Config;
}

/** Judges the values of one config, placeholders marked or not. */
export function judgeValues(values: unknown, target: Target): Judgement {
  const reading = readAs(target, values);
  const { config, findings: refused, more } = judgedByModel(reading.values);
  const released = reading.findings.map(toFinding);
  const counts = (finding: ModelIssue): boolean => finding.problem.severity === 'error' && has(target, finding.since);
  const findings = [...refused, ...released];
  return {
    accepts: !findings.some(counts),
    findings,
    more: more + reading.more,
    ...(config === undefined ? {} : { config }),
  };
}

/** The model's judgement by the one form of the load section that the type can mean; of a placeholder nobody knows, so any may fit. */
function judgedByModel(values: unknown): Omit<Judgement, 'accepts'> {
  const type = valueAt(values, ['load', 'type']);
  const forms: readonly LoadShape[] = type instanceof Placeholder ? LOAD_SHAPES : [loadShapeOf(type)];
  const answers = forms.map((form) => configSchemaFor(form).safeParse(values));
  const fitting = answers.find((answer) => answer.success);
  if (fitting) return { config: fitting.data, findings: [], more: 0 };
  const { findings, more } = findingsOf(answers[0]!.error!.issues, values);
  return { findings, more };
}

const CODES = { ignored: 'CFG016', newer: 'CFG001', word: 'CFG005', shape: 'CFG002', sum: 'CFG006' } as const;

function toFinding({ kind, path, message, remedy, fix }: ReleaseFinding): ModelIssue {
  const severity = kind === 'ignored' ? 'warning' : 'error';
  const problem: Problem = { code: CODES[kind], severity, path, message, remedy };
  return { problem, rule: kind, ...(fix === undefined ? {} : { fix }) };
}
