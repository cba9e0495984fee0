// Sorting millions of durations: by digits of their bits, several times faster than comparing them.

const DIGIT_BITS = 11;
const BUCKETS = 1 << DIGIT_BITS;
/** 64 bits in steps of 11: the digits of one word may run over its end, so each is cut out of the pair. */
const PASSES = 6;

/** In place, ascending. Only for values that are finite and not negative: then their bits sort as they do. */
export function radixSort(values: Float64Array): Float64Array {
  const n = values.length;
  let from: Float64Array = values;
  let to: Float64Array = new Float64Array(n);
  for (let pass = 0; pass < PASSES; pass++) {
    const shift = pass * DIGIT_BITS;
    const counts = new Uint32Array(BUCKETS);
    const words = new Uint32Array(from.buffer, from.byteOffset, 2 * n);
    for (let i = 0; i < n; i++) counts[digit(words, i, shift)]!++;
    if (counts.some((count) => count === n)) continue;
    let at = 0;
    for (let b = 0; b < BUCKETS; b++) {
      const count = counts[b]!;
      counts[b] = at;
      at += count;
    }
    for (let i = 0; i < n; i++) to[counts[digit(words, i, shift)]!++] = from[i]!;
    [from, to] = [to, from];
  }
  if (from !== values) values.set(from);
  return values;
}

/** Little-endian, as every machine that runs Node is: the low word comes first. */
function digit(words: Uint32Array, index: number, shift: number): number {
  const low = words[2 * index]!;
  const high = words[2 * index + 1]!;
  if (shift >= 32) return (high >>> (shift - 32)) & (BUCKETS - 1);
  const bits = shift + DIGIT_BITS > 32 ? (low >>> shift) | (high << (32 - shift)) : low >>> shift;
  return bits & (BUCKETS - 1);
}
