// CMP005: Waiting in the client is not part of latency.
import { duration } from '../../figures';
import { measureOf, statisticOf } from '../../readers/canonical';
import { isScheduled, ofSchedule, said, type Sign, SMALLEST_WAIT_SECONDS } from '../in-report';
import type { Pitfall } from '../pitfall';

const hiddenWait: Sign = (scope, report) => {
  const wait = statisticOf(scope, 'schedule_delay', 'mean');
  const first = statisticOf(scope, 'ttft', 'mean') ?? statisticOf(scope, 'e2e', 'mean');
  const scheduled = isScheduled(scope, report);
  if (scheduled === false || wait === undefined || first === undefined) return undefined;
  if (wait < SMALLEST_WAIT_SECONDS || wait < 0.1 * first) return undefined;
  const name = measureOf(scope, 'ttft') ? 'TTFT' : 'latency';
  return said(
    scope.id,
    ofSchedule(
      scheduled,
      `a request waited ${duration(wait)} on average before it was sent, and its ${name} of ${duration(first)} begins after that`,
    ),
  );
};

export const CMP005: Pitfall = {
  code: 'CMP005',
  title: 'Waiting in the client is not part of latency',
  consequence:
    'TTFT and latency start when a request is sent. What it waited for its turn is in schedule_delay alone, so an overloaded run can look fast.',
  remedy: 'Show TTFT plus schedule delay beside TTFT.',
  moves: ['ttft', 'request_latency', 'schedule_delay'],
  configPaths: [],
  source: 'G. Tene: How NOT to Measure Latency (coordinated omission)',
  inReport: { words: 'The mean schedule delay is over 10 ms and over a tenth of the mean TTFT.', parts: [hiddenWait] },
};
