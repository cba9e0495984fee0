// CMP038: The chat template lengthens prompts.
import { significant } from '../../figures';
import { bothCounts } from '../counts';
import { said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

const SPREAD = ['min', 'mean', 'max'] as const;

/** A template adds the same tokens to every prompt; another tokenizer multiplies. */
const template: Sign = (scope) => {
  const counts = bothCounts(scope, 'prompt_tokens');
  const extra = counts && SPREAD.map((key) => (counts.server[key] ?? NaN) - (counts.client[key] ?? NaN));
  const [least = NaN, mean = NaN, most = NaN] = extra ?? [];
  if (!(mean > 2) || Math.max(Math.abs(least - mean), Math.abs(most - mean)) > 1) return undefined;
  return said(
    scope.id,
    `the server read ${significant(mean)} tokens more per prompt than the client counted, the same for short and long ones: a chat template around each`,
  );
};

export const CMP038: Pitfall = {
  code: 'CMP038',
  title: 'The chat template lengthens prompts',
  consequence:
    'On the chat route the server wraps each prompt: it processes more tokens than were configured, and than completion does.',
  remedy: 'Same route on both sides; take prompt tokens from the server’s usage.',
  moves: ['ttft', 'input_tokens_per_sec', 'total_tokens_per_sec'],
  configPaths: ['api.type', 'data.use_chat_template'],
  source: 'Hugging Face Transformers documentation: Chat templates',
  inReport: {
    words:
      'The server’s prompt tokens exceed the client’s by the same number (over 2) for the shortest, the mean and the longest prompt.',
    parts: [template],
  },
};
