// CMP004: A hidden cap on requests in flight.
import { counted } from '../../figures';
import { type Check, type Hit, note, round, STAGES, warning } from '../in-config';
import { ALL_LATENCIES, type Pitfall, RATES } from '../pitfall';

/** A request may take this long before the cap is reached: rarely does one take longer. */
const SAFE_SECONDS = 30;

/** Many requests take longer than this, so the cap is certain to be met. */
const CERTAIN_SECONDS = 3;

/** The cap on requests in flight against the largest rate: how long may a request take before the client is the limit? */
const clientCap: Check = ({ config: { load } }) => {
  if (load.type !== 'constant' && load.type !== 'poisson') return [];
  const rate = Math.max(0, ...load.stages.map((stage) => stage.rate));
  if (load.num_workers === undefined) return unknownCap(rate, load.worker_max_concurrency);
  const workers = Math.max(1, load.num_workers);
  const cap = workers * load.worker_max_concurrency;
  const seconds = cap / rate;
  if (rate === 0 || seconds >= SAFE_SECONDS) return [];
  const message =
    `At ${round(rate)} requests/s the client holds at most ${cap} requests in flight (${counted(workers, 'worker')} x ${load.worker_max_concurrency}): ` +
    `once a request takes longer than ${round(seconds)} s, requests wait in the client and the loop is no longer open.`;
  const more = { message, restsOn: [['load', 'num_workers'], ['load', 'worker_max_concurrency'], STAGES] };
  const path = ['load', 'worker_max_concurrency'];
  return [seconds < CERTAIN_SECONDS ? warning(path, more) : note(path, more)];
};

/** A large client: what it cannot hold open, hardly any can. */
const MANY_CPUS = 16;

/** One worker for each CPU of a machine nobody knows. */
function unknownCap(rate: number, perWorker: number): readonly Hit[] {
  if (rate === 0 || (MANY_CPUS * perWorker) / rate >= CERTAIN_SECONDS) return [];
  const message =
    `At ${round(rate)} requests/s every second that a request takes needs ${round(rate)} requests in flight. num_workers is not written, so there are as many workers as CPUs with ${perWorker} each: ` +
    `${MANY_CPUS} CPUs hold ${MANY_CPUS * perWorker}, and requests that take longer than ${round((MANY_CPUS * perWorker) / rate)} s wait in the client.`;
  const path = ['load', 'worker_max_concurrency'];
  return [warning(path, { message, restsOn: [['load', 'num_workers'], STAGES] })];
}

export const CMP004: Pitfall = {
  code: 'CMP004',
  title: 'A hidden cap on requests in flight',
  consequence:
    'Above num_workers x worker_max_concurrency requests in flight the open loop becomes a closed one: latency reaches a plateau that is the cap’s, not the server’s.',
  remedy: 'Raise worker_max_concurrency until the product exceeds rate x latency with room to spare.',
  moves: [...ALL_LATENCIES, ...RATES, 'schedule_delay'],
  configPaths: ['load.worker_max_concurrency', 'load.num_workers', 'load.stages.rate'],
  source: 'inference-perf: inference_perf/loadgen/load_generator.py',
  inConfig: {
    words:
      'num_workers x worker_max_concurrency is used up at the highest rate once a request takes less than 30 s; or num_workers is not written and 16 CPUs would be used up within 3 s.',
    check: clientCap,
  },
  inReport: {
    words:
      'requests/s x mean latency reaches 90 % of that product (75 % when requests also leave over 1 s late); or a tenth of the asked rate was not sent while requests waited.',
  },
};
