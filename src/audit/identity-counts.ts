// Identities of counts, totals and rates: total = mean x count, rate x window = count, stages add up to the summary, Little's law.
import { QUANTITIES } from '../metrics/quantities';
import { significant, whole } from '../figures';
import { slotsWait } from '../pitfalls/asked';
import type { PitfallCode } from '../pitfalls/code';
import {
  type CanonicalReport,
  type Measure,
  type QuantityId,
  type ReportScope,
  statisticOf,
} from '../readers/canonical';
import type { Identity } from './identity';
import { off } from './identity-math';

const EXACT = 1e-6;
/** From this share of the cap on, requests wait for a free place in the client. */
const AT_CAP = 0.9;
/** The same when requests are sent seconds late: an average over ramp and drain stays further below the cap. */
const AT_CAP_AND_LATE = 0.75;

export function tokenTotals(scope: ReportScope): Identity[] {
  const { ok } = scope.counts;
  if (ok === undefined || ok === 0) return [];
  return scope.measures.flatMap(({ quantity, stats, derived, source }): Identity[] => {
    if (quantity !== 'prompt_tokens' && quantity !== 'output_tokens') return [];
    const { total, mean } = stats;
    if (derived !== undefined || total === undefined || mean === undefined) return [];
    const right = mean * ok;
    const holds = off(total, right) <= EXACT;
    return [
      {
        id: 'token-total',
        scope: scope.id,
        holds,
        statement: `${source.key}: total = mean x successes`,
        left: total,
        right,
        unit: 'tokens',
        tolerance: '0.0001 %',
        ...(holds
          ? {}
          : {
              message: `${source.key}: the total is ${whole(total)}, but mean x ${whole(ok)} successes is ${whole(right)}`,
              cause: 'not every answer was counted, or the mean is over other requests than the total',
              pitfall: 'CMP058',
            }),
      },
    ];
  });
}

/** Latencies, lengths and rates of answers: not when requests were sent, nor what became of failures. */
function isOfAnswers({ quantity, stats }: Measure): boolean {
  const others: readonly QuantityId[] = ['schedule_delay', 'failed_latency', 'sends_per_sec', 'concurrency'];
  return !others.includes(quantity) && Object.values(stats).some((value) => value !== 0);
}

export function counts(scope: ReportScope): Identity[] {
  const { total, ok, failed, cancelled, planned } = scope.counts;
  const result: Identity[] = [];
  const say = (
    statement: string,
    left: number,
    right: number,
    message: string,
    cause: string,
    pitfall: PitfallCode,
  ): void => {
    const holds = left === right;
    const why = holds ? {} : { message, cause, pitfall };
    result.push({
      id: 'counts',
      scope: scope.id,
      holds,
      statement,
      left,
      right,
      unit: 'requests',
      tolerance: 'none',
      ...why,
    });
  };
  if (total !== undefined && ok !== undefined && failed !== undefined) {
    const sum = ok + failed + (scope.kind === 'stage' && planned !== undefined ? 0 : (cancelled ?? 0));
    const parts = `${whole(ok)} successes and ${whole(failed)} failures`;
    say(
      'successes + failures = requests',
      sum,
      total,
      `${parts} are not the ${whole(total)} requests of the report`,
      'requests were dropped or counted twice while the report was put together',
      'CMP079',
    );
  }
  const numbers = scope.measures.filter(isOfAnswers);
  if (ok === 0 && numbers.length > 0) {
    say(
      'numbers of answers need answers',
      numbers.length,
      0,
      `no request succeeded, and the report has ${numbers.map(({ quantity }) => QUANTITIES[quantity].label).join(', ')} all the same`,
      'counts and numbers are of two runs, or the file was edited',
      'CMP079',
    );
  }
  const amounts: readonly (readonly [string, number | undefined])[] = [
    ...(['total', 'ok', 'failed', 'cancelled', 'planned'] as const).map(
      (name) => [`requests ${name}`, scope.counts[name]] as const,
    ),
    ['the window in seconds', scope.windowSeconds?.value],
  ];
  for (const [name, value] of amounts) {
    if (value === undefined) continue;
    if (name.startsWith('requests') && !Number.isInteger(value)) {
      say(
        'counts are whole numbers',
        value,
        Math.round(value),
        `${name}: ${value}, which is no number of requests`,
        'the file was edited, or is an average of several runs',
        'CMP079',
      );
    }
    if (value >= 0) continue;
    say(
      'counts and windows are not negative',
      value,
      0,
      `${name}: ${significant(value)}`,
      'the file was edited, or a clock was set back during the run',
      'CMP079',
    );
  }
  if (planned !== undefined && total !== undefined && scope.kind === 'run') {
    say(
      'requests = planned',
      total,
      planned,
      `${whole(total)} requests ended, ${whole(planned)} were planned`,
      'the run was stopped, or requests were lost without being counted as failures',
      'CMP022',
    );
  }
  return result;
}

/** Stages of one report against its summary. Warm-ups are not in ours. */
export function stageSum(report: CanonicalReport): Identity[] {
  const summary = report.scopes.find(({ kind }) => kind === 'summary');
  const stages = report.scopes.filter((scope) => scope.kind === 'stage' && scope.warmup !== true);
  const right = summary?.counts.total;
  if (right === undefined || stages.length === 0 || stages.some(({ counts: each }) => each.total === undefined))
    return [];
  const left = stages.reduce((sum, stage) => sum + (stage.counts.total ?? 0), 0);
  const numbers = stages.map(({ stage }) => stage ?? -1);
  const gap = numbers.length > 0 && Math.max(...numbers) + 1 !== numbers.length && report.tool !== 'isoperf';
  const holds = left === right;
  return [
    {
      id: 'stage-sum',
      scope: 'summary',
      holds,
      statement: 'requests of all stages = requests of the summary',
      left,
      right,
      unit: 'requests',
      tolerance: 'none',
      ...(holds
        ? {}
        : {
            message: `the stages add up to ${whole(left)} requests, the summary has ${whole(right)}`,
            cause: gap
              ? `stage files are missing: there are only ${numbers.join(', ')}`
              : 'the files are of different runs, a stage file is missing, or requests were counted twice',
            pitfall: 'CMP079',
          }),
    },
  ];
}

/** Little's law: successes/s x mean latency is the average number in flight. */
export function inFlight(scope: ReportScope, report: CanonicalReport): Identity[] {
  const rate = statisticOf(scope, 'requests_per_sec', 'value');
  const latency = statisticOf(scope, 'e2e', 'mean');
  if (rate === undefined || latency === undefined || scope.kind === 'summary') return [];
  const left = rate * latency;
  const { load } = scope;
  if (load.model === 'closed') return closedLoop(scope, left, slotsWait(report));
  const sends = statisticOf(scope, 'sends_per_sec', 'value') ?? rate;
  const behind = load.requestedRateRps !== undefined && sends < 0.9 * load.requestedRateRps;
  const delay = statisticOf(scope, 'schedule_delay', 'mean');
  const cap = load.cap?.value;
  if (cap === undefined && !(behind && delay !== undefined && delay > 1)) return [];
  const limit = delay !== undefined && delay > 1 ? AT_CAP_AND_LATE : AT_CAP;
  const holds = cap === undefined ? false : left < limit * cap;
  const asked =
    load.requestedRateRps === undefined ? 'the asked rate' : `${significant(load.requestedRateRps)} requests/s`;
  const rateWords = behind ? `, and only ${significant(sends)} of ${asked} were sent` : '';
  return [
    {
      id: 'in-flight',
      scope: scope.id,
      holds,
      statement: 'requests/s x mean latency stays under the client’s cap on requests in flight',
      left,
      right: cap ?? left,
      unit: 'requests in flight',
      tolerance:
        '90 % of the cap, 75 % when requests are sent over 1 s late: such an average means that it was reached',
      ...(holds
        ? {}
        : {
            message:
              cap === undefined
                ? `about ${whole(left)} requests were in flight${rateWords}: something in the client holds requests back at about that number`
                : `${whole(left)} of at most ${whole(cap)} requests were in flight${rateWords}: the open loop had become a closed loop of ${whole(cap)} users`,
            cause: load.cap
              ? `${load.cap.from}: when it is reached, requests wait in the client, and no latency contains that wait`
              : 'a cap on requests in flight (workers x concurrency each), which this report does not record',
            pitfall: 'CMP004',
          }),
    },
  ];
}

function closedLoop(scope: ReportScope, left: number, waits: boolean): Identity[] {
  const level = scope.load.concurrency;
  const { ok, failed } = scope.counts;
  // A run of a few rounds never fills up; failures hold places that successes do not show.
  if (level === undefined || ok === undefined || ok < 5 * level || (failed ?? 0) > 0.02 * ok) return [];
  const holds = left <= level * 1.05 && left >= level * 0.8;
  return [
    {
      id: 'in-flight',
      scope: scope.id,
      holds,
      statement: 'requests/s x mean latency = the concurrency of a closed loop',
      left,
      right: level,
      unit: 'requests in flight',
      tolerance: '80 % to 105 %: ramp-up and drain leave places empty',
      ...(holds
        ? {}
        : {
            message: `${significant(left)} requests were in flight on average, ${whole(level)} were asked for`,
            cause:
              left < level && waits
                ? 'turns of one conversation or session wait for each other, and hold a slot while they do'
                : left < level
                  ? 'the client could not keep its places filled (start-up, think time, a busy client), or the window contains idle time'
                  : 'the latency contains waiting that was not in flight, or the window is too short',
            pitfall: left < level && waits ? 'CMP015' : 'CMP014',
          }),
    },
  ];
}
