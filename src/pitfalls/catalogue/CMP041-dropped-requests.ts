// CMP041: Requests vanish when their prompt cannot be built.
import { missingRequests } from '../asked';
import { lifecycleOnly, said, type Sign } from '../in-report';
import { type Pitfall, RATES } from '../pitfall';

const dropped: Sign = (scope, report) => {
  const missing = missingRequests(scope, report);
  return missing?.dropped
    ? said(
        scope.id,
        `${missing.words} are in the report, sent until the end of the stage: the others were dropped because their prompt could not be built, and count as no failure`,
      )
    : undefined;
};

export const CMP041: Pitfall = {
  code: 'CMP041',
  title: 'Requests vanish when their prompt cannot be built',
  consequence:
    'A prompt that cannot be made exactly as long as wanted is dropped: no failure is counted, the load is lower than stated.',
  remedy: 'Compare the count with the planned one; read the log.',
  moves: [...RATES, 'error_rate'],
  configPaths: ['data.type'],
  source: 'inference-perf: inference_perf/datagen/base.py',
  inReport: {
    words: 'A stage of random or synthetic data has fewer requests than planned although it sent until its end.',
    parts: [lifecycleOnly(dropped)],
  },
};
