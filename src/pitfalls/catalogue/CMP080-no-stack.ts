// CMP080: The system under test is not recorded.
import { type Between, where } from '../pair';
import { EVERYTHING, type Pitfall } from '../pitfall';

const noStack: Between = (pair) => {
  const side = where(pair, (facts) => facts.stack === undefined);
  return side && `nothing says what served ${side}: no stack record lies in the folder or was given`;
};

export const CMP080: Pitfall = {
  code: 'CMP080',
  title: 'The system under test is not recorded',
  consequence:
    'Server version, quantisation, replicas, hardware and served model are in no report: equal configs may have run on different systems.',
  remedy: 'Keep a stack record beside the config.',
  moves: EVERYTHING,
  configPaths: ['server.base_url', 'server.model_name'],
  source: 'inference-perf: inference_perf/reportgen/base.py',
  between: { words: 'At least one side has no stack record.', look: noStack },
};
