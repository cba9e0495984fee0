// CMP011: A stage does not last as long as it says.
import { duration } from '../../figures';
import { numberAt } from '../../readers/readers/values';
import { lifecycleOnly, said, type Sign, stageConfig } from '../in-report';
import { type Pitfall, RATES } from '../pitfall';

const length: Sign = (scope, report) => {
  const sends = scope.extras?.sendSeconds;
  const { total } = scope.counts;
  const asked = numberAt(stageConfig(scope, report), 'duration');
  if (scope.load.model !== 'open' || sends === undefined || asked === undefined || !total || total < 2)
    return undefined;
  // A span from the first to the last of n sends is one gap short of the stage.
  if (Math.abs(sends / asked - 1) <= 0.05 + 2 / total) return undefined;
  return said(
    scope.id,
    `the stage was to last ${duration(asked)}, and requests were sent for ${duration(sends)}: no rate may be computed from the configured time`,
  );
};

export const CMP011: Pitfall = {
  code: 'CMP011',
  title: 'A stage does not last as long as it says',
  consequence:
    'Rates computed from the configured duration are wrong: Poisson and trace stages, and overloaded ones, end early or late.',
  remedy: 'Divide by the measured time only.',
  moves: RATES,
  configPaths: ['load.stages.duration'],
  source: 'inference-perf: inference_perf/loadgen/load_timer.py',
  inReport: {
    words: 'The time from the first to the last send is over 5 % off the configured duration.',
    parts: [lifecycleOnly(length)],
  },
};
