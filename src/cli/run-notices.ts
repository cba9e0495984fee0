// What `isoperf import` would say of the run that has just ended, said at once: whoever reads the figures next should know it.
import { judgeReport, violated } from '../audit/identities';
import type { Problem } from '../problem';
import { openReports } from '../readers/open';
import { accessTo } from './access';

/** Said by the run itself already, in its table or its own words, or of a layout that is ours to write. */
const SAID = new Set(['few-requests', 'late-client', 'failures', 'CMP013']);

/** Violated identities and cautions of the report in this folder; empty where it cannot be read, which the run itself has said. */
export async function runNotices(folder: string, cwd: string): Promise<Problem[]> {
  const opened = await openReports(accessTo(folder, cwd));
  if (!opened.ok) return [];
  const notices = opened.value.reports.flatMap(({ report }) => {
    const judgement = judgeReport(report);
    return [
      ...violated(judgement).map((identity) => ({
        scope: identity.scope,
        text: identity.message ?? identity.statement,
      })),
      ...judgement.cautions.filter(({ id }) => !SAID.has(id)).map(({ scope, message }) => ({ scope, text: message })),
    ];
  });
  // Of one stage and of the whole run the same is said once.
  const seen = new Set<string>();
  return notices.flatMap(({ scope, text }) => {
    if (seen.has(text)) return [];
    seen.add(text);
    return [{ code: 'RUN059', severity: 'warning' as const, path: [], message: `${scope}: ${text}` }];
  });
}
