// CMP055: The first requests open connections.
import { duration } from '../../figures';
import { measureOf } from '../../readers/canonical';
import { carriesAsMuch, LATENCIES, measuredStages, type ReportSign, said } from '../in-report';
import type { Pitfall } from '../pitfall';

/** Nine in ten requests are no slower than this times the later stage's. */
const BODY_RATIO = 1.5;

/** Only the slowest requests of the first stage: set-up of connections, not a cold server. */
const connections: ReportSign = (report) => {
  const [first, second] = measuredStages(report);
  if (!first || !second || !carriesAsMuch(first, second)) return undefined;
  for (const id of LATENCIES) {
    const [a, b] = [measureOf(first, id)?.stats, measureOf(second, id)?.stats];
    const [max, later] = [a?.['max'], b?.['max']];
    const [body, laterBody] = [a?.['p90'] ?? a?.['p50'], b?.['p90'] ?? b?.['p50']];
    if (max === undefined || later === undefined || body === undefined || laterBody === undefined) continue;
    if (max < 3 * later || body > BODY_RATIO * laterBody) return undefined;
    return said(
      first.id,
      `the slowest ${id === 'ttft' ? 'TTFT' : 'latency'} is ${duration(max)} here and ${duration(later)} in ${second.id}, while nine in ten requests are as fast: single requests that open a connection look like this`,
    );
  }
  return undefined;
};

export const CMP055: Pitfall = {
  code: 'CMP055',
  title: 'The first requests open connections',
  consequence: 'TTFT and latency include TCP and TLS set-up, paid by the first requests of each worker.',
  remedy: 'Warm the connections with a warm-up stage.',
  moves: ['ttft', 'request_latency', 'percentiles'],
  configPaths: ['load.worker_max_tcp_connections'],
  source: 'inference-perf: inference_perf/client/modelserver/openai_client.py',
  inReport: {
    words:
      'The slowest TTFT of the first stage is three times that of the second, while nine in ten requests are as fast.',
    whole: connections,
  },
};
