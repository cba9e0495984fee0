// CMP070: Chat answers without text fail when not streamed.
import { whole } from '../../figures';
import { at, textAt } from '../../readers/readers/values';
import { labelled, lifecycleOnly, said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

const nullContent: Sign = (scope, report) => {
  const failed = labelled(scope, /typeerror/i);
  const chat = textAt(report.config, 'api', 'type') === 'chat' && at(report.config, 'api', 'streaming') === false;
  if (failed === 0 || !chat) return undefined;
  return said(
    scope.id,
    `${whole(failed)} failures are TypeErrors, with chat and streaming off: answers without text (tool calls, reasoning) count as failed`,
  );
};

export const CMP070: Pitfall = {
  code: 'CMP070',
  title: 'Chat answers without text fail when not streamed',
  consequence: 'A tool call or reasoning-only answer has null content and is counted as a TypeError.',
  remedy: 'Stream, or use a data type that expects tool calls.',
  moves: ['error_rate'],
  configPaths: ['api.streaming', 'api.type'],
  source: 'inference-perf: inference_perf/apis/chat.py',
  inReport: {
    words: 'Failures are labelled TypeError, with chat and streaming off.',
    parts: [lifecycleOnly(nullContent)],
  },
};
