// Media in the summaries: how many a request had, and of what size, under inference-perf's names.
import { describe, expect, it } from 'vitest';
import { mediaMeans, NO_MEDIA } from '../../../src/metrics/media';
import { summarize } from '../../../src/metrics/summarize';
import type { RequestRecord } from '../../../src/metrics/record';

const record = (id: number, media?: RequestRecord['media']): RequestRecord => ({
  id,
  stage: 0,
  scheduledSeconds: id,
  sentSeconds: id,
  endSeconds: id + 2,
  chunkSeconds: [],
  outcome: { kind: 'ok' },
  promptHash: '',
  ...(media ? { media } : {}),
});
const picture = (width: number, height: number, bytes: number) => ({ width, height, bytes });
const summary = (records: readonly RequestRecord[]) =>
  summarize(records, { percentiles: [50], outputTokenSource: 'server-usage' }).successes;

describe('a summary of requests with media', () => {
  const records = [
    record(0),
    record(1, { image: [picture(20, 10, 100), picture(10, 10, 50)], audio: [{ bytes: 46, seconds: 0 }] }),
    record(2, { video: [{ ...picture(16, 9, 900), frames: 3 }] }),
  ];

  it('counts over requests, those without included, and measures items', () => {
    const { image, video, audio } = summary(records);
    expect(image!['count']).toMatchObject({ mean: 2 / 3, min: 0, max: 2 });
    expect(image!['pixels']).toMatchObject({ mean: 150, min: 100, max: 200 });
    expect(image!['bytes']).toMatchObject({ mean: 75 });
    expect(image!['aspect_ratio']).toMatchObject({ mean: 1.5 });
    expect(video).toMatchObject({
      count: { mean: 1 / 3 },
      frames: { mean: 3 },
      pixels: { mean: 144 },
      bytes: { mean: 900 },
    });
    expect(audio).toMatchObject({ count: { mean: 1 / 3 }, seconds: { mean: 0 }, bytes: { mean: 46 } });
  });

  it('gives rates over the window', () => {
    expect(summary(records).throughput).toMatchObject({
      images_per_sec: 2 / 4,
      videos_per_sec: 1 / 4,
      audios_per_sec: 1 / 4,
    });
  });

  it('has no word of media where none were sent', () => {
    const plain = summary([record(0)]);
    expect(Object.keys(plain)).not.toEqual(expect.arrayContaining(['image']));
    expect(Object.keys(plain.throughput)).not.toEqual(expect.arrayContaining(['images_per_sec']));
  });
});

describe('the means of a stream’s media', () => {
  it('are over all requests', () => {
    expect(mediaMeans([{}, { media: { image: [picture(4, 4, 80)] } }])).toEqual({
      imagesPerRequest: 0.5,
      videosPerRequest: 0,
      soundsPerRequest: 0,
      bytesPerRequest: 40,
      pixelsPerImage: 16,
    });
    expect(mediaMeans([])).toEqual(NO_MEDIA);
  });
});
