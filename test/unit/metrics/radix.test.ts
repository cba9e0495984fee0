// Sorting by digits and placing ranks give what sorting by comparison gives, bit by bit.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { arePlain, radixSort } from '../../../src/metrics/radix';
import { placeRanks } from '../../../src/metrics/ranks';
import { runs } from '../support/property-runs';

const plain = fc.oneof(
  fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: 1e-4, max: 10, noNaN: true }),
  fc.constantFrom(0, 5e-324, 1e-6, Number.MAX_VALUE),
);
/** Many from few: neighbours that differ in their last digits, and equals. */
const columns = fc
  .record({
    pool: fc.array(plain, { minLength: 1, maxLength: 40 }),
    step: fc.constantFrom(0, 2 ** -52, 2 ** -40, 2 ** -20, 1e-3),
    repeats: fc.nat(2000),
  })
  .map(({ pool, step, repeats }) =>
    Float64Array.from({ length: pool.length * (1 + repeats) }, (_, i) =>
      Math.min(Number.MAX_VALUE, pool[(i * 31) % pool.length]! * (1 + ((i * 7919) % 101) * step)),
    ),
  );

it('by digits as by comparison', () => {
  fc.assert(
    fc.property(columns, (values) => {
      expect(arePlain(values)).toBe(true);
      const sorted = values.slice().sort();
      expect(Buffer.compare(Buffer.from(radixSort(values).buffer), Buffer.from(sorted.buffer))).toBe(0);
    }),
    { numRuns: runs(60) },
  );
});

it('what is not plain is told', () => {
  for (const bad of [-0, -1, NaN, Infinity, -Infinity]) expect(arePlain(Float64Array.of(1, bad, 2))).toBe(false);
});

it('ranks where sorting puts them', () => {
  fc.assert(
    fc.property(columns, fc.array(fc.nat(), { maxLength: 20 }), (values, places) => {
      const ranks = places.map((place) => place % values.length);
      const sorted = values.slice().sort();
      const placed = placeRanks(values, ranks);
      for (const rank of ranks) expect(placed[rank]).toBe(sorted[rank]);
    }),
    { numRuns: runs(60) },
  );
});
