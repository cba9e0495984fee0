// CMP042: A sweep over random data draws too few lengths.
import { fix } from '../fix';
import { type Check, warning } from '../in-config';
import { type Pitfall, RATES } from '../pitfall';

const fewLengths: Check = ({ config: { load, data } }) => {
  const random = data.type === 'random' || data.type === 'synthetic';
  const missing = (['input_distribution', 'output_distribution'] as const).find(
    (key) => data[key] && data[key].total_count === null,
  );
  return load.sweep && random && missing !== undefined ? [warning(['data', missing, 'total_count'])] : [];
};

export const CMP042: Pitfall = {
  code: 'CMP042',
  title: 'A sweep over random data draws too few lengths',
  consequence:
    'Lengths are drawn before the sweep knows its stages: nearly all requests are dropped, and saturation is found where none is.',
  remedy: 'Write total_count, at least the larger of sweep.num_requests and the largest stage, in both distributions.',
  moves: [...RATES, 'error_rate'],
  configPaths: ['data.input_distribution.total_count', 'data.output_distribution.total_count', 'load.sweep'],
  source: 'inference-perf: inference_perf/datagen/base.py',
  inConfig: { words: 'load.sweep with data type random or synthetic, and no total_count.', check: fewLengths },
  mend: (problem, page, { config }) => {
    const count = Math.max(config.load.sweep?.num_requests ?? 0, 10_000) + 1;
    return fix(`Write total_count: ${count}`, page.set(problem.path, String(count)), false);
  },
};
