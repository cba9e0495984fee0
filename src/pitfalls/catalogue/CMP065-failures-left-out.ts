// CMP065: Failed requests are left out of latency.
import { percent, whole } from '../../figures';
import { said, type Sign } from '../in-report';
import { ALL_LATENCIES, type Pitfall, RATES } from '../pitfall';

const FAILED_SHARE = 0.01;

const failures: Sign = (scope) => {
  const { failed, total, ok } = scope.counts;
  if (failed === undefined || total === undefined || total === 0 || failed / total <= FAILED_SHARE) return undefined;
  const none = failed >= total || ok === 0;
  const how =
    failed >= total
      ? `${total === 1 ? 'the only request' : `all ${whole(total)} requests`} failed`
      : `${whole(failed)} of ${whole(total)} requests failed (${percent(failed / total)})`;
  return said(
    scope.id,
    none
      ? `${how}${failed >= total ? '' : ' and none succeeded'}: there is no answer that a latency, a length or a rate could be of`
      : `${how}: latencies are those of the survivors`,
    'failures',
  );
};

export const CMP065: Pitfall = {
  code: 'CMP065',
  title: 'Failed requests are left out of latency',
  consequence:
    'An overloaded server that turns requests away looks fast: only the survivors are in the percentiles, while the time counts for throughput.',
  remedy: 'Show the error rate beside every number; compare only below 1 %.',
  moves: [...ALL_LATENCIES, ...RATES, 'error_rate'],
  configPaths: [],
  source: 'inference-perf: inference_perf/reportgen/base.py',
  inReport: {
    words: 'Over 1 % of the requests failed; or sends and successes are over different windows.',
    parts: [failures],
  },
};
