// CMP028: base_seed does not fix the run.
import { type Check, note } from '../in-config';
import { type Between, shown, value } from '../pair';
import { ALL_LATENCIES, type Pitfall } from '../pitfall';

const sameSeed: Between = (pair) => {
  const [x, y] = [value(pair.a, ['load', 'base_seed']), value(pair.b, ['load', 'base_seed'])];
  if (x === undefined || x !== y) return undefined;
  const other = pair.stages.some((stages) => {
    const [left, right] = [stages.a.scheduleHash, stages.b.scheduleHash];
    if (left !== undefined && right !== undefined) return left !== right;
    const [sent, then] = [stages.a.sendSeconds, stages.b.sendSeconds];
    return stages.sameLoad && sent !== undefined && then !== undefined && Math.abs(sent - then) > 0.001 * sent;
  });
  return other
    ? `both sides have base_seed ${shown(x)}, and their requests were sent at other times all the same`
    : undefined;
};

const LAWS: ReadonlyMap<string, string> = new Map([
  ['constant', 'exponential gaps'],
  ['poisson', 'a Poisson number each second'],
]);

/** IsoPerf's own seed reaches them; a Poisson process looks as if base_seed did. */
const drawnArrivals: Check = ({ config: { load }, isWritten, seed }) => {
  const law = LAWS.get(load.type);
  const isSeeded = isWritten(['load', 'base_seed']);
  if (law === undefined || seed !== undefined || load.sweep || (!isSeeded && load.type !== 'poisson')) return [];
  return [
    note(['load', isSeeded ? 'base_seed' : 'type'], {
      message: `In inference-perf no seed reaches the arrivals (${law}): every run sends at other times${isSeeded ? ', whatever base_seed says' : ''}.`,
      restsOn: [['load', 'type']],
    }),
  ];
};

export const CMP028: Pitfall = {
  code: 'CMP028',
  title: 'base_seed does not fix the run',
  consequence:
    'In inference-perf it fixes lengths only: arrival times, LoRA choice and, with several workers, prompt contents differ from run to run.',
  remedy:
    'Do not call two runs paired because their seeds agree; repeat at least three times. IsoPerf seeds arrivals and contents too.',
  moves: ALL_LATENCIES,
  configPaths: ['load.base_seed', 'load.type'],
  source: 'inference-perf: inference_perf/loadgen/load_timer.py',
  inConfig: {
    words:
      'Arrivals are drawn (constant, poisson), and load.base_seed is written or the law is poisson; no seed directive.',
    check: drawnArrivals,
  },
  between: {
    words: 'Equal base_seed, and another schedule or another time from the first to the last send.',
    look: sameSeed,
  },
};
