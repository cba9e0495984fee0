// The tables of an exported report as cells: Markdown and HTML print the same ones.
import { isPerRequest, printedIn, QUANTITIES, withUnit, type QuantityId } from '../../metrics/quantities';
import { measureOf, statisticOf, type CanonicalReport, type Measure } from '../../readers/canonical';
import { NOTHING, significant, whole } from '../../figures';

export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Columns of figures, set to the right. */
  readonly right: readonly number[];
}

const PART_RATES = ['requests_per_sec', 'input_tokens_per_sec', 'output_tokens_per_sec'] as const;

export function partsTable(report: CanonicalReport): Table {
  const show = (value: number | undefined): string => (value === undefined ? NOTHING : significant(value));
  const count = (value: number | undefined): string => (value === undefined ? NOTHING : whole(value));
  const rows = report.scopes.map((scope) => [
    scope.label + (scope.warmup === true ? ' (warm-up)' : ''),
    scope.load.words,
    count(scope.counts.ok),
    count(scope.counts.failed),
    show(scope.windowSeconds?.value),
    ...PART_RATES.map((id) => show(statisticOf(scope, id, 'value'))),
  ]);
  const head = ['Part', 'Load', 'OK', 'Failed', 'Window, s', ...PART_RATES.map((id) => QUANTITIES[id].label)];
  return { title: 'Parts', head, rows, right: [2, 3, 4, 5, 6, 7] };
}

/** One table per quantity that any part has: quantities that only share a name elsewhere are apart here. */
export function quantityTables(report: CanonicalReport): Table[] {
  const ids = (Object.keys(QUANTITIES) as QuantityId[]).filter(
    (id) => isPerRequest(id) && report.scopes.some((scope) => measureOf(scope, id)),
  );
  return ids.map((id) => quantityTable(report, id));
}

const SHOWN = ['mean', 'p50', 'p90', 'p95', 'p99', 'max'] as const;

function quantityTable(report: CanonicalReport, id: QuantityId): Table {
  const { unit, factor } = printedIn(QUANTITIES[id]);
  const rows = report.scopes.flatMap((scope) => {
    const measure = measureOf(scope, id);
    if (!measure) return [];
    const cells = SHOWN.map((name) => {
      const value = measure.stats[name];
      return value === undefined ? NOTHING : significant(value * factor);
    });
    return [[scope.label, ...cells]];
  });
  const first = report.scopes.map((scope) => measureOf(scope, id)).find((measure) => measure !== undefined);
  const title = `${unit === 'ms' ? withUnit(QUANTITIES[id].label, unit) : QUANTITIES[id].label}: ${definitionWords(id, first)}`;
  return { title, head: ['Part', ...SHOWN], rows, right: SHOWN.map((_, i) => i + 1) };
}

/** What the number is, in one line: formula, then what a reader could take for granted and should not. */
export function definitionWords(id: QuantityId, measure: Measure | undefined): string {
  const { weighting, tokens, percentiles, note } = measure?.definition ?? {};
  return [
    QUANTITIES[id].words,
    ...(weighting === 'tokens' ? ['weighted by tokens'] : []),
    ...(tokens === undefined ? [] : [`tokens by ${tokens.replaceAll('-', ' ')}`]),
    ...(percentiles === undefined || percentiles === 'linear'
      ? []
      : [`percentiles by ${percentiles.replace('-', ' ')}`]),
    ...(note === undefined ? [] : [note]),
  ].join('; ');
}
