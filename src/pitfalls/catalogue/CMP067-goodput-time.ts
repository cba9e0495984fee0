// CMP067: Goodput has its own time base.
import { significant } from '../../figures';
import { statisticOf } from '../../readers/canonical';
import { lifecycleOnly, said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

const goodputTime: Sign = (scope) => {
  const good = scope.goodput?.stats['request_goodput'];
  const rate = statisticOf(scope, 'requests_per_sec', 'value');
  if (good === undefined || rate === undefined || good <= rate * 1.001) return undefined;
  return said(
    scope.id,
    `${significant(good)} good requests/s of ${significant(rate)} requests/s: goodput is over a shorter time than the rate`,
  );
};

export const CMP067: Pitfall = {
  code: 'CMP067',
  title: 'Goodput has its own time base',
  consequence: 'Good requests per second can exceed requests per second.',
  remedy: 'Recompute from counts and benchmark time.',
  moves: ['request_goodput'],
  configPaths: ['report.goodput'],
  source: 'inference-perf: inference_perf/reportgen/base.py',
  inReport: { words: 'request_goodput is above requests_per_sec.', parts: [lifecycleOnly(goodputTime)] },
};
