// CMP013: requested_rate means something else in closed loops.
import { significant, whole } from '../../figures';
import { said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

const statedRate: Sign = (scope, { tool }) => {
  // What we write ourselves in this layout is no news to anybody.
  if (tool !== 'inference-perf') return undefined;
  const stated = scope.extras?.statedRate;
  const { concurrency, model } = scope.load;
  if (model !== 'closed' || concurrency === undefined || stated === undefined || stated <= 0) return undefined;
  return said(
    scope.id,
    `load_summary.requested_rate says ${significant(stated)}, but ${whole(concurrency)} requests at a time were asked for: it is the number of requests, no rate`,
  );
};

export const CMP013: Pitfall = {
  code: 'CMP013',
  title: 'requested_rate means something else in closed loops',
  consequence:
    'For concurrent stages it holds num_requests, for session stages sessions/s: charts over it are nonsense.',
  remedy: 'Use concurrency on the axis; ignore requested_rate and schedule_delay of closed loops.',
  moves: ['requests_per_sec', 'schedule_delay'],
  configPaths: ['load.stages.concurrency_level'],
  source: 'inference-perf: inference_perf/loadgen/load_generator.py',
  inReport: {
    words: 'A closed-loop stage of inference-perf has a requested_rate beside its concurrency.',
    parts: [statedRate],
  },
};
