// CMP040: The tokenizer is not the model’s.
import { significant } from '../../figures';
import { textAt } from '../../readers/readers/values';
import { bothCounts } from '../counts';
import { type Check, note } from '../in-config';
import { off, said, type Sign } from '../in-report';
import { areOtherModels } from '../names';
import { type Pitfall, RATES } from '../pitfall';

const otherTokenizerInConfig: Check = ({ config }) => {
  const model = config.server?.model_name ?? '';
  const tokenizer = config.tokenizer?.pretrained_model_name_or_path ?? '';
  if (!areOtherModels(model, tokenizer)) return [];
  return [
    note(['tokenizer', 'pretrained_model_name_or_path'], {
      message: `Tokens are counted as ${tokenizer} would, but the model is ${model}: lengths and token rates are right only if the two share a tokenizer.`,
      restsOn: [
        ['server', 'model_name'],
        ['tokenizer', 'pretrained_model_name_or_path'],
      ],
    }),
  ];
};

/** Two hub names that differ, and counts that differ with them. */
const otherTokenizerInReport: Sign = (scope, report) => {
  const model = textAt(report.config, 'server', 'model_name') ?? '';
  const tokenizer = textAt(report.config, 'tokenizer', 'pretrained_model_name_or_path') ?? '';
  if (!areOtherModels(model, tokenizer)) return undefined;
  const counts = bothCounts(scope, 'output_tokens') ?? bothCounts(scope, 'prompt_tokens');
  const [client, server] = [counts?.client['mean'], counts?.server['mean']];
  if (client === undefined || server === undefined || off(client, server) <= 0.02) return undefined;
  return said(
    scope.id,
    `${tokenizer} counts ${significant(client)} tokens where ${model} counts ${significant(server)}: the tokenizer is not the model’s`,
  );
};

export const CMP040: Pitfall = {
  code: 'CMP040',
  title: 'The tokenizer is not the model’s',
  consequence:
    'Token counts and prompt lengths are wrong, and prompts that cannot reach their length are dropped without a trace.',
  remedy: 'Use the model’s own tokenizer; or let the server count (use_server_output_tokens).',
  moves: ['tpot', 'itl', 'ntpot', ...RATES],
  configPaths: ['tokenizer.pretrained_model_name_or_path'],
  source: 'inference-perf: inference_perf/utils/custom_tokenizer.py',
  inConfig: {
    words: 'The tokenizer and server.model_name are two hub names that differ.',
    check: otherTokenizerInConfig,
  },
  inReport: {
    words: 'The same, and the client’s count is over 2 % off the server’s.',
    parts: [otherTokenizerInReport],
  },
};
