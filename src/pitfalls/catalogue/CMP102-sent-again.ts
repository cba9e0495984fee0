// CMP102: Failed requests are sent again.
import { counted } from '../../figures';
import { type Check, warning } from '../in-config';
import { said, type Sign } from '../in-report';
import { EVERYTHING, type Pitfall } from '../pitfall';

const sentAgain: Sign = (scope) => {
  const again = scope.extras?.retried;
  if (!again) return undefined;
  return said(
    scope.id,
    `${counted(again.requests, 'request')} ${again.requests === 1 ? 'was' : 'were'} sent again, ${counted(again.attempts, 'attempt')} beyond the first: latencies hold the failed attempts and the pauses`,
  );
};

const retries: Check = ({ config: { load } }) => {
  const { request_retries: times, request_retry_backoff_sec: pause } = load;
  if (times === 0) return [];
  return [
    warning(['load', 'request_retries'], {
      message: `A failed request is sent up to ${times} more times, ${pause} s apart: failures the server had are counted as successes, their latency holds the failed attempts and the pauses, and the server gets more requests than the stage asks for.`,
    }),
  ];
};

export const CMP102: Pitfall = {
  code: 'CMP102',
  title: 'Failed requests are sent again',
  consequence:
    'A server that refuses under load looks as if it never failed: retried requests succeed late, and the retries are load that no rate shows.',
  remedy: 'Leave request_retries at 0, the same on both sides, and show how many requests failed.',
  moves: [...EVERYTHING, 'error_rate', 'percentiles', 'request_goodput'],
  configPaths: ['load.request_retries', 'load.request_retry_backoff_sec'],
  source: 'inference-perf v0.7.0: load.request_retries',
  inConfig: { words: 'load.request_retries is above 0.', check: retries },
  inReport: { words: 'The report counts requests that were sent again.', parts: [sentAgain] },
};
