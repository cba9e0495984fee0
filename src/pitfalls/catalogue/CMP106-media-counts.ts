// CMP106: Counts and insertion points of media have the defaults of lengths.
import { fix } from '../fix';
import { mediaOf, round, type Check, warning } from '../in-config';
import { realisedMean } from '../lengths';
import { pinned } from '../pin-length';
import { EVERYTHING, type Pitfall } from '../pitfall';

const KINDS = ['image', 'video', 'audio'] as const;
/** Which share of an item: further off and the mean number of items is another one. */
const TOLERANCE = 0.03;

const counts: Check = (loaded) =>
  mediaOf(loaded).flatMap(({ path, value }) =>
    KINDS.flatMap((kind) => {
      const [count, point] = [value[kind]?.count, value[kind]?.insertion_point];
      const hits = [];
      if (
        count &&
        count.type !== 'fixed' &&
        count.type !== 'uniform' &&
        !loaded.isWritten([...path, kind, 'count', 'min'])
      ) {
        const realised = realisedMean(count, 'shared');
        if (Math.abs(realised - count.mean) > TOLERANCE * Math.max(1, count.mean)) {
          hits.push(
            warning([...path, kind, 'count'], {
              message: `min is not written, so it is ${count.min}: about ${round(realised)} items a request, not ${round(count.mean)}.`,
            }),
          );
        }
      }
      if (count && typeof point === 'object' && point !== null) {
        const isOutside = point.type !== 'fixed' && (point.min < 0 || point.max > 1);
        hits.push(
          warning([...path, kind, 'insertion_point'], {
            message: isOutside
              ? `A distribution gives whole numbers from ${round(point.min)} to ${round(point.max)}; every request whose point lies outside 0..1 is dropped by inference-perf before it is sent.`
              : 'A distribution gives whole numbers: all media stand before the text or behind it, nothing in between.',
          }),
        );
      }
      return hits;
    }),
  );

export const CMP106: Pitfall = {
  code: 'CMP106',
  title: 'Media are counted and placed by the defaults of lengths',
  consequence:
    'A count without min has 10 items at least, whatever its mean; an insertion point drawn from a distribution is a whole number, 0 or 1, and anything else drops the request.',
  remedy:
    'Write min, max and mean of every count, and insertion_point as a number, or leave it out for anywhere in the text.',
  moves: EVERYTHING,
  configPaths: KINDS.flatMap((kind) =>
    ['data.multimodal', 'data.shared_prefix.multimodal'].flatMap((at) => [
      `${at}.${kind}.count`,
      `${at}.${kind}.insertion_point`,
    ]),
  ),
  source: 'inference-perf: inference_perf/config/datagen/multimodal.py',
  inConfig: {
    words: 'A count whose missing min moves its mean by more than 3 %, or an insertion point that is a distribution.',
    check: counts,
  },
  mend: (problem, page) => {
    if (problem.path.at(-1) !== 'count') return fix('Anywhere in the text', page.commentOut(problem.path), false);
    const mean = Number(page.scalar([...problem.path, 'mean']));
    return Number.isInteger(mean)
      ? fix(`Send exactly ${mean} with each request`, pinned(problem.path, mean, page), false)
      : [];
  },
};
