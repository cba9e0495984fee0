// What alignment, assumptions and noise add to the comparison view: switches, shares of the gap, what else a finding says.
import { significant } from '../../figures';
import type { Comparison, DimensionId, Finding, MetricComparison } from '../../comparability/comparison';
import type { Run } from '../../readers/run';
import { correlationText } from './requests';
import type { AlignmentSwitch, ComparisonView, FindingView } from './model';
import { interpolatedCells } from './words';

/** Dimensions that differ, or did before they were aligned, and can be recomputed; or why they cannot. */
export function alignmentSwitches({ findings, alignment = [] }: Comparison): AlignmentSwitch[] {
  const switches = findings.flatMap(({ dimension, title, state, alignable }): AlignmentSwitch[] => {
    const step = alignment.find((one) => one.dimension === dimension);
    if (step) return [{ id: dimension, title, on: true, possible: true, words: step.words }];
    if (!alignable || state === 'same' || state === 'follows') return [];
    return [{ id: dimension, title, on: false, possible: alignable.possible, words: alignable.words }];
  });
  // Findings move when they are aligned; the boxes must not.
  return switches.sort((x, y) => x.title.localeCompare(y.title));
}

/** There is something to cut where both sides have their requests. */
export function cutOf(a: Run, b: Run, cut = 'auto'): Pick<ComparisonView, 'cut'> {
  return a.records && b.records ? { cut } : {};
}

/** Loads that only one side has: shown against interpolated ones, or offered to be. */
export function interpolationOf(comparison: Comparison): Pick<ComparisonView, 'interpolation'> {
  const { interpolated, stages, unmatched } = comparison;
  if (interpolated) {
    const tables = interpolated.map(({ label, words, rows }) => ({
      title: `${label}, ${words}`,
      rows: rows.map((row) => interpolatedCells(row, comparison.findings)),
    }));
    return { interpolation: { on: true, tables } };
  }
  const apart = unmatched.length > 0 || stages.some(({ differ }) => differ);
  return apart && stages.length > 1 ? { interpolation: { on: false, tables: [] } } : {};
}

export function findingExtras({ changes = [], assumed, note }: Finding): FindingView['more'] {
  return [
    ...(changes.length > 0 ? [{ label: 'Changes', words: changes.join('; ') }] : []),
    ...(assumed === undefined ? [] : [{ label: 'Assumed', words: assumed }]),
    ...(note === undefined ? [] : [{ label: 'Note', words: note }]),
  ];
}

/** "12.0 % of A before alignment, 3.10 % after: token counter 6.20, warm-up and window 2.70 points". */
export function metricExtras({ alignment }: MetricComparison, titles: ReadonlyMap<DimensionId, string>): string[] {
  if (!alignment) return [];
  const { beforePercentOfA: before, afterPercentOfA: after, shares } = alignment;
  // What is under the last digit of the larger figure is what subtracting left over.
  const scale = Math.max(Math.abs(before), Math.abs(after), ...shares.map(({ percentOfA }) => Math.abs(percentOfA)));
  const shown = (value: number): string => (Math.abs(value) < scale / 1000 ? '0' : significant(value));
  const words = shares.map(
    ({ dimension, percentOfA }) => `${(titles.get(dimension) ?? dimension).toLowerCase()} ${shown(percentOfA)}`,
  );
  const took = words.length === 0 ? '' : `: ${words.join(', ')} points`;
  return [`${shown(before)} % of A before alignment, ${shown(after)} % after${took}`];
}

/** What such an experiment can see at all, and how much the same thing differs from run to run. */
export function noiseWords(difference: MetricComparison['difference']): string[] {
  const percent = (part: { readonly percentOfA?: number }): string =>
    part.percentOfA === undefined ? '' : ` (${significant(part.percentOfA)} % of A)`;
  const { detectable, noise, paired } = difference ?? {};
  return [
    ...(paired ? [pairedWords(paired)] : []),
    ...(detectable
      ? [`four of five such experiments would see ${significant(detectable.absolute)}${percent(detectable)}`]
      : []),
    ...(noise ? [`standard deviation from run to run ${significant(noise.absolute)}${percent(noise)}`] : []),
  ];
}

/** "request by request, 480 pairs: correlation 0.98; as two independent samples −12 to +21". */
function pairedWords({
  pairs,
  correlation,
  together,
  apart,
}: NonNullable<NonNullable<MetricComparison['difference']>['paired']>): string {
  const alike = correlation === undefined ? '' : `: correlation ${correlationText(correlation)}`;
  const wide = apart ? `; as two independent samples ${significant(apart.low)} to ${significant(apart.high)}` : '';
  if (!together)
    return `${pairs} pairs of requests resemble each other no more than by chance${alike}; taken as two samples`;
  return `request by request, ${pairs} pairs${alike}${wide}`;
}
