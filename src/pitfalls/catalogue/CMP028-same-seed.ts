// CMP028: base_seed does not fix the run.
import { type Between, value } from '../pair';
import { ALL_LATENCIES, type Pitfall } from '../pitfall';

const sameSeed: Between = (pair) => {
  const [x, y] = [value(pair.a, ['load', 'base_seed']), value(pair.b, ['load', 'base_seed'])];
  if (typeof x !== 'number' || x !== y) return undefined;
  const other = pair.stages.some((stages) => {
    const [left, right] = [stages.a.scheduleHash, stages.b.scheduleHash];
    if (left !== undefined && right !== undefined) return left !== right;
    const [sent, then] = [stages.a.sendSeconds, stages.b.sendSeconds];
    return stages.sameLoad && sent !== undefined && then !== undefined && Math.abs(sent - then) > 0.001 * sent;
  });
  return other ? `both sides have base_seed ${x}, and their requests were sent at other times all the same` : undefined;
};

export const CMP028: Pitfall = {
  code: 'CMP028',
  title: 'base_seed does not fix the run',
  consequence:
    'In inference-perf it fixes lengths only: arrival times, LoRA choice and, with several workers, prompt contents differ from run to run.',
  remedy:
    'Do not call two runs paired because their seeds agree; repeat at least three times. IsoPerf seeds arrivals and contents too.',
  moves: ALL_LATENCIES,
  configPaths: ['load.base_seed'],
  source: 'inference-perf: inference_perf/loadgen/load_timer.py',
  between: {
    words: 'Equal base_seed, and another schedule or another time from the first to the last send.',
    look: sameSeed,
  },
};
