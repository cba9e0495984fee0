// `data.multimodal` and `data.shared_prefix.multimodal` -> what is drawn for each request, or why it cannot be sent.
import type { EffectiveConfig } from '../config/will/runtime';
import { sampledRefusal, type LengthDistribution } from '../datagen/lengths';
import type { Filling, ImageFormat } from '../datagen/media/encode';
import type { MediaPlan, MediaPlans, PictureSize, Weighted } from '../datagen/media/media';
import type { SavedDirective } from '../folder/write-config';
import type { ConfigPath, Problem } from '../problem';
import { own } from '../own';

type Multimodal = NonNullable<EffectiveConfig['data']['multimodal']>;
type AnySize =
  NonNullable<NonNullable<Multimodal['video']>['profiles']> extends infer P
    ? P extends { readonly resolution: infer S }
      ? S
      : never
    : never;

const PRESETS: Readonly<Record<string, PictureSize>> = {
  '4k': { width: 3840, height: 2160 },
  '1080p': { width: 1920, height: 1080 },
  '720p': { width: 1280, height: 720 },
  '360p': { width: 640, height: 360 },
};
const DEFAULT_SIZE: PictureSize = { width: 512, height: 512 };
const DEFAULT_FRAMES = 10;
const DEFAULT_SECONDS = 1;
/** A PNG or JPEG of more is no picture that a server takes, and JPEG's sizes have 16 bits. */
const MOST_PIXELS_A_SIDE = 16_384;
/** Frames or seconds of one item. */
const MOST_FRAMES = 10_000;
const MOST_SECONDS = 3600;

const PREFIX_PLACE = ['data', 'shared_prefix', 'multimodal'];
const PAYLOAD_PLACE = ['data', 'multimodal'];
const WITH_MEDIA: readonly string[] = ['synthetic', 'shared_prefix'];

/** Undefined where the config has no media, or its data type ignores them. */
export function mediaPlans({ data }: EffectiveConfig, directives: readonly SavedDirective[]): MediaPlans | undefined {
  const filling = mediaFilling(directives);
  const payload = WITH_MEDIA.includes(data.type) ? data.multimodal : null;
  const prefix = data.type === 'shared_prefix' ? data.shared_prefix?.multimodal : null;
  if (!payload && !prefix) return undefined;
  return {
    ...(payload ? { payload: planOf(payload, filling) } : {}),
    ...(prefix ? { prefix: planOf(prefix, filling) } : {}),
  };
}

export function mediaFilling(directives: readonly SavedDirective[]): Filling {
  return directives.some(({ name }) => name === 'media') ? 'noise' : 'solid';
}

/** Errors RUN014 for media that cannot be sent as the config says; a warning RUN014 where the data type ignores them. */
export function mediaProblems({ data, api }: EffectiveConfig): Problem[] {
  const prefix = data.type === 'shared_prefix' ? data.shared_prefix : null;
  const problems = [
    ...(data.multimodal && WITH_MEDIA.includes(data.type) ? refusalsOf(data.multimodal, PAYLOAD_PLACE) : []),
    ...(prefix?.multimodal ? refusalsOf(prefix.multimodal, PREFIX_PLACE) : []),
  ];
  if (data.multimodal && !WITH_MEDIA.includes(data.type)) {
    problems.push({
      code: 'RUN014',
      severity: 'warning',
      path: PAYLOAD_PLACE,
      message: `No media are sent: data type ${data.type} ignores data.multimodal, in inference-perf as well.`,
      remedy: 'Remove multimodal, or set data.type to synthetic or shared_prefix.',
    });
  }
  if (prefix?.enable_multi_turn_chat && (data.multimodal || prefix.multimodal)) {
    problems.push(
      refusal(
        ['data', 'shared_prefix', 'enable_multi_turn_chat'],
        'conversations carry no media: inference-perf fails to build every such request and drops it',
        'Set enable_multi_turn_chat to false, or remove multimodal.',
      ),
    );
  }
  if (data.type === 'shared_prefix' && (data.multimodal || prefix?.multimodal) && api.type !== 'chat') {
    problems.push({
      code: 'RUN014',
      severity: 'warning',
      path: ['api', 'type'],
      message: `Requests go to /v1/chat/completions although api.type is ${api.type}: with media shared_prefix is always a chat, in inference-perf as well.`,
      remedy: 'Set api.type to chat: it says what really happens.',
    });
  }
  return problems;
}

function refusalsOf({ image, video, audio }: Multimodal, place: ConfigPath): Problem[] {
  const problems: Problem[] = [];
  const refuse = (path: ConfigPath, why: string, remedy: string): void => {
    problems.push(refusal([...place, ...path], why, remedy));
  };
  if (image?.count && image.representation === 'webp') {
    refuse(
      ['image', 'representation'],
      'inference-perf sends PNG under the name of webp, and IsoPerf sends nothing under another name',
      'Set representation to png, which is what inference-perf sends, or to jpeg.',
    );
  }
  if (video?.count && video.representation === 'mp4') {
    refuse(
      ['video', 'representation'],
      'this engine makes no H.264 video (mp4)',
      'Set representation to png_frames or jpeg_frames, or run this config with inference-perf.',
    );
  }
  for (const [kind, found] of Object.entries({ image, video, audio })) {
    if (found?.count) countAndPlace(kind, found, refuse);
  }
  if (image?.count)
    for (const { value } of sizesOf(image.resolutions)) sizeRefusal(['image', 'resolutions'], value, refuse);
  if (video?.count) {
    for (const { value } of profilesOf(video.profiles)) {
      sizeRefusal(['video', 'profiles'], value.size, refuse);
      if (value.frames < 1 || value.frames > MOST_FRAMES)
        refuse(['video', 'profiles'], `${value.frames} frames are no video`, `Set frames from 1 to ${MOST_FRAMES}.`);
    }
  }
  if (audio?.count) {
    for (const { value } of durationsOf(audio.durations)) {
      if (!(value >= 0 && value <= MOST_SECONDS))
        refuse(['audio', 'durations'], `${value} s is no length of a sound`, `Set seconds from 0 to ${MOST_SECONDS}.`);
    }
  }
  const weighted = { image: image?.resolutions, video: video?.profiles, audio: audio?.durations };
  for (const [kind, entries] of Object.entries(weighted)) {
    const weights = Array.isArray(entries) ? entries.map(({ weight }) => weight) : [];
    if (weights.some((weight) => weight < 0) && weights.reduce((sum, weight) => sum + weight, 0) > 0)
      refuse([kind], 'a weight is below 0, with which inference-perf cannot choose', 'Raise it to 0 or more.');
  }
  return problems;
}

type Placing = Pick<NonNullable<Multimodal['audio']>, 'count' | 'insertion_point'>;
type Refuse = (path: ConfigPath, why: string, remedy: string) => void;

function countAndPlace(kind: string, { count, insertion_point: at }: Placing, refuse: Refuse): void {
  const cannot = count ? sampledRefusal(count) : undefined;
  if (cannot !== undefined) refuse([kind, 'count'], cannot, 'Correct the distribution.');
  if (at === null) return;
  const [least, most] = typeof at === 'number' ? [at, at] : at.type === 'fixed' ? [at.mean, at.mean] : [at.min, at.max];
  if (least >= 0 && most <= 1) return;
  refuse(
    [kind, 'insertion_point'],
    typeof at === 'number'
      ? `insertion_point ${at} is no place in a text: inference-perf fails to build such requests and drops them`
      : `insertion_point draws whole numbers from ${least} to ${most}, and only 0 and 1 are places in a text: inference-perf drops the other requests`,
    typeof at === 'number'
      ? 'Set it from 0 (in front of the text) to 1 (behind it).'
      : 'Set its min to 0 and its max to 1.',
  );
}

function sizeRefusal(path: ConfigPath, { width, height }: PictureSize, refuse: Refuse): void {
  if (width >= 1 && height >= 1 && width <= MOST_PIXELS_A_SIDE && height <= MOST_PIXELS_A_SIDE) return;
  refuse(
    path,
    `a picture of ${width} x ${height} cannot be made`,
    `Set width and height from 1 to ${MOST_PIXELS_A_SIDE}.`,
  );
}

function planOf({ image, video, audio }: Multimodal, filling: Filling): MediaPlan {
  return {
    filling,
    ...(image?.count
      ? { image: { ...placed(image), sizes: sizesOf(image.resolutions), format: formatOf(image.representation) } }
      : {}),
    ...(video?.count
      ? { video: { ...placed(video), profiles: profilesOf(video.profiles), format: formatOf(video.representation) } }
      : {}),
    ...(audio?.count ? { audio: { ...placed(audio), durations: durationsOf(audio.durations) } } : {}),
  };
}

function placed({ count, insertion_point: at }: Placing): {
  count: LengthDistribution;
  at: number | LengthDistribution | null;
} {
  return { count: count!, at };
}

function formatOf(representation: string): ImageFormat {
  return representation.startsWith('jpeg') ? 'jpeg' : 'png';
}

function sizesOf(resolutions: NonNullable<Multimodal['image']>['resolutions']): Weighted<PictureSize> {
  if (Array.isArray(resolutions))
    return resolutions.map(({ resolution, weight }) => ({ value: sizeOf(resolution), weight }));
  return [{ value: resolutions === null ? DEFAULT_SIZE : sizeOf(resolutions), weight: 1 }];
}

function profilesOf(
  profiles: NonNullable<Multimodal['video']>['profiles'],
): Weighted<{ readonly size: PictureSize; readonly frames: number }> {
  const of = ({ resolution, frames }: { resolution: AnySize; frames: number }) => ({
    size: sizeOf(resolution),
    frames,
  });
  if (Array.isArray(profiles)) return profiles.map(({ profile, weight }) => ({ value: of(profile), weight }));
  return [{ value: profiles === null ? { size: DEFAULT_SIZE, frames: DEFAULT_FRAMES } : of(profiles), weight: 1 }];
}

function durationsOf(durations: NonNullable<Multimodal['audio']>['durations']): Weighted<number> {
  if (Array.isArray(durations)) return durations.map(({ duration, weight }) => ({ value: duration, weight }));
  return [{ value: durations ?? DEFAULT_SECONDS, weight: 1 }];
}

function sizeOf(resolution: AnySize): PictureSize {
  return typeof resolution === 'string'
    ? own(PRESETS, resolution)!
    : { width: resolution.width, height: resolution.height };
}

function refusal(path: ConfigPath, why: string, remedy: string): Problem {
  return { code: 'RUN014', severity: 'error', path, message: `Nothing was sent: ${why}.`, remedy };
}
