// CMP007: The client’s event loop was busy.
import { duration, percent, significant, whole } from '../../figures';
import { statisticOf } from '../../readers/canonical';
import { numberAt } from '../../readers/readers/values';
import { said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

const machine: Sign = (scope, report) => {
  const workers = numberAt(report.config, 'load', 'num_workers');
  const sends = statisticOf(scope, 'sends_per_sec', 'value');
  const { loopUse, loopDelayP99Seconds } = scope.extras ?? {};
  if (loopUse !== undefined && loopUse > 0.85)
    return said(
      scope.id,
      `the client’s event loop was busy ${percent(loopUse)} of the time: every time stamp waits for it`,
    );
  if (loopDelayP99Seconds !== undefined && loopDelayP99Seconds > 0.1)
    return said(
      scope.id,
      `one turn in a hundred of the client’s event loop was ${duration(loopDelayP99Seconds)} late: so is what it stamps`,
    );
  if (report.tool !== 'inference-perf' || scope.kind !== 'stage' || !workers || sends === undefined) return undefined;
  if (sends / workers <= 300) return undefined;
  return said(
    scope.id,
    `each of ${whole(workers)} workers sent ${significant(sends / workers)} requests/s: one Python process that also builds prompts and parses answers falls behind, and its time stamps with it`,
  );
};

export const CMP007: Pitfall = {
  code: 'CMP007',
  title: 'The client’s event loop was busy',
  consequence:
    'Building prompts, counting tokens and parsing JSON delay timestamps: TTFT and ITL tails are the client’s own.',
  remedy: 'Fewer requests per worker, more workers; compare with the server’s own TTFT.',
  moves: ['ttft', 'itl', 'schedule_delay'],
  configPaths: ['load.worker_max_concurrency', 'data.type'],
  source: 'inference-perf: inference_perf/loadgen/load_generator.py',
  inReport: {
    words:
      'The client’s TTFT is a quarter above the server’s own for the same requests, or its decode time 15 % above; or its event loop was busy 85 % of the time or 100 ms late; or each Python worker sent over 300 requests/s.',
    parts: [machine],
  },
};
