// Do requests arrive by the same law? Equal rates with burstier gaps queue more.
import { rounded } from '../../figures';
import type { RequestRecord } from '../../metrics/record';
import { dueSeconds } from '../../metrics/request-metrics';
import { coefficientOfVariation, mean, sortedValues } from '../../metrics/statistics';
import { kolmogorovSmirnov } from '../../metrics/two-samples';
import type { Evidence } from '../comparison';
import { confounds, dimension, moved, same, unknown, type Context, type SideEvidence } from '../dimension';
import { inFact, inRecords } from '../evidence';
import { loadLabel, type MeasuredStage, type Side } from '../side';
import { loadKindOf, loadKindsDiffer } from './load-model';
import { own } from '../../own';

interface StageArrivals {
  readonly stage: MeasuredStage;
  readonly law: string | undefined;
  readonly hash: string | undefined;
  /** Scheduled gaps over their mean, ascending: what the law gave, whatever the client made of it. */
  readonly gaps: Float64Array | undefined;
  readonly cv: number | undefined;
  readonly n: number;
}

interface Arrivals extends SideEvidence {
  readonly kind: string | undefined;
  readonly stages: readonly StageArrivals[];
}

/** A distance between gap distributions under this changes queueing by less than a run's own noise. */
const GAP_DISTANCE = 0.15;
const GAP_P = 1e-4;
/** Gap CV: exponential gaps have 1 with a standard error of 1 / sqrt(n). */
const CV_FLOOR = 0.25;
const CV_ERRORS = 5;

const LAWS: Readonly<Record<string, string>> = {
  'exponential-gaps-rescaled': 'exponential gaps filling the duration ("constant" in inference-perf)',
  'poisson-per-second': 'Poisson counts second by second ("poisson" in inference-perf)',
  'exponential-gaps': 'exponential gaps',
  even: 'even gaps',
  'closed-loop': 'closed loop',
};

/** Whether the gaps are stretched to fill the duration moves no quantile of them: one law. */
const SAME_LAW: Readonly<Record<string, string>> = { 'exponential-gaps-rescaled': 'exponential-gaps' };

function lawsDiffer(a: string | undefined, b: string | undefined): boolean {
  const family = (law: string | undefined): string | undefined =>
    law === undefined ? undefined : (own(SAME_LAW, law) ?? law);
  return family(a) !== family(b);
}

/** What inference-perf's load types really do; another tool's config may mean something else by the same word. */
const CONFIGURED: Readonly<Record<string, string>> = {
  constant: 'exponential-gaps-rescaled',
  poisson: 'poisson-per-second',
};

/** The law as the tool tells it, else what its load type does; with the words that were read. */
function lawOf(
  side: Side,
  { facts: { arrivalLaw: told, loadType: type } }: MeasuredStage,
): { readonly law: string | undefined; readonly evidence: Evidence } {
  if (told.value !== undefined) return { law: told.value, evidence: inFact(told) };
  const isKnown = side.run.tool.name === 'inference-perf' && type.value !== undefined;
  const law = loadKindOf(side) === 'closed loop' ? 'closed-loop' : isKnown ? own(CONFIGURED, type.value) : undefined;
  return { law, evidence: inFact(type) };
}

function arrivalsOf(side: Side, stage: MeasuredStage): StageArrivals {
  const gaps = stage.records && scheduledGaps(stage.records);
  return {
    stage,
    law: lawOf(side, stage).law,
    hash: stage.facts.scheduleHash.value,
    gaps,
    cv: gaps ? coefficientOfVariation(gaps) : stage.facts.gapCv.value,
    n: gaps?.length ?? stage.facts.gapCount.value ?? 0,
  };
}

/** Other tools keep when a request was sent, not when it was due. */
function spacedBy({ records }: MeasuredStage): string {
  return records?.some(({ scheduledSeconds }) => Number.isNaN(scheduledSeconds)) === true ? 'sends' : 'due times';
}

function scheduledGaps(records: readonly RequestRecord[]): Float64Array | undefined {
  // A request that was given up before its time carries the moment of giving up, not of the schedule.
  const due = records.filter(({ outcome }) => outcome.kind !== 'notSent');
  const times = sortedValues(due.map(dueSeconds));
  if (times.length < 3) return undefined;
  const gaps = new Float64Array(times.length - 1);
  for (let i = 0; i < gaps.length; i++) gaps[i] = times[i + 1]! - times[i]!;
  const center = mean(gaps);
  return center > 0 ? gaps.map((gap) => gap / center).sort() : undefined;
}

export const arrivalProcess = dimension<Arrivals>({
  id: 'arrival-process',
  title: 'Arrival process',
  question: 'Do requests arrive by the same law, and did they really?',
  tolerance: `The same law; different draws of one law are equal. Scheduled gaps, each over its mean: Kolmogorov-Smirnov distance up to ${GAP_DISTANCE} (or p >= ${GAP_P}), coefficient of variation within ${CV_FLOOR} or ${CV_ERRORS} standard errors.`,
  pitfall: 'CMP001',
  affects: moved(['ttft', 'request_latency', 'ntpot', 'tpot', 'itl', 'schedule_delay']),
  remedy: 'Use the same load.type, and pin the seed (# isoperf: seed=N) when the very same arrivals are wanted.',
  evidence: (side, { matching }) => {
    const paired = new Set(matching.pairs.flatMap((pair) => [pair.a, pair.b]));
    const stages = side.stages.filter((stage) => paired.has(stage)).map((stage) => arrivalsOf(side, stage));
    const laws = [...new Set(stages.map((stage) => stage.law ?? 'not recorded'))];
    const evidence: Evidence[] = stages.flatMap(({ stage, hash, cv, gaps }) => {
      const value = cv === undefined ? undefined : rounded(cv);
      return [
        lawOf(side, stage).evidence,
        inFact(stage.facts.seed),
        inFact(stage.facts.scheduleHash, hash?.slice(0, 12)),
        gaps
          ? inRecords(side, `CV of the gaps between ${spacedBy(stage)}, ${loadLabel(stage.load)}`, value)
          : inFact(stage.facts.gapCv, value),
      ];
    });
    const cvs = stages.flatMap(({ cv }) => (cv === undefined ? [] : [rounded(cv)]));
    const law = laws.map((name) => own(LAWS, name) ?? name).join('; ');
    const summary = `${law === '' ? 'not recorded' : law}${cvs.length > 0 ? `, gap CV ${cvs.join(', ')}` : ''}`;
    return { kind: loadKindOf(side), stages, summary, evidence };
  },
  judge,
});

function judge(a: Arrivals, b: Arrivals, context: Context) {
  if (loadKindsDiffer(context)) {
    return same(
      'Not judged by itself: with another load model there is another law of arrivals, or none, see load-model.',
      {
        follows: 'load-model',
      },
    );
  }
  if (a.kind === 'closed loop' && b.kind === 'closed loop')
    return same('Closed loop on both sides: a request is sent when a slot becomes free.');
  const lawless = (side: Arrivals): boolean =>
    side.stages.length === 0 || side.stages.some(({ law }) => law === undefined);
  if (lawless(a) || lawless(b)) return unknown('The law of the arrivals', !lawless(a), !lawless(b));
  if ([a, b].every(({ stages }) => stages.every(({ law }) => law === 'all at once')))
    return same('Every request is sent at the start on both sides: there are no gaps to space.');
  const find = (side: Arrivals, stage: MeasuredStage) => side.stages.find((entry) => entry.stage === stage)!;
  const pairs = context.matching.pairs.map((pair) => ({ pair, a: find(a, pair.a), b: find(b, pair.b) }));
  const otherLaw = pairs.filter((entry) => lawsDiffer(entry.a.law, entry.b.law));
  const first = otherLaw[0];
  if (first) {
    return confounds(
      `Requests arrive by different laws (${nameOf(first.a.law)} against ${nameOf(first.b.law)}): at one rate, the burstier one queues more.`,
      { stages: otherLaw.map(({ pair }) => pair.index) },
    );
  }
  const bare = (entry: StageArrivals): boolean => entry.cv === undefined && entry.n >= 0 && entry.gaps === undefined;
  const blindA = pairs.some((entry) => bare(entry.a) && tellsGaps(entry.a));
  const blindB = pairs.some((entry) => bare(entry.b) && tellsGaps(entry.b));
  if (blindA || blindB) return unknown('How the requests really were spaced', !blindA, !blindB);
  const apart = pairs.filter(({ pair, a: x, b: y }) => pair.sameLoad && gapsDiffer(x, y));
  if (apart.length > 0) {
    return confounds(
      `One law, but the gaps really were spaced differently (CV ${apart.map((entry) => `${rounded(entry.a.cv ?? NaN)} against ${rounded(entry.b.cv ?? NaN)}`).join('; ')}): the burstier side queues more.`,
      { stages: apart.map(({ pair }) => pair.index) },
    );
  }
  const identical = pairs.every((entry) => entry.a.hash !== undefined && entry.a.hash === entry.b.hash);
  return same(
    identical
      ? 'The very same arrivals: law, seed and schedule hash agree.'
      : 'The same law with different draws; the gaps really were spaced alike.',
  );
}

/** Two requests have one gap: there is no spacing to compare, and none is missing. */
function tellsGaps({ stage }: StageArrivals): boolean {
  return stage.records === undefined || stage.records.length >= 3;
}

function gapsDiffer(a: StageArrivals, b: StageArrivals): boolean {
  if (a.hash !== undefined && a.hash === b.hash) return false;
  if (a.gaps && b.gaps) {
    const test = kolmogorovSmirnov(a.gaps, b.gaps);
    if (test.statistic > GAP_DISTANCE && test.p < GAP_P) return true;
  }
  if (a.cv === undefined || b.cv === undefined || a.n < 20 || b.n < 20) return false;
  const error = Math.sqrt(1 / a.n + 1 / b.n) * Math.max(a.cv, b.cv, 0.1);
  return Math.abs(a.cv - b.cv) > Math.max(CV_FLOOR, CV_ERRORS * error);
}

function nameOf(law: string | undefined): string {
  return law === undefined ? 'not recorded' : (own(LAWS, law) ?? law);
}
