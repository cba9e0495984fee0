// The distribution of lengths and counts (reference inference-perf.md, "Distribution").
import * as z from 'zod';
import { field, nullable } from '../field';
import { clash, pyEnum, pyFloat, pyInt } from '../lax';

const DISTRIBUTION_TYPES = {
  normal: { doc: 'Gaussian, clamped to min..max (mass piles up at the bounds).', since: 'v0.5.0' },
  skew_normal: {
    doc: 'Azzalini skew normal; mean and std_dev are location and scale, not moments. Rejected at start by the random and synthetic types.',
    since: 'v0.5.0',
  },
  lognormal: {
    doc: 'Lognormal, clamped. random and synthetic shift it by min; shared_prefix and conversation_replay match mean and std_dev unshifted.',
    since: 'v0.5.0',
  },
  uniform: { doc: 'Uniform between min and max; mean and std_dev are not used.', since: 'v0.5.0' },
  poisson: {
    doc: 'Poisson with the given mean, clamped. Rejected at start by the random and synthetic types.',
    since: 'v0.5.0',
  },
  fixed: { doc: 'Every value is the whole part of mean; min, max and std_dev are not used.', since: 'v0.5.0' },
} as const;

export const distributionSchema = z
  .strictObject({
    min: field(pyInt(), 10, 'Smallest value; smaller samples are set to it.'),
    max: field(pyInt(), 1024, 'Largest value; larger samples are set to it.'),
    mean: field(pyFloat(), 512, 'Mean before clamping. The realised mean differs when min or max cut the shape.'),
    std_dev: field(
      pyFloat(),
      200,
      'Standard deviation before clamping. Left out, it is 200, however small the mean is.',
    ),
    total_count: nullable(
      pyInt(),
      'How many lengths the random and synthetic types draw in advance. Left out, it is raised to what the largest stage needs, but not for a sweep.',
    ),
    type: field(pyEnum(DISTRIBUTION_TYPES), 'normal', 'Shape of the distribution.', { since: 'v0.5.0' }),
    variance: nullable(
      pyFloat(),
      'Square of the standard deviation. Needs std_dev: 0 beside it, because the default std_dev of 200 counts as given.',
      { since: 'v0.5.0' },
    ),
    skew: field(pyFloat(), 0, 'Shape parameter of skew_normal.', { since: 'v0.5.0' }),
  })
  .superRefine((value, context) => {
    const { min, max, std_dev: spread, variance } = value;
    const refuse = (between: readonly string[], message: string, remedy?: string): void => {
      clash(context, between, message, remedy, 'v0.5.0'); // older releases check nothing here
    };
    if (variance !== null && spread > 0)
      refuse(
        ['variance', 'std_dev'],
        'has both variance and std_dev (std_dev is 200 when it is not written).',
        'Write std_dev: 0 beside variance, or give std_dev alone.',
      );
    if (variance !== null && variance < 0) refuse(['variance'], `has a negative variance (${variance}).`);
    if (min > max) refuse(['min', 'max'], `has min ${min} above max ${max}.`, 'Swap or raise them.');
    if (spread < 0 && variance === null) refuse(['std_dev', 'variance'], `has a negative std_dev (${spread}).`);
  })
  .overwrite((value) => (value.variance === null ? value : { ...value, std_dev: Math.sqrt(value.variance) }));

export type Distribution = z.output<typeof distributionSchema>;

/** A whole number, or a distribution of them. */
export function intOrDistribution() {
  return z.union([pyInt(), distributionSchema]);
}
