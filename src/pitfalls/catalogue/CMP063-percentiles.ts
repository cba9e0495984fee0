// CMP063: Percentiles are configurable.
import { measureOf } from '../../readers/canonical';
import { fix } from '../fix';
import { type Check, note } from '../in-config';
import { lifecycleOnly, said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

const percentilesInConfig: Check = ({ config }) => {
  const asked = config.report.request_lifecycle.percentiles;
  const missing = COMMON.filter((percentile) => !asked.includes(percentile));
  if (missing.length === 0) return [];
  const names = missing.map((percentile) => (percentile === 50 ? 'median' : `p${percentile}`));
  return [
    note(['report', 'request_lifecycle', 'percentiles'], {
      message: `The report will have no ${names.join(', ')}; some views show a missing percentile as 0.`,
    }),
  ];
};

const COMMON = [50, 90, 95, 99] as const;

const percentilesInReport: Sign = (scope) => {
  const stats = measureOf(scope, 'e2e')?.stats;
  if (!stats || scope.kind === 'adapter') return undefined;
  const missing = COMMON.filter((percentile) => !(`p${percentile}` in stats));
  if (missing.length === 0) return undefined;
  const names = missing.map((percentile) => (percentile === 50 ? 'the median' : `p${percentile}`));
  return said(
    scope.id,
    `${names.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not in the report: missing, which is not 0`,
  );
};

export const CMP063: Pitfall = {
  code: 'CMP063',
  title: 'Percentiles are configurable',
  consequence: 'A percentile that was not asked for is missing, and some views show it as 0; p50 is called median.',
  remedy: 'Keep 50, 90, 95 and 99 in the list; read a missing value as missing.',
  moves: ['percentiles'],
  configPaths: ['report.request_lifecycle.percentiles'],
  source: 'inference-perf: inference_perf/reportgen/base.py',
  inConfig: { words: 'report.request_lifecycle.percentiles lacks 50, 90, 95 or 99.', check: percentilesInConfig },
  inReport: {
    words: 'The median, p90, p95 or p99 of the latency is not in the file.',
    parts: [lifecycleOnly(percentilesInReport)],
  },
  mend: (_problem, page, { config }) => {
    const wanted = [...new Set([...config.report.request_lifecycle.percentiles, 50, 90, 95, 99])].sort((a, b) => a - b);
    return fix(
      'Report p50, p90, p95 and p99, too',
      page.set(['report', 'request_lifecycle', 'percentiles'], `[${wanted.join(', ')}]`),
      false,
    );
  },
};
