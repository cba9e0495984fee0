// An imported report as CSV, one line per number, with its definition and source: for spreadsheets and notebooks.
import { QUANTITIES } from '../../metrics/quantities';
import type { CanonicalReport, Measure, ReportScope } from '../../readers/canonical';

const HEAD = [
  'report',
  'tool',
  'version_class',
  'part',
  'requested_rate_rps',
  'concurrency',
  'ok',
  'failed',
  'window_seconds',
  'quantity',
  'statistic',
  'value',
  'unit',
  'count',
  'start',
  'anchor',
  'end',
  'weighting',
  'percentiles',
  'tokens',
  'file',
  'key',
  'factor',
];

/** RFC 4180: CRLF, quotes doubled; all reports under one head. Units are seconds, tokens and rates per second. */
export function canonicalCsv(reports: readonly CanonicalReport[]): string {
  const lines = reports.flatMap((report) =>
    report.scopes.flatMap((scope) =>
      scope.measures.flatMap((measure) =>
        Object.entries(measure.stats).map(([statistic, value]) => line(report, scope, measure, statistic, value)),
      ),
    ),
  );
  return [HEAD.join(','), ...lines].map((text) => `${text}\r\n`).join('');
}

function line(report: CanonicalReport, scope: ReportScope, measure: Measure, statistic: string, value: number): string {
  const { definition, source, quantity, count } = measure;
  return [
    report.name,
    report.tool,
    report.versionClass.name,
    scope.label,
    scope.load.requestedRateRps,
    scope.load.concurrency,
    scope.counts.ok,
    scope.counts.failed,
    scope.windowSeconds?.value,
    quantity,
    statistic,
    value,
    QUANTITIES[quantity].unit,
    count,
    definition.start,
    definition.anchor,
    definition.end,
    definition.weighting,
    definition.percentiles,
    definition.tokens,
    source.file,
    source.key,
    source.factor,
  ]
    .map(cell)
    .join(',');
}

/** A spreadsheet runs a cell that begins with = + - or @ as a formula; texts of others get an apostrophe before it. */
function cell(value: string | number | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
