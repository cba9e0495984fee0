// CMP002: Open loop against closed loop.
import { apart, type Between } from '../pair';
import { EVERYTHING, type Pitfall } from '../pitfall';

const openAndClosed: Between = (pair) => apart(pair, 'load-model')?.message;

export const CMP002: Pitfall = {
  code: 'CMP002',
  title: 'Open loop against closed loop',
  consequence:
    'At equal throughput the latencies differ by construction: an open loop keeps sending while the server is slow, a closed loop waits for it.',
  remedy: 'Compare open with open and closed with closed; never put both on one axis.',
  moves: EVERYTHING,
  configPaths: ['load.type'],
  source: 'B. Schroeder, A. Wierman, M. Harchol-Balter: Open Versus Closed: A Cautionary Tale, NSDI 2006',
  between: {
    words: 'One side is an open loop (rates), the other a closed one (concurrency) or a session replay.',
    look: openAndClosed,
  },
};
