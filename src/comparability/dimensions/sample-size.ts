// Are there enough requests for the percentiles shown? Below a distribution-free minimum a percentile is only a maximum.
import { minimumCountFor } from '../../sample-size';
import type { Evidence, MovedMetric, Statistic } from '../comparison';
import { confounds, dimension, moved, same, unknown, type Context, type SideEvidence } from '../dimension';
import { counted } from '../../figures';
import { inFact, inRecords } from '../evidence';
import { loadLabel, type MeasuredStage } from '../side';

interface SampleSize extends SideEvidence {
  readonly stages: readonly {
    readonly stage: MeasuredStage;
    readonly n: number | undefined;
    readonly planned: number | undefined;
  }[];
}

/** Percentiles the table shows of every latency; p99.9 is shown only where both sides have the requests for it. */
const SHOWN: readonly { readonly statistic: Statistic; readonly percent: number }[] = [
  { statistic: 'p50', percent: 50 },
  { statistic: 'p90', percent: 90 },
  { statistic: 'p95', percent: 95 },
  { statistic: 'p99', percent: 99 },
];

/** Sizes this close are one size: a few failures around a threshold are no difference. */
const SIZE_TOLERANCE = 0.1;

const LATENCIES = ['ttft', 'tpot', 'itl', 'ntpot', 'request_latency', 'schedule_delay'] as const;

function supported(n: number): readonly Statistic[] {
  return SHOWN.filter(({ percent }) => n >= minimumCountFor(percent)).map(({ statistic }) => statistic);
}

function sizeOf(stage: MeasuredStage): number | undefined {
  const { records, facts } = stage;
  return records?.filter(({ outcome }) => outcome.kind === 'ok').length ?? facts.ok.value;
}

export const sampleSize = dimension<SampleSize>({
  id: 'sample-size',
  title: 'Sample size',
  question: 'Are there enough requests for the percentiles shown?',
  tolerance: `Both sides support the same percentiles and at least p50 and p95 (distribution-free, 95 %: p50 needs 5 requests, p90 29, p95 59, p99 299); sizes within ${SIZE_TOLERANCE * 100} % are one size.`,
  pitfall: 'CMP012',
  affects: percentiles(SHOWN.map(({ statistic }) => statistic)),
  remedy: 'Send more requests per stage (rate x duration, or num_requests): at least 299 for p99, 59 for p95.',
  evidence: (side, { matching }) => {
    const paired = new Set(matching.pairs.flatMap((pair) => [pair.a, pair.b]));
    const stages = side.stages
      .filter((stage) => paired.has(stage))
      .map((stage) => ({ stage, n: sizeOf(stage), planned: stage.facts.planned.value }));
    const evidence: readonly Evidence[] = stages.map(({ stage, n }) =>
      stage.records ? inRecords(side, `successes, ${loadLabel(stage.load)}`, n) : inFact(stage.facts.ok),
    );
    const sizes = stages.map(({ n }) => (n === undefined ? 'not recorded' : counted(n, 'request')));
    return { stages, summary: sizes.length === 0 ? 'not recorded' : sizes.join(', '), evidence };
  },
  judge,
});

function judge(a: SampleSize, b: SampleSize, { matching }: Context) {
  const blind = (side: SampleSize): boolean => side.stages.length === 0 || side.stages.some(({ n }) => n === undefined);
  if (blind(a) || blind(b)) return unknown('How many requests succeeded', !blind(a), !blind(b));
  const find = (side: SampleSize, stage: MeasuredStage) => side.stages.find((entry) => entry.stage === stage)!;
  const pairs = matching.pairs.map((pair) => {
    const [x, y] = [find(a, pair.a), find(b, pair.b)];
    return { pair, x, y, a: supported(x.n!), b: supported(y.n!) };
  });
  const uneven = pairs.filter((entry) => entry.a.length !== entry.b.length && !close(entry.x.n!, entry.y.n!));
  if (uneven.length > 0) {
    const lost = SHOWN.map(({ statistic }) => statistic).filter((statistic) =>
      uneven.some((entry) => entry.a.includes(statistic) !== entry.b.includes(statistic)),
    );
    // One side's requests were planned but did not succeed: that is a question of completeness, and named there.
    if (uneven.every(({ x, y }) => x.planned !== undefined && y.planned !== undefined && close(x.planned, y.planned))) {
      return same(
        `As many requests were planned, but fewer succeeded on one side, see completeness; ${lost.join(', ')} are withheld there.`,
        {
          follows: 'completeness',
        },
      );
    }
    const sizes = uneven.map(({ pair, x, y }) => `at ${pair.label}, ${x.n} requests succeeded on A and ${y.n} on B`);
    return confounds(`Too few requests on one side for ${lost.join(', ')}: ${sizes.join('; ')}. Other numbers stand.`, {
      moves: percentiles(lost),
      stages: uneven.map(({ pair }) => pair.index),
    });
  }
  const thin = pairs.filter((entry) => !entry.a.includes('p95') || !entry.b.includes('p95'));
  if (thin.length > 0) {
    const lost = SHOWN.map(({ statistic }) => statistic).filter((statistic) =>
      thin.some((entry) => !entry.a.includes(statistic) || !entry.b.includes(statistic)),
    );
    return {
      state: 'unknown' as const,
      message: `${thin.map(({ pair, x, y }) => `At ${pair.label} there are only ${x.n} and ${y.n} successes`).join('; ')}: ${lost.join(', ')} cannot be known and are withheld.`,
      moves: percentiles(lost),
      stages: thin.map(({ pair }) => pair.index),
    };
  }
  const all = pairs.flatMap((entry) => [entry.x.n!, entry.y.n!]);
  const least = Math.min(...all);
  const missing = SHOWN.filter(({ percent }) => least < minimumCountFor(percent)).map(({ statistic }) => statistic);
  const few = pairs
    .filter((entry) => missing.some((statistic) => !entry.a.includes(statistic) || !entry.b.includes(statistic)))
    .map(({ pair, x, y }) => `at ${pair.label} ${x.n} and ${y.n} requests succeeded`);
  return same(
    `At least ${counted(least, 'request')} per stage on both sides${missing.length > 0 ? `; ${missing.join(', ')} needs more and is withheld` : ''}.`,
    few.length > 0
      ? { note: `${missing.join(', ')} is withheld where too few requests support it: ${few.join('; ')}.` }
      : {},
  );
}

function close(a: number, b: number): boolean {
  return Math.abs(a - b) <= SIZE_TOLERANCE * Math.max(a, b);
}

function percentiles(statistics: readonly Statistic[]): MovedMetric[] {
  return moved([...LATENCIES], statistics);
}
