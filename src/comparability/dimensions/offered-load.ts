// Was the same load offered? Stages are matched by rate or concurrency, so a stage without a partner is visible.
import { rounded } from '../../figures';
import { dueSeconds } from '../../metrics/request-metrics';
import type { Evidence } from '../comparison';
import { ALL, assumption, confounds, dimension, same, unknown, type Context, type SideEvidence } from '../dimension';
import { inFact, inRecords } from '../evidence';
import { factsOn, loadLabel, type MeasuredStage, type Side } from '../side';
import { RATE_TOLERANCE, type StagePair } from '../stages';
import { loadKindsDiffer } from './load-model';

interface Offered {
  readonly stage: MeasuredStage;
  /** What the schedule really offered, requests/s; a closed loop has none. */
  readonly rateRps: number | undefined;
  readonly n: number;
}

interface OfferedLoad extends SideEvidence {
  readonly stages: readonly Offered[];
}

/** Rates that random arrivals really give differ by about 1 / sqrt(n); four standard errors of that are no finding. */
const REALISED_FLOOR = 0.03;
const REALISED_ERRORS = 4;

function offeredBy(stage: MeasuredStage): Offered {
  const n = stage.records?.length ?? stage.facts.planned.value ?? countOf(stage) ?? 0;
  if (stage.load.kind !== 'rate') return { stage, rateRps: undefined, n };
  return { stage, rateRps: scheduledRate(stage) ?? stage.facts.sentRateRps.value, n };
}

/** Intervals over span, so that the fence post does not flatter short stages. The client's lateness is client-limit's. */
function scheduledRate({ records }: MeasuredStage): number | undefined {
  const due = records?.filter(({ outcome }) => outcome.kind !== 'notSent') ?? [];
  let first = Infinity;
  let last = -Infinity;
  for (const record of due) {
    first = Math.min(first, dueSeconds(record));
    last = Math.max(last, dueSeconds(record));
  }
  return last > first ? (due.length - 1) / (last - first) : undefined;
}

function countOf({ scope }: MeasuredStage): number | undefined {
  return scope?.counts.total ?? scope?.counts.ok;
}

export const offeredLoad = dimension<OfferedLoad>({
  id: 'offered-load',
  title: 'Offered load',
  question: 'Was the same rate, or the same concurrency, offered?',
  tolerance: `Requested rates within ${RATE_TOLERANCE * 100} %, concurrency exactly; what the schedule really offered within ${REALISED_FLOOR * 100} % or ${REALISED_ERRORS} standard errors of random arrivals.`,
  pitfall: 'CMP016',
  affects: ALL,
  remedy:
    'Run both sides with the same stages (rate and duration, or concurrency_level and num_requests); fix a sweep’s stages first.',
  evidence: (side) => {
    const stages = side.stages.map(offeredBy);
    const evidence: Evidence[] = stages.flatMap(({ stage, rateRps }) => {
      const closed = stage.load.kind === 'concurrency';
      const asked =
        stage.load.kind === 'rate'
          ? rounded(stage.load.rps)
          : stage.load.kind === 'concurrency'
            ? stage.load.level
            : stage.load.kind === 'all-at-once'
              ? 'all at once'
              : undefined;
      const requested = inFact(closed ? stage.facts.concurrency : stage.facts.rateRps, asked);
      if (closed) return [requested];
      const realised = rateRps === undefined ? undefined : `${rounded(rateRps)} requests/s`;
      return [requested, realisedEvidence(side, stage, realised)];
    });
    const { sweep } = factsOn(side);
    if (sweep.value !== undefined) evidence.push(inFact(sweep));
    const summary =
      stages.length === 0 ? 'no measured stage' : stages.map(({ stage }) => loadLabel(stage.load)).join(', ');
    return { stages, summary, evidence };
  },
  judge: (a, b, context) => {
    const bursts = [a, b].map(({ stages }) => stages.some(({ stage }) => stage.load.kind === 'all-at-once'));
    const isRate = ({ stages }: OfferedLoad): boolean => stages.some(({ stage }) => stage.load.kind === 'rate');
    if (bursts[0] !== bursts[1] && (isRate(a) || isRate(b))) {
      return confounds(
        `${bursts[0] === true ? 'A' : 'B'} sends all requests at once, the other side at a rate: latency and throughput follow the load.`,
      );
    }
    if (loadKindsDiffer(context)) {
      return same('Not judged by itself: rates and concurrency cannot be equal, see load-model.', {
        follows: 'load-model',
      });
    }
    const silent = (side: OfferedLoad): boolean =>
      side.stages.length === 0 || side.stages.some(({ stage }) => stage.load.kind === 'unknown');
    if (silent(a) || silent(b)) return unknown('The offered load', !silent(a), !silent(b));
    const { pairs } = context.matching;
    const other = pairs.filter((pair) => !pair.sameLoad);
    if (other.length > 0) {
      return confounds(
        `The two sides were not offered the same load: ${other.map((pair) => pair.label).join('; ')}. Latency and throughput follow the load.${sweeps(context.a, context.b)}`,
        { stages: other.map((pair) => pair.index) },
      );
    }
    const blind = (side: OfferedLoad): boolean =>
      side.stages.some(
        ({ stage, rateRps, n }) =>
          stage.load.kind === 'rate' && rateRps === undefined && n !== 1 && stage.facts.planned.value !== 0,
      );
    const apart = pairs.filter((pair) => ratesDiffer(pair, a, b));
    if (apart.length > 0) {
      return confounds(
        `One rate was asked for, but another was offered: ${apart.map((pair) => realisedWords(pair, a, b)).join('; ')}.`,
        { stages: apart.map((pair) => pair.index) },
      );
    }
    const labels = pairs.map((pair) => pair.label).join(', ');
    const alone = aloneWords(context);
    if (blind(a) || blind(b)) {
      const off = [
        ...a.stages.filter(isOff).map((one) => ['A', one] as const),
        ...b.stages.filter(isOff).map((one) => ['B', one] as const),
      ];
      if (off.length > 0 && blind(a) !== blind(b)) {
        const found = off.map(
          ([side, one]) => `${side} was asked for ${loadLabel(one.stage.load)} and sent ${rounded(one.rateRps!)}`,
        );
        return unknown(`${found.join('; ')}. What the other side really sent`, !blind(a), !blind(b));
      }
      const where = blind(a) && blind(b) ? 'neither side' : blind(a) ? 'B alone' : 'A alone';
      return assumption(
        `Compared at ${labels}, as both sides asked.${alone} When requests were really sent is recorded on ${where}.`,
        'that both clients sent at the rate that was asked of them',
      );
    }
    return same(`Compared at ${labels}.${alone}`);
  },
});

function aloneWords({ matching: { unmatchedA, unmatchedB } }: Context): string {
  const alone = [
    ...unmatchedA.map((s) => `A’s ${loadLabel(s.load)}`),
    ...unmatchedB.map((s) => `B’s ${loadLabel(s.load)}`),
  ];
  if (alone.length === 0) return '';
  const [has, is] = alone.length === 1 ? ['has', 'is'] : ['have', 'are'];
  return ` ${alone.join(', ')} ${has} no counterpart and ${is} not compared.`;
}

/** A sweep finds its own rates, so stage k of one run is not stage k of another. */
function sweeps(...sides: readonly Side[]): string {
  const swept = sides.filter((side) => factsOn(side).sweep.value !== undefined);
  return swept.length === 0 ? '' : ' A sweep chose the rates, for each run its own.';
}

/** The schedule's own rate where there are records, else what the run or its report says was sent. */
function realisedEvidence(side: Side, stage: MeasuredStage, value: string | undefined): Evidence {
  if (stage.records) return inRecords(side, `offered by the schedule, ${loadLabel(stage.load)}`, value);
  return inFact(stage.facts.sentRateRps, value);
}

function of(side: OfferedLoad, stage: MeasuredStage): Offered {
  return side.stages.find((entry) => entry.stage === stage)!;
}

/** Realised far from asked: what one client did to its schedule, the other may have done, or not. */
function isOff({ stage: { load }, rateRps, n }: Offered): boolean {
  return load.kind === 'rate' && rateRps !== undefined && areApart(rateRps, load.rps, 1 / Math.max(1, n));
}

/** @param variance of the logarithm of the two rates' quotient */
function areApart(x: number, y: number, variance: number): boolean {
  return Math.abs(Math.log(x / y)) > Math.max(REALISED_FLOOR, REALISED_ERRORS * Math.sqrt(variance));
}

function ratesDiffer(pair: StagePair, a: OfferedLoad, b: OfferedLoad): boolean {
  const x = of(a, pair.a);
  const y = of(b, pair.b);
  if (x.rateRps === undefined || y.rateRps === undefined) return false;
  return areApart(x.rateRps, y.rateRps, 1 / Math.max(1, x.n) + 1 / Math.max(1, y.n));
}

function realisedWords(pair: StagePair, a: OfferedLoad, b: OfferedLoad): string {
  return `at ${pair.label}, ${rounded(of(a, pair.a).rateRps ?? NaN)} against ${rounded(of(b, pair.b).rateRps ?? NaN)} requests/s`;
}
