// CMP093: The first token is not the same event everywhere.
import { type Between, defined } from '../pair';
import type { Pitfall } from '../pitfall';

const firstToken: Between = (pair) => {
  const words = defined(pair, ['ttft'], 'anchor');
  return words && `what counts as first token: ${words}`;
};

export const CMP093: Pitfall = {
  code: 'CMP093',
  title: 'The first token is not the same event everywhere',
  consequence:
    'vLLM’s bench stops the clock at the first chunk, be it empty; inference-perf at the first visible text; others at the first reasoning token: TTFT differs though the server does not.',
  remedy: 'Compare TTFT within one tool.',
  moves: ['ttft'],
  configPaths: [],
  source: 'vLLM: vllm/benchmarks/lib/endpoint_request_func.py; inference-perf issue 559',
  between: { words: 'Two reports whose TTFT ends at different events.', look: firstToken },
};
