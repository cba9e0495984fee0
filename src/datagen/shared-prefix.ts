// data.type shared_prefix: groups of prompts that begin alike, made once and repeated (reference 2.2 B and 2.4), single turn.
import type { Problem, Result } from '../problem';
import { sampledLength, sampledRefusal, type LengthDistribution } from './lengths';
import type { Prompt, PromptSource } from './prompts';
import { shuffle, stream, type Rng } from './random';
import type { TextMaker } from './text';

/** A length as the config gives it: one number, or a distribution. */
export type LengthChoice = number | LengthDistribution;

export interface SharedPrefixData {
  readonly groups: number;
  readonly promptsPerGroup: number;
  readonly systemPromptLength: LengthChoice;
  readonly questionLength: LengthChoice;
  readonly outputLength: LengthChoice;
  /** `data.shared_prefix.seed`; null is "unseeded" upstream, where IsoPerf takes the run's seed. */
  readonly seed: number | null;
}

export interface SharedPrefixInput {
  readonly api: 'completion' | 'chat';
  readonly data: SharedPrefixData | undefined;
  readonly seed: number;
  readonly texts: TextMaker;
}

/**
 * All prompts are made once and shuffled; request i of every stage takes prompt i mod (groups x prompts per group), so that later
 * stages repeat them word for word, as upstream. Text goes to /v1/completions whatever `api.type` says, as upstream.
 */
export function sharedPrefixPrompts({ api, data, seed, texts }: SharedPrefixInput): Result<PromptSource> {
  if (!data) return refuse(['data', 'shared_prefix'], 'Nothing was sent: data type shared_prefix needs its block.');
  if (data.groups < 1 || data.promptsPerGroup < 1) {
    return refuse(
      ['data', 'shared_prefix'],
      `Nothing was sent: ${data.groups} groups of ${data.promptsPerGroup} prompts are no prompts at all.`,
    );
  }
  for (const [key, choice] of [
    ['system_prompt_len', data.systemPromptLength],
    ['question_len', data.questionLength],
    ['output_len', data.outputLength],
  ] as const) {
    const refusal = typeof choice === 'number' ? undefined : sampledRefusal(choice);
    if (refusal !== undefined) return refuse(['data', 'shared_prefix', key], `Nothing was sent: ${refusal}.`);
  }
  const rng = stream(data.seed ?? seed, 'shared-prefix');
  const made = makePrompts(data, texts, rng);
  const negative = made.prompts.find((prompt) => prompt.maxTokens < 0);
  if (negative) {
    return refuse(
      ['data', 'shared_prefix', 'output_len'],
      `Nothing was sent: output_len gives an output length of ${negative.maxTokens}.`,
    );
  }
  return {
    ok: true,
    value: {
      unit: texts.unit,
      api: 'completion',
      sharedPrefixLength: made.meanPrefixLength,
      stage: () => (index) => made.prompts[index % made.prompts.length]!,
    },
    problems: api === 'chat' ? [CHAT_IGNORED] : [],
  };
}

const CHAT_IGNORED: Problem = {
  code: 'CMP043',
  severity: 'warning',
  path: ['api', 'type'],
  message:
    'Requests go to /v1/completions although api.type is chat: shared_prefix ignores it in inference-perf, and so here, so that the numbers stay comparable.',
  remedy: 'Set api.type to completion: it says what really happens.',
};

function makePrompts(
  data: SharedPrefixData,
  texts: TextMaker,
  rng: Rng,
): { prompts: readonly Prompt[]; meanPrefixLength: number } {
  const prompts: Prompt[] = [];
  let prefixTotal = 0;
  for (let group = 0; group < data.groups; group++) {
    const prefixLength = Math.max(0, draw(data.systemPromptLength, rng));
    const prefix = prefixLength > texts.specialTokens ? texts.make(prefixLength, rng) : { text: '', length: 0 };
    prefixTotal += prefix.length;
    for (let member = 0; member < data.promptsPerGroup; member++) {
      const questionLength = Math.max(1, draw(data.questionLength, rng));
      // Upstream counts the special tokens in both lengths; the prompt they make has them once.
      const asked = prefix.length + questionLength - (prefix.length > 0 ? texts.specialTokens : 0);
      const { text, length } = texts.extend(prefix.text, asked, rng);
      prompts.push({ text, length, asked, maxTokens: draw(data.outputLength, rng) });
    }
  }
  shuffle(rng, prompts);
  return { prompts, meanPrefixLength: prefixTotal / data.groups };
}

function draw(choice: LengthChoice, rng: Rng): number {
  return typeof choice === 'number' ? choice : sampledLength(choice, rng);
}

function refuse(path: Problem['path'], message: string): Result<never> {
  return { ok: false, problems: [{ code: 'RUN013', severity: 'error', path, message }] };
}
