// CMP051: No sampling parameters are sent.
import { apart, type Between, type Facts, isInferencePerf, where } from '../pair';
import { ALL_LATENCIES, type Pitfall } from '../pitfall';

const SAMPLING_NAMES = ['temperature', 'top_p', 'seed'];

const serverDefaults: Between = (pair) => {
  const served = apart(pair, 'server');
  // Declared as the change under test it is apart by the user's word; here a difference must have been seen.
  if (!served || (served.state === 'intended' && (served.changes ?? []).length === 0)) return undefined;
  const silent = (facts: Facts): boolean => {
    const parameters = facts.run.manifest?.workload.parameters;
    if (parameters) return !SAMPLING_NAMES.some((name) => name in parameters);
    return isInferencePerf(facts);
  };
  return where(pair, silent) === 'A and B'
    ? 'no sampling parameter was sent on either side and the servers differ: each sampled by its own defaults'
    : undefined;
};

export const CMP051: Pitfall = {
  code: 'CMP051',
  title: 'No sampling parameters are sent',
  consequence:
    'Temperature and top_p are the server’s defaults or the model’s generation config: outputs vary, and two servers may sample differently.',
  remedy: 'Fix the server’s defaults and record them.',
  moves: [...ALL_LATENCIES, 'output_tokens_per_sec'],
  configPaths: [],
  source: 'inference-perf: inference_perf/apis/chat.py',
  between: { words: 'The servers differ, and neither side sent temperature, top_p or seed.', look: serverDefaults },
};
