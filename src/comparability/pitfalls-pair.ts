// What pitfalls between two runs are looked for in: both sides with their configs and reports, and the questions all of them ask.
import { measureOf, type CanonicalReport, type Definition, type QuantityId } from '../readers/canonical';
import type { DimensionId, Finding } from './comparison';
import type { Context } from './dimension';
import { configValue, type Side } from './side';

export interface Pair {
  readonly context: Context;
  readonly a: Facts;
  readonly b: Facts;
  readonly findings: readonly Finding[];
  /** Runs of each side, the first one counted. */
  readonly runs: { readonly a: number; readonly b: number };
}

export interface Facts {
  readonly side: Side;
  readonly report: CanonicalReport;
}

/** The words of a sighting, or nothing. */
export type Between = (pair: Pair) => string | undefined;

export type Path = readonly string[];

export function value({ side }: Facts, path: Path): unknown {
  return configValue(side.run, path) ?? undefined;
}

export function text(facts: Facts, path: Path): string | undefined {
  const found = value(facts, path);
  return typeof found === 'string' ? found : undefined;
}

export function shown(found: unknown): string {
  return found === undefined ? 'not set' : typeof found === 'string' ? found : JSON.stringify(found);
}

/** "x on A, y on B" where both configs are recorded and differ there. */
export function differs(pair: Pair, path: Path): string | undefined {
  if (!pair.a.side.run.config || !pair.b.side.run.config) return undefined;
  const [x, y] = [value(pair.a, path), value(pair.b, path)];
  if (JSON.stringify(x) === JSON.stringify(y)) return undefined;
  return `${path.join('.')} is ${shown(x)} on A and ${shown(y)} on B`;
}

export function apart(pair: Pair, id: DimensionId): Finding | undefined {
  return pair.findings.find(
    ({ dimension, state }) => dimension === id && (state === 'confounds' || state === 'intended'),
  );
}

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

export const dataType = (facts: Facts): string | undefined =>
  facts.side.run.manifest?.workload.dataType ?? text(facts, ['data', 'type']);
export const isInferencePerf = ({ side }: Facts): boolean => side.run.tool.name === 'inference-perf';
/** Of inference-perf only: "v0.5.0", ...; main has no number. */
export const versionBefore6 = (facts: Facts): boolean =>
  isInferencePerf(facts) && /^v0\.[1-5]/.test(facts.report.versionClass.name);
export const readable = (facts: Facts): boolean => isInferencePerf(facts) && facts.report.versionClass.name !== '';

export function definitionOf({ report }: Facts, quantity: QuantityId): Definition | undefined {
  return report.scopes.map((scope) => measureOf(scope, quantity)?.definition).find((found) => found !== undefined);
}
