// CMP060: TPOT and ITL changed their meaning between versions.
import type { Pitfall } from '../pitfall';

export const CMP060: Pitfall = {
  code: 'CMP060',
  title: 'TPOT and ITL changed their meaning between versions',
  consequence:
    'Halved in v0.1 and v0.2, counted by event in v0.3 and v0.4, inflated by begin tokens in v0.5: factors of about 2.',
  remedy: 'Do not compare them across these versions; derive TPOT as (latency - TTFT) / (n - 1).',
  moves: ['tpot', 'itl'],
  configPaths: [],
  source: 'inference-perf issues 392 and 566, PRs 410 and 452',
  inReport: {
    words: 'The mean latency is not mean TTFT + mean TPOT x (n - 1), or the mean gap is not the decode time per token.',
  },
};
