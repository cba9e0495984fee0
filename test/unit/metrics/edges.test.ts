// Thresholds of the statistics, just under, at and just over; tables of published values; the direction of every step.
import { describe, expect, it } from 'vitest';
import {
  blockLength,
  differencesOf,
  drawAverages,
  intervalOf,
  ratiosOf,
  residuals,
  seriesOf,
  seriesOfOne,
  studentFor,
  trackOf,
  uniformIntegers,
} from '../../../src/metrics/bootstrap';
import { Goodput } from '../../../src/metrics/goodput';
import { pairedNoise, rateNoise, relativeError, type RateRequest } from '../../../src/metrics/rate-noise';
import type { RequestRecord } from '../../../src/metrics/record';
import { itlBasisOf } from '../../../src/metrics/request-metrics';
import { sortedValues } from '../../../src/metrics/statistics';
import { backlogOf, drainShare, openingWave, trendOf } from '../../../src/metrics/steady-state';
import { studentQuantile, twoSidedStudent } from '../../../src/metrics/student';

describe('Student’s t', () => {
  // Any table of the t distribution.
  it.each([
    [0.05, 1, 12.7062],
    [0.05, 2, 4.30265],
    [0.05, 5, 2.57058],
    [0.05, 10, 2.22814],
    [0.05, 30, 2.04227],
    [0.01, 10, 3.16927],
    [0.5, 4, 0.740697],
    [0.05, Infinity, 1.95996],
  ])('at p %d with %d degrees of freedom is %d', (p, freedom, t) => {
    expect(studentQuantile(p, freedom)).toBeCloseTo(t, 3);
    expect(twoSidedStudent(t, freedom)).toBeCloseTo(p, 4);
    expect(twoSidedStudent(-t, freedom)).toBeCloseTo(p, 4);
  });

  it('at nothing is certain to be passed, and at infinity is not', () => {
    expect(twoSidedStudent(0, 5)).toBe(1);
    expect(twoSidedStudent(Infinity, 5)).toBe(0);
  });

  const t10 = 2.22814 / 1.96;
  it.each([
    ['a mean: half the independent requests, less one', { kind: 'mean' }, 22, 100, 100, t10],
    ['a mean: of its own and the ranks’ the smaller', { kind: 'mean' }, 100, 22, 100, t10],
    ['at least one degree', { kind: 'mean' }, 2, 2, 100, 12.7062 / 1.96],
    // 40 of 80 depend: 3 * 40 * 0.05 / 0.5 = 12 degrees.
    [
      'a p95: three for each independent one beyond it',
      { kind: 'percentile', percent: 95 },
      80,
      40,
      80,
      2.17881 / 1.96,
    ],
    ['a p5: the same', { kind: 'percentile', percent: 5 }, 80, 40, 80, 2.17881 / 1.96],
    ['a p95 of independent requests: as a mean', { kind: 'percentile', percent: 95 }, 22, 22, 22, t10],
  ] as const)('for %s', (_, quantity, effective, whole, requests, factor) => {
    expect(studentFor(quantity, effective, whole, requests)).toBeCloseTo(factor, 3);
  });
});

describe('resampling', () => {
  it.each([
    [1000, 1000, 10],
    [1000, 200, 10],
    [1000, 100, 20],
    [1000, 8, 250],
    [1000, 0, 250],
    [8, 8, 2],
    [3, 3, 1],
    [1, 1, 1],
    [90_000, 90_000, 300],
    [91_000, 91_000, 304],
  ])('of %d requests worth %d independent ones takes blocks of %d', (requests, independent, length) => {
    expect(blockLength(requests, independent)).toBe(length);
  });

  it('a share above the observed one is a lower percentile, and one below a higher', () => {
    const series = seriesOf(Array.from({ length: 101 }, (_, i) => [i]));
    const { observed, finish, sums } = trackOf(series, sortedValues(series.values), {
      kind: 'percentile',
      percent: 50,
    });
    expect(observed).toBeCloseTo(51 / 101, 12);
    expect([...sums]).toEqual(Array.from({ length: 101 }, (_, i) => (i <= 50 ? 1 : 0)));
    expect(finish(observed)).toBeCloseTo(50, 9);
    expect(finish(observed + 0.1)).toBeCloseTo(40, 9);
    expect(finish(observed - 0.1)).toBeCloseTo(60, 9);
    expect([finish(2), finish(-2)]).toEqual([0, 100]);
  });

  it('counts values that are equal to the percentile as reached', () => {
    const series = seriesOf([[1, 2], [], [2, 2, 3]]);
    const { observed, sums } = trackOf(series, sortedValues(series.values), { kind: 'percentile', percent: 50 });
    expect([...sums]).toEqual([2, 0, 2]);
    expect(observed).toBe(0.8);
    const mean = trackOf(series, sortedValues(series.values), { kind: 'mean' });
    expect([[...mean.sums], mean.observed]).toEqual([[3, 0, 7], 2]);
    expect([...residuals(mean.sums, Float64Array.of(2, 0, 3), mean.observed)]).toEqual([-1, 0, 1]);
  });

  it('requests without a value take part without one', () => {
    const series = seriesOfOne([5, undefined, 7], (value) => value);
    expect([...series.values]).toEqual([5, 7]);
    expect([...series.offsets]).toEqual([0, 1, 1, 2]);
  });

  it('an average of what is alike is that, with one column of counts or one of each side', () => {
    const track = (value: number) => ({
      sums: new Float64Array(12).fill(2 * value),
      observed: value,
      finish: (x: number) => x,
    });
    const counts = new Float64Array(12).fill(2);
    for (const columns of [[counts], [counts, new Float64Array(12).fill(4)]]) {
      const [a, b] = drawAverages(columns, [track(3), track(5)], 2, { resamples: 4, seed: 1 });
      expect([...a!]).toEqual([3, 3, 3, 3]);
      expect([...b!]).toEqual(columns.length === 1 ? [5, 5, 5, 5] : [2.5, 2.5, 2.5, 2.5]);
    }
    // A draw without any value says what was observed.
    const [none] = drawAverages([new Float64Array(12)], [track(3)], 2, { resamples: 2, seed: 1 });
    expect([...none!]).toEqual([3, 3]);
  });

  it('an interval leaves as much out on either side', () => {
    const values = Float64Array.from({ length: 101 }, (_, i) => 100 - i);
    expect(intervalOf(values, 0.9)).toEqual({
      low: expect.closeTo(5, 9) as number,
      high: expect.closeTo(95, 9) as number,
    });
    expect(intervalOf(values)).toEqual({
      low: expect.closeTo(2.5, 9) as number,
      high: expect.closeTo(97.5, 9) as number,
    });
  });

  it('differences are B less A, shares are of A', () => {
    const [a, b] = [Float64Array.of(1, 2), Float64Array.of(4, 3)];
    expect([...differencesOf(a, b)]).toEqual([3, 1]);
    expect([...ratiosOf(a, b)!]).toEqual([3, 0.5]);
    expect(ratiosOf(Float64Array.of(1, 0), b)).toBeUndefined();
  });

  it('draws whole numbers from 0 up to the bound, all of them', () => {
    const draw = uniformIntegers(7, 5);
    const seen = Array.from({ length: 1000 }, () => draw());
    expect([...new Set(seen)].sort()).toEqual([0, 1, 2, 3, 4]);
    const again = uniformIntegers(7, 5);
    expect(seen.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => again()));
  });
});

describe('the noise of a rate', () => {
  /** One a second, each answered after so long. */
  const even = (n: number, seconds: number): RateRequest[] =>
    Array.from({ length: n }, (_, i) => ({ sentSeconds: i, endSeconds: i + seconds, weight: 1 }));

  it('of an even schedule is none but its tail', () => {
    const { influence, drain, rest } = rateNoise(even(20, 1), 'fixed', false);
    for (const value of influence) expect(value).toBeCloseTo(0, 12);
    expect([...drain]).toEqual(Array.from({ length: 18 }, () => 1 / 20));
    expect(rest).toBe(0);
  });

  it('of drawn arrivals is what each adds to count and span', () => {
    const requests = [0, 2, 3].map((sentSeconds) => ({ sentSeconds, endSeconds: sentSeconds + 0.1, weight: 1 }));
    expect([...rateNoise(requests, 'drawn', false).influence]).toEqual([1 / 3, 1 / 3 - 2 / 3, 0]);
  });

  it('of arrivals that fill a time rests on where the first falls', () => {
    expect(rateNoise(even(20, 1), 'filling', false).rest).toBe(1 / 20);
  });

  it.each([
    [2, 'sends', false],
    [2.3, 'ends', false],
    [1, 'ends', true],
  ])('with a tail of %d in 19 seconds looks at %s (closed loop: %s)', (tail, which, closed) => {
    const { drain } = rateNoise(even(20, tail), 'drawn', closed);
    expect(drain.length > 0).toBe(which === 'sends');
  });

  it('of a closed loop is between ends, whatever the order of sending', () => {
    const requests = [
      { sentSeconds: 0, endSeconds: 4, weight: 1 },
      { sentSeconds: 0, endSeconds: 1, weight: 3 },
    ];
    const { influence } = rateNoise(requests, 'drawn', true);
    expect([...influence]).toEqual([3 / 4 - 1 / 4, 1 / 4 - 3 / 4]);
  });

  it.each([
    [20, 4],
    [50, 4],
    [60, 5],
    [299, 28],
    [300, 29],
    [5000, 29],
  ])('of %d requests rests on %d degrees of freedom', (n, freedom) => {
    const influence = Float64Array.from({ length: n }, (_, i) => (i % 2 === 0 ? 1 : -1));
    expect(relativeError({ influence, drain: new Float64Array(0), rest: 0 }).freedom).toBe(freedom);
  });

  it('is the spread of the slices’ sums, of the tail and of what is neither', () => {
    // Five slices of ten, whose sums are 1, -1, 1, -1, 0: their variance is 1, that of five of them 5.
    const influence = new Float64Array(50);
    [1, -1, 1, -1, 0].forEach((sum, slice) => (influence[10 * slice + ((7 * slice) % 10)] = sum));
    const error = (drain: number[], rest: number) =>
      relativeError({ influence, drain: Float64Array.from(drain), rest }).error;
    expect(error([], 0)).toBeCloseTo(Math.sqrt(5), 9);
    expect(error([], 2)).toBeCloseTo(3, 9);
    expect(error([0, 2, 0, 2], 0)).toBeCloseTo(Math.sqrt(6), 9);
    expect(error([2], 0)).toBeCloseTo(Math.sqrt(5), 9);
  });

  it('of pairs is that of what differs', () => {
    const noise = (influence: number[], drain: number[]) => ({
      influence: Float64Array.from(influence),
      drain: Float64Array.from(drain),
      rest: 1,
    });
    expect(pairedNoise(noise([1, 2], [3]), noise([5, 7], [4]))).toEqual({ ...noise([4, 5], [1]), rest: 0 });
    expect(pairedNoise(noise([1, 2], [3]), noise([5], [4]))).toBeUndefined();
    expect(pairedNoise(noise([1, 2], [3, 3]), noise([5, 7], [4]))).toBeUndefined();
    expect(pairedNoise(noise([1, 2], []), noise([5, 7], []))).toBeUndefined();
  });
});

describe('goodput', () => {
  // TTFT 0.25 s, latency 1 s, 4 tokens: TPOT 0.25 s, NTPOT 0.25 s, gaps of 0.25 s.
  const record: RequestRecord = {
    id: 0,
    stage: 0,
    scheduledSeconds: 0,
    sentSeconds: 0,
    firstTokenSeconds: 0.25,
    firstContentSeconds: 0.25,
    lastTokenSeconds: 1,
    chunkSeconds: [0.25, 0.5, 0.75, 1],
    chunkTokens: [1, 1, 1, 1],
    endSeconds: 1,
    outcome: { kind: 'ok' },
    usage: { promptTokens: 6, completionTokens: 4 },
    promptHash: '',
  };
  const report = (limits: Record<string, number>, ...records: RequestRecord[]) => {
    const goodput = new Goodput(limits, { output: 'server-usage', input: 'server-usage', itl: 'tokens' });
    for (const each of records) goodput.add(each);
    return goodput.report();
  };

  it.each([
    ['ttft', 0.25],
    ['tpot', 0.25],
    ['itl', 0.25],
    ['ntpot', 0.25],
    ['request_latency', 1],
  ])('%s is good at its limit of %d s and not under it', (metric, limit) => {
    expect(report({ [metric]: limit }, record)).toMatchObject({
      good_requests: 1,
      [`${metric}_attainment_percentage`]: 100,
    });
    expect(report({ [metric]: limit * 0.999 }, record)).toMatchObject({
      good_requests: 0,
      [`${metric}_attainment_percentage`]: 0,
    });
  });

  it('holds every limit at once, over the span of the successes', () => {
    const slow = { ...record, id: 1, sentSeconds: 1, endSeconds: 4 };
    expect(report({ ttft: 1, request_latency: 2 }, record, slow)).toEqual({
      goodput_percentage: 50,
      request_goodput: 1 / 4,
      token_goodput: 10 / 4,
      good_requests: 1,
      total_requests: 2,
      ttft_attainment_percentage: 100,
      request_latency_attainment_percentage: 50,
    });
  });

  it('of nothing is 0 %', () => {
    expect(report({ ttft: 1 })).toMatchObject({
      goodput_percentage: 0,
      request_goodput: 0,
      ttft_attainment_percentage: 0,
    });
  });

  it('a metric that was not measured misses its limit', () => {
    const fields = Object.entries({ ...record, chunkSeconds: [], chunkTokens: [] });
    const unary = Object.fromEntries(
      fields.filter(([name]) => !/^first(?:Token|Content)/.test(name)),
    ) as RequestRecord & Record<string, unknown>;
    for (const metric of ['ttft', 'itl']) expect(report({ [metric]: 100 }, unary)).toMatchObject({ good_requests: 0 });
  });
});

describe('a window that is no state, at its bounds', () => {
  const level = (n: number, wave: number, height: number) =>
    Float64Array.from({ length: n }, (_, i) => (i < wave ? height : 1));

  it.each([
    ['59 values', 59, 5, 10, undefined],
    ['60 values', 60, 5, 10, 5],
    ['1.6 times as slow', 100, 5, 1.6, undefined],
    ['1.61 times as slow', 100, 5, 1.61, 5],
    ['a tenth of the window', 100, 10, 3, 8],
    ['a fifth, 4.4 times as slow', 100, 20, 4.4, undefined],
    ['a fifth, 4.6 times as slow', 100, 20, 4.6, 18],
  ])('an opening wave: %s', (_, n, wave, height, requests) => {
    expect(openingWave(level(n, wave, height))?.requests).toBe(requests);
  });

  it('an opening wave is as high as it says', () => {
    expect(openingWave(level(100, 5, 3))).toEqual({ requests: 5, ratio: expect.closeTo(3, 9) as number });
  });

  /** Rises by a share of its mean, with a little of independent noise. */
  const rising = (n: number, share: number) =>
    Float64Array.from(
      { length: n },
      (_, i) => 1 + share * ((i + 0.5) / n - 0.5) + 0.01 * (((i * 7919) % 13) / 13 - 0.46),
    );

  it.each([
    [0.17, false],
    [0.23, true],
    [-0.17, false],
    [-0.23, true],
  ])('a change of %d of the mean is a trend: %s', (share, isTrend) => {
    const trend = trendOf(rising(400, share))!;
    expect(trend.isTrend).toBe(isTrend);
    expect(trend.share).toBeCloseTo(share, 1);
    expect(Math.sign(trend.z)).toBe(Math.sign(share));
  });

  it('too few values, or none above nothing, have no trend', () => {
    expect(trendOf(rising(59, 0.5))).toBeUndefined();
    expect(trendOf(rising(60, 0.5))).toBeDefined();
    expect(trendOf(new Float64Array(100))).toBeUndefined();
    expect(trendOf(new Float64Array(100).fill(2))).toEqual({ share: 0, z: 0, isTrend: false });
  });

  it('a step is found where it is, with its size', () => {
    const step = Float64Array.from({ length: 200 }, (_, i) => (i < 100 ? 1 : 3) + 0.01 * (i % 2));
    const trend = trendOf(step)!;
    expect(trend.share).toBeCloseTo(2 / 2.005, 6);
    expect(trend.isTrend).toBe(true);
  });

  /** 100 sends in 100 s; of each ten in the second half so many are answered at once, and the first half as a whole is. */
  const backlog = (answered: number) => {
    const sent = Float64Array.from({ length: 101 }, (_, i) => i);
    const ended = sent.map((time, i) => (i > 50 && i % 10 >= answered ? 1000 : time));
    return backlogOf(sent, ended)!;
  };

  it('a backlog grows where much stays under way', () => {
    // 30 under way would be less than three roots of 101, and 35 are more.
    expect(backlog(4)).toMatchObject({ atEnd: 30, grows: false, offeredRps: 1, answeredRps: 0.4 });
    expect(backlog(3)).toMatchObject({ atEnd: 35, grows: true, answeredRps: 0.3 });
  });

  it('of few requests, or in no time, there is no backlog to speak of', () => {
    const times = (n: number) => Float64Array.from({ length: n }, (_, i) => i);
    expect(backlogOf(times(59), times(59))).toBeUndefined();
    expect(backlogOf(times(60), times(60))?.grows).toBe(false);
    expect(backlogOf(new Float64Array(60), new Float64Array(60))).toBeUndefined();
  });

  it('the drain is what lies after the last send', () => {
    expect(drainShare(Float64Array.of(2, 0, 8), Float64Array.of(3, 1, 10))).toBeCloseTo(0.2, 12);
    expect(drainShare(Float64Array.of(0, 8), Float64Array.of(1, 7))).toBe(0);
    expect(drainShare(Float64Array.of(1), Float64Array.of(1))).toBe(0);
  });
});

it('gaps are between tokens only where every chunk of every streamed success is counted', () => {
  const chunked = (chunkSeconds: number[], chunkTokens?: number[]) =>
    ({ chunkSeconds, ...(chunkTokens ? { chunkTokens } : {}), outcome: { kind: 'ok' } }) as unknown as RequestRecord;
  expect(itlBasisOf([])).toBe('chunks');
  expect(itlBasisOf([chunked([])])).toBe('chunks');
  expect(itlBasisOf([chunked([1, 2], [1, 1]), chunked([])])).toBe('tokens');
  expect(itlBasisOf([chunked([1, 2], [1, 1]), chunked([1, 2], [1])])).toBe('chunks');
  expect(itlBasisOf([chunked([1, 2], [1, 1]), chunked([1])])).toBe('chunks');
});
