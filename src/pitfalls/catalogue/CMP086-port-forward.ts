// CMP086: The load goes through a port-forward.
import type { Between } from '../pair';
import { ALL_LATENCIES, type Pitfall, RATES } from '../pitfall';

const portForward: Between = (pair) => {
  const [x, y] = [pair.a.place, pair.b.place];
  const simulated = [pair.a, pair.b].some(({ run }) => run.manifest?.endpoint.kind === 'simulator');
  if (x === undefined || y === undefined || simulated || x === y) return undefined;
  if (x !== 'this machine' && y !== 'this machine') return undefined;
  const local = x === 'this machine' ? 'A' : 'B';
  return `${local} went to an address of its own machine, as a port-forward has it, and the other side to ${local === 'A' ? y : x}`;
};

export const CMP086: Pitfall = {
  code: 'CMP086',
  title: 'The load goes through a port-forward',
  consequence:
    'kubectl port-forward multiplexes all streams over one connection: it limits throughput, adds latency and breaks under load.',
  remedy: 'Run in the cluster, or through a real service address.',
  moves: [...ALL_LATENCIES, ...RATES, 'error_rate'],
  configPaths: ['server.base_url'],
  source: 'Kubernetes issues 74551, 78446 and 80171',
  between: { words: 'One side went to an address of its own machine, the other to another place.', look: portForward },
};
