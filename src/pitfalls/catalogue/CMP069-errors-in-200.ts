// CMP069: Errors inside a 200 answer count as success.
import { significant } from '../../figures';
import { measureOf, statisticOf } from '../../readers/canonical';
import { at } from '../../readers/readers/values';
import { lifecycleOnly, said, type Sign } from '../in-report';
import { ALL_LATENCIES, OUTPUT_RATES, type Pitfall } from '../pitfall';

const emptySuccess: Sign = (scope, report) => {
  const stats = measureOf(scope, 'output_tokens')?.stats;
  const [least, low, middle] = [stats?.['min'], stats?.['p1'], stats?.['p50']];
  if ((scope.counts.ok ?? 0) === 0 || statisticOf(scope, 'output_tokens', 'max') === 0) return undefined;
  if (least === 0)
    return said(
      scope.id,
      'an answer without a single token is among the successes: a stream that broke off, or an error inside a 200 answer',
    );
  if (at(report.config, 'server', 'ignore_eos') !== true || low === undefined || middle === undefined) return undefined;
  if (low >= 0.1 * middle) return undefined;
  return said(
    scope.id,
    `one answer in a hundred has ${significant(low)} tokens, the median ${significant(middle)}, although ignore_eos was sent: streams that broke off count as successes`,
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
      'The smallest output length of the successes is 0; or p1 is under a tenth of the median although ignore_eos was sent.',
    parts: [lifecycleOnly(emptySuccess)],
  },
};
