// CMP037: shareGPT has no length limit and two meanings.
import { whole } from '../../figures';
import { statisticOf } from '../../readers/canonical';
import { at } from '../../readers/readers/values';
import { type Check, warning } from '../in-config';
import { dataType, lifecycleOnly, said, type Sign } from '../in-report';
import { EVERYTHING, type Pitfall } from '../pitfall';
import { isObject } from '../../own';

const shareGptInConfig: Check = ({ config }) => {
  const { data } = config;
  if (data.type !== 'shareGPT' || (data.input_distribution && data.output_distribution)) return [];
  return [warning(['data', 'type'])];
};

const shareGptInReport: Sign = (scope, report) => {
  const { config } = report;
  const filtered = ['input_distribution', 'output_distribution'].every((key) => isObject(at(config, 'data', key)));
  if (dataType(report) !== 'shareGPT' || filtered || scope.kind !== 'stage') return undefined;
  const [longest, middle] = [statisticOf(scope, 'prompt_tokens', 'max'), statisticOf(scope, 'prompt_tokens', 'p50')];
  const failed = scope.counts.failed ?? 0;
  const tail = longest !== undefined && middle !== undefined && longest > 8 * middle;
  if (!tail && failed === 0) return undefined;
  const what = [
    ...(tail ? [`the longest prompt has ${whole(longest)} tokens, the median ${whole(middle)}`] : []),
    ...(failed > 0 ? [`${whole(failed)} requests failed`] : []),
  ].join(', and ');
  return said(scope.id, `shareGPT was read without length limits: ${what}`);
};

export const CMP037: Pitfall = {
  code: 'CMP037',
  title: 'shareGPT has no length limit and two meanings',
  consequence:
    'Without filters over-long prompts fail with 400. completion sends the first question, chat the whole conversation with its answer: other prompts altogether.',
  remedy: 'Set min and max in input_distribution and output_distribution; never compare chat with completion.',
  moves: [...EVERYTHING, 'error_rate'],
  configPaths: ['data.type'],
  source: 'inference-perf: inference_perf/datagen (hf_sharegpt_datagen.py)',
  inConfig: { words: 'data.type is shareGPT without both distributions.', check: shareGptInConfig },
  inReport: {
    words: 'The same, and failures or a longest prompt of over eight times the median.',
    parts: [lifecycleOnly(shareGptInReport)],
  },
};
