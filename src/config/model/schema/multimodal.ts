// Synthetic images, videos and audio clips attached to prompts (data.multimodal, data.shared_prefix.multimodal).
import * as z from 'zod';
import { field, nullable, required } from '../field';
import { pyEnum, pyFloat, pyInt } from '../lax';
import { distributionSchema } from './distribution';

const preset = pyEnum({
  '4k': { doc: '3840 x 2160' },
  '1080p': { doc: '1920 x 1080' },
  '720p': { doc: '1280 x 720' },
  '360p': { doc: '640 x 360' },
});

const resolution = z.strictObject({
  height: required(pyInt(), 'Height.', { unit: 'pixels' }),
  width: required(pyInt(), 'Width.', { unit: 'pixels' }),
});

const anyResolution = z.union([preset, resolution]);
const weight = () =>
  field(pyFloat(), 1, 'Relative frequency; when no weight is positive the first entry is always taken.');

const weightedResolution = z.strictObject({
  resolution: required(anyResolution, 'A preset (4k, 1080p, 720p, 360p) or height and width.'),
  weight: weight(),
});

const videoProfile = z.strictObject({
  resolution: required(anyResolution, 'A preset (4k, 1080p, 720p, 360p) or height and width.'),
  frames: required(pyInt(), 'Number of frames; videos play at 10 frames a second.'),
});

const media = () => ({
  count: nullable(
    distributionSchema,
    'How many items a request carries. Left out, this kind of media is not generated at all. The default min of 10 applies unless min is given.',
  ),
  insertion_point: nullable(
    z.union([pyFloat(), distributionSchema]),
    'Where in the text the media stand: 0 the beginning, 1 the end. A distribution yields whole numbers, so only 0 or 1. Left out: uniform in 0..1.',
  ),
});

const image = z.strictObject({
  ...media(),
  resolutions: nullable(
    z.union([anyResolution, z.array(weightedResolution)]),
    'Image size, or a weighted list of sizes. Left out: 512 x 512.',
  ),
  representation: field(
    pyEnum({
      png: { doc: 'PNG of one solid colour: tiny payloads.' },
      jpeg: { doc: 'JPEG, quality 75.' },
      webp: { doc: 'Accepted, but generated images are PNG bytes labelled image/png all the same.' },
    }),
    'png',
    'Encoding of generated images.',
  ),
});

const video = z.strictObject({
  ...media(),
  profiles: nullable(
    z.union([
      videoProfile,
      z.array(z.strictObject({ profile: required(videoProfile, 'The profile.'), weight: weight() })),
    ]),
    'Size and length of the videos, or a weighted list. Left out: 512 x 512, 10 frames.',
  ),
  representation: field(
    pyEnum({
      mp4: { doc: 'One H.264 MP4 per video; the server decodes it.' },
      png_frames: { doc: 'One PNG image per frame.' },
      jpeg_frames: { doc: 'One JPEG image per frame.' },
    }),
    'mp4',
    'How a video goes over the wire.',
  ),
});

const audio = z.strictObject({
  ...media(),
  durations: nullable(
    z.union([
      pyFloat(),
      z.array(
        z.strictObject({ duration: required(pyFloat(), 'Length of the clip.', { unit: 's' }), weight: weight() }),
      ),
    ]),
    'Length of the (silent) clips, or a weighted list. Left out: 1 s.',
    { unit: 's' },
  ),
});

export const multimodalSchema = z.strictObject({
  image: nullable(image, 'Synthetic images.'),
  video: nullable(video, 'Synthetic videos.'),
  audio: nullable(audio, 'Synthetic audio clips.'),
});
