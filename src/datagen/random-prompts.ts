// data.type random: prompts of random vocabulary, lengths drawn in advance or taken from a trace (reference 2.2 A and 2.4).
import type { Result } from '../problem';
import { ChatTemplateError } from './chat-template-files';
import { checked, drawLengths, type DrawInput, type DrawnLengths } from './drawn-lengths';
import type { MadePrompt, PromptSource } from './prompts';
import { stageStream } from './random';
import type { TextMaker } from './text';

export interface RandomInput extends DrawInput {
  readonly texts: TextMaker;
  /** Lengths of a trace (`data.trace`), row by row; the distributions are then ignored, as upstream. */
  readonly traced?: DrawnLengths | undefined;
}

/** Lengths are one sequence for all stages, from index 0 in each, as upstream; contents are new in every stage. */
export function randomPrompts(input: RandomInput): Result<PromptSource> {
  const lengths = input.traced && input.api === 'completion' ? checked(input.traced) : drawLengths('random', input);
  if (!lengths.ok) return lengths;
  const { inputLengths, outputLengths } = lengths.value;
  const { texts, seed } = input;
  const shortest = inputLengths.reduce((least, length) => Math.min(least, length), Infinity);
  if (texts.templateTokens !== undefined && shortest <= texts.templateTokens) {
    return refuse(
      input.traced ? ['data', 'trace'] : ['data', 'input_distribution'],
      'RUN012',
      `Nothing was sent: a prompt of ${shortest} tokens has no room for a text, because the chat template alone takes ${texts.templateTokens}; inference-perf refuses it too.`,
      `Ask for at least ${texts.templateTokens + 1} tokens, or set use_chat_template to false.`,
    );
  }
  return {
    ok: true,
    value: {
      unit: texts.unit,
      stage: (name) => {
        const contents = stageStream(seed, 'prompts', name);
        return (index) => {
          const asked = inputLengths[index % inputLengths.length]!;
          const maxTokens = outputLengths[index % outputLengths.length]!;
          return templateErrors(() => {
            const { text, length } = texts.make(asked, contents);
            return { content: text, length, asked, maxTokens };
          });
        };
      },
    },
    problems: lengths.problems,
  };
}

/** A template may refuse one text that it did not refuse at the start. */
function templateErrors(make: () => MadePrompt): MadePrompt {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ChatTemplateError)) throw error;
    return refuse(
      ['data', 'use_chat_template'],
      'RUN027',
      `Nothing was sent: ${error.message}.`,
      'Set use_chat_template to false.',
    );
  }
}

function refuse(
  path: readonly string[],
  code: string,
  message: string,
  remedy: string,
): Extract<Result<never>, { ok: false }> {
  return { ok: false, problems: [{ code, severity: 'error', path, message, remedy }] };
}
