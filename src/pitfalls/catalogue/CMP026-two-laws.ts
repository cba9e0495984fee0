// CMP026: lognormal and uniform mean two things.
import { LENGTH_FIELDS } from '../lengths';
import { type Between, dataTypeOf, lawsOfLength, presampled, sampled } from '../pair';
import { EVERYTHING, type Pitfall } from '../pitfall';

const twoLaws: Between = (pair) => {
  const other = (presampled(pair.a) && sampled(pair.b)) || (sampled(pair.a) && presampled(pair.b));
  const laws = [...lawsOfLength(pair.a), ...lawsOfLength(pair.b)].filter(
    (law) => law === 'lognormal' || law === 'uniform',
  );
  if (!other || laws.length === 0) return undefined;
  return `${[...new Set(laws)].join(' and ')} mean other lengths for ${dataTypeOf(pair.a)!} (A) than for ${dataTypeOf(pair.b)!} (B)`;
};

export const CMP026: Pitfall = {
  code: 'CMP026',
  title: 'lognormal and uniform mean two things',
  consequence:
    'random and synthetic shift a lognormal by min and halve uniform’s end values; shared_prefix and conversation_replay do not. The same numbers give other lengths.',
  remedy: 'Compare realised lengths when the data types differ.',
  moves: EVERYTHING,
  configPaths: LENGTH_FIELDS.map((path) => `${path}.type`),
  source: 'inference-perf: inference_perf/config/datagen/config.py',
  between: {
    words:
      'A lognormal or uniform distribution, with random or synthetic on one side and shared_prefix or conversation_replay on the other.',
    look: twoLaws,
  },
};
