// CMP074: Server metrics are empty without model_name.
import { textAt } from '../../readers/readers/values';
import { fix } from '../fix';
import { type Check, warning } from '../in-config';
import { lifecycleOnly, said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

const unnamedModel: Check = ({ config: { metrics, server } }) =>
  metrics?.prometheus && metrics.type === 'prometheus' && server?.model_name === null
    ? [warning(['metrics', 'prometheus'])]
    : [];

const askedForNone: Sign = (scope, report) => {
  const { server, counts } = scope;
  if (!server || (counts.ok ?? 0) === 0 || (server.count ?? 0) > 0 || !server.zeros.includes('count')) return undefined;
  if (textAt(report.config, 'server', 'model_name') !== undefined || !report.config) return undefined;
  return said(
    scope.id,
    `${server.file} is all zeros, and the config names no model: Prometheus was asked for the model "None"`,
  );
};

export const CMP074: Pitfall = {
  code: 'CMP074',
  title: 'Server metrics are empty without model_name',
  consequence:
    'When the model is looked up from the server, Prometheus queries ask for the model "None": every server metric is 0.',
  remedy: 'Write server.model_name.',
  moves: ['server_metrics'],
  configPaths: ['server.model_name', 'metrics.prometheus'],
  source: 'inference-perf: inference_perf/client/metricsclient/prometheus_client/base.py',
  inConfig: { words: 'metrics.prometheus is set and server.model_name is not.', check: unnamedModel },
  inReport: {
    words: 'A Prometheus report is all zeros, and the config names no model.',
    parts: [lifecycleOnly(askedForNone)],
  },
  mend: (_problem, page) =>
    fix('Write server.model_name', page.set(['server', 'model_name'], '${1:my-model}', { snippet: true }), false),
};
