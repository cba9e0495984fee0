// CMP096: A mean weighs requests, or tokens.
import { type Between, defined } from '../pair';
import { DECODE, type Pitfall } from '../pitfall';

const weighting: Between = (pair) => {
  const words = defined(pair, ['tpot', 'ntpot'], 'weighting');
  return words && `means weigh differently: ${words}`;
};

export const CMP096: Pitfall = {
  code: 'CMP096',
  title: 'A mean weighs requests, or tokens',
  consequence:
    'GuideLLM weighs its time per token by tokens, most others by requests: long answers count for more, and the means differ on the same run.',
  remedy: 'Recompute both sides from per-request records.',
  moves: DECODE,
  configPaths: [],
  source: 'GuideLLM documentation: Metrics',
  between: { words: 'TPOT or NTPOT of the two reports is weighted differently.', look: weighting },
};
