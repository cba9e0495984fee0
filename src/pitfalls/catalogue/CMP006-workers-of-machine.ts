// CMP006: The number of workers depends on the machine.
import { fix } from '../fix';
import { type Check, note } from '../in-config';
import { type Between, value } from '../pair';
import { ALL_LATENCIES, type Pitfall, RATES } from '../pitfall';

const machineWorkers: Check = ({ config: { load } }) =>
  (load.type === 'constant' || load.type === 'poisson') && load.num_workers === undefined
    ? [
        note(['load', 'num_workers'], {
          message:
            'num_workers is not written, so inference-perf takes the number of CPUs: the limit of requests in flight, and the client itself, differ from machine to machine.',
        }),
      ]
    : [];

const workers: Between = (pair) => {
  const [x, y] = [value(pair.a, ['load', 'num_workers']), value(pair.b, ['load', 'num_workers'])];
  if (typeof x !== 'number' || typeof y !== 'number' || x === y) return undefined;
  return `load.num_workers is ${x} on A and ${y} on B: another client with another limit of requests in flight`;
};

export const CMP006: Pitfall = {
  code: 'CMP006',
  title: 'The number of workers depends on the machine',
  consequence:
    'The same file has another limit of requests in flight, and another client, on another machine or in a pod.',
  remedy: 'Write load.num_workers.',
  moves: [...ALL_LATENCIES, ...RATES],
  configPaths: ['load.num_workers'],
  source: 'inference-perf: inference_perf/config/loadgen/config.py',
  inConfig: { words: 'load.num_workers is not written, with an open loop.', check: machineWorkers },
  between: { words: 'The two saved configs have different num_workers.', look: workers },
  mend: (_problem, page, _loaded, { cpus = 4 }) =>
    fix(`Write num_workers: ${cpus}`, page.set(['load', 'num_workers'], String(cpus)), false),
};
