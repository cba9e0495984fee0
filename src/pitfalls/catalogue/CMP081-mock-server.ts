// CMP081: A mock server was measured.
import { statisticOf } from '../../readers/canonical';
import { textAt } from '../../readers/readers/values';
import { type Check, warning } from '../in-config';
import { lifecycleOnly, said, type Sign } from '../in-report';
import { EVERYTHING, type Pitfall } from '../pitfall';

const mockInConfig: Check = ({ config }) => (config.server?.type === 'mock' ? [warning(['server', 'type'])] : []);

const mockInReport: Sign = (scope, report) => {
  const configured = textAt(report.config, 'server', 'type') === 'mock';
  const [mean, longest, tokens] = [
    statisticOf(scope, 'e2e', 'mean'),
    statisticOf(scope, 'e2e', 'max'),
    statisticOf(scope, 'output_tokens', 'max'),
  ];
  const looks = mean !== undefined && Math.abs(mean - 1) < 0.01 && (longest ?? 1) < 1.1 && tokens === 0;
  if (!configured && !looks) return undefined;
  const how = configured ? 'server.type is mock' : 'every request took 1.00 s and no answer has a token';
  return said(scope.id, `${how}: no model was measured`);
};

export const CMP081: Pitfall = {
  code: 'CMP081',
  title: 'A mock server was measured',
  consequence: 'server.type mock sends nothing: every request takes a second and has no tokens.',
  remedy: 'Do not compare it with anything.',
  moves: EVERYTHING,
  configPaths: ['server.type'],
  source: 'inference-perf: inference_perf/client/modelserver/mock_client.py',
  inConfig: { words: 'server.type is mock.', check: mockInConfig },
  inReport: {
    words: 'The same; or every request took 1.00 s and no answer has a token.',
    parts: [lifecycleOnly(mockInReport)],
  },
};
