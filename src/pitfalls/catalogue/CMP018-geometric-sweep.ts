// CMP018: A geometric sweep has few points at low load.
import { fix } from '../fix';
import { type Check, note } from '../in-config';
import { ALL_LATENCIES, type Pitfall } from '../pitfall';

const geometric: Check = ({ config: { load } }) =>
  load.sweep?.type === 'geometric' ? [note(['load', 'sweep', 'type'])] : [];

export const CMP018: Pitfall = {
  code: 'CMP018',
  title: 'A geometric sweep has few points at low load',
  consequence: 'Most stages crowd below saturation; the low-load part of the curve rests on one or two points.',
  remedy: 'Use linear for latency-load curves.',
  moves: ALL_LATENCIES,
  configPaths: ['load.sweep.type'],
  source: 'inference-perf: inference_perf/loadgen/load_generator.py',
  inConfig: { words: 'load.sweep.type is geometric.', check: geometric },
  mend: (problem, page) => fix('Space the rates evenly (type: linear)', page.set(problem.path, 'linear'), false),
};
