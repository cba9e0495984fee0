// Curves and figures: laws that hold for any values.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ecdf, medianBins, medianLine, thinned, timeBins } from '../../../src/views/report/curves';
import { counted, duration, significant, span } from '../../../src/figures';

const values = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 3000 });

describe('ecdf', () => {
  it('rises from the smallest to the largest value, and ends at 100 %', () => {
    fc.assert(
      fc.property(values, (list) => {
        const { x, y } = ecdf(list);
        expect(x[0]).toBe(list.reduce((a, b) => Math.min(a, b)));
        expect(x.at(-1)).toBe(list.reduce((a, b) => Math.max(a, b)));
        expect(y.at(-1)).toBe(100);
        for (let i = 1; i < x.length; i++) {
          expect(x[i]!).toBeGreaterThanOrEqual(x[i - 1]!);
          expect(y[i]!).toBeGreaterThan(y[i - 1]!);
        }
        expect(x.length).toBeLessThanOrEqual(240);
      }),
    );
  });
});

describe('thinned', () => {
  it('keeps few points, but always the largest', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 9000 }), (list) => {
        const { x, y } = thinned({ x: list.map((_, i) => i), y: list });
        expect(x.length).toBeLessThanOrEqual(1502);
        expect(Math.max(...y)).toBe(list.reduce((a, b) => Math.max(a, b)));
      }),
      { numRuns: 30 },
    );
  });
});

describe('timeBins', () => {
  it('puts every value into one bin that holds its time', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 500, noNaN: true }), { maxLength: 300 }), (times) => {
        const bins = timeBins({ x: times, y: times }, 0, 500);
        expect(bins.flatMap((bin) => bin.values)).toHaveLength(times.length);
        for (const bin of bins) for (const at of bin.values) expect(at).toBeGreaterThanOrEqual(bin.from);
      }),
    );
  });

  it('breaks the median line where nothing was sent', () => {
    const bins = timeBins({ x: [0.5, 2.5], y: [1, 3] }, 0, 3);
    expect(medianLine(bins).y).toEqual([1, null, 3]);
  });
});

describe('figures', () => {
  it.each([
    [52.34, '52.3'],
    [0.04123, '0.0412'],
    [1234.5, '1,230'],
    [999.6, '1,000'],
    [-4.2, '−4.20'],
    [0, '0'],
    [Number.NaN, '–'],
  ])('%f is shown as %s', (value, text) => {
    expect(significant(value)).toBe(text);
  });

  it('choose the unit a reader expects', () => {
    expect([duration(0.0523), duration(12.4), span(45), span(185), span(180), span(3720)]).toEqual([
      '52.3 ms',
      '12.4 s',
      '45 s',
      '3 min 05 s',
      '3 min',
      '1 h 02 min',
    ]);
    expect([counted(1, 'request'), counted(1240, 'request')]).toEqual(['1 request', '1,240 requests']);
  });
});

describe('medians over time of columns', () => {
  it('are those of the bins', () => {
    const points = fc.array(
      fc.tuple(fc.double({ min: 0, max: 400, noNaN: true }), fc.double({ min: 0, max: 9, noNaN: true })),
    );
    fc.assert(
      fc.property(points, fc.integer({ min: 1, max: 500 }), (list, end) => {
        const [x, y] = [list.map(([at]) => at), list.map(([, value]) => value)];
        const bins = timeBins({ x, y }, 0, end);
        const columns = medianBins({ x: Float64Array.from(x), y: Float64Array.from(y) }, 0, end);
        expect(columns.bins).toEqual(bins.map(({ from, to }) => ({ from, to })));
        expect({ x: columns.x, y: columns.y }).toEqual(medianLine(bins));
      }),
    );
  });
});
