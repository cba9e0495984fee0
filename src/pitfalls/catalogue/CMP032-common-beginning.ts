// CMP032: Old synthetic prompts shared their beginning.
import { type Between, dataTypeOf, presampled, versionBefore6, where } from '../pair';
import { type Pitfall, RATES } from '../pitfall';

const commonBeginning: Between = (pair) => {
  const old = where(pair, (facts) => versionBefore6(facts) && presampled(facts));
  if (old === undefined || old === 'A and B') return undefined;
  return `${old} was made before v0.6.0: its ${dataTypeOf(old === 'A' ? pair.a : pair.b)!} prompts share their beginning, the other side’s do not`;
};

export const CMP032: Pitfall = {
  code: 'CMP032',
  title: 'Old synthetic prompts shared their beginning',
  consequence:
    'Before v0.6.0 every synthetic prompt was a prefix of one text and random workers made equal prompts: with prefix caching TTFT was far too low.',
  remedy: 'Do not compare with newer versions.',
  moves: ['ttft', ...RATES],
  configPaths: ['data.type'],
  source: 'inference-perf issue 569 and PR 570',
  between: {
    words: 'Data type random or synthetic, one report made before v0.6.0 and the other not.',
    look: commonBeginning,
  },
};
