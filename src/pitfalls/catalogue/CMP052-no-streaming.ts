// CMP052: Streaming is off.
import { measureOf } from '../../readers/canonical';
import { at } from '../../readers/readers/values';
import { fix } from '../fix';
import { type Check, warning } from '../in-config';
import { lifecycleOnly, said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

const streaming: Check = ({ config }) => (config.api.streaming ? [] : [warning(['api', 'streaming'])]);

const notStreamed: Sign = (scope, report) => {
  if (
    // Streams may be empty; that is another matter.
    at(report.config, 'api', 'streaming') === true ||
    measureOf(scope, 'ttft') !== undefined ||
    (scope.counts.ok ?? 0) === 0 ||
    !measureOf(scope, 'e2e') ||
    scope.kind === 'adapter'
  )
    return undefined;
  return said(
    scope.id,
    'there is no TTFT, TPOT or ITL: the answers were not streamed, and NTPOT, which contains the first token’s time, is no TPOT',
  );
};

export const CMP052: Pitfall = {
  code: 'CMP052',
  title: 'Streaming is off',
  consequence:
    'There is no TTFT, TPOT or ITL: only NTPOT and whole-request latency. NTPOT contains the first token’s time and does not stand in for TPOT.',
  remedy: 'Set api.streaming: true (the default is false).',
  moves: ['ttft', 'tpot', 'itl'],
  configPaths: ['api.streaming'],
  source: 'inference-perf: inference_perf/config/apis/config.py',
  inConfig: { words: 'api.streaming is false or not written.', check: streaming },
  inReport: {
    words: 'Successes have a latency, and no TTFT, and the config does not say api.streaming: true.',
    parts: [lifecycleOnly(notStreamed)],
  },
  mend: (_problem, page) => fix('Stream the answers (streaming: true)', page.set(['api', 'streaming'], 'true'), false),
};
