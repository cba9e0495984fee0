// Images, videos and sounds of one request: what was sent, by size, as records keep it and reports count it.
import type { Stat } from './lifecycle';
import { statOfSorted } from './statistics';
import { Values } from './values';
import { significant } from '../figures';
import { own } from '../own';

export interface ImageItem {
  readonly width: number;
  readonly height: number;
  /** Of the encoded file, before base64. */
  readonly bytes: number;
}

/** A video sent as single frames: bytes of all of them together. */
export interface VideoItem extends ImageItem {
  readonly frames: number;
}

export interface AudioItem {
  readonly bytes: number;
  readonly seconds: number;
}

/** A kind without items is absent. */
export interface RequestMedia {
  readonly image?: readonly ImageItem[];
  readonly video?: readonly VideoItem[];
  readonly audio?: readonly AudioItem[];
}

export const MEDIA_KINDS = ['image', 'video', 'audio'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** The quantities of each kind's items under inference-perf's names (its `request_metrics` and `successes.image`). */
export const MEDIA_QUANTITIES = {
  image: { pixels, bytes: ({ bytes }: ImageItem) => bytes, aspect_ratio: aspectRatio },
  video: {
    frames: ({ frames }: VideoItem) => frames,
    pixels,
    bytes: ({ bytes }: VideoItem) => bytes,
    aspect_ratio: aspectRatio,
  },
  audio: { seconds: ({ seconds }: AudioItem) => seconds, bytes: ({ bytes }: AudioItem) => bytes },
} as const;

/** Of one picture, or one frame. */
function pixels({ width, height }: ImageItem): number {
  return width * height;
}

function aspectRatio({ width, height }: ImageItem): number {
  return width / height;
}

/** One kind's items as name -> value, in inference-perf's words. */
export function instancesOf(media: RequestMedia, kind: MediaKind): Record<string, number>[] {
  const quantities = Object.entries(MEDIA_QUANTITIES[kind]) as [string, (item: unknown) => number][];
  return (media[kind] ?? []).map((item: unknown) =>
    Object.fromEntries(quantities.map(([name, of]) => [name, of(item)])),
  );
}

/** Bytes of all media of a request, before base64. */
function mediaBytes(media: RequestMedia): number {
  return MEDIA_KINDS.reduce(
    (sum, kind) => sum + (media[kind] ?? []).reduce((bytes: number, item) => bytes + item.bytes, 0),
    0,
  );
}

/** Means over requests, those without media included; what nothing was sent of is absent. */
export interface MediaMeans {
  readonly imagesPerRequest: number;
  readonly videosPerRequest: number;
  readonly soundsPerRequest: number;
  /** Before base64. */
  readonly bytesPerRequest: number;
  readonly pixelsPerImage?: number | undefined;
  readonly framesPerVideo?: number | undefined;
  readonly pixelsPerFrame?: number | undefined;
  readonly secondsPerSound?: number | undefined;
}

/** Of the means, in the order they are told. */
export const MEDIA_NUMBERS = [
  ['imagesPerRequest', 'images a request'],
  ['pixelsPerImage', 'pixels an image'],
  ['videosPerRequest', 'videos a request'],
  ['framesPerVideo', 'frames a video'],
  ['pixelsPerFrame', 'pixels a frame'],
  ['soundsPerRequest', 'sounds a request'],
  ['secondsPerSound', 'seconds a sound'],
  ['bytesPerRequest', 'bytes of media a request'],
] as const;

/** "2.00 images a request, 230,000 pixels an image, ..., filled with one colour"; "none" where nothing was sent. */
export function mediaWords(media: MediaMeans & { readonly filling?: string | undefined }): string {
  const parts = MEDIA_NUMBERS.flatMap(([key, what]) => (media[key] ? [`${significant(media[key])} ${what}`] : []));
  if (media.filling !== undefined && parts.length > 0)
    parts.push(`filled with ${own(FILLINGS, media.filling) ?? media.filling}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

const FILLINGS: Readonly<Record<string, string>> = {
  solid: 'one colour',
  noise: 'noise',
  dataset: 'pictures of a data set',
};

export const NO_MEDIA: MediaMeans = {
  imagesPerRequest: 0,
  videosPerRequest: 0,
  soundsPerRequest: 0,
  bytesPerRequest: 0,
};

export function mediaMeans(requests: readonly { readonly media?: RequestMedia }[]): MediaMeans {
  const images = requests.flatMap(({ media }) => media?.image ?? []);
  const videos = requests.flatMap(({ media }) => media?.video ?? []);
  const sounds = requests.flatMap(({ media }) => media?.audio ?? []);
  const perRequest = (total: number): number => (requests.length === 0 ? 0 : total / requests.length);
  const meanOf = <T>(of: readonly T[], value: (item: T) => number): number | undefined =>
    of.length === 0 ? undefined : of.reduce((sum, item) => sum + value(item), 0) / of.length;
  const present = Object.entries({
    pixelsPerImage: meanOf(images, pixels),
    framesPerVideo: meanOf(videos, ({ frames }) => frames),
    pixelsPerFrame: meanOf(videos, pixels),
    secondsPerSound: meanOf(sounds, ({ seconds }) => seconds),
  }).filter(([, value]) => value !== undefined);
  return {
    imagesPerRequest: perRequest(images.length),
    videosPerRequest: perRequest(videos.length),
    soundsPerRequest: perRequest(sounds.length),
    bytesPerRequest: perRequest(requests.reduce((sum, { media }) => sum + (media ? mediaBytes(media) : 0), 0)),
    ...(Object.fromEntries(present) as Partial<MediaMeans>),
  };
}

/** Owns the columns of the media of a scope's successes. */
export class MediaSummary {
  private requests = 0;
  /** By kind: how many of each request, and the quantities of all items. */
  private readonly columns = new Map<MediaKind, Map<string, Values>>();

  add(media: RequestMedia | undefined): void {
    for (const kind of MEDIA_KINDS) {
      const instances = media ? instancesOf(media, kind) : [];
      let columns = this.columns.get(kind);
      if (!columns && instances.length === 0) continue;
      if (!columns) {
        // Requests before the first with such an item had none.
        this.columns.set(kind, (columns = new Map([['count', new Values()]])));
        for (let before = 0; before < this.requests; before++) columns.get('count')!.add(0);
      }
      columns.get('count')!.add(instances.length);
      for (const [name, value] of instances.flatMap(Object.entries<number>)) {
        const column = columns.get(name) ?? new Values();
        columns.set(name, column);
        column.add(value);
      }
    }
    this.requests++;
  }

  /** `count` is over requests, those without included; the rest over items. Kinds that were not sent are absent. */
  blocks(percentiles: readonly number[]): Partial<Record<MediaKind, Readonly<Record<string, Stat>>>> {
    return Object.fromEntries(
      [...this.columns].map(([kind, columns]) => [
        kind,
        Object.fromEntries([...columns].map(([name, values]) => [name, statOfSorted(values.sorted(), percentiles)])),
      ]),
    );
  }

  /** Items per second of the scope, under inference-perf's names. */
  rates(windowSeconds: number): Readonly<Record<string, number>> {
    return Object.fromEntries(
      [...this.columns].map(([kind, columns]) => {
        const total = columns
          .get('count')!
          .view()
          .reduce((sum, count) => sum + count, 0);
        return [`${kind}s_per_sec`, windowSeconds > 0 ? total / windowSeconds : 0];
      }),
    );
  }
}
