// CMP044: Multi-turn repeats the question and the prefix.
import { whole } from '../../figures';
import { statisticOf } from '../../readers/canonical';
import { at } from '../../readers/readers/values';
import { type Check, warning } from '../in-config';
import { dataType, lifecycleOnly, said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

const multiTurn: Check = ({ config: { data } }) =>
  data.type === 'shared_prefix' && data.shared_prefix?.enable_multi_turn_chat
    ? [warning(['data', 'shared_prefix', 'enable_multi_turn_chat'])]
    : [];

const rounds: Sign = (scope, report) => {
  const multi = at(report.config, 'data', 'shared_prefix', 'enable_multi_turn_chat') === true;
  const [longest, low] = [statisticOf(scope, 'prompt_tokens', 'max'), statisticOf(scope, 'prompt_tokens', 'p5')];
  if (dataType(report) !== 'shared_prefix' || !multi || longest === undefined || low === undefined) return undefined;
  if (longest <= 2 * low) return undefined;
  return said(
    scope.id,
    `prompts grow from ${whole(low)} (p5) to ${whole(longest)} tokens: each round sends the conversation and then the same prompt again, prefix included`,
  );
};

export const CMP044: Pitfall = {
  code: 'CMP044',
  title: 'Multi-turn repeats the question and the prefix',
  consequence:
    'Each round sends the conversation so far, then the same prompt again, prefix included: prompts grow by more than a turn, and the cache hits more than it would.',
  remedy: 'Use data.type conversation_replay for conversations.',
  moves: ['ttft', 'input_tokens_per_sec', 'total_tokens_per_sec'],
  configPaths: ['data.shared_prefix.enable_multi_turn_chat'],
  source: 'inference-perf: inference_perf/apis/user_session.py',
  inConfig: { words: 'data.shared_prefix.enable_multi_turn_chat is on.', check: multiTurn },
  inReport: {
    words: 'The same, and the longest prompt is over twice the 5th percentile.',
    parts: [lifecycleOnly(rounds)],
  },
};
