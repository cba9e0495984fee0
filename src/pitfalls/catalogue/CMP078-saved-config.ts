// CMP078: The saved config is not the one you wrote.
import { at, numberAt, textAt } from '../../readers/readers/values';
import { type ReportSign, said } from '../in-report';
import { EVERYTHING, type Pitfall } from '../pitfall';
import { isObject } from '../../own';

/** What inference-perf writes into its copy of the config that nobody wrote. */
const mutated: ReportSign = ({ config, tool }) => {
  if (tool !== 'inference-perf' || !config) return undefined;
  const stages = at(config, 'load', 'stages');
  const list = Array.isArray(stages) ? stages : [];
  const closed = textAt(config, 'load', 'type') === 'concurrent';
  const signs = [
    ...(closed && list.some((stage) => numberAt(stage, 'rate') !== undefined) ? ['its closed stages have a rate'] : []),
    ...(isObject(at(config, 'load', 'sweep')) && list.length === 0
      ? ['the stages that its sweep ran are not in it']
      : []),
  ];
  if (signs.length === 0) return undefined;
  return said(
    'summary',
    `config.yaml is a record, not what was written: ${signs.join(', and ')}. Running it again is another run`,
  );
};

export const CMP078: Pitfall = {
  code: 'CMP078',
  title: 'The saved config is not the one you wrote',
  consequence:
    'Concurrent stages get rate and duration, total_count is filled in, sweep stages are missing, secrets are inside: running it again is another run.',
  remedy: 'Keep your own file; treat the saved one as a record.',
  moves: EVERYTHING,
  configPaths: [],
  source: 'inference-perf: inference_perf/main.py',
  inReport: { words: 'The saved config has closed stages with a rate, or a sweep and no stages.', whole: mutated },
};
