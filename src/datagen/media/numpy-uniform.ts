// The first number of numpy's `default_rng(seed).uniform(0, 1)`, with which inference-perf places the images of VisionArena.

const MASK_64 = (1n << 64n) - 1n;
const MASK_128 = (1n << 128n) - 1n;
/** Multiplier of PCG64 (O'Neill 2014, XSL-RR 128/64). */
const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;

/** @param seed a whole number from 0 to 2^32 - 1 */
export function numpyFirstUniform(seed: number): number {
  const words = seedWords(seed);
  const [state, sequence] = [pair(words, 0), pair(words, 4)];
  const increment = ((sequence << 1n) | 1n) & MASK_128;
  const step = (value: bigint): bigint => (value * MULTIPLIER + increment) & MASK_128;
  const next = step(step((step(0n) + state) & MASK_128));
  const mixed = (next >> 64n) ^ (next & MASK_64);
  const turn = next >> 122n;
  const output = ((mixed >> turn) | (mixed << (64n - turn))) & MASK_64;
  return Number(output >> 11n) / 2 ** 53;
}

/** Four 32-bit words, each pair of them a 64-bit one with the low word first, as one number of 128 bits with the high half first. */
function pair(words: Uint32Array, at: number): bigint {
  const half = (index: number): bigint => (BigInt(words[index + 1]!) << 32n) | BigInt(words[index]!);
  return (half(at) << 64n) | half(at + 2);
}

/** numpy's SeedSequence for one word of entropy: a pool of four words, mixed, then eight words drawn from it. */
function seedWords(seed: number): Uint32Array {
  let hashConstant = 0x43b0d7e5;
  const hash = (value: number): number => {
    let mixed = (value ^ hashConstant) >>> 0;
    hashConstant = Math.imul(hashConstant, 0x931e8875) >>> 0;
    mixed = Math.imul(mixed, hashConstant) >>> 0;
    return (mixed ^ (mixed >>> 16)) >>> 0;
  };
  const mix = (left: number, right: number): number => {
    const mixed = (Math.imul(left, 0xca01f9dd) - Math.imul(right, 0x4973f715)) >>> 0;
    return (mixed ^ (mixed >>> 16)) >>> 0;
  };
  const pool = [seed, 0, 0, 0].map(hash);
  for (let from = 0; from < pool.length; from++) {
    for (let to = 0; to < pool.length; to++) {
      if (from !== to) pool[to] = mix(pool[to]!, hash(pool[from]!));
    }
  }
  let outConstant = 0x8b51f9dd;
  return Uint32Array.from({ length: 8 }, (_, index) => {
    let value = (pool[index % pool.length]! ^ outConstant) >>> 0;
    outConstant = Math.imul(outConstant, 0x58f38ded) >>> 0;
    value = Math.imul(value, outConstant) >>> 0;
    return (value ^ (value >>> 16)) >>> 0;
  });
}
