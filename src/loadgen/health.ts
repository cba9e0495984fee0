// Was the client the bottleneck? What one stage says of the engine itself, and the verdict with its reasons.
import { monitorEventLoopDelay, performance, type EventLoopUtilization } from 'node:perf_hooks';
import { distributionOf, mean, percentile, sortedValues } from '../metrics/statistics';
import type { StageHealth } from '../folder/manifest';
import type { DispatchOutcome } from './flights';
import type { PlannedLoadStage } from './plan';
import type { StageTally } from './tally';

/** Resolution of the event-loop delay histogram; its samples include it. */
const DELAY_RESOLUTION_MS = 10;

// Limits. Event loop: performance.md section 8. Schedule: reference inference-perf.md section 8, P3.
const EVENT_LOOP_WARNING = 0.6;
/** Ours, as for lateness: stamps of that time are late by so much. */
const EVENT_LOOP_DELAY_WARNING_SECONDS = 0.05;
export const EVENT_LOOP_LIMITED = 0.85;
const DELAY_MEDIAN_LIMIT_SECONDS = 0.01;
const DELAY_P99_LIMIT_SECONDS = 1;
/** Ours: a tail of what is measured begins here to be the client's; at 1 s it is past saving. */
const DELAY_P99_WARNING_SECONDS = 0.05;
const ACHIEVED_SHARE_LIMIT = 0.98;
/** A stage shorter than this in requests says little about rates. */
const FEWEST_FOR_RATE = 20;
const RATE_SHARE_OF_SENDS = 0.95;
/** Behind its schedule by less than this, a stage did not lose its rate: a few sends were late. */
const SMALLEST_LAG_SECONDS = 0.1;
/** Over a shorter stage the use of the event loop is that of starting and ending it. */
const SHORTEST_FOR_LOOP_SECONDS = 0.2;
/** It looks a hundred times a second: of fewer looks the worst percent is the one at the start. */
const SHORTEST_FOR_STALLS_SECONDS = 2;

export interface LoopUse {
  readonly eventLoopUse: number;
  readonly eventLoopDelayP99Seconds: number;
  readonly cpuUse: number;
  /** Present when threads of their own sent; the figures above are then the busiest one's. */
  readonly workers?: ThreadUse[];
}

export interface ThreadUse {
  readonly requests: number;
  readonly eventLoopUse: number;
  readonly eventLoopDelayP99Seconds: number;
}

/** Owns the process's meters while one stage runs. */
export class LoopMeter {
  private readonly delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  private readonly cpuStart = process.cpuUsage();
  private readonly started = performance.now();
  private readonly utilization: EventLoopUtilization = performance.eventLoopUtilization();
  private last: { utilization: EventLoopUtilization; spinSeconds: number };

  constructor() {
    this.last = { utilization: this.utilization, spinSeconds: 0 };
    this.delay.enable();
  }

  /** Use since the last call, active waiting for deadlines left out. */
  sinceLast(spinSeconds: number): number {
    const now = performance.eventLoopUtilization();
    const use = withoutSpin(
      performance.eventLoopUtilization(now, this.last.utilization),
      spinSeconds - this.last.spinSeconds,
    );
    this.last = { utilization: now, spinSeconds };
    return use;
  }

  stop(spinSeconds: number): LoopUse {
    this.delay.disable();
    const cpu = process.cpuUsage(this.cpuStart);
    const elapsed = (performance.now() - this.started) / 1000;
    const p99 = this.delay.percentile(99) / 1e9 - DELAY_RESOLUTION_MS / 1000;
    return {
      eventLoopUse: withoutSpin(performance.eventLoopUtilization(this.utilization), spinSeconds),
      eventLoopDelayP99Seconds: Number.isFinite(p99) ? Math.max(0, p99) : 0,
      cpuUse: (cpu.user + cpu.system) / 1e6 / elapsed,
    };
  }
}

/** A loop that waits actively for a deadline counts as busy, but is there at once for anything that comes. */
function withoutSpin({ active, idle }: EventLoopUtilization, spinSeconds: number): number {
  const total = active + idle;
  return total <= 0 ? 0 : Math.min(1, Math.max(0, (active - spinSeconds * 1000) / total));
}

/** Judges one stage from its times and meters. */
export function judgeHealth(
  stage: PlannedLoadStage,
  tally: StageTally,
  outcome: Pick<DispatchOutcome, 'maxInFlight'>,
  use: LoopUse,
): StageHealth {
  const sent = sentTimes(tally);
  const delays = sent.sent.map((seconds, index) => seconds - sent.scheduled[index]!);
  const distribution = distributionOf(delays);
  const growth = slope(sent.scheduled, delays);
  const cap = stage.pacing.kind === 'open' ? stage.pacing.inFlightCap : stage.pacing.concurrency;
  const littlesLaw = averageInFlight(tally);
  const facts = {
    stage: stage.id,
    ...(distribution ? { scheduleDelay: distribution } : {}),
    ...(growth === undefined ? {} : { scheduleDelayGrowth: growth }),
    ...use,
    maxInFlight: outcome.maxInFlight,
    ...(cap === Number.MAX_SAFE_INTEGER ? {} : { inFlightCap: cap }),
    ...(littlesLaw === undefined ? {} : { littlesLaw }),
  };
  const limits = [
    ...(sent.busySeconds < SHORTEST_FOR_LOOP_SECONDS ? [] : useFindings(use)),
    ...(sent.busySeconds < SHORTEST_FOR_STALLS_SECONDS ? [] : stallFindings(use)),
    ...scheduleFindings(delays, growth, stage.pacing.kind === 'open'),
    ...rateFindings(stage, sent.sent),
    ...capFindings(stage, outcome.maxInFlight, cap, littlesLaw),
  ];
  const limited = limits.some((finding) => finding.limited);
  return {
    ...facts,
    verdict: limited ? 'client-limited' : limits.length > 0 ? 'warning' : 'ok',
    reasons: limits.map((finding) => finding.reason),
  };
}

interface SentTimes {
  readonly scheduled: Float64Array;
  readonly sent: Float64Array;
  /** First send to last end; 0 when nothing was sent. */
  readonly busySeconds: number;
}

/** Of the requests that reached a socket. */
function sentTimes({ count, scheduled, sent, ended }: StageTally): SentTimes {
  const times = { scheduled: new Float64Array(count), sent: new Float64Array(count) };
  let found = 0;
  let first = Infinity;
  let last = -Infinity;
  for (let index = 0; index < count; index++) {
    const seconds = sent[index]!;
    if (Number.isNaN(seconds)) continue;
    times.scheduled[found] = scheduled[index]!;
    times.sent[found++] = seconds;
    const end = ended[index]!;
    first = Math.min(first, seconds);
    last = Math.max(last, Number.isNaN(end) ? seconds : end);
  }
  return {
    scheduled: times.scheduled.subarray(0, found),
    sent: times.sent.subarray(0, found),
    busySeconds: Math.max(0, last - first),
  };
}

interface HealthFinding {
  readonly limited: boolean;
  readonly reason: string;
}

/** Whatever kept it: other programs, a full collection, its own bursts. */
function stallFindings({ eventLoopDelayP99Seconds: p99 }: LoopUse): HealthFinding[] {
  if (p99 <= EVENT_LOOP_DELAY_WARNING_SECONDS) return [];
  const reason = `the event loop was ${ms(p99)} or more late in 1 % of its checks: what arrived then was stamped as late`;
  return [{ limited: false, reason }];
}

function useFindings({ eventLoopUse, workers }: LoopUse): HealthFinding[] {
  if (eventLoopUse <= EVENT_LOOP_WARNING) return [];
  const limited = eventLoopUse > EVENT_LOOP_LIMITED;
  const busiest = workers && workers.length > 1 ? ` of the busiest of ${workers.length} threads` : '';
  const limit = limited ? EVENT_LOOP_LIMITED : EVENT_LOOP_WARNING;
  return [
    {
      limited,
      reason: `event-loop use ${eventLoopUse.toFixed(2)}${busiest} is above ${limit}: timestamps ${limited ? 'waited' : 'may have waited'} for other work of ${workers ? 'their thread' : 'this process'}`,
    },
  ];
}

function scheduleFindings(delays: Float64Array, growth: number | undefined, isOpen: boolean): HealthFinding[] {
  if (delays.length === 0) return [];
  const sorted = sortedValues(delays);
  const median = percentile(sorted, 50);
  const p99 = percentile(sorted, 99);
  const findings: HealthFinding[] = [];
  const growing = growth !== undefined && growth > 0.01 ? `, growing by ${growth.toFixed(2)} s per s` : '';
  if (median > DELAY_MEDIAN_LIMIT_SECONDS) {
    findings.push({ limited: true, reason: `half of the requests were sent ${ms(median)} or more late${growing}` });
  } else if (p99 > DELAY_P99_LIMIT_SECONDS) {
    findings.push({
      limited: true,
      reason: `1 % of the requests were sent ${p99.toFixed(2)} s or more late${growing}`,
    });
  } else if (isOpen && p99 > DELAY_P99_WARNING_SECONDS) {
    // A closed loop sends all its slots at once when it begins: late by the sending itself.
    findings.push({
      limited: false,
      reason: `1 % of the requests were sent ${ms(p99)} or more late${growing}: the tails of what was measured may be the client's`,
    });
  }
  return findings;
}

/**
 * Against the schedule, not the configured rate: both laws are random, and few requests hit their rate only on average. Over the first
 * 95 % of the sends: a single late one at the end is lateness, not a lower rate.
 */
function rateFindings(stage: PlannedLoadStage, sent: Float64Array): HealthFinding[] {
  if (stage.pacing.kind !== 'open' || sent.length < Math.max(stage.count, FEWEST_FOR_RATE)) return [];
  const { offsets } = stage.pacing;
  const times = sortedValues(sent);
  const last = Math.floor(RATE_SHARE_OF_SENDS * (times.length - 1));
  const planned = offsets[last]! - offsets[0]!;
  const taken = times[last]! - times[0]!;
  const share = planned / taken;
  // In a short stage one late send near the end is percents of the span: it must be lateness that adds up, too.
  if (!(share < ACHIEVED_SHARE_LIMIT) || taken - planned < SMALLEST_LAG_SECONDS) return [];
  return [{ limited: true, reason: `requests went out at ${(share * 100).toFixed(0)} % of the planned rate` }];
}

function capFindings(
  stage: PlannedLoadStage,
  maxInFlight: number,
  cap: number,
  littlesLaw: number | undefined,
): HealthFinding[] {
  if (stage.pacing.kind !== 'open' || maxInFlight < cap) return [];
  const average = littlesLaw === undefined ? '' : `, ${littlesLaw.toFixed(1)} on average`;
  return [
    {
      limited: true,
      reason: `the cap of ${cap} requests in flight (num_workers x worker_max_concurrency) was reached${average}: further requests waited in the client`,
    },
  ];
}

/** Little's law: requests per second times mean latency is the average number in flight. */
function averageInFlight({ count, started, sent, ended }: StageTally): number | undefined {
  let total = 0;
  let latencies = 0;
  let first = Infinity;
  let last = -Infinity;
  for (let index = 0; index < count; index++) {
    const latency = ended[index]! - started[index]!;
    if (!Number.isNaN(latency)) {
      total += latency;
      latencies++;
    }
    if (!Number.isNaN(sent[index]!)) first = Math.min(first, sent[index]!);
    if (!Number.isNaN(ended[index]!)) last = Math.max(last, ended[index]!);
  }
  return latencies > 0 && last > first ? total / (last - first) : undefined;
}

/** Least-squares slope of y over x; undefined for fewer than two x. */
export function slope(x: ArrayLike<number>, y: ArrayLike<number>): number | undefined {
  if (x.length < 2) return undefined;
  const [middleX, middleY] = [mean(x), mean(y)];
  let together = 0;
  let alone = 0;
  for (let index = 0; index < x.length; index++) {
    together += (x[index]! - middleX) * (y[index]! - middleY);
    alone += (x[index]! - middleX) ** 2;
  }
  return alone === 0 ? undefined : together / alone;
}

function ms(seconds: number): string {
  return `${(seconds * 1000).toFixed(0)} ms`;
}
