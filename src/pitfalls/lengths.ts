// The mean that a length distribution really has once it is clamped, for the checks of configs.
import type { LoadedConfig } from '../config/load';
import type { Distribution } from '../config/model/schema/distribution';
import { realisedLengths } from '../config/will/realised';
import type { ConfigPath } from '../problem';

/** Where length distributions stand. */
export const LENGTH_FIELDS = [
  'data.input_distribution',
  'data.output_distribution',
  'data.shared_prefix.question_len',
  'data.shared_prefix.output_len',
  'data.shared_prefix.system_prompt_len',
] as const;

/** As a share of the configured mean: further away, clamping has moved it. */
export const MEAN_TOLERANCE = 0.03;

/** random and synthetic shift a lognormal by min; the other data types do not. */
export type Sampler = 'random' | 'shared';

/** Mean after clamping to min..max, tokens. */
export function realisedMean(distribution: Distribution, sampler: Sampler): number {
  return realisedLengths(distribution, sampler === 'random' ? 'presampled' : 'sampled').mean;
}

export interface UsedDistribution {
  readonly path: ConfigPath;
  readonly value: Distribution;
  readonly sampler: Sampler;
}

/** The length distributions that the data type really draws from. */
export function usedDistributions({ data }: LoadedConfig['config']): readonly UsedDistribution[] {
  const used: UsedDistribution[] = [];
  if ((data.type === 'random' || data.type === 'synthetic') && data.trace === null && data.multimodal === null) {
    for (const key of ['input_distribution', 'output_distribution'] as const) {
      const value = data[key];
      if (value) used.push({ path: ['data', key], value, sampler: 'random' });
    }
  }
  if (data.type === 'shared_prefix' && data.shared_prefix) {
    for (const key of [
      'system_prompt_len',
      'question_len',
      'output_len',
      'question_distribution',
      'output_distribution',
    ] as const) {
      const value = data.shared_prefix[key];
      if (typeof value === 'object' && value !== null)
        used.push({ path: ['data', 'shared_prefix', key], value, sampler: 'shared' });
    }
  }
  if (data.type === 'conversation_replay' && data.conversation_replay) {
    for (const key of ['dynamic_system_prompt_len', 'input_tokens_per_turn', 'output_tokens_per_turn'] as const) {
      const value = data.conversation_replay[key];
      if (value) used.push({ path: ['data', 'conversation_replay', key], value, sampler: 'shared' });
    }
  }
  return used;
}

/** Fields that shape the lengths of a type. */
export const SHAPING: Readonly<Record<Distribution['type'], readonly (keyof Distribution)[]>> = {
  normal: ['min', 'max', 'mean', 'std_dev'],
  skew_normal: ['min', 'max', 'mean', 'std_dev'],
  lognormal: ['min', 'max', 'mean', 'std_dev'],
  uniform: ['min', 'max'],
  poisson: ['min', 'max', 'mean'],
  fixed: ['mean'],
};

/** What of a length distribution is not written, and where its mean ends up. */
export interface ShapedLengths {
  readonly path: ConfigPath;
  readonly value: Distribution;
  /** Fields that shape the lengths and are not written. */
  readonly missing: readonly (keyof Distribution)[];
  /** Mean after clamping, tokens. */
  readonly realised: number;
  /** Clamping moves the mean further than the tolerance. */
  readonly isMoved: boolean;
}

/** Of every length distribution that the data type draws from. */
export function shapedLengths(loaded: LoadedConfig): readonly ShapedLengths[] {
  return usedDistributions(loaded.config).map(({ path, value, sampler }) => {
    const written = (key: string): boolean => loaded.isWritten([...path, key]);
    const missing = SHAPING[value.type].filter((key) => !written(key) && !(key === 'std_dev' && written('variance')));
    const realised = realisedMean(value, sampler);
    const isExact = value.type === 'fixed' || value.type === 'uniform';
    const off = isExact ? 0 : Math.abs(realised - value.mean) / Math.max(1, Math.abs(value.mean));
    return { path, value, missing, realised, isMoved: off > MEAN_TOLERANCE };
  });
}
