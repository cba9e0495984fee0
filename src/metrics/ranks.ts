// Some order statistics of millions of values without sorting them all: a curve of 240 points needs 240 of them.
import { takesFastPaths } from '../fast-paths';
import { sortFinite } from './statistics';

const BUCKET_BITS = 16;
/** From here on it pays. */
const MANY = 50_000;
/** Upper words from here on belong to values that are not finite, or negative (-0 too). */
const NOT_PLAIN = 0x7ff00000;

/**
 * Puts the values of some ranks where sorting would put them, in place; what stands at other ranks afterwards means nothing.
 * Throws like `sortFinite` for values that are not finite.
 * @param ranks from 0, in any order
 */
export function placeRanks(values: Float64Array, ranks: Iterable<number>): Float64Array {
  const n = values.length;
  const range = n < MANY || !takesFastPaths ? undefined : upperWords(values);
  if (!range) return sortFinite(values);
  const { words, low, high } = range;
  const shift = Math.max(0, 33 - Math.clz32(high - low) - BUCKET_BITS);
  // Upper words sort as the values do; zeros (and what is as small) have a bucket of their own, as they are far from all others.
  const bucketOf = (word: number): number => (word === 0 ? 0 : 1 + ((word - low) >>> shift));
  const ends = new Uint32Array((1 << BUCKET_BITS) + 1);
  for (let i = 1; i < 2 * n; i += 2) ends[bucketOf(words[i]!)]!++;
  for (let bucket = 1; bucket < ends.length; bucket++) ends[bucket]! += ends[bucket - 1]!;
  const wanted = [...new Set(ranks)].sort((a, b) => a - b);
  const sorted = wantedBuckets(values, words, bucketOf, ends, wanted);
  for (const [rank, value] of sorted) values[rank] = value;
  return values;
}

/** The upper words of plain values, and the smallest (but 0) and largest of them; undefined when some value is not plain. */
function upperWords(values: Float64Array): { words: Uint32Array; low: number; high: number } | undefined {
  // Little-endian, as every machine that runs Node is: the upper word comes second.
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  let low = NOT_PLAIN;
  let high = 0;
  for (let i = 1; i < words.length; i += 2) {
    const word = words[i]!;
    if (word > high) high = word;
    if (word !== 0 && word < low) low = word;
  }
  return high >= NOT_PLAIN ? undefined : { words, low: Math.min(low, high), high };
}

/** Gathers the buckets that hold a wanted rank, sorts each, and gives rank by rank its value. */
function wantedBuckets(
  values: Float64Array,
  words: Uint32Array,
  bucketOf: (word: number) => number,
  ends: Uint32Array,
  wanted: readonly number[],
): readonly (readonly [rank: number, value: number])[] {
  const start = (bucket: number): number => (bucket === 0 ? 0 : ends[bucket - 1]!);
  /** Of each bucket the place of its next value among those gathered, plus one; 0 for a bucket that nobody asks for. */
  const next = new Uint32Array(ends.length);
  const gathered: { readonly bucket: number; readonly from: number }[] = [];
  let room = 0;
  let bucket = 0;
  for (const rank of wanted) {
    while (ends[bucket]! <= rank) bucket++;
    if (next[bucket] !== 0) continue;
    next[bucket] = room + 1;
    gathered.push({ bucket, from: room });
    room += ends[bucket]! - start(bucket);
  }
  const held = new Float64Array(room);
  for (let i = 0; i < values.length; i++) {
    const own = bucketOf(words[2 * i + 1]!);
    if (next[own] !== 0) held[next[own]!++ - 1] = values[i]!;
  }
  const found: (readonly [number, number])[] = [];
  let at = 0;
  for (const { bucket: own, from } of gathered) {
    const first = start(own);
    const part = sortFinite(held.subarray(from, from + ends[own]! - first));
    for (; at < wanted.length && wanted[at]! < ends[own]!; at++) found.push([wanted[at]!, part[wanted[at]! - first]!]);
  }
  return found;
}

/** The ranks that percentiles by linear interpolation rest on. */
export function ranksOfPercents(length: number, percents: readonly number[]): readonly number[] {
  return percents.flatMap((percent) => {
    const below = Math.floor((percent / 100) * (length - 1));
    return [below, Math.min(below + 1, length - 1)];
  });
}
