// CMP076: The Prometheus summary includes the sweep’s probe.
import { at } from '../../readers/readers/values';
import { type Check, note } from '../in-config';
import { lifecycleOnly, said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';
import { isObject } from '../../own';

const sweepSummary: Check = ({ config: { metrics, load, report } }) =>
  metrics?.prometheus && metrics.type === 'prometheus' && load.sweep && report.prometheus?.summary === true
    ? [note(['report', 'prometheus', 'summary'])]
    : [];

const sweepWindow: Sign = (scope, report) => {
  if (scope.kind !== 'summary' || !scope.server || !isObject(at(report.config, 'load', 'sweep'))) return undefined;
  return said(scope.id, `${scope.server.file} is over the sweep’s probe and its pauses too: its rates are too low`);
};

export const CMP076: Pitfall = {
  code: 'CMP076',
  title: 'The Prometheus summary includes the sweep’s probe',
  consequence: 'The window of the summary covers probe and pauses: rates are too low.',
  remedy: 'Use the stage files.',
  moves: ['server_metrics'],
  configPaths: ['load.sweep', 'report.prometheus.summary'],
  source: 'inference-perf: inference_perf/client/metricsclient/prometheus_client/base.py',
  inConfig: { words: 'load.sweep together with Prometheus metrics and their summary.', check: sweepSummary },
  inReport: { words: 'A run with a sweep has a Prometheus summary.', parts: [lifecycleOnly(sweepWindow)] },
};
