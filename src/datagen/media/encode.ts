// Images and sounds made of nothing but a size and a seed: PNG, baseline JPEG and WAV as inference-perf sends them, in its sizes.
import { crc32, deflateSync } from 'node:zlib';
import { integerBelow, type Rng } from '../random';

/** What fills a picture: one colour, as upstream, or random samples, which take as many bytes as a busy photograph or more. */
export type Filling = 'solid' | 'noise';

export type ImageFormat = 'png' | 'jpeg';

/** A picture of the given size; `width` and `height` from 1 to 65,535. Each draws its own colour, so that no two are the same. */
export function image(format: ImageFormat, width: number, height: number, filling: Filling, rng: Rng): Buffer {
  return format === 'png' ? png(width, height, filling, rng) : jpeg(width, height, filling, rng);
}

/** 8-bit RGB without filters, at zlib's level 1, as upstream writes it. */
function png(width: number, height: number, filling: Filling, rng: Rng): Buffer {
  const line = 1 + 3 * width;
  const raw = Buffer.alloc(line * height);
  if (filling === 'solid') {
    const first = raw.subarray(0, line);
    first.subarray(1).fill(Buffer.from(colour(rng)));
    for (let row = 1; row < height; row++) first.copy(raw, row * line);
  } else {
    for (let at = 0; at + 4 <= raw.length; at += 4) raw.writeInt32LE(rng.next(), at);
    // Each line begins with its filter: none.
    for (let row = 0; row < height; row++) raw[row * line] = 0;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(raw, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const made = Buffer.alloc(body.length + 8);
  made.writeUInt32BE(data.length, 0);
  body.copy(made, 4);
  made.writeUInt32BE(crc32(body), body.length + 4);
  return made;
}

function colour(rng: Rng): [number, number, number] {
  return [integerBelow(rng, 256), integerBelow(rng, 256), integerBelow(rng, 256)];
}

/** Quantisation of ITU-T T.81, annex K, at quality 75 (halved), in zigzag order. */
const QUANT_Y = halved(
  '16 11 12 14 12 10 16 14 13 14 18 17 16 19 24 40 26 24 22 22 24 49 35 37 29 40 58 51 61 60 57 51 56 55 64 72 92 78 64 68 87 69 55 56 80 109 81 87 95 98 103 104 103 62 77 113 121 112 100 120 92 101 103 99',
);
const QUANT_C = halved(`17 18 18 24 21 24 47 26 26 47 99 66 56 66 99 ${'99 '.repeat(49)}`);

function halved(numbers: string): number[] {
  return numbers
    .trim()
    .split(/\s+/)
    .map((value) => Math.floor((Number(value) * 50 + 50) / 100));
}

/** Huffman tables of ITU-T T.81, annex K.3: how many codes of each length from 1 to 16, then the symbols. */
const DC_Y = table('00010501010101010100000000000000', '000102030405060708090a0b');
const DC_C = table('00030101010101010101010000000000', '000102030405060708090a0b');
const AC_Y = table(
  '0002010303020403050504040000017d',
  '01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa',
);
const AC_C = table(
  '00020102040403040705040400010277',
  '000102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a162434e125f11718191a262728292a35363738393a434445464748494a535455565758595a636465666768696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa',
);

interface HuffmanTable {
  readonly bytes: Buffer;
  /** By symbol: its code and how many bits that has. */
  readonly codes: ReadonlyMap<number, readonly [number, number]>;
}

function table(lengths: string, symbols: string): HuffmanTable {
  const counts = Buffer.from(lengths, 'hex');
  const values = Buffer.from(symbols, 'hex');
  const codes = new Map<number, readonly [number, number]>();
  let code = 0;
  let next = 0;
  for (const [index, count] of counts.entries()) {
    for (let each = 0; each < count; each++) codes.set(values[next++]!, [code++, index + 1]);
    code <<= 1;
  }
  return { bytes: Buffer.concat([counts, values]), codes };
}

/** Owns the bits of a JPEG's scan. */
class Bits {
  private readonly bytes: number[] = [];
  private held = 0;
  private count = 0;

  put(value: number, bits: number): void {
    for (let bit = bits - 1; bit >= 0; bit--) {
      this.held = (this.held << 1) | ((value >> bit) & 1);
      if (++this.count < 8) continue;
      this.bytes.push(this.held);
      // 0xff begins a marker, so one in the data is followed by 0.
      if (this.held === 0xff) this.bytes.push(0);
      this.held = 0;
      this.count = 0;
    }
  }

  /** The last byte is filled with ones. */
  end(): Buffer {
    if (this.count > 0) this.put((1 << (8 - this.count)) - 1, 8 - this.count);
    return Buffer.from(this.bytes);
  }
}

/** Baseline, 4:2:0, quality 75, as the library behind upstream writes it: a solid picture takes four bytes per block of 16 x 16. */
function jpeg(width: number, height: number, filling: Filling, rng: Rng): Buffer {
  const [red, green, blue] = colour(rng);
  const levels = [
    { table: [DC_Y, AC_Y] as const, level: 0.299 * red + 0.587 * green + 0.114 * blue - 128, step: QUANT_Y[0]! },
    { table: [DC_C, AC_C] as const, level: -0.168736 * red - 0.331264 * green + 0.5 * blue, step: QUANT_C[0]! },
    { table: [DC_C, AC_C] as const, level: 0.5 * red - 0.418688 * green - 0.081312 * blue, step: QUANT_C[0]! },
  ];
  const bits = new Bits();
  const before = [0, 0, 0];
  const units = Math.ceil(width / 16) * Math.ceil(height / 16);
  for (let unit = 0; unit < units; unit++) {
    for (const [component, { table: tables, level, step }] of levels.entries()) {
      for (let block = 0; block < (component === 0 ? 4 : 1); block++) {
        const flat = Math.round((8 * level) / step);
        const dc = filling === 'solid' ? flat : clampedDc(flat + integerBelow(rng, 65) - 32);
        writeBlock(bits, tables, dc - before[component]!, filling === 'noise' ? NOISY_COEFFICIENTS : 0, rng);
        before[component] = dc;
      }
    }
  }
  return Buffer.concat([jpegHeader(width, height), bits.end(), Buffer.from([0xff, 0xd9])]);
}

/** Non-zero coefficients of a block of a noisy picture: about two bits a pixel, as a detailed photograph at this quality. */
const NOISY_COEFFICIENTS = 20;

function clampedDc(value: number): number {
  return Math.max(-127, Math.min(127, value));
}

function writeBlock(
  bits: Bits,
  [dcTable, acTable]: readonly [HuffmanTable, HuffmanTable],
  difference: number,
  coefficients: number,
  rng: Rng,
): void {
  symbol(bits, dcTable, difference);
  for (let each = 0; each < coefficients; each++) {
    const size = 1 + integerBelow(rng, 3);
    const magnitude = (1 << (size - 1)) + integerBelow(rng, 1 << (size - 1));
    symbol(bits, acTable, integerBelow(rng, 2) === 0 ? -magnitude : magnitude);
  }
  const [code, length] = acTable.codes.get(0)!;
  bits.put(code, length);
}

/** The code of a value's size, then the value in that many bits, negative ones in ones' complement. */
function symbol(bits: Bits, { codes }: HuffmanTable, value: number): void {
  const size = value === 0 ? 0 : 32 - Math.clz32(Math.abs(value));
  const [code, length] = codes.get(size)!;
  bits.put(code, length);
  if (size > 0) bits.put(value < 0 ? value + (1 << size) - 1 : value, size);
}

function jpegHeader(width: number, height: number): Buffer {
  const part = (marker: number, data: readonly number[] | Buffer): Buffer => {
    const length = data.length + 2;
    return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 0xff]), Buffer.from(data)]);
  };
  const huffman = (place: number, { bytes }: HuffmanTable): Buffer => part(0xc4, [place, ...bytes]);
  const two = (value: number): [number, number] => [value >> 8, value & 0xff];
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    part(0xe0, [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]),
    part(0xdb, [0, ...QUANT_Y]),
    part(0xdb, [1, ...QUANT_C]),
    part(0xc0, [8, ...two(height), ...two(width), 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]),
    huffman(0x00, DC_Y),
    huffman(0x10, AC_Y),
    huffman(0x01, DC_C),
    huffman(0x11, AC_C),
    part(0xda, [3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0]),
  ]);
}

const SAMPLES_PER_SECOND = 16_000;

/** Silence, 16-bit PCM, mono, 16 kHz: 44 bytes of header and two per sample, at least one sample. */
export function silentWav(seconds: number): Buffer {
  const samples = Math.max(1, Math.round(seconds * SAMPLES_PER_SECOND));
  const wav = Buffer.alloc(44 + 2 * samples);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(36 + 2 * samples, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  wav.writeUInt32LE(2 * SAMPLES_PER_SECOND, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(2 * samples, 40);
  return wav;
}
