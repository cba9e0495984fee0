// What media a request carries, drawn by inference-perf's rules from seeded streams, and the content they make with its text.
import type { AudioItem, ImageItem, RequestMedia, VideoItem } from '../../metrics/media';
import { sampledLength, type LengthDistribution } from '../lengths';
import type { ContentBlock } from '../prompts';
import { uniform01, type Rng } from '../random';
import { image, silentWav, type Filling, type ImageFormat } from './encode';

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Entries with their relative frequency; a single one is always taken. */
export type Weighted<T> = readonly { readonly value: T; readonly weight: number }[];

interface KindOfMedia {
  readonly count: LengthDistribution;
  /** Share of the text in front of an item, 0 to 1; null: anywhere, each item drawn anew. */
  readonly at: number | LengthDistribution | null;
}

/** `data.multimodal`, or that of a shared prefix, with what it leaves out filled in. */
export interface MediaPlan {
  readonly image?: KindOfMedia & { readonly sizes: Weighted<PictureSize>; readonly format: ImageFormat };
  readonly video?: KindOfMedia & {
    readonly profiles: Weighted<{ readonly size: PictureSize; readonly frames: number }>;
    readonly format: ImageFormat;
  };
  readonly audio?: KindOfMedia & { readonly durations: Weighted<number> };
  readonly filling: Filling;
}

export interface MediaPlans {
  /** Fresh for every request. */
  readonly payload?: MediaPlan | undefined;
  /** The same for all requests of a group whose prefix is shared. */
  readonly prefix?: MediaPlan | undefined;
}

/** Blocks that stand at one place of a text. */
export interface PlacedBlocks {
  /** 0 in front of the text, 1 behind it. */
  readonly at: number;
  readonly blocks: readonly ContentBlock[];
}

export interface DrawnMedia {
  readonly placed: readonly PlacedBlocks[];
  readonly media: RequestMedia;
}

/** The media of one request, or of one prefix: images first, then videos, then sounds, as upstream draws and places them. */
export function drawMedia(plan: MediaPlan, rng: Rng): DrawnMedia {
  const placed: PlacedBlocks[] = [];
  const { filling } = plan;
  const each = <P extends KindOfMedia, Item>(
    kind: P | undefined,
    make: (kind: P) => [Item, ContentBlock[]],
  ): Item[] => {
    if (!kind) return [];
    return Array.from({ length: Math.max(0, sampledLength(kind.count, rng)) }, () => {
      const [item, blocks] = make(kind);
      placed.push({ at: placeOf(kind.at, rng), blocks });
      return item;
    });
  };
  const images = each(plan.image, ({ sizes, format }): [ImageItem, ContentBlock[]] => {
    const { width, height } = choose(sizes, rng);
    const bytes = image(format, width, height, filling, rng);
    return [{ width, height, bytes: bytes.length }, [pictureBlock(`image/${format}`, bytes)]];
  });
  const videos = each(plan.video, ({ profiles, format }): [VideoItem, ContentBlock[]] => {
    const { size, frames } = choose(profiles, rng);
    const files = Array.from({ length: frames }, () => image(format, size.width, size.height, filling, rng));
    const bytes = files.reduce((sum, file) => sum + file.length, 0);
    return [{ ...size, bytes, frames }, files.map((file) => pictureBlock(`image/${format}`, file))];
  });
  const sounds = each(plan.audio, ({ durations }): [AudioItem, ContentBlock[]] => {
    const seconds = choose(durations, rng);
    const wav = silentWav(seconds);
    const data = wav.toString('base64');
    return [{ bytes: wav.length, seconds }, [{ type: 'input_audio', input_audio: { data, format: 'wav' } }]];
  });
  return { placed, media: mediaOf(images, videos, sounds) };
}

export function mediaOf(
  images: readonly ImageItem[],
  videos: readonly VideoItem[] = [],
  sounds: readonly AudioItem[] = [],
): RequestMedia {
  return {
    ...(images.length > 0 ? { image: images } : {}),
    ...(videos.length > 0 ? { video: videos } : {}),
    ...(sounds.length > 0 ? { audio: sounds } : {}),
  };
}

/** Of a prefix and what follows it. */
export function togetherMedia(first: RequestMedia, second: RequestMedia): RequestMedia {
  return mediaOf(
    [...(first.image ?? []), ...(second.image ?? [])],
    [...(first.video ?? []), ...(second.video ?? [])],
    [...(first.audio ?? []), ...(second.audio ?? [])],
  );
}

export function pictureBlock(mime: string, bytes: Uint8Array): ContentBlock {
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return { type: 'image_url', image_url: { url: `data:${mime};base64,${base64}` } };
}

/** A distribution gives whole numbers, so in front or behind. */
function placeOf(at: KindOfMedia['at'], rng: Rng): number {
  if (at === null) return uniform01(rng);
  return typeof at === 'number' ? at : sampledLength(at, rng);
}

/** Without a positive sum of weights the first entry, as upstream. */
function choose<T>(entries: Weighted<T>, rng: Rng): T {
  const total = entries.reduce((sum, { weight }) => sum + weight, 0);
  let left = entries.length > 1 && total > 0 ? uniform01(rng) * total : 0;
  return (entries.find(({ weight }) => (left -= weight) < 0) ?? entries[0]!).value;
}

/**
 * Text with media in it: cut at `floor(at x length)` in code points; places that are equal keep their order, empty pieces are left
 * out.
 */
export function weave(text: string, placed: readonly PlacedBlocks[]): ContentBlock[] {
  const points = Array.from(text);
  const blocks: ContentBlock[] = [];
  let from = 0;
  const textTo = (to: number): void => {
    const piece = points.slice(from, to).join('');
    from = to;
    if (piece !== '') blocks.push({ type: 'text', text: piece });
  };
  for (const { at, blocks: own } of [...placed].sort((a, b) => a.at - b.at)) {
    textTo(Math.floor(at * points.length));
    blocks.push(...own);
  }
  textTo(points.length);
  return blocks;
}

/** A prefix and what follows it: one blank between them, inside one block where two texts meet. */
export function joinBlocks(prefix: readonly ContentBlock[], payload: readonly ContentBlock[]): ContentBlock[] {
  const [last, next] = [prefix.at(-1), payload[0]];
  if (last === undefined || next === undefined) return [...prefix, ...payload];
  if (last.type === 'text' && next.type === 'text')
    return [...prefix.slice(0, -1), { type: 'text', text: `${last.text} ${next.text}` }, ...payload.slice(1)];
  return [...prefix, { type: 'text', text: ' ' }, ...payload];
}
