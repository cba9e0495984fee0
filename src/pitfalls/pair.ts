// What pitfalls between two runs are looked for in: both sides with their configs and reports, and the questions several of them ask.
import { jsonText } from '../figures';
import type { StackRecord } from '../folder/stack';
import type { ConfigPath } from '../problem';
import { type CanonicalReport, type Definition, type QuantityId, measureOf } from '../readers/canonical';
import type { Run } from '../readers/run';
import type { PitfallCode } from './code';

/** One side of a comparison. */
export interface Facts {
  readonly run: Run;
  readonly report: CanonicalReport;
  /** Value at a path of what ran, as its config or another tool's file says; undefined when not recorded. */
  readonly setting: (path: ConfigPath) => unknown;
  readonly stack: StackRecord | undefined;
  /** The model that the stack record says was served. */
  readonly servedModel: string | undefined;
  /** Where its address lies: 'this machine', 'inside a cluster', ... */
  readonly place: string | undefined;
}

interface SentStage {
  readonly scheduleHash: string | undefined;
  /** From the first send to the last. */
  readonly sendSeconds: number | undefined;
}

/** What the comparison found of one dimension. */
interface Difference {
  readonly dimension: string;
  readonly state: string;
  readonly message: string;
  readonly pitfall?: string;
  readonly changes?: readonly string[];
}

export interface Pair {
  readonly a: Facts;
  readonly b: Facts;
  readonly findings: readonly Difference[];
  /** Stages that are compared with each other. */
  readonly stages: readonly { readonly sameLoad: boolean; readonly a: SentStage; readonly b: SentStage }[];
  /** Runs of each side, the first one counted. */
  readonly runs: { readonly a: number; readonly b: number };
}

/** The words of a sighting, or nothing. */
export type Between = (pair: Pair, code: PitfallCode) => string | undefined;

export type Path = readonly string[];

export function value({ setting }: Facts, path: Path): unknown {
  return setting(path) ?? undefined;
}

export function text(facts: Facts, path: Path): string | undefined {
  const found = value(facts, path);
  return typeof found === 'string' ? found : undefined;
}

export function shown(found: unknown): string {
  return found === undefined ? 'not set' : typeof found === 'string' ? found : jsonText(found);
}

/** "x on A, y on B" where both configs are recorded and differ there. */
export function differs(pair: Pair, path: Path): string | undefined {
  if (!pair.a.run.config || !pair.b.run.config) return undefined;
  const [x, y] = [value(pair.a, path), value(pair.b, path)];
  if (jsonText(x) === jsonText(y)) return undefined;
  return `${path.join('.')} is ${shown(x)} on A and ${shown(y)} on B`;
}

/** It differs, declared or not. */
const isApart = ({ state }: Difference): boolean => state === 'confounds' || state === 'intended';

export function apart(pair: Pair, dimension: string): Difference | undefined {
  return pair.findings.find((finding) => finding.dimension === dimension && isApart(finding));
}

/** A finding of this pitfall says it already. */
export const told: Between = ({ findings }, code) => {
  const own = findings.filter((finding) => finding.pitfall === code && isApart(finding));
  return own.length === 0 ? undefined : own.map(({ message }) => message.replace(/\.$/, '')).join('; ');
};

export function sides({ a, b }: Pair): readonly (readonly ['A' | 'B', Facts])[] {
  return [
    ['A', a],
    ['B', b],
  ];
}

/** "A", "B" or "A and B": the sides of which something is true. */
export function where(pair: Pair, is: (facts: Facts) => boolean): string | undefined {
  const names = sides(pair).flatMap(([name, facts]) => (is(facts) ? [name] : []));
  return names.length === 0 ? undefined : names.join(' and ');
}

export const dataTypeOf = (facts: Facts): string | undefined =>
  facts.run.manifest?.workload.dataType ?? text(facts, ['data', 'type']);
export const isInferencePerf = ({ run }: Facts): boolean => run.tool.name === 'inference-perf';
/** Of inference-perf only: "v0.5.0", ...; main has no number. */
export const versionBefore6 = (facts: Facts): boolean =>
  isInferencePerf(facts) && /^v0\.[1-5]/.test(facts.report.versionClass.name);
export const readable = (facts: Facts): boolean => isInferencePerf(facts) && facts.report.versionClass.name !== '';

export function definitionOf({ report }: Facts, quantity: QuantityId): Definition | undefined {
  return report.scopes.map((scope) => measureOf(scope, quantity)?.definition).find((found) => found !== undefined);
}

/** "x on A, y on B" for the first quantity whose definitions both say it, and say it differently. */
export function defined(
  pair: Pair,
  quantities: readonly QuantityId[],
  aspect: 'anchor' | 'percentiles' | 'weighting',
): string | undefined {
  for (const quantity of quantities) {
    const [x, y] = [definitionOf(pair.a, quantity)?.[aspect], definitionOf(pair.b, quantity)?.[aspect]];
    if (x !== undefined && y !== undefined && x !== y)
      return `${x.replaceAll('-', ' ')} on A, ${y.replaceAll('-', ' ')} on B`;
  }
  return undefined;
}

export const DISTRIBUTIONS: readonly Path[] = [
  ['data', 'input_distribution'],
  ['data', 'output_distribution'],
  ...['question_len', 'output_len', 'system_prompt_len', 'question_distribution', 'output_distribution'].map((key) => [
    'data',
    'shared_prefix',
    key,
  ]),
  ...['input_tokens_per_turn', 'output_tokens_per_turn'].map((key) => ['data', 'conversation_replay', key]),
];

/** Types of the distributions that the data type draws from. */
export function lawsOfLength(facts: Facts): readonly string[] {
  const type = dataTypeOf(facts) ?? '';
  const own = type === 'random' || type === 'synthetic' ? 2 : 3;
  return DISTRIBUTIONS.filter((path) => path.length === own && (own === 2 || path[1] === type)).flatMap(
    (path) => text(facts, [...path, 'type']) ?? [],
  );
}

export const presampled = (facts: Facts): boolean => ['random', 'synthetic'].includes(dataTypeOf(facts) ?? '');

export const sampled = (facts: Facts): boolean =>
  ['shared_prefix', 'conversation_replay'].includes(dataTypeOf(facts) ?? '');
