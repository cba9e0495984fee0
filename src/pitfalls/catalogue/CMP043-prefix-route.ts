// CMP043: shared_prefix does not follow api.type.
import { fix } from '../fix';
import { type Check, warning } from '../in-config';
import { type Between, dataTypeOf, isInferencePerf, text, value, where } from '../pair';
import type { Pitfall } from '../pitfall';

const chatPrefix: Check = ({ config: { api, data } }) =>
  data.type === 'shared_prefix' &&
  data.shared_prefix &&
  api.type === 'chat' &&
  data.multimodal === null &&
  data.shared_prefix.multimodal === null
    ? [warning(['api', 'type'], { restsOn: [['api', 'type']] })]
    : [];

const prefixRoute: Between = (pair) => {
  const side = where(
    pair,
    (facts) =>
      isInferencePerf(facts) &&
      dataTypeOf(facts) === 'shared_prefix' &&
      text(facts, ['api', 'type']) === 'chat' &&
      value(facts, ['data', 'multimodal']) === undefined &&
      value(facts, ['data', 'shared_prefix', 'multimodal']) === undefined,
  );
  return side && `api.type says chat on ${side}, but shared_prefix goes to /v1/completions: no chat template was in it`;
};

export const CMP043: Pitfall = {
  code: 'CMP043',
  title: 'shared_prefix does not follow api.type',
  consequence:
    'Text prompts go to /v1/completions even when api.type is chat: the run measures another route than it says.',
  remedy: 'Write api.type: completion, so that the file says what happens.',
  moves: ['ttft', 'input_tokens_per_sec'],
  configPaths: ['api.type', 'data.shared_prefix'],
  source: 'inference-perf issue 440',
  inConfig: { words: 'data.type is shared_prefix without media, and api.type is chat.', check: chatPrefix },
  between: { words: 'The same in the config of an inference-perf report.', look: prefixRoute },
  mend: (_problem, page) =>
    fix('Set api.type: completion, which is what is sent', page.set(['api', 'type'], 'completion'), false),
};
