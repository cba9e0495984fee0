// CMP023: A stage sends the whole part of rate x duration.
import { type Check, type Hit, note, round, stagePath, warning } from '../in-config';
import type { Pitfall } from '../pitfall';

const wholeRequests: Check = ({ config }) => {
  const { load } = config;
  if (load.type !== 'constant' && load.type !== 'poisson') return [];
  return load.stages.flatMap((stage, index): Hit[] => {
    const product = stage.rate * stage.duration;
    const requests = Math.floor(product);
    const restsOn = [stagePath(index)];
    if (requests === 0)
      return [
        warning(stagePath(index), {
          message: `rate x duration is ${round(product)}: the stage sends no request and is missing from the report.`,
          restsOn,
        }),
      ];
    if (product - requests < 0.02 * requests) return [];
    return [
      note(stagePath(index), {
        message: `rate x duration is ${round(product)}: the stage sends ${requests} requests, not ${round(product)}.`,
        restsOn,
      }),
    ];
  });
};

export const CMP023: Pitfall = {
  code: 'CMP023',
  title: 'A stage sends the whole part of rate x duration',
  consequence:
    '0.3 requests/s for 10 s are 3 requests, 0.05 for 10 s are none, and then the stage is missing from the report.',
  remedy: 'Choose rate and duration whose product is a whole number.',
  moves: ['requests_per_sec'],
  configPaths: ['load.stages.rate', 'load.stages.duration'],
  source: 'inference-perf: inference_perf/loadgen/load_timer.py',
  inConfig: { words: 'rate x duration is below 1, or its fraction is over 2 % of the stage.', check: wholeRequests },
};
