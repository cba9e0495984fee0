// CMP064: Requests end after 300 s unless told otherwise.
import { statisticOf } from '../../readers/canonical';
import { numberAt } from '../../readers/readers/values';
import { fix } from '../fix';
import { type Check, note } from '../in-config';
import { said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

const timeout: Check = ({ config }) => {
  const { request_timeout: seconds } = config.load;
  return seconds === null || seconds === 0 ? [note(['load', 'request_timeout'])] : [];
};

/** What applies where no request_timeout is written. */
const DEFAULT_TIMEOUT_SECONDS = 300;

const TIMEOUT_TOLERANCE_SECONDS = 3;

const atDefaultTimeout: Sign = (scope, report) => {
  // Written, it is a choice; only the silent default surprises.
  if ((numberAt(report.config, 'load', 'request_timeout') ?? 0) > 0) return undefined;
  const longest = statisticOf(scope, 'failed_latency', 'max');
  if (longest === undefined || Math.abs(longest - DEFAULT_TIMEOUT_SECONDS) > TIMEOUT_TOLERANCE_SECONDS)
    return undefined;
  return said(
    scope.id,
    `the longest failure took ${DEFAULT_TIMEOUT_SECONDS} s: requests ended at the client’s default timeout`,
    'timeout',
  );
};

export const CMP064: Pitfall = {
  code: 'CMP064',
  title: 'Requests end after 300 s unless told otherwise',
  consequence:
    'Without request_timeout the HTTP library stops requests at 300 s: they fail, and the slowest latencies are missing from the percentiles.',
  remedy: 'Write load.request_timeout, the same on both sides; show how many timed out.',
  moves: ['request_latency', 'percentiles', 'error_rate'],
  configPaths: ['load.request_timeout'],
  source: 'aiohttp documentation: ClientTimeout',
  inConfig: { words: 'load.request_timeout is not written.', check: timeout },
  inReport: { words: 'The same, and the longest failure took 300 s.', parts: [atDefaultTimeout] },
  mend: (_problem, page) =>
    fix('Write request_timeout: 300, which applies anyway', page.set(['load', 'request_timeout'], '300'), false),
};
