// CMP014: Real concurrency was not the configured one.
import { EVERYTHING, type Pitfall } from '../pitfall';

export const CMP014: Pitfall = {
  code: 'CMP014',
  title: 'Real concurrency was not the configured one',
  consequence: 'Releases up to v0.3.0 rounded per worker and overlapped stages: 74 in flight where 45 were asked for.',
  remedy: 'Recompute the number in flight from per-request records.',
  moves: EVERYTHING,
  configPaths: ['load.stages.concurrency_level'],
  source: 'inference-perf issues 319 and 346',
  inReport: { words: 'requests/s x mean latency is under 80 % or over 105 % of the concurrency level.' },
};
