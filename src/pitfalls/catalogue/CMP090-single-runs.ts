// CMP090: One run each.
import type { Between } from '../pair';
import { EVERYTHING, type Pitfall } from '../pitfall';

/** Said by the pitfall and by the verdict alike; undefined where both sides have repeats. */
export function singleRunWords({ a, b }: { readonly a: number; readonly b: number }): string | undefined {
  if (a > 1 && b > 1) return undefined;
  return a === 1 && b === 1
    ? 'with one run a side, what the numbers differ by is within these two runs: it shows no noise from run to run'
    : `with one run of ${a > 1 ? 'B' : 'A'}, the noise from run to run is known of the other side alone`;
}

const singleRuns: Between = ({ runs }) => singleRunWords(runs);

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
