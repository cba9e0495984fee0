// Completes an opened report with what its per-request file says: the numbers of a report that has none, and whether the two agree.
import type { Problem } from '../../problem';
import { summaryOf, type CanonicalReport, type Measure, type ReportScope } from '../canonical';
import type { OpenedReport } from '../foreign';
import { checkAgainstSummary, openRecords, ownDefinition, type OpenedRequests } from './open-records';
import { recompute, spanOf, type RecomputeDefinition } from './recompute';
import type { Requests } from './requests';

export interface Completed {
  readonly report: CanonicalReport;
  readonly records?: OpenedRequests;
  readonly problems: readonly Problem[];
}

export async function completeReport(opened: OpenedReport): Promise<Completed> {
  const { report, recordsFile } = opened;
  const records = await openRecords(opened);
  if (!records || recordsFile === undefined) return { report, problems: [] };
  if (report.scopes.length > 0) {
    return {
      report: withSpan(report, records.requests),
      records,
      problems: [...records.problems, ...checkAgainstSummary(report, records, recordsFile)],
    };
  }
  const scope = scopeFromRecords(report, records, recordsFile);
  const assumptions = [...report.assumptions, `every number was computed from the requests in ${recordsFile}`];
  return { report: { ...report, scopes: [scope], assumptions }, records, problems: records.problems };
}

/** How long the requests of the whole run took, beside the window that the report gives it. */
function withSpan(report: CanonicalReport, requests: Requests): CanonicalReport {
  const whole = summaryOf(report);
  if (!whole?.windowSeconds || !requests.hasStarts || whole.counts.total !== requests.length) return report;
  const requestsSpanSeconds = spanOf(requests);
  const scopes = report.scopes.map((scope) =>
    scope === whole ? { ...scope, extras: { ...scope.extras, requestsSpanSeconds } } : scope,
  );
  return { ...report, scopes };
}

function scopeFromRecords(report: CanonicalReport, { requests }: OpenedRequests, file: string): ReportScope {
  const gap = report.tool === 'inference-perf' ? 'token_gap' : 'chunk_gap';
  // There is no summary of the tool's to agree with: every quantity is what its name says.
  const definition = {
    ...ownDefinition(report),
    gap,
    flavour: 'own',
    ...(gap === 'token_gap' ? { stampsTokens: true } : {}),
  } as const;
  const again = recompute(requests, definition, file);
  return {
    id: 'run',
    label: 'run',
    kind: 'run',
    file,
    load: { model: 'not recorded', words: 'not recorded' },
    counts: again.counts,
    ...(again.windowSeconds !== undefined && again.windowSeconds > 0
      ? { windowSeconds: { value: again.windowSeconds, from: 'first send to last end' } }
      : {}),
    measures: [...again.measures, ...(definition.tokens === 'client' ? serverLengths(requests, definition, file) : [])],
  };
}

/** The server's counts beside the client's, as a summary of the tool has them. */
function serverLengths(requests: Requests, definition: RecomputeDefinition, file: string): readonly Measure[] {
  const { measures } = recompute(requests, { ...definition, tokens: 'server', inputTokens: 'server' }, file);
  return measures.filter(({ quantity }) => quantity === 'prompt_tokens' || quantity === 'output_tokens');
}
