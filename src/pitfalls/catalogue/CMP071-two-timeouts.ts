// CMP071: Timeouts carry two labels.
import { whole } from '../../figures';
import { labelled, said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

const twoTimeouts: Sign = (scope) => {
  const [one, other] = [labelled(scope, /^timeout$/i), labelled(scope, /^timeouterror$/i)];
  if (one === 0 || other === 0) return undefined;
  return said(
    scope.id,
    `timeouts are under two labels, ${whole(one)} and ${whole(other)}: together ${whole(one + other)}`,
  );
};

export const CMP071: Pitfall = {
  code: 'CMP071',
  title: 'Timeouts carry two labels',
  consequence: '"Timeout" and "timeouterror" are the same thing: each alone under-counts.',
  remedy: 'Add them up.',
  moves: ['error_rate'],
  configPaths: ['load.request_timeout'],
  source: 'inference-perf: inference_perf/client/modelserver/openai_client.py',
  inReport: { words: 'Both labels are in failures.by_label.', parts: [twoTimeouts] },
};
