// CMP054: TTFT waits for visible text.
import { duration, significant } from '../../figures';
import { measureOf, statisticOf } from '../../readers/canonical';
import { hiddenTokens } from '../counts';
import { said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

const visibleText: Sign = (scope) => {
  const hidden = hiddenTokens(scope);
  const client = statisticOf(scope, 'ttft', 'mean');
  const server = scope.server && measureOf(scope.server, 'ttft')?.stats['mean'];
  if (hidden === undefined || client === undefined || server === undefined || client < 1.3 * server) return undefined;
  return said(
    scope.id,
    `TTFT is ${duration(client)} for the client and ${duration(server)} for the server, which counts ${significant(hidden)} tokens per answer that the client never saw: it waits for visible text`,
  );
};

export const CMP054: Pitfall = {
  code: 'CMP054',
  title: 'TTFT waits for visible text',
  consequence:
    'Reasoning tokens do not count as first token in inference-perf, and one-token answers have no TTFT: reasoning models show huge or missing TTFT.',
  remedy:
    'Use the server’s TTFT for reasoning models. IsoPerf records the first token of any channel and of the content apart.',
  moves: ['ttft'],
  configPaths: ['api.streaming'],
  source: 'inference-perf issue 559',
  inReport: {
    words: 'The client’s TTFT is 1.3 times the server’s, and the server counts 1.2 times the client’s output tokens.',
    parts: [visibleText],
  },
};
