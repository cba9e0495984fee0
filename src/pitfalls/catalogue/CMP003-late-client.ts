// CMP003: The client fell behind its own schedule.
import { duration } from '../../figures';
import { measureOf } from '../../readers/canonical';
import { isScheduled, ofSchedule, said, type Sign } from '../in-report';
import { ALL_LATENCIES, type Pitfall, RATES } from '../pitfall';

/** Without percentiles the mean has to do. */
const LATE_MEAN_SECONDS = 0.05;

const LATE_MEDIAN_SECONDS = 0.01;

const LATE_P99_SECONDS = 1;

const lateClient: Sign = (scope, report) => {
  const delay = measureOf(scope, 'schedule_delay')?.stats;
  const mean = delay?.['mean'];
  const scheduled = isScheduled(scope, report);
  if (mean === undefined || scheduled === false) return undefined;
  const p99 = delay?.['p99'];
  const isLate =
    mean >= LATE_MEAN_SECONDS || (delay?.['p50'] ?? 0) > LATE_MEDIAN_SECONDS || (p99 ?? 0) > LATE_P99_SECONDS;
  if (!isLate) return undefined;
  return said(
    scope.id,
    ofSchedule(
      scheduled,
      `requests were sent ${duration(mean)} late on average${p99 === undefined ? '' : `, p99 ${duration(p99)}`}: no latency contains that wait`,
    ),
    'late-client',
  );
};

export const CMP003: Pitfall = {
  code: 'CMP003',
  title: 'The client fell behind its own schedule',
  consequence:
    'The offered load was not offered: requests went out late or at a lower rate, so latencies belong to another, lighter load.',
  remedy:
    'Raise num_workers or worker_max_concurrency, or discard the stage; judge latency together with schedule delay.',
  moves: [...ALL_LATENCIES, ...RATES, 'schedule_delay'],
  configPaths: ['load.worker_max_concurrency', 'load.num_workers'],
  source: 'inference-perf: inference_perf/loadgen/load_generator.py',
  inReport: {
    words: 'Requests left more than 10 ms late in the median, 1 s at p99, or 50 ms on average.',
    parts: [lateClient],
  },
};
