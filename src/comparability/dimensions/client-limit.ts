// Was the load generator the bottleneck? Then its numbers are about the client, and a later send hides the wait.
import { rounded } from '../../figures';
import { latencySeconds, scheduleDelaySeconds } from '../../metrics/request-metrics';
import { mean, percentile, sortedValues } from '../../metrics/statistics';
import { measureOf, statisticOf, type QuantityId } from '../../readers/canonical';
import { mainFile } from '../../readers/facts-of';
import type { Evidence } from '../comparison';
import { ALL, confounds, dimension, same, unknown, type Context, type SideEvidence } from '../dimension';
import { inFact, inRecords, inReport, inSetting } from '../evidence';
import { factsOn, loadLabel, successesOf, type MeasuredStage, type Side } from '../side';

interface StageLimit {
  readonly stage: MeasuredStage;
  /** Empty: nothing says it was limited. */
  readonly reasons: readonly string[];
  /** False: the client's own health is not recorded, so silence proves nothing. */
  readonly recorded: boolean;
}

interface ClientLimit extends SideEvidence {
  readonly stages: readonly StageLimit[];
}

/** inference-perf.md section 8, P3 and P4. */
const MEDIAN_DELAY_SECONDS = 0.01;
const P99_DELAY_SECONDS = 1;
const CAP_SHARE = 0.95;

interface Lateness {
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
}

interface Pace {
  readonly lateness: Lateness | undefined;
  readonly inFlight: number | undefined;
}

/** Asked for the judgement and for the evidence: worked out once. */
const PACES = new WeakMap<MeasuredStage, Pace>();

function paceOf(stage: MeasuredStage): Pace {
  const known = PACES.get(stage) ?? { lateness: latenessOf(stage), inFlight: inFlight(stage) };
  PACES.set(stage, known);
  return known;
}

/**
 * Only where requests are due at moments of their own. In a closed loop, other tools' schedules are the order of a queue or the moment a
 * slot was asked for: that wait is part of the model. Ours are the moments slots became free, and its health says so.
 */
function latenessOf({ records, scope, load, facts }: MeasuredStage): Lateness | undefined {
  if (load.kind !== 'rate' && facts.clientHealth.value === undefined) return undefined;
  if (records) {
    const delays = sortedValues(records.map(scheduleDelaySeconds).filter((value) => value !== undefined));
    return delays.length === 0
      ? undefined
      : { mean: mean(delays), p50: percentile(delays, 50), p99: percentile(delays, 99) };
  }
  const stat = scope && measureOf(scope, 'schedule_delay')?.stats;
  const [p50, average] = [stat?.['p50'], stat?.['mean']];
  return p50 === undefined ? undefined : { mean: average ?? p50, p50, p99: stat?.['p99'] ?? p50 };
}

/** Average number in flight: throughput times latency (Little's law), over the time requests were being sent. */
function inFlight(stage: MeasuredStage): number | undefined {
  const successes = successesOf([stage]);
  if (successes) {
    const latencies = successes.map(latencySeconds).filter((value) => value !== undefined);
    const sent = sortedValues(successes.map((record) => record.sentSeconds).filter((value) => value !== undefined));
    const span = sent.length > 1 ? sent[sent.length - 1]! - sent[0]! : 0;
    return span > 0 && latencies.length > 0 ? ((sent.length - 1) / span) * mean(latencies) : undefined;
  }
  const { scope } = stage;
  const [latency, rate] = [
    scope && statisticOf(scope, 'e2e', 'mean'),
    scope && statisticOf(scope, 'requests_per_sec', 'value'),
  ];
  return latency === undefined || rate === undefined ? undefined : rate * latency;
}

function capOf(side: Side, stage: MeasuredStage): number | undefined {
  const own = stage.facts.inFlightCap.value;
  if (own !== undefined) return own;
  const { clientWorkers, clientCap } = factsOn(side);
  const [workers, each] = [clientWorkers.value, clientCap.value];
  return workers !== undefined && each !== undefined && workers > 0 && each > 0 ? workers * each : undefined;
}

/** Of the stage's own report, at the key of a quantity where it has one. */
function inScope(
  side: Side,
  { scope }: MeasuredStage,
  quantity: QuantityId,
  words: string,
  value: string | undefined,
): Evidence {
  const source = scope && measureOf(scope, quantity)?.source;
  return inReport(source?.file ?? scope?.file ?? mainFile(side.run), source?.key ?? words, value);
}

function limitOf(side: Side, stage: MeasuredStage): StageLimit {
  const reasons: string[] = [];
  const health = stage.facts.clientHealth.value;
  if (health?.verdict === 'client-limited')
    reasons.push(...(health.reasons.length > 0 ? health.reasons : ['client-limited']));
  const { lateness, inFlight: used } = paceOf(stage);
  if (reasons.length === 0 && lateness && (lateness.p50 > MEDIAN_DELAY_SECONDS || lateness.p99 > P99_DELAY_SECONDS)) {
    reasons.push(
      `requests left ${delayWords(lateness.mean)} late on average, ${delayWords(lateness.p50)} in the median, ${delayWords(lateness.p99)} at p99`,
    );
  }
  const cap = capOf(side, stage);
  if (
    health?.verdict !== 'client-limited' &&
    stage.load.kind === 'rate' &&
    cap !== undefined &&
    used !== undefined &&
    used > CAP_SHARE * cap
  ) {
    reasons.push(`${rounded(used)} requests were in flight on average (Little’s law) and the client’s cap is ${cap}`);
  }
  // Requests that do not say when they were sent could not show that they were late.
  const seen = stage.records === undefined || lateness !== undefined;
  return { stage, reasons, recorded: health !== undefined && seen };
}

function evidenceOf(side: Side, stage: MeasuredStage): Evidence[] {
  const { clientHealth, eventLoopUse, inFlightCap } = stage.facts;
  const health = clientHealth.value;
  const { lateness, inFlight: used } = paceOf(stage);
  const words =
    lateness && `mean ${delayWords(lateness.mean)}, p50 ${delayWords(lateness.p50)}, p99 ${delayWords(lateness.p99)}`;
  const label = loadLabel(stage.load);
  const inFlightWords = used === undefined ? undefined : rounded(used);
  return [
    inFact(clientHealth, health && [health.verdict, ...health.reasons].join(': ')),
    stage.records
      ? inRecords(side, `sent - scheduled, ${label}`, words)
      : inScope(side, stage, 'schedule_delay', 'sent - scheduled', words),
    inFact(eventLoopUse, eventLoopUse.value === undefined ? undefined : rounded(eventLoopUse.value)),
    stage.records
      ? inRecords(side, `in flight by Little’s law, ${label}`, inFlightWords)
      : inScope(side, stage, 'e2e', 'requests per second x mean latency', inFlightWords),
    inFlightCap.value === undefined ? inSetting(side, ['load', 'worker_max_concurrency']) : inFact(inFlightCap),
  ];
}

export const clientLimit = dimension<ClientLimit>({
  id: 'client-limit',
  title: 'Client limit',
  question: 'Was the client fast enough, or did it limit what was measured?',
  tolerance: `Requests leave less than ${MEDIAN_DELAY_SECONDS * 1000} ms late in the median and ${P99_DELAY_SECONDS} s at p99, stay under ${CAP_SHARE * 100} % of the client’s own cap, and the engine’s health is not "client-limited".`,
  pitfall: 'CMP004',
  affects: ALL,
  remedy:
    'Raise load.num_workers or load.worker_max_concurrency, use a faster or quieter client machine, or offer less; then run again.',
  evidence: (side, { matching }) => {
    const paired = new Set(matching.pairs.flatMap((pair) => [pair.a, pair.b]));
    const own = side.stages.filter((stage) => paired.has(stage));
    const stages = own.map((stage) => limitOf(side, stage));
    const limited = stages.filter(({ reasons }) => reasons.length > 0);
    const recorded = stages.length > 0 && stages.every((entry) => entry.recorded);
    const summary =
      limited.length > 0
        ? `limited: ${limited.map(({ stage, reasons }) => `${loadLabel(stage.load)}: ${reasons.join(', ')}`).join('; ')}`
        : recorded
          ? 'not limited'
          : 'not recorded';
    return { stages, summary, evidence: own.flatMap((stage) => evidenceOf(side, stage)) };
  },
  judge,
});

function judge(a: ClientLimit, b: ClientLimit, { matching }: Context) {
  const find = (side: ClientLimit, stage: MeasuredStage) => side.stages.find((entry) => entry.stage === stage)!;
  const pairs = matching.pairs.map((pair) => ({ pair, a: find(a, pair.a), b: find(b, pair.b) }));
  const limited = pairs.filter((entry) => entry.a.reasons.length > 0 || entry.b.reasons.length > 0);
  if (limited.length > 0) {
    const words = limited.map(({ pair, a: x, b: y }) => {
      const who = [
        x.reasons.length > 0 ? `on A ${x.reasons.join(', ')}` : '',
        y.reasons.length > 0 ? `on B ${y.reasons.join(', ')}` : '',
      ];
      return `At ${pair.label}, ${who.filter((text) => text !== '').join('; ')}`;
    });
    return confounds(
      `The client, not the server, set the pace. ${words.join('. ')}. Requests left late or waited unseen, and latencies leave that wait out.`,
      {
        stages: limited.map(({ pair }) => pair.index),
        // Late without having reached the cap: the client itself was slow.
        ...(words.some((text) => /in flight|cap/.test(text)) ? {} : { pitfall: 'CMP003' }),
      },
    );
  }
  const blind = (side: ClientLimit): boolean =>
    side.stages.length === 0 || side.stages.some((entry) => !entry.recorded);
  if (blind(a) || blind(b)) return unknown('The health of the client', !blind(a), !blind(b));
  return same('The client kept up on both sides.');
}

function delayWords(seconds: number): string {
  const inSeconds = Math.abs(seconds) >= 1;
  return `${rounded(inSeconds ? seconds : seconds * 1000, 3)} ${inSeconds ? 's' : 'ms'}`;
}
