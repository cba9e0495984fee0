// What lengths a report's config asked for, and what they come to after clamping.
import { realisedLengths } from '../../config/will/realised';
import type { Distribution } from '../../config/model/schema/distribution';
import type { CanonicalReport } from '../../readers/canonical';
import { at, isObject, numberAt, textAt } from '../../readers/readers/values';
import { dataType } from './sign';

export interface AskedLengths {
  /** Dotted path of the config. */
  readonly path: string;
  /** As written. */
  readonly mean: number;
  /** After clamping to min..max. */
  readonly realised: number;
  readonly min: number;
  readonly max: number;
  /** Bounds and spread are those that upstream fills in for what is not written: 10, 1024 and 200. */
  readonly filledIn: boolean;
  readonly fixed: boolean;
}

const TYPES: readonly Distribution['type'][] = ['normal', 'skew_normal', 'lognormal', 'uniform', 'poisson', 'fixed'];

/** Of the two data types that draw each length from the distribution of that name, and of shared_prefix's answers. */
export function askedOf(report: CanonicalReport, which: 'input' | 'output'): AskedLengths | undefined {
  const { config } = report;
  const type = dataType(report);
  if (type === 'random' || type === 'synthetic') {
    if (isObject(at(config, 'data', 'trace')) || isObject(at(config, 'data', 'multimodal'))) return undefined;
    return asked(at(config, 'data', `${which}_distribution`), `data.${which}_distribution`, 'presampled');
  }
  if (type !== 'shared_prefix' || which === 'input') return undefined;
  const fixed = numberAt(config, 'data', 'shared_prefix', 'output_len');
  if (fixed !== undefined) {
    const path = 'data.shared_prefix.output_len';
    return { path, mean: fixed, realised: fixed, min: fixed, max: fixed, filledIn: false, fixed: true };
  }
  return asked(at(config, 'data', 'shared_prefix', 'output_len'), 'data.shared_prefix.output_len', 'sampled');
}

function asked(block: unknown, path: string, sampler: 'presampled' | 'sampled'): AskedLengths | undefined {
  if (!isObject(block)) return undefined;
  const name = textAt(block, 'type') ?? 'normal';
  const type = TYPES.find((known) => known === name);
  const [min, max, mean, spread] = ['min', 'max', 'mean', 'std_dev'].map((key) => numberAt(block, key));
  if (type === undefined || min === undefined || max === undefined || mean === undefined || spread === undefined)
    return undefined;
  if (type === 'uniform') return undefined;
  const distribution: Distribution = {
    type,
    min,
    max,
    mean,
    std_dev: spread,
    skew: numberAt(block, 'skew') ?? 0,
    total_count: null,
    variance: null,
  };
  const realised = realisedLengths(distribution, sampler).mean;
  const filledIn = min === 10 && max === 1024 && spread === 200 && mean !== 512;
  return { path, mean, realised, min, max, filledIn, fixed: type === 'fixed' };
}
