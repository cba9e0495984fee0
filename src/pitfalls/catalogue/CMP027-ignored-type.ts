// CMP027: Old releases ignored the distribution’s type.
import { type Between, lawsOfLength, presampled, versionBefore6, where } from '../pair';
import { EVERYTHING, type Pitfall } from '../pitfall';

const ignoredType: Between = (pair) => {
  const side = where(
    pair,
    (facts) => versionBefore6(facts) && presampled(facts) && lawsOfLength(facts).some((law) => law !== 'normal'),
  );
  return side && `${side} was made before v0.6.0, which drew a normal distribution whatever the config’s type says`;
};

export const CMP027: Pitfall = {
  code: 'CMP027',
  title: 'Old releases ignored the distribution’s type',
  consequence:
    'Before v0.6.0 random and synthetic always drew a clamped normal: a lognormal config ran as normal, in silence.',
  remedy: 'Run again with v0.6.0 or newer.',
  moves: EVERYTHING,
  configPaths: ['data.input_distribution.type', 'data.output_distribution.type'],
  source: 'inference-perf PR 572',
  between: {
    words: 'A type other than normal for random or synthetic, and a report that was made before v0.6.0.',
    look: ignoredType,
  },
};
