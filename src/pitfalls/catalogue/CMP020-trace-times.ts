// CMP020: Trace times are cut to 10 ms and repeat in every stage.
import { type Check, note, STAGES } from '../in-config';
import { ALL_LATENCIES, type Pitfall } from '../pitfall';

const traceInStages: Check = ({ config: { load } }) =>
  load.type === 'trace_replay' && load.trace && load.stages.length > 1 ? [note(STAGES)] : [];

export const CMP020: Pitfall = {
  code: 'CMP020',
  title: 'Trace times are cut to 10 ms and repeat in every stage',
  consequence: 'Bursts shorter than 10 ms are lost, and each stage plays the whole trace again.',
  remedy: 'One stage; say the resolution beside the numbers.',
  moves: ALL_LATENCIES,
  configPaths: ['load.trace'],
  source: 'inference-perf: inference_perf/loadgen/load_timer.py',
  inConfig: { words: 'load.type is trace_replay, with more than one stage.', check: traceInStages },
};
