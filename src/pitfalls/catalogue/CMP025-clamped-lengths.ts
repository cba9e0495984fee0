// CMP025: Clamping moves mean and spread.
import { clampedSign } from '../asked';
import { type Check, round, warning } from '../in-config';
import { LENGTH_FIELDS, shapedLengths } from '../lengths';
import { pinLength } from '../pin-length';
import { EVERYTHING, type Pitfall } from '../pitfall';

const clampedMean: Check = (loaded) =>
  shapedLengths(loaded)
    .filter(({ missing, isMoved }) => missing.length === 0 && isMoved)
    .map(({ path, value, realised }) =>
      warning([...path, 'mean'], {
        message: `Clamping to ${value.min}..${value.max} moves the mean from ${round(value.mean)} to about ${Math.round(realised)}.`,
        restsOn: [path],
      }),
    );

const clamped = clampedSign(false);

export const CMP025: Pitfall = {
  code: 'CMP025',
  title: 'Clamping moves mean and spread',
  consequence:
    'Samples outside min..max are set to the bound: mass piles up there, and the realised mean and spread are not the configured ones.',
  remedy: 'Move the bounds out or narrow std_dev; compare realised lengths.',
  moves: EVERYTHING,
  configPaths: LENGTH_FIELDS.flatMap((path) => [`${path}.min`, `${path}.max`]),
  source: 'inference-perf: inference_perf/config/datagen/config.py',
  inConfig: { words: 'The mean after clamping differs from the configured one by more than 3 %.', check: clampedMean },
  inReport: {
    words: 'The realised mean is over 3 % off the configured one, and is what clamping makes of it.',
    parts: [clamped],
  },
  mend: (problem, page, loaded) => pinLength(problem.path.slice(0, -1), page, loaded),
};
