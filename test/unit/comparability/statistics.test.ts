// What an interval, its percentage and the word beside it may say: rates, ratios, one method, single runs, order, margins.
import type { RequestRecord } from '../../../src/metrics/record';
import { describe, expect, it } from 'vitest';
import { answerOf } from '../../../src/comparability/answers';
import { compare, type CompareOptions } from '../../../src/comparability/compare';
import type { Comparison, MetricComparison } from '../../../src/comparability/comparison';
import { gate, parseThreshold, type Threshold } from '../../../src/comparability/gate';
import { fitRuns } from '../../../src/comparability/run-fit';
import { between, within } from '../../../src/comparability/uncertainty';
import { ratiosOf } from '../../../src/metrics/bootstrap';
import type { Run } from '../../../src/readers/run';
import { shortVerdict } from '../../../src/views/comparison/words';
import { normalFrom, randomStream, syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

const row = ({ metrics }: Comparison, metric: string, statistic = 'value') =>
  metrics.find((entry) => entry.metric === metric && entry.statistic === statistic)!;

/** Started at minute `at`. */
function started(run: Run, at: number): Run {
  const startedAt = new Date(Date.UTC(2026, 10, 29, 12, at)).toISOString();
  return {
    ...run,
    folder: `run-${at}`,
    manifest: { ...run.manifest!, clock: { ...run.manifest!.clock, startedAt } },
  };
}

/** Every time after sending is so many times as long: a level of the whole run. */
function slower(run: Run, factor: number): Run {
  const records = run.records!.map((record): RequestRecord => {
    const sent = record.sentSeconds!;
    const at = (time: number): number => sent + (time - sent) * factor;
    const later = (time: number | undefined): number | undefined => (time === undefined ? undefined : at(time));
    return {
      ...record,
      chunkSeconds: record.chunkSeconds.map(at),
      ...(Object.fromEntries(
        (['firstByteSeconds', 'firstTokenSeconds', 'firstContentSeconds', 'lastTokenSeconds', 'endSeconds'] as const)
          .map((key) => [key, later(record[key])])
          .filter(([, value]) => value !== undefined),
      ) as Partial<RequestRecord>),
    };
  });
  return { ...run, records };
}

const STAGE = { stages: [{ rateRps: 8, durationSeconds: 15 }] };

describe('rates', () => {
  it('that agree over repeats are known that well, whatever a run by itself can tell', () => {
    const runs = [1, 2, 3, 4, 5, 6].map((seed) => started(syntheticRun({ ...STAGE, law: 'even', seed }), seed));
    const comparison = compare(runs[0]!, runs[1]!, {
      resamples: 200,
      repeatsA: [runs[2]!, runs[4]!],
      repeatsB: [runs[3]!, runs[5]!],
    });
    const { percentOfA } = row(comparison, 'requests_per_sec').difference!.interval!;
    expect(percentOfA!.high - percentOfA!.low).toBeLessThan(4);
  });

  it('of a schedule that is the same on both sides hold no chance of arrivals: +12.4 % of tokens/s is seen', () => {
    const options = { ...STAGE, promptSeed: 1, maxTokens: 32, promptTokens: 100 };
    const a = syntheticRun({ ...options, seed: 1 });
    const longer = syntheticRun({ ...options, seed: 1, maxTokens: 36 });
    const comparison = compare(a, longer, { resamples: 400 });
    const { difference } = row(comparison, 'output_tokens_per_sec');
    expect(difference!.detected).toBe(true);
    expect(difference!.answer).toMatchObject({ kind: 'inconclusive', reason: 'beyond-known-noise' });
    expect(difference!.interval!.percentOfA!.low).toBeGreaterThan(9);
    expect(difference!.interval!.percentOfA!.high).toBeLessThan(15);
  });

  it.each(['even', 'exponential-gaps-rescaled'] as const)(
    '%s arrivals of two seeds: the interval is of the size of what differs, not of the gaps',
    (law) => {
      const comparison = compare(syntheticRun({ ...STAGE, law, seed: 1 }), syntheticRun({ ...STAGE, law, seed: 2 }), {
        resamples: 400,
      });
      const { low, high } = row(comparison, 'requests_per_sec').difference!.interval!.percentOfA!;
      expect(high - low).toBeLessThan(8);
      expect(low).toBeLessThan(0.5);
      expect(high).toBeGreaterThan(-0.5);
    },
  );

  it('of Poisson arrivals are as unsure as a count is', () => {
    const law = 'poisson-per-second' as const;
    const options = { stages: [{ rateRps: 20, durationSeconds: 60 }], law };
    const { low, high } = row(
      compare(syntheticRun({ ...options, seed: 1 }), syntheticRun({ ...options, seed: 2 }), { resamples: 800 }),
      'requests_per_sec',
    ).difference!.interval!.percentOfA!;
    // 1,200 requests a side: 1.96 sqrt(2 / 1200) = 8.0 % to either side.
    expect(high - low).toBeGreaterThan(10);
    expect(high - low).toBeLessThan(24);
  });
});

describe('a percentage of A has the interval of the ratio', () => {
  it('of single runs: its ends are not the difference’s over one value of A', () => {
    const few = { stages: [{ rateRps: 5, durationSeconds: 12 }], jitter: 0.8 };
    const comparison = compare(syntheticRun({ ...few, seed: 1 }), syntheticRun({ ...few, seed: 2, ttftSeconds: 0.1 }), {
      resamples: 1000,
    });
    const { difference, a } = row(comparison, 'ttft', 'mean');
    const { interval } = difference!;
    const naive = (interval!.high / a.value!) * 100;
    expect(interval!.percentOfA!.high).toBeGreaterThan(1.03 * naive);
    expect(interval!.percentOfA!.low).toBeLessThan(difference!.percentOfA!);
  });

  it('covers 93 to 97 % where B is twice A; the absolute interval over A’s value does not', () => {
    let [covered, naive] = [0, 0];
    const [n, pairs] = [120, 800];
    for (let k = 0; k < pairs; k++) {
      const random = randomStream(k + 1);
      const mean = (scale: number): { value: number; error: number } => {
        const values = Array.from({ length: n }, () => scale * Math.exp(0.6 * normalFrom(random)));
        const value = values.reduce((sum, each) => sum + each, 0) / n;
        const error = Math.sqrt(values.reduce((sum, each) => sum + (each - value) ** 2, 0) / (n - 1) / n);
        return { value, error };
      };
      const [a, b] = [mean(1), mean(2)];
      const drawn = ({ value, error }: { value: number; error: number }) =>
        Float64Array.from({ length: 400 }, () => value + error * normalFrom(random));
      const estimate = within({
        a: { side: { n, value: a.value }, resampled: drawn(a) },
        b: { side: { n, value: b.value }, resampled: drawn(b) },
        method: '',
      })!;
      const { low, high, ratio } = estimate.at!(0.95);
      if (ratio!.low <= 1 && ratio!.high >= 1) covered++;
      if (low / a.value <= 1 && high / a.value >= 1) naive++;
    }
    expect(covered / pairs).toBeGreaterThan(0.925);
    expect(covered / pairs).toBeLessThan(0.975);
    expect(naive / pairs).toBeLessThan(0.915);
  });

  it('leaves zero out exactly where the difference does, from draws and over runs', () => {
    expect(ratiosOf(Float64Array.of(1, 2), Float64Array.of(2, 1))).toEqual(Float64Array.of(1, -0.5));
    expect(ratiosOf(Float64Array.of(1, 0), Float64Array.of(2, 1))).toBeUndefined();
    for (let k = 0; k < 50; k++) {
      const random = randomStream(k + 1);
      const side = (level: number) =>
        Array.from({ length: 3 }, () => ({ sample: { side: { n: 1, value: level + 0.3 * normalFrom(random) } } }));
      const { low, high, ratio } = between(side(2), side(2.5))!.at!(0.95);
      if (ratio) expect(ratio.low > 0 || ratio.high < 0).toBe(low > 0 || high < 0);
    }
  });
});

describe('the word and the interval beside it', () => {
  it('never contradict each other, over honest and over planted repeats', () => {
    const numbering = new Map<string, number>();
    for (const factor of [1, 1.01, 1.04]) {
      const runs = [1, 2, 3, 4, 5, 6].map((seed) => {
        const level = 1 + 0.01 * normalFrom(randomStream(seed * 31));
        return started(slower(syntheticRun({ ...STAGE, seed }), seed % 2 === 0 ? factor * level : level), seed);
      });
      const comparison = compare(runs[0]!, runs[1]!, {
        resamples: 100,
        repeatsA: [runs[2]!, runs[4]!],
        repeatsB: [runs[3]!, runs[5]!],
      });
      for (const metric of comparison.metrics) consistent(metric, numbering);
    }
    for (const seed of [1, 2, 3]) {
      const comparison = compare(syntheticRun({ seed }), slower(syntheticRun({ seed: seed + 9 }), 1.05), {
        resamples: 200,
      });
      for (const metric of comparison.metrics) consistent(metric, numbering);
    }
  });

  function consistent(metric: MetricComparison, numbering: ReadonlyMap<string, number>): void {
    const { difference } = metric;
    if (!difference?.interval) return;
    const { low, high, percentOfA } = difference.interval;
    const excludes = low > 0 || high < 0;
    expect(difference.detected).toBe(excludes);
    if (percentOfA) expect(percentOfA.low > 0 || percentOfA.high < 0).toBe(excludes);
    if (excludes) expect(difference.words).not.toMatch(/^no /);
    else expect(difference.answer.kind).not.toBe('different');
    if (metric.verdict === 'comparable' && !excludes)
      expect(shortVerdict(metric, numbering)).not.toMatch(/better|worse/);
  }

  it('a number that leaves zero out by itself, and not among so many, has the wider interval and says so', () => {
    const bounds = { low: -1, high: 5 };
    const estimate = { absolute: 2, at: () => bounds, runs: { a: 3, b: 3 }, noise: 1 };
    const asked = { metric: 'ttft' as const, statistic: 'mean' as const, a: 100, bounds };
    expect(answerOf(estimate, { ...asked, among: true })).toMatchObject({
      kind: 'inconclusive',
      reason: 'many-numbers',
    });
    expect(answerOf(estimate, { ...asked, among: false })).toMatchObject({ kind: 'inconclusive', reason: 'chance' });
  });
});

describe('one run a side', () => {
  const noisy = (seed: number): Run =>
    slower(syntheticRun({ ...STAGE, seed, jitter: 0.05 }), 1 + 0.02 * normalFrom(randomStream(seed * 77)));

  it('with 2 % of noise from run to run: nothing is called better or worse, and no gate sees a regression', () => {
    let seen = 0;
    for (let k = 0; k < 12; k++) {
      const comparison = compare(noisy(2 * k + 1), noisy(2 * k + 2), { resamples: 100 });
      seen += comparison.metrics.filter(({ difference }) => difference?.detected === true).length;
      for (const { difference } of comparison.metrics) {
        expect(difference?.answer.kind).not.toBe('different');
        expect(difference?.words ?? '').not.toMatch(/better|worse/);
      }
      expect(gate(comparison, ['regression'], [])).toMatchObject({ exitCode: 4 });
      expect(comparison.claim.text ?? '').not.toMatch(/better|worse/);
    }
    // The very differences that were called so before.
    expect(seen).toBeGreaterThan(10);
  });

  it('a difference beyond what identical runs were seen to differ by is one, and a regression', () => {
    const comparison = compare(noisy(1), slower(noisy(2), 1.5), { resamples: 200 });
    const { difference } = row(comparison, 'tpot', 'mean');
    expect(difference!.answer).toMatchObject({ kind: 'inconclusive', reason: 'beyond-known-noise', furtherRuns: 2 });
    expect(difference!.words).toMatch(/^this pair differs: B is higher by .*, beyond the 8.5 %/);
    expect(shortVerdict(row(comparison, 'tpot', 'mean'), new Map())).toBe('this pair differs: B higher');
    expect(JSON.stringify(comparison)).not.toMatch(/\b(?:better|worse)\)/);
    expect(gate(comparison, ['regression'], []).exitCode).toBe(5);
  });

  it('the verdict says so itself, in the words of CMP090', () => {
    const { verdict, pitfalls } = compare(noisy(1), noisy(2), { resamples: 50 });
    const { words } = pitfalls.find(({ code }) => code === 'CMP090')!;
    expect(verdict.sentence).toMatch(/one run a side/i);
    expect(verdict.sentence.toLowerCase()).toContain(words.toLowerCase());
    const half = compare(noisy(1), noisy(2), { resamples: 50, repeatsA: [noisy(3)] });
    expect(half.verdict.sentence).toMatch(/with one run of B/i);
    const repeated = compare(noisy(1), noisy(2), { resamples: 50, repeatsA: [noisy(3)], repeatsB: [noisy(4)] });
    expect(repeated.verdict.sentence).not.toMatch(/with one run/i);
  });

  it('a gate with a threshold passes only where all of the known noise stays under it', () => {
    const comparison = compare(noisy(1), noisy(2), { resamples: 200 });
    const ask = (text: string) => {
      const threshold = parseThreshold(text);
      return typeof threshold === 'string' ? undefined : gate(comparison, ['regression'], [threshold]);
    };
    expect(ask('ttft.mean=2%')).toMatchObject({ exitCode: 4 });
    expect(ask('ttft.mean=2%')!.reasons[0]).toMatch(/one run a side/);
    expect(ask('ttft.mean=40%')).toMatchObject({ exitCode: 0 });
    expect(ask('ttft.p95=60%')).toMatchObject({ exitCode: 0 });
  });
});

/** Values of runs in an order such as "ABBA", with noise and drift. */
function sides(order: string, value: (side: string, position: number) => number) {
  const of = (side: string) =>
    Array.from(order).flatMap((at, position) =>
      at === side ? [{ sample: { side: { n: 1, value: value(side, position) } }, position }] : [],
    );
  return { a: of('A'), b: of('B') };
}

describe('the order of repeats', () => {
  /** Share of honest comparisons called different. */
  function falseShare(order: string, drift: number, pairs = 400): number {
    let found = 0;
    for (let k = 0; k < pairs; k++) {
      const random = randomStream(k + 1);
      const { a, b } = sides(order, (_, position) => 100 * (1 + 0.01 * normalFrom(random) + drift * position));
      const estimate = between(a, b)!;
      const asked = { metric: 'ttft', statistic: 'mean', a: 100, bounds: estimate.at!(0.95), among: false } as const;
      if (answerOf(estimate, asked).kind === 'different') found++;
    }
    return found / pairs;
  }

  it.each([
    ['ABBAABBA', 0, 0.07],
    ['ABBAABBAABBAABBA', 0.005, 0.07],
    ['ABABABABABABABAB', 0.005, 0.07],
    ['AAABBB', 0.002, 0],
    ['AAAAAAAABBBBBBBB', 0.005, 0],
    ['BBBAAA', 0.005, 0],
  ])('%s under a drift of %d a run: at most %d of honest pairs are called different', (order, drift, most) => {
    expect(falseShare(order, drift)).toBeLessThanOrEqual(most);
  });

  it('blocks are compared within themselves: what all runs of a block share is no noise', () => {
    const shared = [0, 30, -20, 10, 25];
    const { a, b } = sides(
      'ABBAABBAABBAABBAABBA',
      (side, position) => 100 + shared[Math.floor(position / 4)]! + (side === 'B' ? 2 : 0),
    );
    const noisy = sides('ABBAABBAABBAABBAABBA', (side, position) => {
      const random = randomStream(position + 1);
      return 100 + shared[Math.floor(position / 4)]! + (side === 'B' ? 2 : 0) + 0.3 * normalFrom(random);
    });
    expect(fitRuns(a.map(of), b.map(of))!.method).toMatch(/5 blocks/);
    const { low, high } = between(noisy.a, noisy.b)!.at!(0.95);
    expect(low).toBeGreaterThan(0.5);
    expect(high).toBeLessThan(3.5);
  });
  const of = ({ sample, position }: { sample: { side: { value: number } }; position: number }) => ({
    value: sample.side.value,
    position,
  });

  it('is shown and judged, and drift is named', () => {
    const at = (position: number): Run =>
      started(slower(syntheticRun({ ...STAGE, seed: position + 1, jitter: 0.02 }), 1 + 0.02 * position), position);
    const [r0, r1, r2, r3, r4, r5] = [0, 1, 2, 3, 4, 5].map(at) as [Run, Run, Run, Run, Run, Run];
    const apart = compare(r0, r3, { resamples: 50, repeatsA: [r1, r2], repeatsB: [r4, r5] });
    expect(apart.repeats).toMatchObject({ order: 'one side after the other (A A A B B B)', balance: 'open' });
    expect(row(apart, 'tpot', 'mean').difference!.answer).toMatchObject({ kind: 'inconclusive', reason: 'drift' });
    expect(row(apart, 'tpot', 'mean').difference!.words).toContain('drift is not excluded');
    expect(apart.notes.join('\n')).toMatch(/A A A B B B\).*not excluded/);
    expect(apart.notes.join('\n')).toMatch(/numbers drift from run to run/);
    const turns = compare(r0, r1, { resamples: 50, repeatsA: [r3, r4], repeatsB: [r2, r5] });
    expect(turns.repeats).toMatchObject({ order: 'alternating (A B B A A B)' });
    expect(row(turns, 'tpot', 'mean').difference!.answer.kind).toBe('inconclusive');
  });

  it('that is not recorded leaves drift open', () => {
    const runs = [1, 2, 3, 4].map((seed) => syntheticRun({ ...STAGE, seed }));
    const same = compare(runs[0]!, runs[1]!, { resamples: 50, repeatsA: [runs[2]!], repeatsB: [runs[3]!] });
    expect(same.repeats).toMatchObject({ order: 'not recorded', balance: 'open' });
  });
});

describe('three answers', () => {
  const margin = (text: string): Threshold => {
    const parsed = parseThreshold(text);
    if (typeof parsed === 'string') throw new Error(parsed);
    return parsed;
  };

  function repeated(
    spread: number,
    factor: number,
    options: CompareOptions,
    synthetic: SyntheticOptions = {},
  ): Comparison {
    const order = [0, 1, 1, 0, 0, 1, 1, 0];
    const runs = order.map((side, i) => {
      const level = 1 + spread * normalFrom(randomStream(i * 13 + 5));
      const run = syntheticRun({ ...STAGE, seed: i + 1, jitter: 0.03, ...synthetic });
      return started(slower(run, level * (side === 1 ? factor : 1)), i);
    });
    const own = (side: number): Run[] => runs.filter((_, i) => order[i] === side);
    const [[a, ...repeatsA], [b, ...repeatsB]] = [own(0), own(1)];
    return compare(a!, b!, { resamples: 50, ...options, repeatsA, repeatsB });
  }

  it('equivalent: repeats lie inside the margin', () => {
    const { difference } = row(repeated(0.003, 1, { margins: [margin('tpot.mean=5%')] }), 'tpot', 'mean');
    expect(difference!.answer).toEqual({ kind: 'equivalent', reason: 'within-margin', margin: 'tpot.mean=5%' });
    expect(difference!.words).toMatch(/^equivalent within the margin tpot.mean=5%/);
  });

  it('different: repeats show it', () => {
    const { difference } = row(repeated(0.003, 1.04, {}), 'tpot', 'mean');
    expect(difference!.answer).toEqual({ kind: 'different', reason: 'repeats' });
  });

  it('inconclusive: with the number of further runs that would settle it', () => {
    const { difference } = row(repeated(0.05, 1, { margins: [margin('tpot.mean=2%')] }), 'tpot', 'mean');
    expect(difference!.answer.kind).toBe('inconclusive');
    expect(difference!.answer.furtherRuns).toBeGreaterThan(3);
    expect(difference!.words).toMatch(/margin tpot.mean=2% is not shown to hold.*further runs a side would settle it/);
  });

  it('one run a side shows no equivalence, whatever the margin', () => {
    const options = { ...STAGE, jitter: 0.01 };
    const comparison = compare(syntheticRun({ ...options, seed: 1 }), syntheticRun({ ...options, seed: 2 }), {
      resamples: 100,
      margins: [margin('tpot.mean=5%')],
    });
    expect(row(comparison, 'tpot', 'mean').difference!.answer).toMatchObject({
      kind: 'inconclusive',
      reason: 'single-runs',
    });
  });
});
