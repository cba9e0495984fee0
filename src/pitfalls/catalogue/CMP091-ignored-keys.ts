// CMP091: The profile is not what ran.
import { targetOf } from '../../config/model/target';
import { judgeValues } from '../../config/model/values-of-version';
import { type Between, isInferencePerf, sides } from '../pair';
import { EVERYTHING, type Pitfall } from '../pitfall';

/** A released version drops keys it does not know; its own copy of the config has none. */
const profile: Between = (pair) => {
  const words = sides(pair).flatMap(([name, facts]) => {
    const { config } = facts.run;
    const version = /v\d+\.\d+\.\d+/.exec(facts.report.versionClass.name)?.[0];
    const target = version === undefined ? undefined : targetOf(version);
    if (!isInferencePerf(facts) || target === undefined || config === undefined) return [];
    const ignored = judgeValues(config, target).findings.filter(({ rule }) => rule === 'ignored');
    const keys = ignored.map(({ problem }) => problem.path.join('.'));
    return keys.length === 0 ? [] : [`${name} was made by ${version!}, which ignores ${keys.join(', ')} of its config`];
  });
  return words.length === 0 ? undefined : words.join('; ');
};

export const CMP091: Pitfall = {
  code: 'CMP091',
  title: 'The profile is not what ran',
  consequence:
    'Releases before main drop unknown keys in silence: the file asks for one workload and another is measured.',
  remedy: 'Compare the resolved configs of the two reports, not the profiles.',
  moves: EVERYTHING,
  configPaths: [],
  source: 'inference-perf: inference_perf/config/config.py',
  between: { words: 'A config has keys that the version of its report, known by its layout, ignores.', look: profile },
};
