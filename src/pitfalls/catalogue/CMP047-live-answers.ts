// CMP047: Replayed prompts contain the live model’s answers.
import { fix } from '../fix';
import { type Check, note } from '../in-config';
import { type Between, dataTypeOf, value, where } from '../pair';
import { EVERYTHING, type Pitfall } from '../pitfall';

const substitution: Check = ({ config: { data } }) =>
  data.type === 'otel_trace_replay' && data.otel_trace_replay?.disable_output_substitution === false
    ? [note(['data', 'otel_trace_replay', 'disable_output_substitution'])]
    : [];

const liveAnswers: Between = (pair) => {
  const side = where(
    pair,
    (facts) =>
      dataTypeOf(facts) === 'otel_trace_replay' &&
      value(facts, ['data', 'otel_trace_replay', 'disable_output_substitution']) === false,
  );
  return side && `prompts of ${side} contain what the live model answered: the two sides did not send the same prompts`;
};

export const CMP047: Pitfall = {
  code: 'CMP047',
  title: 'Replayed prompts contain the live model’s answers',
  consequence:
    'By default each turn carries what the model just said: two models, or two runs, do not see the same prompts.',
  remedy: 'Set disable_output_substitution: true for a paired comparison.',
  moves: EVERYTHING,
  configPaths: ['data.otel_trace_replay.disable_output_substitution'],
  source: 'inference-perf: inference_perf/config/datagen/replay.py',
  inConfig: { words: 'otel_trace_replay with disable_output_substitution off.', check: substitution },
  between: { words: 'The same on at least one side.', look: liveAnswers },
  mend: (problem, page) =>
    fix('Send the recorded answers (disable_output_substitution: true)', page.set(problem.path, 'true'), false),
};
