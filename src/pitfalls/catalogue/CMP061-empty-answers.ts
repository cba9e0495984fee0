// CMP061: Empty answers make NTPOT 0.
import { measureOf } from '../../readers/canonical';
import { said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

const emptyAnswers: Sign = (scope) =>
  measureOf(scope, 'ntpot')?.stats['min'] === 0
    ? said(
        scope.id,
        'some answers had no token that was counted: each enters the mean NTPOT as 0, whatever it took',
        'empty-answers',
      )
    : undefined;

export const CMP061: Pitfall = {
  code: 'CMP061',
  title: 'Empty answers make NTPOT 0',
  consequence: 'An answer without tokens enters the mean with 0 and pulls NTPOT down, whatever else moves it.',
  remedy: 'Leave them out, and count them.',
  moves: ['ntpot'],
  configPaths: [],
  source: 'inference-perf: inference_perf/reportgen/base.py',
  inReport: { words: 'The smallest NTPOT is 0.', parts: [emptyAnswers] },
};
