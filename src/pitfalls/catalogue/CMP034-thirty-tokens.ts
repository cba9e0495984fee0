// CMP034: Output is capped at 30 tokens.
import { significant } from '../../figures';
import { statisticOf } from '../../readers/canonical';
import { at, textAt } from '../../readers/readers/values';
import { type Check, warning } from '../in-config';
import { dataType, lifecycleOnly, said, type Sign } from '../in-report';
import { EVERYTHING, type Pitfall } from '../pitfall';
import { isObject } from '../../own';

/** What sets no length on the routes of chats. */
const CAPPED_CHAT: readonly string[] = ['shareGPT', 'billsum_conversations', 'infinity_instruct'];

const cappedOutput: Check = ({ config }) => {
  const { api, data } = config;
  const chatCapped = CAPPED_CHAT.includes(data.type) && api.type !== 'completion';
  const mediaCapped = data.type === 'visionarena' || (data.type === 'synthetic' && data.multimodal !== null);
  if (!chatCapped && !mediaCapped && data.type !== 'mock') return [];
  const why = chatCapped
    ? `${data.type} with api.type ${api.type}`
    : mediaCapped && data.type === 'synthetic'
      ? 'synthetic with multimodal'
      : data.type;
  return [
    warning(['data', 'type'], {
      message: `${why} asks for 30 output tokens per request, whatever output_distribution says.`,
      // The other route helps where the cap is the route's, and nowhere else.
      remedy: chatCapped
        ? 'Set api.type: completion, or choose a data type that sets lengths.'
        : 'Choose a data type that sets lengths.',
      restsOn: [
        ['api', 'type'],
        ['data', 'type'],
      ],
    }),
  ];
};

const thirtyTokens: Sign = (scope, report) => {
  const type = dataType(report) ?? '';
  const api = textAt(report.config, 'api', 'type') ?? 'completion';
  const capped =
    (CAPPED_CHAT.includes(type) && api !== 'completion') ||
    type === 'visionarena' ||
    (type === 'synthetic' && isObject(at(report.config, 'data', 'multimodal')));
  const longest = statisticOf(scope, 'output_tokens', 'max');
  if (!capped || longest === undefined || longest > 31) return undefined;
  return said(
    scope.id,
    `no answer is longer than ${significant(longest)} tokens: ${type} with api.type ${api} asks for 30, whatever output_distribution says`,
  );
};

export const CMP034: Pitfall = {
  code: 'CMP034',
  title: 'Output is capped at 30 tokens',
  consequence:
    'This data type on this route sets no length, and the client’s default of 30 max_tokens applies; output_distribution is not used.',
  remedy: 'Choose a data type that sets lengths, or completion where chat is what caps them.',
  moves: EVERYTHING,
  configPaths: ['data.type', 'api.type'],
  source: 'inference-perf: inference_perf/apis/chat.py',
  inConfig: {
    words: 'shareGPT, billsum or infinity with chat or anthropic; visionarena; multimodal synthetic; mock.',
    check: cappedOutput,
  },
  inReport: { words: 'Such data, and no answer longer than 31 tokens.', parts: [lifecycleOnly(thirtyTokens)] },
};
