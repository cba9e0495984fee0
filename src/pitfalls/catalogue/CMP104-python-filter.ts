// CMP104: A filter is a program.
import { type Check, replayOf, warning } from '../in-config';
import { EVERYTHING, type Pitfall } from '../pitfall';

const filtered: Check = ({ config }) => {
  const replay = replayOf(config);
  const hasFilter = replay !== undefined && 'filter' in replay.block && (replay.block.filter ?? '').trim() !== '';
  return hasFilter ? [warning([...replay.path, 'filter'], { ofAnyValue: true })] : [];
};

export const CMP104: Pitfall = {
  code: 'CMP104',
  title: 'A filter is a program that decides what is sent',
  consequence:
    'inference-perf runs the text as Python over each recorded session: which sessions are left is known only when it ran, one that throws ends the run, and whoever may write the config may run code where it is read.',
  remedy:
    'Filter the traces once and name the files that are left; take no config with a filter from where you would take no program. The same filter and the same files on both sides of a comparison.',
  moves: EVERYTHING,
  configPaths: ['data.otel_trace_replay.filter', 'data.weka_trace_replay.filter'],
  source: 'inference-perf: inference_perf/config/datagen/replay.py',
  inConfig: { words: 'data.otel_trace_replay.filter or data.weka_trace_replay.filter is written.', check: filtered },
};
