// Signs of load pitfalls in one report: who was late, what ran into what, which stage is not what it says (CMP003 to CMP023, CMP055).
import { minimumCountFor } from '../../sample-size';
import { measureOf, statisticOf, type QuantityId, type ReportScope } from '../../readers/canonical';
import { counted, duration, percent, significant, whole } from '../../figures';
import { at, isObject, numberAt, textAt } from '../../readers/readers/values';
import {
  dataType,
  lifecycleOnly,
  measuredStages,
  plannedOf,
  said,
  stageConfig,
  type ReportSign,
  type Sign,
} from './sign';

/** Waits under this are the clock's, not a queue's. */
const SMALLEST_WAIT_SECONDS = 0.01;

const hiddenWait: Sign = (scope) => {
  const wait = statisticOf(scope, 'schedule_delay', 'mean');
  const first = statisticOf(scope, 'ttft', 'mean') ?? statisticOf(scope, 'e2e', 'mean');
  if (scope.load.model === 'closed' || wait === undefined || first === undefined) return undefined;
  if (wait < SMALLEST_WAIT_SECONDS || wait < 0.1 * first) return undefined;
  const name = measureOf(scope, 'ttft') ? 'TTFT' : 'latency';
  return said(
    'CMP005',
    scope.id,
    `a request waited ${duration(wait)} on average before it was sent, and its ${name} of ${duration(first)} begins after that`,
  );
};

const LATENCIES: readonly QuantityId[] = ['ttft', 'e2e'];
/** Tails vary by half between equal stages; twice is more than that. */
const COLD_RATIO = 2;
/** Nine in ten requests are no slower than this times the later stage's. */
const BODY_RATIO = 1.5;

/** The first stage against the next one, at the highest percentile that both have the requests for. */
const warmUp: ReportSign = (report) => {
  if (report.scopes.some(({ warmup }) => warmup === true)) return undefined;
  const [first, second] = measuredStages(report);
  if (!first || !second || !carriesAsMuch(first, second)) return undefined;
  const fewest = Math.min(first.counts.ok ?? 0, second.counts.ok ?? 0);
  const at_ = [99, 95, 90].find((percentile) => fewest >= minimumCountFor(percentile));
  for (const id of LATENCIES) {
    const [cold, warm] = [statisticOf(first, id, `p${at_}`), statisticOf(second, id, `p${at_}`)];
    if (cold === undefined || warm === undefined || warm <= 0) continue;
    if (cold < COLD_RATIO * warm) return undefined;
    return said(
      'CMP008',
      first.id,
      `p${at_} of ${id === 'ttft' ? 'TTFT' : 'latency'} is ${duration(cold)} here and ${duration(warm)} in ${second.id}, which carries as much load or more: so does a server that is not warm yet, and this stage is measured like any other`,
    );
  }
  return undefined;
};

function carriesAsMuch(first: ReportScope, second: ReportScope): boolean {
  const load = ({ load: { requestedRateRps, concurrency } }: ReportScope) => requestedRateRps ?? concurrency;
  const [x, y] = [load(first), load(second)];
  return x !== undefined && y !== undefined && first.load.model === second.load.model && y >= x;
}

/** Only the slowest requests of the first stage: set-up of connections, not a cold server. */
const connections: ReportSign = (report) => {
  const [first, second] = measuredStages(report);
  if (!first || !second || !carriesAsMuch(first, second)) return undefined;
  for (const id of LATENCIES) {
    const [a, b] = [measureOf(first, id)?.stats, measureOf(second, id)?.stats];
    const [max, later] = [a?.['max'], b?.['max']];
    const [body, laterBody] = [a?.['p90'] ?? a?.['p50'], b?.['p90'] ?? b?.['p50']];
    if (max === undefined || later === undefined || body === undefined || laterBody === undefined) continue;
    if (max < 3 * later || body > BODY_RATIO * laterBody) return undefined;
    return said(
      'CMP055',
      first.id,
      `the slowest ${id === 'ttft' ? 'TTFT' : 'latency'} is ${duration(max)} here and ${duration(later)} in ${second.id}, while nine in ten requests are as fast: single requests that open a connection look like this`,
    );
  }
  return undefined;
};

const mixture: ReportSign = (report) => {
  const summary = report.scopes.find(({ kind }) => kind === 'summary');
  const stages = measuredStages(report);
  if (!summary || stages.length < 2 || !measureOf(summary, 'e2e')) return undefined;
  const loads = stages.map(({ load }) => load.words);
  return said(
    'CMP009',
    summary.id,
    `it mixes ${stages.length} stages (${loads.slice(0, 4).join(', ')}${loads.length > 4 ? ', ...' : ''}) and counts the pauses between them as time`,
  );
};

/** The window goes on after the last send until the last answer: in a short stage that is much of it. */
const drain: Sign = (scope) => {
  const window = scope.windowSeconds?.value;
  const sends = scope.extras?.sendSeconds;
  if (scope.kind !== 'stage' || scope.load.model !== 'open') return undefined;
  if (window === undefined || sends === undefined || sends <= 0 || window < 1.25 * sends) return undefined;
  return said(
    'CMP010',
    scope.id,
    `requests were sent for ${duration(sends)}, the window is ${duration(window)}: ${percent(1 - sends / window)} of it is drain, and every rate is too low for it`,
  );
};

const length: Sign = (scope, report) => {
  const sends = scope.extras?.sendSeconds;
  const { total } = scope.counts;
  const asked = numberAt(stageConfig(scope, report), 'duration');
  if (scope.load.model !== 'open' || sends === undefined || asked === undefined || !total || total < 2)
    return undefined;
  // A span from the first to the last of n sends is one gap short of the stage.
  if (Math.abs(sends / asked - 1) <= 0.05 + 2 / total) return undefined;
  return said(
    'CMP011',
    scope.id,
    `the stage was to last ${duration(asked)}, and requests were sent for ${duration(sends)}: no rate may be computed from the configured time`,
  );
};

const statedRate: Sign = (scope) => {
  const stated = scope.extras?.statedRate;
  const { concurrency, model } = scope.load;
  if (model !== 'closed' || concurrency === undefined || stated === undefined || stated <= 0) return undefined;
  return said(
    'CMP013',
    scope.id,
    `load_summary.requested_rate says ${significant(stated)}, but ${whole(concurrency)} requests at a time were asked for: it is the number of requests, no rate`,
  );
};

const sweep: ReportSign = (report) => {
  if (!isObject(at(report.config, 'load', 'sweep')) || report.sweepPinnedBy !== undefined) return undefined;
  const rates = measuredStages(report).flatMap(({ load }) => load.requestedRateRps ?? []);
  if (rates.length === 0) return undefined;
  return said(
    'CMP016',
    'summary',
    `a probe chose the rates of this run (${rates.map(significant).join(', ')} requests/s): stage k of another run is another load`,
  );
};

/** The last stage of a sweep should just not keep up: the probe's idea of saturation against what the stage achieved. */
const probe: ReportSign = (report) => {
  const top = measuredStages(report).at(-1);
  const asked = top?.load.requestedRateRps;
  const sent = top && statisticOf(top, 'sends_per_sec', 'value');
  if (!isObject(at(report.config, 'load', 'sweep')) || !top || asked === undefined || sent === undefined)
    return undefined;
  const wait = statisticOf(top, 'schedule_delay', 'p50') ?? statisticOf(top, 'schedule_delay', 'mean');
  const share = sent / asked;
  if (share < 0.9)
    return said(
      'CMP017',
      top.id,
      `the sweep asked for ${significant(asked)} requests/s and ${significant(sent)} were sent: what the probe took for saturation was out of reach, of the server or of the client`,
    );
  if (share < 0.99 || wait === undefined || wait >= SMALLEST_WAIT_SECONDS) return undefined;
  return said(
    'CMP017',
    top.id,
    `the sweep’s highest stage of ${significant(asked)} requests/s was kept up with: saturation lies above what the probe found`,
  );
};

/** Sends over their own span against answers over the window: a backlog is in the one and not in the other. */
const sentNotAnswered: Sign = (scope) => {
  const [sent, answered] = [
    statisticOf(scope, 'sends_per_sec', 'value'),
    statisticOf(scope, 'requests_per_sec', 'value'),
  ];
  if (scope.load.model !== 'open' || sent === undefined || answered === undefined || sent < 2 * answered)
    return undefined;
  return said(
    'CMP097',
    scope.id,
    `${significant(sent)} requests/s were sent and ${significant(answered)} answered: the achieved rate says nothing of what the server kept up with`,
  );
};

const DRAWN = ['random', 'synthetic'];

/** Fewer requests than planned and no failure to show for it: stopped when the sends ended early, dropped when they went on to the end. */
const missing: Sign = (scope, report) => {
  const planned = plannedOf(scope, report);
  const { total, cancelled } = scope.counts;
  if (scope.kind !== 'stage' || planned === undefined || total === undefined || total >= planned) return undefined;
  const short = `${whole(total)} of ${counted(planned, 'planned request')}`;
  const asked = numberAt(stageConfig(scope, report), 'duration');
  const sends = scope.extras?.sendSeconds;
  const toTheEnd = asked !== undefined && sends !== undefined && sends >= 0.95 * asked;
  if (toTheEnd && (cancelled ?? 0) === 0 && DRAWN.includes(dataType(report) ?? ''))
    return said(
      'CMP041',
      scope.id,
      `${short} are in the report, sent until the end of the stage: the others were dropped because their prompt could not be built, and count as no failure`,
    );
  return said('CMP022', scope.id, `${short} are in the report: the stage was stopped, and nothing else in it says so`);
};

/** Slots that wait for their turn send nothing: the in-flight identity names it, this says why it can be. */
export function slotsWait(report: { readonly config?: Readonly<Record<string, unknown>> }): boolean {
  const type = textAt(report.config, 'data', 'type');
  return (
    type === 'conversation_replay' ||
    type === 'otel_trace_replay' ||
    type === 'weka_trace_replay' ||
    (type === 'shared_prefix' && at(report.config, 'data', 'shared_prefix', 'enable_multi_turn_chat') === true)
  );
}

const machine: Sign = (scope, report) => {
  const workers = numberAt(report.config, 'load', 'num_workers');
  const sends = statisticOf(scope, 'sends_per_sec', 'value');
  const { loopUse, loopDelayP99Seconds } = scope.extras ?? {};
  if (loopUse !== undefined && loopUse > 0.85)
    return said(
      'CMP007',
      scope.id,
      `the client’s event loop was busy ${percent(loopUse)} of the time: every time stamp waits for it`,
    );
  if (loopDelayP99Seconds !== undefined && loopDelayP99Seconds > 0.1)
    return said(
      'CMP007',
      scope.id,
      `one turn in a hundred of the client’s event loop was ${duration(loopDelayP99Seconds)} late: so is what it stamps`,
    );
  if (report.tool !== 'inference-perf' || scope.kind !== 'stage' || !workers || sends === undefined) return undefined;
  if (sends / workers <= 300) return undefined;
  return said(
    'CMP007',
    scope.id,
    `each of ${whole(workers)} workers sent ${significant(sends / workers)} requests/s: one Python process that also builds prompts and parses answers falls behind, and its time stamps with it`,
  );
};

export const LOAD_SIGNS: readonly Sign[] = [
  hiddenWait,
  drain,
  sentNotAnswered,
  machine,
  ...[length, statedRate, missing].map(lifecycleOnly),
];
export const LOAD_REPORT_SIGNS: readonly ReportSign[] = [warmUp, connections, mixture, sweep, probe];
