// data.type random: prompts of random vocabulary, lengths drawn in advance (reference 2.2 A and 2.4).
import type { Problem, Result } from '../problem';
import { presampledLengths, presampledRefusal, type LengthDistribution } from './lengths';
import type { PromptSource } from './prompts';
import { stageStream, stream } from './random';
import type { TextMaker } from './text';

export interface RandomInput {
  readonly api: 'completion' | 'chat';
  readonly input: LengthDistribution | undefined;
  readonly output: LengthDistribution | undefined;
  /** Requests of the largest stage: how many lengths are drawn. */
  readonly count: number;
  readonly seed: number;
  readonly texts: TextMaker;
}

/**
 * Lengths are one sequence for all stages, from index 0 in each, as upstream; contents are new in every stage. Input and output
 * lengths have streams of their own, so that changing one distribution leaves the other's draws alone.
 */
export function randomPrompts({ api, input, output, count, seed, texts }: RandomInput): Result<PromptSource> {
  if (api === 'chat') return refuse(['api', 'type'], chatRefusal());
  if (!input || !output) {
    const missing = input ? 'output_distribution' : 'input_distribution';
    return refuse(['data', missing], `Nothing was sent: data type random needs data.${missing}.`);
  }
  for (const [key, distribution] of [
    ['input_distribution', input],
    ['output_distribution', output],
  ] as const) {
    const refusal = presampledRefusal(distribution);
    if (refusal !== undefined) return refuse(['data', key], `Nothing was sent: ${refusal}.`);
  }
  const inputLengths = presampledLengths(input, count, stream(seed, 'input-lengths'));
  const outputLengths = presampledLengths(output, count, stream(seed, 'output-lengths'));
  const shortest = outputLengths.reduce((least, length) => Math.min(least, length), Infinity);
  if (shortest < 0) {
    return refuse(
      ['data', 'output_distribution'],
      `Nothing was sent: the distribution gives an output length of ${shortest}, and no server can answer with less than nothing.`,
      'Raise output_distribution.min to at least 1.',
    );
  }
  return {
    ok: true,
    value: {
      unit: texts.unit,
      stage: (name) => {
        const contents = stageStream(seed, 'prompts', name);
        return (index) => {
          const asked = inputLengths[index]!;
          return { ...texts.make(asked, contents), asked, maxTokens: outputLengths[index]! };
        };
      },
    },
    problems: zeroWarnings(inputLengths, outputLengths),
  };
}

function zeroWarnings(input: Int32Array, output: Int32Array): Problem[] {
  const problems: Problem[] = [];
  const short = input.filter((length) => length < 1).length;
  if (short > 0) {
    problems.push({
      code: 'RUN022',
      severity: 'warning',
      path: ['data', 'input_distribution'],
      message: `${short} prompt lengths are below 1; these prompts have one token or word instead.`,
      remedy: 'Raise input_distribution.min to at least 1.',
    });
  }
  const empty = output.filter((length) => length === 0).length;
  if (empty > 0) {
    problems.push({
      code: 'RUN023',
      severity: 'warning',
      path: ['data', 'output_distribution'],
      message: `${empty} output lengths are 0, which inference-perf replaces by its default: these requests ask for 30 tokens.`,
      remedy: 'Raise output_distribution.min to at least 1.',
    });
  }
  return problems;
}

function chatRefusal(): string {
  return 'Nothing was sent: data type random sends completions only, so inference-perf refuses it with api.type chat.';
}

function refuse(path: Problem['path'], message: string, remedy?: string): Result<never> {
  const isApi = path[0] === 'api';
  const advice = remedy ?? (isApi ? 'Set api.type to completion, or use another data type.' : undefined);
  return {
    ok: false,
    problems: [
      { code: isApi ? 'RUN011' : 'RUN012', severity: 'error', path, message, ...(advice ? { remedy: advice } : {}) },
    ],
  };
}
