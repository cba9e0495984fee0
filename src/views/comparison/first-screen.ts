// What the first screen of a comparison shows: what stands between the runs, the next step, and the key numbers.
import { NOTHING, signedBound, signedPercent } from '../../figures';
import type { Comparison, Finding, MetricComparison } from '../../comparability/comparison';
import { keyMetrics } from './key';
import type { Chip, ComparisonView, KeyRow } from './model';
import { needsReader, numbered, shortVerdict } from './words';

/** Chips that name a thing each; what is not recorded comes after what differs. */
export function chipsOf({ findings }: Comparison): Chip[] {
  return findings.flatMap((finding, index): Chip[] => {
    const { title, state, dimension, alignable } = finding;
    if (!needsReader(finding)) return [];
    return [{ index, title, state, ...(alignable?.possible === true ? { align: dimension } : {}) }];
  });
}

/** Remedy of the first finding that has one. */
export function nextStep(findings: readonly Finding[]): string | undefined {
  const open = findings.filter(({ state }) => state === 'confounds' || state === 'unknown');
  return open.filter(needsReader).find(({ remedy }) => remedy !== undefined)?.remedy;
}

/** @param figure of one side, as the table of all metrics shows it */
export function keyOf(
  comparison: Comparison,
  figure: (name: 'A' | 'B', metric: MetricComparison) => KeyRow['a'],
): ComparisonView['key'] {
  const { stage, rows } = keyMetrics(comparison);
  const numbers = numbered(comparison.findings);
  const count = comparison.stages.length;
  const label = stage === undefined ? '' : comparison.stages[stage]!.label;
  // Loads without a number have no table.
  const tables = comparison.stages.flatMap((_, i) => (comparison.metrics.some((row) => row.stage === i) ? [i] : []));
  return {
    where: count > 1 ? `${label}, 1 of ${count} loads` : label,
    table: Math.max(0, stage === undefined ? 0 : tables.indexOf(stage)),
    rows: rows.map((row): KeyRow => {
      const { difference } = row;
      const percent = difference?.percentOfA;
      const bounds = difference?.interval?.percentOfA;
      return {
        label: row.label,
        unit: row.unit,
        a: figure('A', row),
        b: figure('B', row),
        percent: percent === undefined ? NOTHING : signedPercent(percent),
        interval: bounds ? `${signedBound(bounds.low)} to ${signedBound(bounds.high)} %` : 'no interval',
        ...(percent === undefined ? {} : { bar: { at: percent, ...(bounds ?? {}) } }),
        verdict: row.verdict,
        words: shortVerdict(row, numbers),
      };
    }),
  };
}
