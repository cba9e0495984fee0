// The block bootstrap: reproducible, fast enough to be used, and its intervals cover what they promise.
import { describe, expect, it } from 'vitest';
import {
  blockLength as lengthOf,
  differenceInterval,
  intervalOf,
  requestMeans,
  resample,
  seriesOf,
  uniformIntegers,
  type BootstrapOptions,
  type Quantity,
  type Series,
} from '../../../src/metrics/bootstrap';
import { independentOf } from '../../../src/metrics/dependence';
import { mean, percentile, sortedValues } from '../../../src/metrics/statistics';
import { independentNeeded } from '../../../src/comparability/samples';
import { itlGapsSeconds, writeItlGaps } from '../../../src/metrics/request-metrics';
import { normalFrom, randomStream, syntheticRun } from '../support/synthetic-run';

const bootstrap = (series: Series, quantities: readonly Quantity[], options?: BootstrapOptions) =>
  resample(series, quantities, options).draws;

const QUANTITIES: readonly Quantity[] = [
  { kind: 'mean' },
  { kind: 'percentile', percent: 50 },
  { kind: 'percentile', percent: 95 },
];

/** Skewed latencies whose neighbours resemble each other: exp of an AR(1) series. */
function latencies(n: number, phi: number, seed: number): number[] {
  const random = randomStream(seed);
  let state = normalFrom(random);
  return Array.from({ length: n }, () => {
    state = phi * state + Math.sqrt(1 - phi * phi) * normalFrom(random);
    return Math.exp(0.5 * state);
  });
}

const blockLength = (series: Series): number =>
  lengthOf(series.offsets.length - 1, independentOf(requestMeans(series)));

const single = (values: readonly number[]) => seriesOf(values.map((value) => [value]));

/** Independent requests that the intervals of these three quantities ask for. */
const NEEDED = (['mean', 'p50', 'p95'] as const).map(independentNeeded);

describe('coverage of a difference that is zero', () => {
  it.each([0, 0.5, 0.9].flatMap((phi) => [300, 1000, 5000].map((n) => ({ phi, n }))))(
    'phi $phi, n $n: about 95 % of the intervals that are given hold it',
    ({ phi, n }) => {
      const runs = n === 5000 ? 60 : 120;
      const hits = QUANTITIES.map(() => 0);
      const given = QUANTITIES.map(() => 0);
      for (let run = 0; run < runs; run++) {
        const a = resample(single(latencies(n, phi, 2 * run + 1)), QUANTITIES, { resamples: 300, seed: 1 });
        const b = resample(single(latencies(n, phi, 2 * run + 2)), QUANTITIES, { resamples: 300, seed: 2 });
        QUANTITIES.forEach((_, k) => {
          if (Math.min(a.effective, b.effective) < NEEDED[k]!) return;
          given[k]!++;
          const { low, high } = differenceInterval(a.draws[k]!, b.draws[k]!);
          if (low <= 0 && high >= 0) hits[k]!++;
        });
      }
      // Of 95 %, 60 draws show less than 87 % once in 200; where dependence eats nearly all, fewer are given and they cover less.
      const scarce = phi === 0.9 && n === 300;
      QUANTITIES.forEach((_, k) => {
        if (given[k]! >= 30) expect(hits[k]! / given[k]!, `quantity ${k}`).toBeGreaterThanOrEqual(scarce ? 0.8 : 0.87);
      });
      if (given[0]! >= 60) expect(hits[0]! / given[0]!).toBeLessThan(1);
      if (scarce) expect(given[2]).toBeLessThan(runs / 5);
      else expect(Math.min(...given)).toBeGreaterThanOrEqual(0.85 * runs);
    },
  );
});

/** Waiting plus service in a queue at 70 % use: what TTFT does when requests share a server. */
function queue(n: number, seed: number): number[] {
  const random = randomStream(seed);
  let wait = 0;
  const out: number[] = [];
  for (let i = -500; i < n; i++) {
    const service = -Math.log(1 - random()) * 0.7;
    if (i >= 0) out.push(wait + service);
    wait = Math.max(0, wait + service + Math.log(1 - random()));
  }
  return out;
}

describe('dependent requests', () => {
  it.each([
    ['AR(1) 0.9, n 300', (seed: number) => latencies(300, 0.9, seed), 0.05],
    ['AR(1) 0.97, n 2000', (seed: number) => latencies(2000, 0.97, seed), 0.5],
    ['a queue, n 2000', (seed: number) => queue(2000, seed), 0.5],
  ])('%s: intervals that rest on enough independent requests cover, those of a p99 are refused', (_, draw, least) => {
    const quantities: readonly Quantity[] = [...QUANTITIES, { kind: 'percentile', percent: 99 }];
    const needed = (['mean', 'p50', 'p95', 'p99'] as const).map(independentNeeded);
    const kept = [0, 0, 0, 0];
    const hits = [0, 0, 0, 0];
    const runs = 120;
    for (let run = 0; run < runs; run++) {
      const a = resample(single(draw(2 * run + 1)), quantities, { resamples: 300, seed: 1 });
      const b = resample(single(draw(2 * run + 2)), quantities, { resamples: 300, seed: 2 });
      quantities.forEach((__, k) => {
        if (Math.min(a.effective, b.effective) < needed[k]!) return;
        kept[k]!++;
        const { low, high } = differenceInterval(a.draws[k]!, b.draws[k]!);
        if (low <= 0 && high >= 0) hits[k]!++;
      });
    }
    for (const k of [0, 1, 2]) if (kept[k]! > 40) expect(hits[k]! / kept[k]!, `quantity ${k}`).toBeGreaterThan(0.85);
    expect(kept[3]).toBeLessThan(runs / 5);
    expect(kept[1]).toBeGreaterThan(least * runs);
  });

  it('independent requests count nearly in full, whatever their number', () => {
    for (const n of [300, 3000, 30_000]) {
      const { effective } = resample(single(latencies(n, 0, n)), QUANTITIES, { resamples: 10 });
      expect(effective).toBeGreaterThan(n / 3);
    }
    const { effective } = resample(single(latencies(3000, 0.9, 1)), QUANTITIES, { resamples: 10 });
    expect(effective).toBeLessThan(600);
  });
});

it('sorting by digits is sorting', () => {
  const random = randomStream(3);
  const values = Float64Array.from({ length: 50_000 }, (__, i) => (i % 7 === 0 ? 0 : random() * 10 ** ((i % 12) - 6)));
  expect(sortedValues(values)).toEqual(values.slice().sort());
  // Differences of computed times: alike in all but their last bits.
  const noisy = Float64Array.from({ length: 50_000 }, (__, i) => i * 0.01 + 0.01 - i * 0.01);
  expect(sortedValues(noisy)).toEqual(noisy.slice().sort());
  const negative = values.map((value, i) => (i % 2 === 0 ? -value : value));
  expect(sortedValues(negative)).toEqual(negative.slice().sort());
});

it('token gaps written into a column are the gaps of the requests', () => {
  const records = syntheticRun({ tokensPerChunk: 3, maxTokens: { from: 1, to: 20 }, failureShare: 0.1 }).records!;
  for (const basis of ['tokens', 'chunks'] as const) {
    const column = new Float64Array(20 * records.length);
    let at = 0;
    for (const record of records) at = writeItlGaps(record, basis, column, at);
    expect([...column.subarray(0, at)]).toEqual(records.flatMap((record) => itlGapsSeconds(record, basis)));
  }
});

it('a real difference is seen', () => {
  const a = bootstrap(single(latencies(400, 0.3, 1)), QUANTITIES, { seed: 1 });
  const b = bootstrap(single(latencies(400, 0.3, 2).map((value) => value * 1.5)), QUANTITIES, { seed: 2 });
  for (const k of [0, 1, 2]) expect(differenceInterval(a[k]!, b[k]!).low).toBeGreaterThan(0);
});

it('the same seed gives the same interval, another seed nearly so', () => {
  const series = single(latencies(500, 0.3, 7));
  const [first] = bootstrap(series, QUANTITIES, { seed: 5 });
  const [again] = bootstrap(series, QUANTITIES, { seed: 5 });
  const [other] = bootstrap(series, QUANTITIES, { seed: 6 });
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  const width = intervalOf(first!).high - intervalOf(first!).low;
  expect(Math.abs(intervalOf(other!).low - intervalOf(first!).low)).toBeLessThan(0.25 * width);
});

it('resamples centre on the sample, for means and percentiles', () => {
  const values = latencies(400, 0, 3);
  const sorted = sortedValues(values);
  const out = bootstrap(single(values), QUANTITIES, { seed: 1 });
  expect(mean(out[0]!)).toBeCloseTo(mean(sorted), 2);
  expect(percentile(Float64Array.from(out[2]!).sort(), 50) / percentile(sorted, 95)).toBeCloseTo(1, 1);
});

it('gaps are drawn with their request: a request that is slow throughout widens the interval', () => {
  const together = Array.from({ length: 60 }, (_, i) => new Array<number>(50).fill(i % 10 === 0 ? 5 : 1));
  const apart = seriesOf(together.flat().map((value) => [value]));
  const width = (series: ReturnType<typeof seriesOf>): number => {
    const { low, high } = intervalOf(bootstrap(series, [{ kind: 'mean' }], { seed: 1 })[0]!);
    return high - low;
  };
  // The same 3,000 values, taken as independent in another order, look far surer than 60 requests are.
  const shuffled = seriesOf(together.flat().map((_, i) => [together[(i * 7) % 60]![0]!]));
  expect(width(seriesOf(together))).toBeGreaterThan(3 * width(shuffled));
  expect(apart.values.length).toBe(3000);
});

describe('hardly any values among many requests', () => {
  it('draws without a value say nothing new: every resample is a number', () => {
    const series = seriesOf(Array.from({ length: 60 }, (_, i) => (i === 10 ? [0.1, 0.3] : [])));
    const quantities = [{ kind: 'mean' }, { kind: 'percentile', percent: 95 }] as const;
    const { draws } = resample(series, quantities, { resamples: 200, seed: 3 });
    for (const own of draws) {
      expect([...own].every(Number.isFinite)).toBe(true);
      expect(Math.min(...own)).toBeGreaterThanOrEqual(0.1 - 0.3);
    }
  });
});

describe('block length', () => {
  it('grows with dependence and stays under a quarter of the series', () => {
    const loose = blockLength(single(latencies(1000, 0, 1)));
    const tight = blockLength(single(latencies(1000, 0.9, 1)));
    expect(tight).toBeGreaterThan(2 * loose);
    expect(blockLength(single(latencies(40, 0.95, 1)))).toBeLessThanOrEqual(10);
  });

  it('constant and empty series are no trouble', () => {
    expect(blockLength(single(new Array<number>(100).fill(3)))).toBeGreaterThan(0);
    expect(bootstrap(seriesOf([[], [], []]), [{ kind: 'mean' }], { resamples: 3 })[0]!.every(Number.isNaN)).toBe(true);
    const [same] = bootstrap(single(new Array<number>(50).fill(3)), [{ kind: 'mean' }], { resamples: 50 });
    expect(intervalOf(same!)).toEqual({ low: 3, high: 3 });
  });
});

it('uniform integers fill their range evenly', () => {
  const draw = uniformIntegers(42, 10);
  const counts = new Array<number>(10).fill(0);
  for (let i = 0; i < 20_000; i++) counts[draw()]!++;
  for (const count of counts) expect(Math.abs(count - 2000)).toBeLessThan(250);
});

describe('the direction and the width of a resample', () => {
  it('a percentile rises where a draw holds more of the slow requests', () => {
    // Half the blocks are slow: in a draw with more of them the mean rises, and the percentile has to rise with it.
    const values = Array.from({ length: 400 }, (_, i) => (Math.floor(i / 50) % 2 === 0 ? 1 : 2) + (i % 50) / 100);
    const [means, medians] = bootstrap(single(values), QUANTITIES, { resamples: 400, seed: 3 });
    const [m, p] = [mean(means!), mean(medians!)];
    const together = means!.reduce((sum, value, r) => sum + (value - m) * (medians![r]! - p), 0);
    const spread = (draws: Float64Array, at: number): number =>
      draws.reduce((sum, value) => sum + (value - at) ** 2, 0);
    expect(together / Math.sqrt(spread(means!, m) * spread(medians!, p))).toBeGreaterThan(0.8);
  });

  it('is widened by sqrt(k / (k - 1)) for k blocks and by t: 60 alternating values have no dependence to add', () => {
    const values = Array.from({ length: 16 }, (_, i) => (i % 8 < 4 ? 1 : 2));
    const series = single(values);
    const blocks = 16 / blockLength(series);
    const [draws] = bootstrap(series, [{ kind: 'mean' }], { resamples: 20_000, seed: 1 });
    const sd = Math.sqrt(draws!.reduce((sum, value) => sum + (value - 1.5) ** 2, 0) / draws!.length);
    expect(blocks).toBeLessThanOrEqual(6);
    // Blocks of four drawn with replacement: the plain spread of their mean, worked out over every start of a block.
    const length = blockLength(series);
    const means = values.map((_, from) => mean(Array.from({ length }, (__, k) => values[(from + k) % 16]!)));
    const plain = Math.sqrt(means.reduce((sum, value) => sum + (value - 1.5) ** 2, 0) / 16 / blocks);
    expect(sd).toBeGreaterThan(1.1 * plain * Math.sqrt(blocks / (blocks - 1)));
  });
});
