// CMP022: A stage was stopped early.
import { missingRequests } from '../asked';
import { type Check, note } from '../in-config';
import { lifecycleOnly, said, type Sign } from '../in-report';
import { EVERYTHING, type Pitfall } from '../pitfall';

const breakers: Check = ({ config }) =>
  config.load.circuit_breakers.length > 0 ? [note(['load', 'circuit_breakers'])] : [];

const stopped: Sign = (scope, report) => {
  const missing = missingRequests(scope, report);
  if (!missing || missing.dropped) return undefined;
  const { ended } = report;
  const told =
    ended?.complete === false
      ? ` (${[`${ended.file}: ${ended.key}`, ended.why].filter(Boolean).join(', ')})`
      : ', and nothing else in it says so';
  return said(scope.id, `${missing.words} are in the report: the stage was stopped${told}`);
};

export const CMP022: Pitfall = {
  code: 'CMP022',
  title: 'A stage was stopped early',
  consequence:
    'A circuit breaker, an interrupt or a stage timeout leaves requests out; reports do not mark the stage as partial, and later stages may be empty.',
  remedy: 'Compare the count with the planned one; treat the stage as partial.',
  moves: [...EVERYTHING, 'error_rate'],
  configPaths: ['load.circuit_breakers', 'load.stages.timeout'],
  source: 'inference-perf: inference_perf/loadgen/load_generator.py',
  inConfig: { words: 'Breakers are named in load.circuit_breakers.', check: breakers },
  inReport: {
    words:
      'A stage has fewer requests than planned (rate x duration, or num_requests), and CMP041 does not account for them.',
    parts: [lifecycleOnly(stopped)],
  },
};
