// CMP085: A warm-up that looks like a measurement.
import { fix } from '../fix';
import { type Check, repeatsFirst, stagePath, STAGES, warning } from '../in-config';
import { type Pitfall, RATES } from '../pitfall';

const looksLikeWarmUp: Check = ({ config: { load }, warmupStages }) =>
  warmupStages.size > 0 || !repeatsFirst(load.stages)
    ? []
    : [
        warning(stagePath(0), {
          message:
            'This stage repeats the load of the next one: a warm-up, by the look of it, but it is measured and reported like any other.',
          restsOn: [STAGES],
        }),
      ];

export const CMP085: Pitfall = {
  code: 'CMP085',
  title: 'A warm-up that looks like a measurement',
  consequence:
    'A first stage that repeats the load of the second is meant as warm-up, and is reported and summarised like any other.',
  remedy: 'Mark it with "# isoperf: warmup".',
  moves: ['ttft', ...RATES],
  configPaths: ['load.stages'],
  source: 'llm-d guides: ladders with a repeated first rate',
  inConfig: {
    words:
      'The first two stages have the same load and the third has not (or there is none, and the first is shorter), and the first is not marked.',
    check: looksLikeWarmUp,
  },
  mend: (problem, page) =>
    fix('Mark this stage as warm-up', [page.note(problem.range!.startLine, '# isoperf: warmup')]),
};
