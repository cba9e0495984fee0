// Two runs in, one judged comparison out.
import { rounded } from '../figures';
import type { Run } from '../readers/run';
import type { Comparison, DimensionId, DimensionState, Finding, MetricComparison } from './comparison';
import { answersCompared } from './answer-equality';
import { align, asRecorded, type Alignable } from './align';
import { alignedFindings, alignmentNotes } from './aligned-findings';
import type { WarmupCut } from './cut';
import { comparedRun, contradictionsOf, identityNotes } from './identity';
import type { Threshold } from './gate';
import { isIntendable } from './intendable';
import { interpolate } from './interpolate';
import { yardstickPercent } from './known-noise';
import { compareMetrics } from './metrics';
import { pitfallsSeen } from './pitfalls-seen';
import { requestDifferences } from './request-differences';
import { noiseWords, orderNotes, repeatedSides, repeatFacts, runPositions, withRepeats } from './repeats';
import { loadLabel, sideOf } from './side';
import { suppressionNotes } from './suppressions';
import { claimOf, verdictOf } from './verdict';

export interface CompareOptions {
  /** Dimensions the user declares as the change under test: a difference there confounds nothing. */
  readonly intended?: readonly DimensionId[];
  /** Of each side, for every interval; default 2,000. Fewer are faster and rougher. */
  readonly resamples?: number;
  /** Recompute both sides alike in these, where their records allow it. */
  readonly align?: readonly Alignable[];
  /** What aligning warm-up leaves out of both windows; without it, what they declare and what MSER-5 suggests. */
  readonly cut?: WarmupCut;
  /** Show loads that only one side has against interpolated values of the other. */
  readonly interpolate?: boolean;
  /** Further runs of the same side: noise from run to run is learned from them. */
  readonly repeatsA?: readonly Run[];
  readonly repeatsB?: readonly Run[];
  /** Equivalence bounds: inside them, a difference is no difference that matters. */
  readonly margins?: readonly Threshold[];
}

const WORST_FIRST: readonly DimensionState[] = ['confounds', 'unknown', 'intended', 'aligned', 'follows', 'same'];

/** Deterministic: the same runs give the same comparison, intervals included. */
export function compare(runA: Run, runB: Run, options: CompareOptions = {}): Comparison {
  const { intended = [], resamples, align: asked = [], cut, repeatsA = [], repeatsB = [] } = options;
  const start = asRecorded(sideOf('A', runA), sideOf('B', runB));
  const steps = align(start, asked, cut);
  const views = [start, ...steps.flatMap((step) => (step.ok ? [step.result] : []))];
  const final = views.at(-1)!;
  const { a, b, matching } = final;
  const repeats = repeatedSides(final, repeatsA, repeatsB, { asked, cut });
  const findings = withRepeats(alignedFindings(start, final, steps), final, repeats)
    .map((finding) => declared(finding, intended))
    .sort((x, y) => WORST_FIRST.indexOf(x.state) - WORST_FIRST.indexOf(y.state));
  const stages = matching.pairs.map((pair) => ({
    a: pair.a.id,
    b: pair.b.id,
    label: pair.label,
    ...(pair.sameLoad ? {} : { differ: true as const }),
  }));
  const applied = steps.flatMap((step) => (step.ok ? [step.dimension] : []));
  const metrics = compareMetrics({
    views,
    steps: applied,
    repeatsA: repeats.a,
    repeatsB: repeats.b,
    positions: runPositions([runA, ...repeatsA], [runB, ...repeatsB]),
    margins: options.margins ?? [],
    findings,
    resamples,
  });
  const sides = [
    ['A', [runA, ...repeatsA]],
    ['B', [runB, ...repeatsB]],
  ] as const;
  const against = sides.flatMap(([name, runs]) =>
    [...new Set(runs.flatMap(contradictionsOf))].map((text) => `${name}: ${text}`),
  );
  const runs = { a: 1 + repeatsA.length, b: 1 + repeatsB.length };
  const verdict = verdictOf(findings, metrics, intended, runs, against);
  const repeated =
    repeatsA.length + repeatsB.length > 0 ? repeatFacts([runA, ...repeatsA], [runB, ...repeatsB]) : undefined;
  const noise = noiseWords(metrics, repeats);
  const claim = claimOf({ verdict, findings, metrics, stages, intended, a, b, noise });
  const answers = answersCompared({ a, b, matching });
  // A claim carries its own bounds; without one, they are notes.
  const bounds = claim.text === undefined ? [noise] : [];
  const alone = (side: 'A' | 'B', stage: (typeof matching.unmatchedA)[number]): string =>
    `${side}’s stage ${stage.id} (${loadLabel(stage.load)}) has no counterpart and is not compared.`;
  return {
    format: 'isoperf-comparison',
    version: 1,
    a: comparedRun(a),
    b: comparedRun(b),
    intended,
    ...(steps.length > 0
      ? { alignment: steps.map(({ dimension, ok, words }) => ({ dimension, applied: ok, words })) }
      : {}),
    ...(repeated ? { repeats: repeated } : {}),
    verdict,
    claim,
    findings,
    stages,
    unmatched: [
      ...matching.unmatchedA.map((stage) => alone('A', stage)),
      ...matching.unmatchedB.map((stage) => alone('B', stage)),
    ],
    metrics,
    ...(repeated
      ? {}
      : { requests: matching.pairs.map((pair) => requestDifferences(pair, [final.countingA, final.countingB])) }),
    answers,
    ...(options.interpolate === true ? { interpolated: interpolate(final, findings) } : {}),
    notes: [
      ...intentNotes(findings, intended),
      ...alignmentNotes(steps, findings),
      ...unchangedNotes(metrics, stages),
      ...identityNotes(a, b),
      answers.words,
      ...findingNotes(findings),
      ...suppressionNotes(a, b),
      ...orderNotes(repeated, metrics),
      ...bounds,
    ],
    pitfalls: pitfallsSeen({ context: { a, b, matching }, findings, runs }),
  };
}

/**
 * What follows from an intended change is part of it: it has no state of its own to turn. What was declared may differ, so that
 * nobody recorded it holds nothing up either; that the record does not show it is said.
 */
function declared(finding: Finding, intended: readonly DimensionId[]): Finding {
  if (!intended.includes(finding.dimension) || !isIntendable(finding.dimension)) return finding;
  if (finding.state === 'confounds') return { ...finding, state: 'intended' };
  if (finding.state !== 'unknown') return finding;
  const { assumed, ...rest } = finding;
  const not = assumed === undefined ? '' : 'Nothing that is recorded shows the change you meant to make. ';
  return {
    ...rest,
    state: 'intended',
    note: `${not}${finding.title} is the intended change, but no record shows it: ${finding.message}`,
  };
}

const YARDSTICK_MEAN_PERCENT = yardstickPercent('mean');

/** Where there are no intervals, the yardstick is all there is to say that nothing moved. */
function unchangedNotes(metrics: readonly MetricComparison[], stages: readonly { readonly label: string }[]): string[] {
  const judged = metrics.filter(
    (row) =>
      (row.statistic === 'mean' || row.statistic === 'value') &&
      row.better !== 'neither' &&
      row.difference?.percentOfA !== undefined,
  );
  const highest = judged.filter((row) => row.stage === stages.length - 1);
  if (highest.length < 5 || judged.some((row) => row.difference?.interval)) return [];
  const size = (row: MetricComparison): number => Math.abs(row.difference!.percentOfA!);
  const largest = (rows: readonly MetricComparison[]) => rows.reduce((x, y) => (size(y) > size(x) ? y : x));
  const figure = (row: MetricComparison): string => `${rounded(size(row), 2)} % of A (${row.label})`;
  if (size(largest(highest)) > YARDSTICK_MEAN_PERCENT) return [];
  const outside = judged.filter((row) => size(row) > YARDSTICK_MEAN_PERCENT);
  const rest = outside.map(
    (row) => `${row.label} at ${stages[row.stage]?.label ?? 'another load'} by ${rounded(size(row), 2)} %`,
  );
  return [
    `Nothing measurable changed at ${stages.at(-1)!.label}: of ${highest.length} means and rates the largest difference is ${figure(largest(highest))}, and identical runs were seen to differ by ${YARDSTICK_MEAN_PERCENT} %.${stages.length > 1 ? ` Over all ${stages.length} loads, ${judged.length - outside.length} of ${judged.length} are within that${rest.length > 0 ? `; outside: ${rest.slice(0, 3).join(', ')}` : ''}.` : ''}`,
  ];
}

function findingNotes(findings: readonly Finding[]): string[] {
  return findings.flatMap((finding) => (finding.note === undefined ? [] : [finding.note]));
}

function intentNotes(findings: readonly Finding[], intended: readonly DimensionId[]): string[] {
  const notes: string[] = [];
  const unchanged = findings.filter((finding) => intended.includes(finding.dimension) && finding.state === 'same');
  for (const finding of unchanged) {
    notes.push(`Nothing changed in ${finding.title.toLowerCase()}, though you meant to: ${finding.message}`);
  }
  const changed = findings.filter((finding) => finding.state === 'intended');
  const [only] = changed;
  if (only && changed.length === 1 && only.changes && only.changes.length > 1) {
    notes.push(
      `${only.changes.length} things changed in ${only.title.toLowerCase()} (${only.changes.join('; ')}): a difference belongs to all of them together, not to one.`,
    );
  }
  if (changed.length > 1) {
    notes.push(
      `${changed.length} things changed (${changed.map(({ title }) => title.toLowerCase()).join(', ')}): a difference cannot be given to one of them.`,
    );
  }
  return notes;
}
