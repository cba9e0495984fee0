// PNG, JPEG and WAV as they are written here, opened again by readers that know the formats.
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { image, silentWav } from '../../../../src/datagen/media/encode';
import { pictureHeader } from '../../../../src/datagen/media/image-size';
import { stream } from '../../../../src/datagen/random';

const rng = () => stream(7, 'pictures');
const SIZES = [
  [1, 1],
  [16, 16],
  [17, 33],
  [640, 360],
  [512, 512],
] as const;

describe('generated pictures', () => {
  it.each(SIZES)('of %i x %i say their size in their own headers', (width, height) => {
    for (const format of ['png', 'jpeg'] as const) {
      for (const filling of ['solid', 'noise'] as const) {
        const header = pictureHeader(image(format, width, height, filling, rng()));
        expect(header).toEqual({ mime: `image/${format}`, width, height });
      }
    }
  });

  it('as PNG hold one colour in every line, without filters', () => {
    const raw = pixelsOf(image('png', 20, 3, 'solid', rng()));
    expect(raw.length).toBe(3 * (1 + 3 * 20));
    const colour = raw.subarray(1, 4);
    for (let row = 0; row < 3; row++) {
      const line = raw.subarray(row * 61, (row + 1) * 61);
      expect(line[0]).toBe(0);
      for (let pixel = 0; pixel < 20; pixel++) expect(line.subarray(1 + 3 * pixel, 4 + 3 * pixel)).toEqual(colour);
    }
  });

  // Sizes of inference-perf's files (reference multimodal.md, section 4); a colour's own bytes move them by a few.
  it.each([
    ['png', 512, 512, 4475],
    ['png', 640, 360, 3872],
    ['png', 1920, 1080, 30122],
    ['jpeg', 512, 512, 4724],
    ['jpeg', 640, 360, 4308],
    ['jpeg', 1920, 1080, 33268],
  ] as const)('as %s of %i x %i take as many bytes as inference-perf’s: %i', (format, width, height, bytes) => {
    expect(Math.abs(image(format, width, height, 'solid', rng()).length - bytes)).toBeLessThanOrEqual(8);
  });

  it('of noise take the bytes of a detailed photograph', () => {
    expect(image('png', 256, 256, 'noise', rng()).length).toBeGreaterThan(256 * 256 * 2.9);
    const perPixel = image('jpeg', 256, 256, 'noise', rng()).length / 256 ** 2;
    expect(perPixel).toBeGreaterThan(0.15);
    expect(perPixel).toBeLessThan(0.6);
  });

  it('as JPEG code every block with the tables they carry', () => {
    for (const filling of ['solid', 'noise'] as const) {
      expect(blocksOf(image('jpeg', 50, 35, filling, rng()))).toBe(Math.ceil(50 / 16) * Math.ceil(35 / 16) * 6);
    }
  });

  it('are the same for a seed, and each another', () => {
    expect(image('png', 9, 9, 'solid', rng())).toEqual(image('png', 9, 9, 'solid', rng()));
    const one = rng();
    expect(image('png', 9, 9, 'solid', one)).not.toEqual(image('png', 9, 9, 'solid', one));
  });
});

describe('silence', () => {
  it.each([
    [0.5, 16_044],
    [1, 32_044],
    [0, 46],
  ])('of %f s has %i bytes, as inference-perf’s', (seconds, bytes) => {
    const wav = silentWav(seconds);
    expect(wav.length).toBe(bytes);
    expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
    expect(wav.readUInt32LE(4)).toBe(bytes - 8);
    expect(wav.readUInt32LE(24)).toBe(16_000);
    expect(wav.readUInt32LE(40)).toBe(bytes - 44);
  });
});

function pixelsOf(png: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  return inflateSync(Buffer.concat(parts));
}

/** Reads the scan of a baseline JPEG with its own Huffman tables, and counts its blocks; throws for a code that no table has. */
function blocksOf(jpeg: Buffer): number {
  const tables = new Map<number, Map<string, number>>();
  let at = 2;
  while (jpeg[at + 1] !== 0xda) {
    const length = jpeg.readUInt16BE(at + 2);
    if (jpeg[at + 1] === 0xc4) tables.set(jpeg[at + 4]!, codesOf(jpeg.subarray(at + 5, at + 2 + length)));
    at += 2 + length;
  }
  const scan = jpeg.subarray(at + 2 + jpeg.readUInt16BE(at + 2), jpeg.length - 2);
  const bits = [...scan]
    .filter((byte, index) => !(byte === 0 && scan[index - 1] === 0xff))
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
  let place = 0;
  const symbol = (table: Map<string, number>): number => {
    for (let length = 1; length <= 16; length++) {
      const found = table.get(bits.slice(place, place + length));
      if (found === undefined) continue;
      place += length;
      return found;
    }
    throw new Error(`no code at bit ${place} of ${bits.length}`);
  };
  let blocks = 0;
  // What follows the last block is less than a byte of ones.
  while (!/^1{0,7}$/.test(bits.slice(place, place + 8)) || bits.length - place >= 8) {
    const chroma = blocks % 6 >= 4 ? 1 : 0;
    const size = symbol(tables.get(chroma)!);
    place += size;
    for (let coefficient = 1; coefficient < 64; coefficient++) {
      const code = symbol(tables.get(0x10 | chroma)!);
      if (code === 0) break;
      coefficient += code >> 4;
      place += code & 15;
    }
    blocks++;
  }
  return blocks;
}

function codesOf(table: Buffer): Map<string, number> {
  const codes = new Map<string, number>();
  let code = 0;
  let next = 16;
  for (let length = 1; length <= 16; length++) {
    for (let each = 0; each < table[length - 1]!; each++) {
      codes.set((code++).toString(2).padStart(length, '0'), table[next++]!);
    }
    code <<= 1;
  }
  return codes;
}
