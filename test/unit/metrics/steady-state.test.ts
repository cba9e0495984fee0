// A window that is no state is seen; honest queues at 75 and 90 % load are called cold or drifting in at most 2 %.
import { describe, expect, it } from 'vitest';
import { backlogOf, drainShare, openingWave, trendOf } from '../../../src/metrics/steady-state';
import { normalFrom, randomStream } from '../support/synthetic-run';

/** First in, first out, in order of arrival; seconds. */
function queue(seed: number, n: number, rate: number, capacity: (at: number) => number, warmup = 2000) {
  const random = randomStream(seed);
  const [sent, ended]: [number[], number[]] = [[], []];
  let [now, free] = [0, 0];
  for (let i = -warmup; i < n; i++) {
    now += -Math.log(1 - random()) / rate;
    free = Math.max(now, free) - Math.log(1 - random()) / capacity(i);
    if (i < 0) continue;
    sent.push(now);
    ended.push(free);
  }
  const waits = Float64Array.from(sent, (time, i) => ended[i]! - time);
  return { sent: Float64Array.from(sent), ended: Float64Array.from(ended), waits };
}

const latencies = (seed: number, n: number, sigma = 0.3): Float64Array => {
  const random = randomStream(seed);
  return Float64Array.from({ length: n }, () => 0.03 * Math.exp(sigma * normalFrom(random)));
};

describe('honest windows', () => {
  it.each([
    ['a queue at 75 %', (seed: number) => queue(seed, 350, 30, () => 40).waits],
    ['a queue at 90 %', (seed: number) => queue(seed, 350, 36, () => 40).waits],
    ['independent', (seed: number) => latencies(seed, 350)],
    ['a heavy tail', (seed: number) => latencies(seed, 350, 1)],
  ])('%s: called cold, drifting or growing in at most 2 %%', (_, draw) => {
    let [cold, drifting] = [0, 0];
    const runs = 400;
    // Thresholds were tuned on seeds up to a million.
    for (let seed = 2_000_001; seed <= 2_000_000 + runs; seed++) {
      const values = draw(seed);
      if (openingWave(values)) cold++;
      if (trendOf(values)!.isTrend) drifting++;
    }
    expect(
      { cold: cold / runs <= 0.02, drifting: drifting / runs <= 0.02 },
      `${cold} and ${drifting} of ${runs}`,
    ).toEqual({ cold: true, drifting: true });
  });

  it('a queue at 90 % has no growing backlog', () => {
    let growing = 0;
    for (let seed = 2_100_001; seed <= 2_100_200; seed++) {
      const { sent, ended } = queue(seed, 350, 36, () => 40);
      if (backlogOf(sent, ended)!.grows) growing++;
    }
    expect(growing).toBeLessThanOrEqual(4);
  });
});

describe('windows that are no state', () => {
  it.each([
    [5, (value: number) => value + 1.5],
    [12, (value: number) => value * 10],
    [30, (value: number) => value * 4],
    [60, (value: number) => value * 8],
  ])('an opening wave of %d requests of 350', (requests, slow) => {
    for (let seed = 1; seed <= 20; seed++) {
      const values = latencies(seed, 350).map((value, i) => (i < requests ? slow(value) : value));
      const wave = openingWave(values)!;
      expect(wave.ratio).toBeGreaterThan(2);
      expect(wave.requests).toBeLessThanOrEqual(2 * requests);
      expect(openingWave(values.slice(requests))).toBeUndefined();
    }
  });

  it('a server that slows to twice', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const trend = trendOf(latencies(seed, 350).map((value, i) => value * (1 + i / 350)))!;
      expect(trend.isTrend).toBe(true);
      expect(trend.share).toBeGreaterThan(0.4);
      expect(trend.z).toBeGreaterThan(3);
      const falling = trendOf(latencies(seed, 350).map((value, i) => value * (2 - i / 350)))!;
      expect(falling.z).toBeLessThan(-3);
    }
  });

  it.each([0.25, 0.5, 0.7])('a server that slows to twice at once, after %d of the window', (share) => {
    for (let seed = 1; seed <= 20; seed++) {
      const trend = trendOf(latencies(seed, 350).map((value, i) => (i < share * 350 ? value : 2 * value)))!;
      expect(trend.isTrend).toBe(true);
      expect(trend.share).toBeGreaterThan(0.4);
    }
  });

  it('35 of 50 a second: the backlog grows, for 6 seconds as for 14', () => {
    for (const seconds of [6, 14]) {
      const { sent, ended, waits } = queue(seconds, 50 * seconds, 50, () => 35, 0);
      const backlog = backlogOf(sent, ended)!;
      expect(backlog.grows).toBe(true);
      expect(backlog.answeredRps / backlog.offeredRps).toBeLessThan(0.85);
      expect(trendOf(waits)!.share).toBeGreaterThan(1);
    }
  });

  it('a closed loop of few requests is drain for much of its time', () => {
    const loop = (n: number) => {
      const slots = new Array<number>(32).fill(0);
      const [sent, ended]: [number[], number[]] = [[], []];
      for (let i = 0; i < n; i++) {
        const slot = slots.indexOf(Math.min(...slots));
        sent.push(slots[slot]!);
        slots[slot]! += 1;
        ended.push(slots[slot]!);
      }
      return drainShare(Float64Array.from(sent), Float64Array.from(ended));
    };
    expect(loop(64)).toBeCloseTo(0.5);
    expect(loop(640)).toBeCloseTo(0.05);
  });
});
