// CMP105: A generated webp is a PNG.
import { fix } from '../fix';
import { mediaOf, type Check, note } from '../in-config';
import type { Pitfall } from '../pitfall';

const webp: Check = (loaded) =>
  mediaOf(loaded)
    .filter(({ value: { image } }) => image?.count && image.representation === 'webp')
    .map(({ path }) => note([...path, 'image', 'representation'], { restsOn: [path] }));

export const CMP105: Pitfall = {
  code: 'CMP105',
  title: 'A generated webp is a PNG',
  consequence:
    'representation: webp is accepted, and PNG bytes labelled image/png go out: sizes and decoding are those of PNG, whatever a report calls them.',
  remedy: 'Write png or jpeg, which are what they say; real WEBP pictures come with visionarena.',
  moves: ['ttft', 'request_latency'],
  configPaths: ['data.multimodal.image.representation', 'data.shared_prefix.multimodal.image.representation'],
  source: 'inference-perf: inference_perf/datagen (synthetic media)',
  inConfig: { words: 'An image section with a count and representation: webp.', check: webp },
  mend: (problem, page) => fix('Call it what it is (representation: png)', page.set(problem.path, 'png'), false),
};
