// The text that synthetic prompts are cut from when the config names none: plain sentences of our own, the same in every run.
import { integerBelow, stream } from './random';
import { WORDS } from './words';

const MIN_WORDS = 60_000;

/**
 * At least `words` words, deterministic whatever the run's seed: a longer corpus begins with the shorter one. inference-perf cuts
 * from Shakespeare instead, so texts (not lengths) differ from its own.
 */
export function builtInCorpus(words: number): string {
  const rng = stream(0, 'corpus');
  const sentences: string[] = [];
  for (let count = 0; count < Math.max(words, MIN_WORDS);) {
    const length = 5 + integerBelow(rng, 16);
    const chosen = Array.from({ length }, () => WORDS[integerBelow(rng, WORDS.length)]!);
    const comma = length > 9 ? 3 + integerBelow(rng, length - 6) : undefined;
    const said = chosen.map((word, index) => (index === comma ? `${word},` : word)).join(' ');
    const end = integerBelow(rng, 12) === 0 ? '?' : '.';
    sentences.push(`${said[0]!.toUpperCase()}${said.slice(1)}${end}${integerBelow(rng, 8) === 0 ? '\n' : ''}`);
    count += length;
  }
  return sentences.join(' ').replaceAll('\n ', '\n');
}
