// Bytes of pictures: their size is read from the header alone.
import { describe, expect, it } from 'vitest';
import { pictureHeader } from '../../../../src/datagen/media/image-size';

const bytes = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const webp = (kind: string, rest: string): Buffer =>
  Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), Buffer.from(kind), bytes(rest), Buffer.alloc(20)]);

describe('the header of a picture', () => {
  it.each([
    ['a lossy WebP', webp('VP8 ', '00000000 300100 9d012a 2c01 c800'), 'image/webp', 300, 200],
    ['a lossless WebP', webp('VP8L', '00000000 2f 2bc13100'), 'image/webp', 300, 200],
    ['an extended WebP', webp('VP8X', '00000000 00000000 2b0100 c70000'), 'image/webp', 300, 200],
    ['a progressive JPEG', bytes('ffd8 ffdb000300 ffffc2 0011 08 00c8 012c 03 000000'), 'image/jpeg', 300, 200],
  ] as const)('%s', (_name, file, mime, width, height) => {
    expect(pictureHeader(file)).toEqual({ mime, width, height });
  });

  it.each([
    ['a GIF', Buffer.from('GIF89a........................')],
    ['nothing', Buffer.alloc(0)],
    ['a PNG that is cut off', bytes('89504e470d0a1a0a 0000000d 49484452 0000')],
    ['a PNG without a size', Buffer.concat([bytes('89504e470d0a1a0a 0000000d 49484452'), Buffer.alloc(20)])],
    ['a JPEG that ends in its first part', bytes('ffd8 ffe0')],
    ['a JPEG of parts without an end', bytes(`ffd8 ${'ffe10002'.repeat(20)}`)],
  ])('is none of %s', (_name, file) => {
    expect(pictureHeader(file)).toBeUndefined();
  });
});
