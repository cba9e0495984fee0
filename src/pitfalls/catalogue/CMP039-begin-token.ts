// CMP039: Exact prompt lengths include the begin token.
import { measureOf } from '../../readers/canonical';
import type { Between } from '../pair';
import type { Pitfall } from '../pitfall';

const beginToken: Between = (pair) => {
  const stats = [pair.a, pair.b].map(
    ({ report }) => report.scopes[0] && measureOf(report.scopes[0], 'prompt_tokens')?.stats,
  );
  const gaps = (['min', 'mean', 'max'] as const).map((key) => (stats[1]?.[key] ?? NaN) - (stats[0]?.[key] ?? NaN));
  if (!gaps.every((gap) => Math.abs(Math.abs(gap) - 1) < 0.05) || new Set(gaps.map(Math.sign)).size !== 1)
    return undefined;
  return `every prompt has one token ${gaps[0]! > 0 ? 'more on B than on A' : 'more on A than on B'}: a begin-of-sequence token that one side has`;
};

export const CMP039: Pitfall = {
  code: 'CMP039',
  title: 'Exact prompt lengths include the begin token',
  consequence:
    'Models with a begin-of-sequence token get one real token less than models without it; for tiny prompts that matters.',
  remedy: 'Tolerate one or two tokens.',
  moves: ['input_tokens_per_sec'],
  configPaths: ['tokenizer.pretrained_model_name_or_path'],
  source: 'inference-perf: inference_perf/utils/custom_tokenizer.py',
  between: {
    words: 'Shortest, mean and longest prompt are all longer by exactly one token on one side.',
    look: beginToken,
  },
};
