// CMP103: Answers of one token.
import type { Distribution } from '../../config/model/schema/distribution';
import { type Check, type Hit, warning } from '../in-config';
import { DECODE, type Pitfall } from '../pitfall';

/** No answer can be longer than one token; 0 asks for the default of 30. */
function isOne(asked: number | Distribution | null | undefined): boolean {
  if (asked === null || asked === undefined) return false;
  if (typeof asked === 'number') return asked === 1;
  return asked.type === 'fixed' ? Math.round(asked.mean) === 1 : asked.max === 1 && asked.min <= 1;
}

const oneToken: Check = ({ config: { data } }) => {
  const hit = (path: Hit['path']): Hit => warning(path, { restsOn: [['data', 'type']] });
  if (data.type === 'random' || data.type === 'synthetic')
    return isOne(data.output_distribution) ? [hit(['data', 'output_distribution'])] : [];
  if (data.type !== 'shared_prefix' || !data.shared_prefix) return [];
  const { output_len: length, output_distribution: older } = data.shared_prefix;
  if (older) return isOne(older) ? [hit(['data', 'shared_prefix', 'output_distribution'])] : [];
  return isOne(length) ? [hit(['data', 'shared_prefix', 'output_len'])] : [];
};

export const CMP103: Pitfall = {
  code: 'CMP103',
  title: 'Answers of one token have no TPOT and no ITL',
  consequence:
    'Time per output token and inter-token latency are times between tokens: with one token there is none, and what a report shows there is zero, missing or the request latency under another name.',
  remedy: 'Ask for two tokens or more, or compare TTFT and request latency only.',
  moves: DECODE,
  configPaths: ['data.output_distribution', 'data.shared_prefix.output_len', 'data.shared_prefix.output_distribution'],
  source: 'inference-perf: inference_perf/reportgen/base.py',
  inConfig: { words: 'No answer may have more than one token.', check: oneToken },
};
