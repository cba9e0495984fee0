// CMP019: A trace of times without its sizes, or the reverse.
import { type Check, warning } from '../in-config';
import { EVERYTHING, type Pitfall } from '../pitfall';

const oneTrace: Check = ({ config: { load, data } }) => {
  const times = load.type === 'trace_replay' ? load.trace : null;
  const sizes = data.type === 'random' ? data.trace : null;
  if (times && !sizes)
    return [
      warning(['load', 'trace'], {
        message: 'load.trace gives the arrival times only: lengths come from data.type, not from the trace.',
      }),
    ];
  if (sizes && !times)
    return [
      warning(['data', 'trace'], {
        message: 'data.trace gives the lengths only: arrival times come from load.type, not from the trace.',
      }),
    ];
  return times && sizes && times.file !== sizes.file
    ? [
        warning(['data', 'trace', 'file'], {
          message: `Times come from ${times.file}, lengths from ${sizes.file}: two traces mixed.`,
        }),
      ]
    : [];
};

export const CMP019: Pitfall = {
  code: 'CMP019',
  title: 'A trace of times without its sizes, or the reverse',
  consequence:
    'load.trace gives arrival times, data.trace gives lengths. With one of them the run is not the trace: sizes are random, or times are the load type’s.',
  remedy: 'Set both, to the same file.',
  moves: EVERYTHING,
  configPaths: ['load.trace', 'data.trace'],
  source: 'inference-perf: inference_perf/config/loadgen/config.py',
  inConfig: { words: 'Only one of load.trace and data.trace is set, or they name different files.', check: oneTrace },
};
