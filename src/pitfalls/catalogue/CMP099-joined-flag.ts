// CMP099: A flag and its value in one argument.
import { type Between, sides } from '../pair';
import { EVERYTHING, type Pitfall } from '../pitfall';

const joinedFlag: Between = (pair) => {
  const words = sides(pair).flatMap(([name, facts]) => {
    const joined = (facts.stack?.args ?? []).filter((argument) => /^--?[\w-]+\s+\S/.test(argument));
    return joined.length === 0 ? [] : [`${name}’s server got '${joined.join("', '")}' as one argument each`];
  });
  return words.length === 0 ? undefined : words.join('; ');
};

export const CMP099: Pitfall = {
  code: 'CMP099',
  title: 'A flag and its value in one argument',
  consequence:
    'A server that gets "--quantization bitsandbytes" as one argument most likely never applied it: the variant that was measured is the baseline.',
  remedy: 'Write the flag and its value as two list elements, or join them with "=".',
  moves: EVERYTHING,
  configPaths: [],
  source: 'llm-d-benchmark: reports published with KubeCon 2025',
  between: { words: 'An argument of a stack record holds a flag, a space and a value.', look: joinedFlag },
};
