// Request by request: where both sides were sent the same stream at the same times, request i of A and request i of B are a pair.
import type { RequestRecord } from '../metrics/record';
import { isSuccess } from '../metrics/request-metrics';
import type { MeasuredStage } from './side';

export interface RequestPairs {
  /** Answered on both sides; entry i of both is one pair, in the order they were sent. */
  readonly a: readonly RequestRecord[];
  readonly b: readonly RequestRecord[];
  /** Requests of a side that have no counterpart. */
  readonly unmatchedA: number;
  readonly unmatchedB: number;
  /** Pairs that were not answered on both sides. */
  readonly failed: number;
}

/** Pairs, or why requests are none. */
export type Pairing =
  { readonly ok: true; readonly pairs: RequestPairs } | { readonly ok: false; readonly reason: string };

/** A schedule is planned; two runs of it differ by what a clock's digits lose. */
const SCHEDULE_TOLERANCE_SECONDS = 0.001;
/** With more requests left over than this share, the two stages are not one stream. */
const MOST_UNMATCHED = 0.1;
const FEWEST_PAIRS = 10;

const KNOWN = new WeakMap<MeasuredStage, WeakMap<MeasuredStage, Pairing>>();

/** By hash of the prompt, order, asked lengths and scheduled time; each side's own first schedule is its zero. */
export function pairRequests(a: MeasuredStage, b: MeasuredStage): Pairing {
  const of = KNOWN.get(a) ?? new WeakMap<MeasuredStage, Pairing>();
  KNOWN.set(a, of);
  const known = of.get(b) ?? pairingOf(a, b);
  of.set(b, known);
  return known;
}

function pairingOf(a: MeasuredStage, b: MeasuredStage): Pairing {
  if (!a.records || !b.records) return { ok: false, reason: 'there are no records of single requests' };
  if (a.load.kind === 'concurrency' || b.load.kind === 'concurrency') {
    return { ok: false, reason: 'a closed loop sends when answers end, so send times differ' };
  }
  const [planA, planB] = [planned(a.records), planned(b.records)];
  if (planA.length === 0 || planB.length === 0) return { ok: false, reason: 'no request was planned' };
  if ([planA, planB].some((plan) => plan.some(({ promptHash }) => promptHash === ''))) {
    return { ok: false, reason: 'which prompt a request carried is not recorded' };
  }
  const [zeroA, zeroB] = [zeroOf(planA), zeroOf(planB)];
  const [pairedA, pairedB]: [RequestRecord[], RequestRecord[]] = [[], []];
  let matched = 0;
  // Both orders are walked once: a request that one side lacks is passed by, as times only rise.
  for (let i = 0, j = 0; i < planA.length && j < planB.length;) {
    const [x, y] = [planA[i]!, planB[j]!];
    const apart = x.scheduledSeconds - zeroA - (y.scheduledSeconds - zeroB);
    if (Number.isNaN(apart)) return { ok: false, reason: 'when requests were to be sent is not recorded' };
    if (Math.abs(apart) > SCHEDULE_TOLERANCE_SECONDS) {
      if (apart < 0) i++;
      else j++;
      continue;
    }
    if (sameRequest(x, y)) {
      matched++;
      if (isSuccess(x) && isSuccess(y)) {
        pairedA.push(x);
        pairedB.push(y);
      }
    }
    i++;
    j++;
  }
  if (matched < (1 - MOST_UNMATCHED) * Math.max(planA.length, planB.length)) {
    return {
      ok: false,
      reason: `of ${planA.length} and ${planB.length} requests, ${matched} have the same prompt, lengths and time`,
    };
  }
  if (pairedA.length < FEWEST_PAIRS)
    return { ok: false, reason: `${pairedA.length} pairs were answered on both sides` };
  const left = { unmatchedA: planA.length - matched, unmatchedB: planB.length - matched };
  return { ok: true, pairs: { a: pairedA, b: pairedB, ...left, failed: matched - pairedA.length } };
}

function sameRequest(a: RequestRecord, b: RequestRecord): boolean {
  return a.promptHash === b.promptHash && a.askedPromptTokens === b.askedPromptTokens && a.maxTokens === b.maxTokens;
}

function planned(records: readonly RequestRecord[]): RequestRecord[] {
  return [...records].sort((x, y) => x.scheduledSeconds - y.scheduledSeconds || x.id - y.id);
}

/** Offsets are what is planned: each side's first is its zero. */
function zeroOf(plan: readonly RequestRecord[]): number {
  return plan[0]!.scheduledSeconds;
}

const SCHEDULES = new WeakMap<MeasuredStage, WeakMap<MeasuredStage, boolean>>();

/** The very same times, whatever was asked then. */
export function sameSchedule(a: MeasuredStage, b: MeasuredStage): boolean {
  const of = SCHEDULES.get(a) ?? new WeakMap<MeasuredStage, boolean>();
  SCHEDULES.set(a, of);
  const known = of.get(b) ?? sameTimes(a, b);
  of.set(b, known);
  return known;
}

function sameTimes(a: MeasuredStage, b: MeasuredStage): boolean {
  if (!a.records || !b.records || a.load.kind === 'concurrency' || b.load.kind === 'concurrency') return false;
  if (a.records.length !== b.records.length || a.records.length === 0) return false;
  const [x, y] = [planned(a.records), planned(b.records)];
  const [zeroA, zeroB] = [zeroOf(x), zeroOf(y)];
  return x.every(
    ({ scheduledSeconds }, i) =>
      Math.abs(scheduledSeconds - zeroA - (y[i]!.scheduledSeconds - zeroB)) <= SCHEDULE_TOLERANCE_SECONDS,
  );
}
