// CMP095: A percentile is not computed alike everywhere.
import type { QuantityId } from '../../readers/canonical';
import { type Between, defined } from '../pair';
import type { Pitfall } from '../pitfall';

const LATENCIES: readonly QuantityId[] = ['ttft', 'e2e'];

const percentileMethod: Between = (pair) => {
  const words = defined(pair, LATENCIES, 'percentiles');
  return words && `percentiles are computed differently: ${words}`;
};

export const CMP095: Pitfall = {
  code: 'CMP095',
  title: 'A percentile is not computed alike everywhere',
  consequence:
    'Interpolated between two requests, taken by rank, or read from the buckets of a histogram: high percentiles of the same requests differ, most of all when they are few.',
  remedy: 'Recompute both sides from per-request records.',
  moves: ['percentiles'],
  configPaths: [],
  source: 'R. J. Hyndman, Y. Fan: Sample Quantiles in Statistical Packages, The American Statistician 1996',
  between: { words: 'The latencies of the two reports have different percentile methods.', look: percentileMethod },
};
