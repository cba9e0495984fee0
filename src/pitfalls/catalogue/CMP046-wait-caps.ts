// CMP046: Trace replay shortens think time.
import { type Check, note, replayOf } from '../in-config';
import { type Between, dataTypeOf, differs } from '../pair';
import { EVERYTHING, type Pitfall } from '../pitfall';

const waitCaps: Check = ({ config }) => {
  const replay = replayOf(config);
  return replay ? [note([...replay.path, 'max_wait_ms'])] : [];
};

const caps: Between = (pair) => {
  const type = dataTypeOf(pair.a);
  if (type !== dataTypeOf(pair.b) || (type !== 'otel_trace_replay' && type !== 'weka_trace_replay')) return undefined;
  const words = ['max_wait_ms', 'trace_idle_gap_cap_seconds'].flatMap(
    (key) => differs(pair, ['data', type, key]) ?? [],
  );
  return words.length === 0 ? undefined : `pauses of the trace are cut differently: ${words.join('; ')}`;
};

export const CMP046: Pitfall = {
  code: 'CMP046',
  title: 'Trace replay shortens think time',
  consequence:
    'Pauses are cut at max_wait_ms (15 s) and idle gaps at trace_idle_gap_cap_seconds (60 s): sessions are denser than recorded.',
  remedy: 'Same caps on both sides, and say them.',
  moves: [...EVERYTHING, 'session_metrics'],
  configPaths: [
    'data.otel_trace_replay.max_wait_ms',
    'data.weka_trace_replay.max_wait_ms',
    'data.weka_trace_replay.trace_idle_gap_cap_seconds',
  ],
  source: 'inference-perf: inference_perf/config/datagen/replay.py',
  inConfig: { words: 'A trace data type with its caps.', check: waitCaps },
  between: { words: 'max_wait_ms or trace_idle_gap_cap_seconds differ.', look: caps },
};
