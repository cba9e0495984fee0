// CMP050: Synthetic media are not like real ones.
import { significant } from '../../figures';
import { fix } from '../fix';
import { mediaOf, type Check, note } from '../in-config';
import { said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

const mediaInConfig: Check = (loaded) => {
  if (loaded.directives.some(({ name, value }) => name === 'media' && value === 'noise')) return [];
  return mediaOf(loaded)
    .filter(({ value: { image, video, audio } }) => [image, video, audio].some((kind) => kind?.count))
    .map(({ path }) => note(path));
};

/** A photograph as JPEG takes well over a tenth of a byte per pixel; one colour nearly nothing. */
const FLAT_BYTES_PER_PIXEL = 0.05;

const mediaInReport: Sign = (scope) => {
  const density = scope.extras?.imageBytesPerPixel;
  if (density === undefined || density <= 0 || density >= FLAT_BYTES_PER_PIXEL) return undefined;
  return said(
    scope.id,
    `the images have ${significant(density)} bytes per pixel, far less than a picture: they are single colours, and encoder caches hit`,
  );
};

export const CMP050: Pitfall = {
  code: 'CMP050',
  title: 'Synthetic media are not like real ones',
  consequence:
    'Images are one solid colour, videos come from a pool of four per size: payloads are tiny and encoder caches hit.',
  remedy:
    'Compare only within this tool; take payload figures for what they are. isoperf run fills pictures with noise, as many bytes as a photograph, under # isoperf: media=noise.',
  moves: ['ttft', 'request_latency', 'input_tokens_per_sec'],
  configPaths: ['data.multimodal', 'data.shared_prefix.multimodal'],
  source: 'inference-perf: inference_perf/config/datagen/multimodal.py',
  inConfig: { words: 'A multimodal section with a count, without media=noise.', check: mediaInConfig },
  mend: (_problem, page) =>
    fix(
      'Fill pictures with noise (# isoperf: media=noise)',
      [page.above(page.start(), ['# isoperf: media=noise'])],
      false,
    ),
  inReport: { words: 'The images have under 0.05 bytes per pixel.', parts: [mediaInReport] },
};
