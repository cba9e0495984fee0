// CMP011: A stage does not last as long as it says.
import { type Check, note, round, STAGES } from '../in-config';
import { duration } from '../../figures';
import { numberAt, textAt } from '../../readers/readers/values';
import { lifecycleOnly, said, type Sign, stageConfig } from '../in-report';
import { type Pitfall, RATES } from '../pitfall';

/** The next stage waits for the last answer of this one, and for as long as the ladder of rates stands still. */
const drains: Check = ({ config: { load }, warmupStages }) => {
  const measured = load.stages.length - warmupStages.size;
  if ((load.type !== 'constant' && load.type !== 'poisson') || measured < 2) return [];
  const longest = load.request_timeout !== null && load.request_timeout > 0 ? load.request_timeout : 300;
  return [
    note(STAGES, {
      message: `Each of the ${load.stages.length} stages goes on after its duration until its last answer is in (at most ${round(longest)} s, the timeout), and only then the next begins: the load falls to nothing in between, and rates over the whole stage are below the configured ones.`,
      restsOn: [STAGES, ['load', 'request_timeout']],
    }),
  ];
};

const length: Sign = (scope, report) => {
  const sends = scope.extras?.sendSeconds;
  const { total } = scope.counts;
  const asked = numberAt(stageConfig(scope, report), 'duration');
  if (scope.load.model !== 'open' || sends === undefined || asked === undefined || !total || total < 2)
    return undefined;
  if (Math.abs(sends / asked - 1) <= TOLERANCE + chance(total, textAt(report.config, 'load', 'type'))) return undefined;
  return said(
    scope.id,
    `the stage was to last ${duration(asked)}, and requests were sent for ${duration(sends)}: no rate may be computed from the configured time`,
  );
};

const TOLERANCE = 0.05;

/**
 * How far the law of arrivals itself carries the span from the first to the last of n sends, as a share of the stage, once in some
 * hundred stages: the sum of n gaps that nobody rescales scatters by 1/sqrt(n), of rescaled ones (constant) only the outer gaps are
 * missing, each exponential with mean 1/n.
 */
function chance(requests: number, loadType: string | undefined): number {
  return loadType === 'poisson' ? 3 / Math.sqrt(requests) : 5 / requests;
}

export const CMP011: Pitfall = {
  code: 'CMP011',
  title: 'A stage does not last as long as it says',
  consequence:
    'Rates computed from the configured duration are wrong: Poisson and trace stages, and overloaded ones, end early or late.',
  remedy: 'Divide by the measured time only.',
  moves: RATES,
  configPaths: ['load.stages', 'load.stages.duration'],
  source: 'inference-perf: inference_perf/loadgen/load_timer.py',
  inConfig: { words: 'An open loop of more than one measured stage.', check: drains },
  inReport: {
    words:
      'The time from the first to the last send is over 5 % off the configured duration, beside what the law of arrivals scatters for so many requests.',
    parts: [lifecycleOnly(length)],
  },
};
