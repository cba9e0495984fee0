// CMP012: Too few requests for the percentile.
import { whole } from '../../figures';
import { measureOf } from '../../readers/canonical';
import { minimumCountFor } from '../../sample-size';
import { type Check, type Hit, note, stagePath, stagePlans } from '../in-config';
import { said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

const samples: Check = (loaded) => {
  const asked = loaded.config.report.request_lifecycle.percentiles;
  const wanted = asked.filter((percentile) => percentile > 50 && percentile <= 99);
  const highest = Math.max(0, ...wanted);
  if (highest === 0) return [];
  return stagePlans(loaded).flatMap((stage): Hit[] => {
    const { requests } = stage;
    if (requests === undefined || requests < 1 || stage.warmup || requests >= minimumCountFor(highest)) return [];
    const safe = wanted.filter((percentile) => requests >= minimumCountFor(percentile)).sort((a, b) => b - a)[0];
    const until =
      safe === undefined ? 'none of the percentiles above the median is safe' : `p${safe} is the highest safe one`;
    return [
      note(stagePath(stage.index), {
        message: `This stage sends ${requests} requests; p${highest} needs ${minimumCountFor(highest)}, and ${until}.`,
        remedy: 'Make the stage longer, or do not quote the higher percentiles.',
        restsOn: [stagePath(stage.index)],
      }),
    ];
  });
};

const SHOWN_LATENCIES = ['ttft', 'tpot', 'e2e', 'ntpot'] as const;

/** The highest percentile shown against the count that a 95 % bound on it needs. */
const fewRequests: Sign = (scope) => {
  const n = scope.counts.ok;
  if (n === undefined) return undefined;
  const shown = new Set<number>();
  for (const id of SHOWN_LATENCIES) {
    for (const key of Object.keys(measureOf(scope, id)?.stats ?? {})) {
      const match = /^p(\d+(?:\.\d+)?)$/.exec(key);
      if (match && Number(match[1]) >= 50) shown.add(Number(match[1]));
    }
  }
  const weak = [...shown].sort((a, b) => a - b).filter((p) => n < minimumCountFor(p));
  const first = weak[0];
  if (first === undefined) return undefined;
  const names = weak.map((p) => `p${p}`).join(', ');
  return said(
    scope.id,
    `${whole(n)} answers are too few for ${names}: p${first} needs ${whole(minimumCountFor(first))} for a bound with 95 % confidence`,
    'few-requests',
  );
};

export const CMP012: Pitfall = {
  code: 'CMP012',
  title: 'Too few requests for the percentile',
  consequence:
    'With 100 requests p99 lies between the two largest values: one request’s accident, which will not repeat.',
  remedy: 'Send more: 299 requests are needed for a 95 % bound on p99, 2,995 for p99.9; or show a lower percentile.',
  moves: ['percentiles'],
  configPaths: [
    'load.stages.rate',
    'load.stages.duration',
    'load.stages.num_requests',
    'report.request_lifecycle.percentiles',
  ],
  source: 'W. J. Conover: Practical Nonparametric Statistics (bounds of a quantile by order statistics)',
  inConfig: { words: 'A stage plans fewer requests than its highest percentile up to p99 needs.', check: samples },
  inReport: { words: 'A part has fewer successes than a percentile that it shows needs.', parts: [fewRequests] },
};
