// Bytes compared as doubles: the answer must be that of comparing bytes, for any bytes and any place.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pattern } from '../../../src/client/pattern';
import { runs } from '../support/property-runs';

describe('a pattern', () => {
  it('stands where its bytes stand, and nowhere else', () => {
    let stood = 0;
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(
        bytes,
        bytes,
        bytes,
        fc.option(fc.nat(), { freq: 1 }),
        fc.nat(255),
        (before, wanted, after, wrong, other) => {
          const pattern = Pattern.of(Buffer.from(wanted));
          if (pattern === undefined) return;
          const whole = Buffer.concat([before, wanted, after]);
          if (wrong !== null) whole[before.length + (wrong % wanted.length)] = other;
          const expected = whole.compare(wanted, 0, wanted.length, before.length, before.length + wanted.length) === 0;
          expect(pattern.standsAt(whole, before.length)).toBe(expected);
          if (expected) stood++;
        },
      ),
      { numRuns: runs(3000) },
    );
    expect(stood).toBeGreaterThan(500);
  });

  it('is told apart by every one of its bits', () => {
    for (const length of [1, 7, 8, 9, 15, 16, 23]) {
      const wanted = Buffer.from('data: {"id":"cmpl-0123","x":1}').subarray(0, length);
      const pattern = Pattern.of(wanted)!;
      for (let bit = 0; bit < 8 * length; bit++) {
        const other = Buffer.from(wanted);
        other[bit >> 3]! ^= 1 << (bit & 7);
        expect(pattern.standsAt(other, 0)).toBe(false);
      }
      expect(pattern.standsAt(Buffer.from(wanted), 0)).toBe(true);
    }
  });

  it('sees a buffer whose bytes have changed since it last looked', () => {
    const pattern = Pattern.of(Buffer.from('0123456789'))!;
    const bytes = Buffer.from('0123456789');
    expect(pattern.standsAt(bytes, 0)).toBe(true);
    bytes.write('X', 9);
    expect(pattern.standsAt(bytes, 0)).toBe(false);
  });

  it.each([
    ['zero', Buffer.alloc(8)],
    ['negative zero', Buffer.from([0, 0, 0, 0, 0, 0, 0, 0x80])],
    ['no number', Buffer.from([1, 0, 0, 0, 0, 0, 0xf8, 0x7f])],
    ['no number at the end', Buffer.from([65, 66, 1, 0, 0, 0, 0, 0, 0xf8, 0xff])],
  ])('is refused when it reads as %s', (_, bytes) => {
    expect(Pattern.of(bytes)).toBeUndefined();
  });
});
