// CMP069: Errors inside a 200 answer count as success.
import { duration, significant } from '../../figures';
import { measureOf, type ReportScope, statisticOf } from '../../readers/canonical';
import { at } from '../../readers/readers/values';
import { lifecycleOnly, said, type Sign } from '../in-report';
import { ALL_LATENCIES, OUTPUT_RATES, type Pitfall } from '../pitfall';

/** Of the median latency: a stream that broke off, or carried an error, ended much sooner. */
const EARLY_SHARE = 0.5;

/** The shortest success, where even it took as long as the others: nothing broke off. */
function shortest(scope: ReportScope): number | undefined {
  const [fastest, middle] = [statisticOf(scope, 'e2e', 'min'), statisticOf(scope, 'e2e', 'p50')];
  return fastest !== undefined && middle !== undefined && fastest >= EARLY_SHARE * middle ? fastest : undefined;
}

/** Of the median: so few tokens are no answer that was asked to go on. */
const SHORT_SHARE = 0.1;

const emptySuccess: Sign = (scope, report) => {
  const stats = measureOf(scope, 'output_tokens')?.stats;
  const [least, low, middle] = [stats?.['min'], stats?.['p1'], stats?.['p50']];
  if ((scope.counts.ok ?? 0) === 0 || statisticOf(scope, 'output_tokens', 'max') === 0) return undefined;
  const whole = shortest(scope);
  const uncounted =
    whole === undefined
      ? undefined
      : `none ended early (the shortest took ${duration(whole)}), so its tokens were not counted, or the model wrote no text`;
  if (least === 0)
    return said(
      scope.id,
      `an answer without a single token is among the successes: ${uncounted ?? 'a stream that broke off, or an error inside a 200 answer'}`,
    );
  if (at(report.config, 'server', 'ignore_eos') !== true || low === undefined || middle === undefined) return undefined;
  if (low >= SHORT_SHARE * middle) return undefined;
  return said(
    scope.id,
    `one answer in a hundred has ${significant(low)} tokens, the median ${significant(middle)}, although ignore_eos was sent: ${uncounted ?? 'streams that broke off count as successes'}`,
  );
};

export const CMP069: Pitfall = {
  code: 'CMP069',
  title: 'Errors inside a 200 answer count as success',
  consequence:
    'A stream that breaks off or carries an error, and an empty answer, are fast successes in inference-perf.',
  remedy: 'Look at the smallest output lengths. IsoPerf counts both as failures.',
  moves: [...ALL_LATENCIES, ...OUTPUT_RATES, 'error_rate'],
  configPaths: [],
  source: 'inference-perf: inference_perf/apis/streaming_parser.py',
  inReport: {
    words:
      'The smallest output length of the successes is 0; or p1 is under a tenth of the median although ignore_eos was sent. Whether one ended early, its latency says.',
    parts: [lifecycleOnly(emptySuccess)],
  },
};
