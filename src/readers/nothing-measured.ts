// Reports over nothing: zeros that stand for "no data", and files of a known tool that hold no run.
import type { Problem } from '../problem';
import { QUANTITIES } from '../metrics/quantities';
import type { CanonicalReport, Measure, ReportScope } from './canonical';

/**
 * Where no request succeeded, some tools write 0 for every latency, length and rate. Those are no measurements: they are taken out,
 * with a word among the assumptions, so that nothing is computed from them or claimed of them.
 */
export function withoutZeros(report: CanonicalReport): CanonicalReport {
  const dropped = new Map<ReportScope, readonly Measure[]>(
    report.scopes.map((scope) => [scope, scope.counts.ok === 0 ? scope.measures.filter(isZero) : []]),
  );
  const words = [...dropped].flatMap(([{ id, file }, measures]) => {
    if (measures.length === 0) return [];
    const names = [...new Set(measures.map(({ quantity }) => QUANTITIES[quantity].label))].join(', ');
    return [`${id}: no request succeeded, so the zeros of ${file} are no data and are left out (${names})`];
  });
  if (words.length === 0) return report;
  const scopes = report.scopes.map((scope) => ({
    ...scope,
    measures: scope.measures.filter((measure) => dropped.get(scope)?.includes(measure) !== true),
  }));
  return { ...report, scopes, assumptions: [...report.assumptions, ...words] };
}

function isZero({ stats }: Measure): boolean {
  return Object.values(stats).every((value) => value === 0);
}

/** A part without a count, a window and a number says nothing of any run. */
export function withoutEmptyParts(report: CanonicalReport): CanonicalReport {
  const scopes = report.scopes.filter(
    ({ measures, counts, windowSeconds, server, goodput }) =>
      measures.length > 0 || Object.keys(counts).length > 0 || windowSeconds !== undefined || server || goodput,
  );
  return scopes.length === report.scopes.length ? report : { ...report, scopes };
}

/** @returns what to say of a report without a single part; undefined when it has one, or requests to compute one from */
export function emptyReport(report: CanonicalReport, hasRecords: boolean): Problem | undefined {
  if (report.scopes.length > 0 || hasRecords) return undefined;
  return {
    code: 'REP129',
    severity: 'error',
    path: [],
    message: `${report.name} is a result of ${report.tool} without a single run in it that has a number: nothing was measured`,
    remedy: 'Look into the log of that run for why it ended before its first result',
    file: report.files[0] ?? report.name,
  };
}
