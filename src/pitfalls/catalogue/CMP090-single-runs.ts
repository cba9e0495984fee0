// CMP090: One run each.
import type { Between } from '../pair';
import { EVERYTHING, type Pitfall } from '../pitfall';

const singleRuns: Between = ({ runs }) => {
  if (runs.a > 1 && runs.b > 1) return undefined;
  return `there is one run of ${runs.a > 1 ? 'B' : runs.b > 1 ? 'A' : 'each side'}: a difference cannot be told from the noise between runs`;
};

export const CMP090: Pitfall = {
  code: 'CMP090',
  title: 'One run each',
  consequence:
    'Identical runs differ: in public repeats p99 spread by 24 %, throughput by a third. A single pair cannot tell the change from the noise.',
  remedy: 'Repeat in alternating order; show the spread.',
  moves: EVERYTHING,
  configPaths: [],
  source: 'NVIDIA aicr issue 1197',
  between: { words: 'At least one side has no repeats.', look: singleRuns },
};
