// data.type random: prompts of random vocabulary, lengths drawn in advance or taken from a trace (reference 2.2 A and 2.4).
import type { Result } from '../problem';
import { checked, drawLengths, type DrawInput, type DrawnLengths } from './drawn-lengths';
import type { PromptSource } from './prompts';
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
  return {
    ok: true,
    value: {
      unit: texts.unit,
      stage: (name) => {
        const contents = stageStream(seed, 'prompts', name);
        return (index) => {
          const asked = inputLengths[index % inputLengths.length]!;
          const { text, length } = texts.make(asked, contents);
          return { content: text, length, asked, maxTokens: outputLengths[index % outputLengths.length]! };
        };
      },
    },
    problems: lengths.problems,
  };
}
