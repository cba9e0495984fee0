// CMP024: Left-out fields of a distribution have large defaults.
import { clampedSign } from '../asked';
import { type Check, note, round, warning } from '../in-config';
import { LENGTH_FIELDS, shapedLengths } from '../lengths';
import { pinLength } from '../pin-length';
import { EVERYTHING, type Pitfall } from '../pitfall';

const leftOut: Check = (loaded) =>
  shapedLengths(loaded)
    .filter(({ missing }) => missing.length > 0)
    .map(({ path, value, missing, realised, isMoved }) => {
      const filled = missing.map((key) => `${key} ${String(value[key])}`).join(', ');
      const shown = isMoved
        ? `; the mean after clamping is about ${Math.round(realised)}, not ${round(value.mean)}`
        : '';
      const more = { message: `Not written, so filled in: ${filled}${shown}.`, restsOn: [path] };
      return isMoved ? warning(path, more) : note(path, more);
    });

const filledIn = clampedSign(true);

export const CMP024: Pitfall = {
  code: 'CMP024',
  title: 'Left-out fields of a distribution have large defaults',
  consequence:
    'min 10, max 1024, mean 512 and std_dev 200 fill what is not written. "mean: 100" alone keeps std_dev 200 and realises a mean of about 143.',
  remedy: 'Write type, min, max, mean and std_dev; compare realised lengths, not configured ones.',
  moves: EVERYTHING,
  configPaths: [...LENGTH_FIELDS, ...LENGTH_FIELDS.flatMap((path) => [`${path}.mean`, `${path}.std_dev`])],
  source: 'inference-perf: inference_perf/config/datagen/config.py',
  inConfig: { words: 'Fields of a distribution that the data type uses are not written.', check: leftOut },
  inReport: {
    words:
      'Bounds and spread are 10, 1024 and 200, the mean is another than 512, and the realised mean is what clamping makes of that.',
    parts: [filledIn],
  },
  mend: (problem, page, loaded) => pinLength(problem.path, page, loaded),
};
