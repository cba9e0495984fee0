// CMP056: A proxy or gateway joins chunks.
import type { Pitfall } from '../pitfall';

export const CMP056: Pitfall = {
  code: 'CMP056',
  title: 'A proxy or gateway joins chunks',
  consequence: 'Several tokens arrive at once: ITL is zero and then large, while TPOT stays right.',
  remedy: 'Use TPOT; report gaps between chunks as such.',
  moves: ['itl'],
  configPaths: ['server.base_url'],
  source: 'nginx documentation: proxy_buffering',
  inReport: { words: 'Over a tenth of the gaps are under 0.5 ms.' },
};
