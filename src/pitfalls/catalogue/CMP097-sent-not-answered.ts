// CMP097: The achieved rate counts sends, not answers.
import { significant } from '../../figures';
import { statisticOf } from '../../readers/canonical';
import { said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

/** Sends over their own span against answers over the window: a backlog is in the one and not in the other. */
const sentNotAnswered: Sign = (scope) => {
  const [sent, answered] = [
    statisticOf(scope, 'sends_per_sec', 'value'),
    statisticOf(scope, 'requests_per_sec', 'value'),
  ];
  if (scope.load.model !== 'open' || sent === undefined || answered === undefined || sent < 2 * answered)
    return undefined;
  return said(
    scope.id,
    `${significant(sent)} requests/s were sent and ${significant(answered)} answered: the achieved rate says nothing of what the server kept up with`,
  );
};

export const CMP097: Pitfall = {
  code: 'CMP097',
  title: 'The achieved rate counts sends, not answers',
  consequence:
    'achieved_rate is what was sent, failures included: a server that answers an eighth of it looks as if it kept up.',
  remedy: 'Show the completed requests/s beside it.',
  moves: ['requests_per_sec'],
  configPaths: [],
  source: 'inference-perf: inference_perf/reportgen/base.py',
  inReport: { words: 'Twice as many requests/s were sent as were answered.', parts: [sentNotAnswered] },
};
