// CMP030: shared_prefix has a seed of its own.
import { fix, SEED, seedDirective } from '../fix';
import { type Check, warning } from '../in-config';
import { type Between, dataTypeOf, value, where } from '../pair';
import { EVERYTHING, type Pitfall } from '../pitfall';

const noPrefixSeed: Check = ({ config: { data }, seed }) =>
  seed === undefined && data.type === 'shared_prefix' && data.shared_prefix?.seed === null
    ? [warning(['data', 'shared_prefix', 'seed'])]
    : [];

const prefixSeed: Between = (pair) => {
  const side = where(
    pair,
    (facts) =>
      facts.run.config !== undefined &&
      dataTypeOf(facts) === 'shared_prefix' &&
      value(facts, ['data', 'shared_prefix', 'seed']) === undefined &&
      (facts.run.manifest?.workload.seedSource ?? 'clock') === 'clock',
  );
  return side && `data.shared_prefix.seed is not set on ${side}: prompts, lengths and cache are drawn anew in each run`;
};

export const CMP030: Pitfall = {
  code: 'CMP030',
  title: 'shared_prefix has a seed of its own',
  consequence:
    'load.base_seed does not reach shared_prefix: without data.shared_prefix.seed every run has other prompts, other lengths and another cache.',
  remedy: 'Write data.shared_prefix.seed, or "# isoperf: seed=N".',
  moves: EVERYTHING,
  configPaths: ['data.shared_prefix.seed', 'data.conversation_replay.seed'],
  source: 'inference-perf: inference_perf/config/datagen/config.py',
  inConfig: { words: 'data.shared_prefix.seed is not written, and there is no seed directive.', check: noPrefixSeed },
  between: { words: 'data.shared_prefix.seed is not set on at least one side.', look: prefixSeed },
  mend: (_problem, page) => [
    ...seedDirective(page),
    ...fix(`Write data.shared_prefix.seed: ${SEED}`, page.set(['data', 'shared_prefix', 'seed'], String(SEED)), false),
  ],
};
