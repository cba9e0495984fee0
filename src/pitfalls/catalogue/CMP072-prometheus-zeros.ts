// CMP072: Prometheus zeros mean "no data".
import { said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

const serverZeros: Sign = ({ id, server, counts }) =>
  server && (counts.ok ?? 0) > 0 && server.zeros.length > 0
    ? said(
        id,
        `${server.file} says 0 for ${server.zeros.join(', ')}: a metric that is missing or renamed is written as 0, so read it as no data`,
        'zeros',
      )
    : undefined;

export const CMP072: Pitfall = {
  code: 'CMP072',
  title: 'Prometheus zeros mean "no data"',
  consequence:
    'A renamed or missing metric is reported as 0, only the first of several series is read, and the window includes pauses: server figures can be far off the client’s.',
  remedy: 'Trust them only when counts agree within 5 %.',
  moves: ['server_metrics'],
  configPaths: ['metrics.prometheus', 'metrics.prometheus.filters'],
  source: 'inference-perf: inference_perf/client/metricsclient/prometheus_client/base.py',
  inReport: {
    words: 'Server and client count requests over 5 % apart; or server figures are exactly 0.',
    parts: [serverZeros],
  },
};
