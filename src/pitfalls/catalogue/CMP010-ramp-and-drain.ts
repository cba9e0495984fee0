// CMP010: Ramp-up and drain are in the throughput.
import { duration, percent } from '../../figures';
import { type Check, type Hit, round, stagePath, warning } from '../in-config';
import { said, type Sign } from '../in-report';
import { type Pitfall, RATES } from '../pitfall';

const ramp: Check = ({ config, warmupStages }) => {
  const { load } = config;
  if (load.type !== 'concurrent') return [];
  return load.stages.flatMap((stage, index): Hit[] => {
    if (warmupStages.has(index) || stage.num_requests >= 10 * stage.concurrency_level) return [];
    const times = round(stage.num_requests / stage.concurrency_level);
    return [
      warning(stagePath(index, 'num_requests'), {
        message: `${stage.num_requests} requests on ${stage.concurrency_level} slots are ${times} rounds: filling and draining the slots is a large part of the stage, and tokens/s come out too low.`,
        restsOn: [stagePath(index)],
      }),
    ];
  });
};

/** The window goes on after the last send until the last answer: in a short stage that is much of it. */
const drain: Sign = (scope) => {
  const window = scope.windowSeconds?.value;
  const sends = scope.extras?.sendSeconds;
  if (scope.kind !== 'stage' || scope.load.model !== 'open') return undefined;
  if (window === undefined || sends === undefined || sends <= 0 || window < 1.25 * sends) return undefined;
  return said(
    scope.id,
    `requests were sent for ${duration(sends)}, the window is ${duration(window)}: ${percent(1 - sends / window)} of it is drain, and every rate is too low for it`,
  );
};

export const CMP010: Pitfall = {
  code: 'CMP010',
  title: 'Ramp-up and drain are in the throughput',
  consequence:
    'While the slots fill and empty the server is not under the stated load; in short stages that is most of the time, and tokens/s come out too low.',
  remedy:
    'Longer stages: at least ten times as many requests as slots; or measure the middle window from per-request records.',
  moves: [...RATES, 'ttft'],
  configPaths: ['load.stages.num_requests', 'load.stages.concurrency_level', 'load.stages.duration'],
  source: 'inference-perf: inference_perf/reportgen/base.py',
  inConfig: { words: 'num_requests is below 10 x concurrency_level.', check: ramp },
  inReport: {
    words: 'The window is a quarter longer than the sending; or requests/s x window is not the number of successes.',
    parts: [drain],
  },
};
