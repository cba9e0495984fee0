// CMP001: Load type constant is bursty.
import { type Check, note } from '../in-config';
import { apart, type Between, type Facts, where } from '../pair';
import { ALL_LATENCIES, type Pitfall } from '../pitfall';

/** Not where a directive gives the spacing another law, for the document or for every stage. */
const arrivals: Check = ({ config, directives }) => {
  if (config.load.type !== 'constant') return [];
  const places = directives.filter(({ name }) => name === 'arrivals').map(({ path }) => path.join('.'));
  const replaced = config.load.stages.every((_, stage) => places.includes(`load.stages.${stage}`));
  return places.includes('') || (places.length > 0 && replaced) ? [] : [note(['load', 'type'])];
};

const RESCALED = 'exponential-gaps-rescaled';

function lawsOf({ run, setting }: Facts): readonly string[] {
  const laws = run.manifest?.stages.map(({ arrivalLaw }) => arrivalLaw);
  if (laws) return [...new Set(laws)];
  const type = run.tool.name === 'inference-perf' ? setting(['load', 'type']) : undefined;
  return type === 'constant' ? [RESCALED] : [];
}

const burstyConstant: Between = (pair) => {
  if (!apart(pair, 'arrival-process')) return undefined;
  const side = where(pair, (facts) => lawsOf(facts).includes(RESCALED));
  return side === undefined || side === 'A and B'
    ? undefined
    : `load.type constant on ${side} spaces requests by exponential gaps; the other side does not`;
};

export const CMP001: Pitfall = {
  code: 'CMP001',
  title: 'Load type constant is bursty',
  consequence:
    'Requests queue even at low load: the gaps are exponential, scaled so that they fill the stage, not even. Tools that space requests evenly show lower tails at the same rate.',
  remedy:
    'Compare only with runs of the same arrival law, and name it: "constant" here is a Poisson process with a fixed count.',
  moves: [...ALL_LATENCIES, 'schedule_delay'],
  configPaths: ['load.type'],
  source: 'inference-perf: inference_perf/loadgen/load_timer.py',
  inConfig: { words: 'load.type is constant, and no arrivals directive gives it another spacing.', check: arrivals },
  between: { words: 'The arrivals differ, and one side has the exponential gaps of constant.', look: burstyConstant },
};
