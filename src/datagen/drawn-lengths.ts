// Lengths that random and synthetic draw before the first stage, one sequence for all stages (reference 2.2 A).
import type { Seed } from '../config/model/lax';
import type { Problem, Result } from '../problem';
import { presampledLengths, presampledRefusal, type LengthDistribution } from './lengths';
import { stream } from './random';

export interface DrawnLengths {
  readonly inputLengths: Int32Array;
  readonly outputLengths: Int32Array;
}

export interface DrawInput {
  readonly api: 'completion' | 'chat';
  readonly input: LengthDistribution | undefined;
  readonly output: LengthDistribution | undefined;
  /** Requests of the largest stage: how many lengths are drawn. */
  readonly count: number;
  readonly seed: Seed;
}

/**
 * Input and output lengths have streams of their own, so that changing one distribution leaves the other's draws alone. Errors RUN011
 * and RUN012 name the key; warnings RUN022 and RUN023 tell of lengths that are sent as something else.
 */
export function drawLengths(
  type: 'random' | 'synthetic',
  { api, input, output, count, seed }: DrawInput,
): Result<DrawnLengths> {
  if (api === 'chat') {
    return refuse(
      ['api', 'type'],
      `Nothing was sent: data type ${type} sends completions only, so inference-perf refuses it with api.type chat.`,
    );
  }
  if (!input || !output) {
    const missing = input ? 'output_distribution' : 'input_distribution';
    return refuse(['data', missing], `Nothing was sent: data type ${type} needs data.${missing}.`);
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
  return checked({ inputLengths, outputLengths });
}

/** Refuses negative output lengths, and warns of lengths of 0 in any of the two. */
export function checked(lengths: DrawnLengths): Result<DrawnLengths> {
  const { inputLengths, outputLengths } = lengths;
  const shortest = outputLengths.reduce((least, length) => Math.min(least, length), Infinity);
  if (shortest < 0) {
    return refuse(
      ['data', 'output_distribution'],
      `Nothing was sent: the distribution gives an output length of ${shortest}, and no server can answer with less than nothing.`,
      'Raise output_distribution.min to at least 1.',
    );
  }
  return { ok: true, value: lengths, problems: zeroWarnings(inputLengths, outputLengths) };
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
