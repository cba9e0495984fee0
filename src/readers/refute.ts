// Rates that contradict the file they stand in: kept as evidence, taken out of the numbers that are shown and compared.
import { type CanonicalReport, type Measure, measureOf, type ReportScope } from './canonical';

/** Ramps and idle moments move a mean of rates over time, but not to twice the total over the window. */
const FACTOR = 2;

const LENGTHS = {
  input_tokens_per_sec: 'prompt_tokens',
  output_tokens_per_sec: 'output_tokens',
} as const;

/**
 * A token rate is refuted when it is more than the total of which it is a part, or more than twice what count, mean length and
 * window give. In its place stands the rate that these give, said to be derived.
 */
export function withoutImpossibleRates(report: CanonicalReport): CanonicalReport {
  return { ...report, scopes: report.scopes.map(withoutImpossible) };
}

function withoutImpossible(scope: ReportScope): ReportScope {
  const total = measureOf(scope, 'total_tokens_per_sec')?.stats['value'];
  const refuted: Measure[] = [];
  const measures = scope.measures.flatMap((measure): readonly Measure[] => {
    const { quantity } = measure;
    if (quantity !== 'input_tokens_per_sec' && quantity !== 'output_tokens_per_sec') return [measure];
    const value = measure.stats['value'];
    const lengths = measureOf(scope, LENGTHS[quantity]);
    const [ok, window, mean] = [scope.counts.ok, scope.windowSeconds?.value, lengths?.stats['mean']];
    const given =
      ok === undefined || ok === 0 || window === undefined || window <= 0 || mean === undefined
        ? undefined
        : (ok * mean) / window;
    const isAboveTotal = value !== undefined && total !== undefined && total > 0 && value > FACTOR * total;
    const isAboveGiven = value !== undefined && given !== undefined && given > 0 && value > FACTOR * given;
    // Above its whole alone could be the total's fault: what count, length and window give decides where it is known.
    if (given === undefined ? !isAboveTotal : !isAboveGiven) return [measure];
    refuted.push(measure);
    if (given === undefined || !lengths) return [];
    const tokens = lengths.definition.tokens;
    return [
      {
        quantity,
        stats: { value: given },
        source: lengths.source,
        definition: { window: 'first send to last end', ...(tokens ? { tokens } : {}) },
        derived: `successes x mean length / window; the file's own ${measure.source.key} contradicts it`,
      },
    ];
  });
  return refuted.length === 0 ? scope : { ...scope, measures, refuted };
}
