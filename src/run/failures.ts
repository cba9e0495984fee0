// When failures make a run no measurement: too many of them, or nothing but failures from one moment on.
import type { StageTally } from '../loadgen/tally';
import { totalOutcomes } from './describe';

/** A share of the measured requests, or a number of them. */
export type FailureLimit = { readonly share: number } | { readonly count: number };

/** More failures than that, and the figures are those of a minority. */
export const DEFAULT_MAX_FAILURES: FailureLimit = { share: 0.5 };

/** So many requests that began after the last success, none of which succeeded, are a server that is gone and no accident. */
const FEWEST = 5;
/** Failures at random end a run with so many in a row less often than this. */
const CHANCE = 1e-6;
/** The end without a success is a part of the run when it takes such a share of its requests, */
const SHARE_OF_REQUESTS = 0.2;
/** or such a share of its sending time, */
const SHARE_OF_TIME = 0.1;
/** or so many seconds. */
const LONG_SECONDS = 5;

/** `25%` or `0.25` is a share, a whole number above 1 a count; undefined for anything else. */
export function readFailureLimit(text: string): FailureLimit | undefined {
  const [, digits, percent] = /^(\d{1,9}(?:\.\d+)?)(%?)$/.exec(text.trim()) ?? [];
  if (digits === undefined) return undefined;
  const value = Number(digits);
  if (percent === '%') return value <= 100 ? { share: value / 100 } : undefined;
  if (digits.includes('.')) return value <= 1 ? { share: value } : undefined;
  return { count: value };
}

/** Why so many failures leave no valid run, in words; undefined when the run stands. Stages in the order they were sent. */
export function whyTooManyFailed(
  stages: readonly StageTally[],
  limit: FailureLimit = DEFAULT_MAX_FAILURES,
): string | undefined {
  const { ok, failed } = totalOutcomes(stages);
  if (failed === 0) return undefined;
  const died = endOfSuccess(stages);
  if (died && isEndOfServer(died, ok + failed, failed - died.failures)) {
    return `after ${died.lastSuccessSeconds.toFixed(1)} s nothing succeeded any more: ${died.failures} of ${ok + failed} requests failed from there on${example(stages)}`;
  }
  const most = 'share' in limit ? limit.share * (ok + failed) : limit.count;
  if (failed <= most) return undefined;
  const words = 'share' in limit ? `${Number((100 * limit.share).toPrecision(3))} %` : String(limit.count);
  return `${failed} of ${ok + failed} requests failed, more than the ${words} that --max-failures allows${example(stages)}`;
}

function example(stages: readonly StageTally[]): string {
  const first = stages.find(({ firstFailure }) => firstFailure !== undefined)?.firstFailure;
  return first === undefined ? '' : `. The first failure: ${first}`;
}

/** A run's end in which nothing succeeded. Moments are the run's seconds. */
interface DeadEnd {
  readonly lastSuccessSeconds: number;
  /** Failures that ended after it. */
  readonly failures: number;
  /** Those of them that began after it as well: what was under way may have been lost with little else. */
  readonly begunAfter: number;
  readonly lastBeginSeconds: number;
  readonly longestFailureSeconds: number;
  readonly sendingSeconds: number;
}

function endOfSuccess(stages: readonly StageTally[]): DeadEnd | undefined {
  const last = stages.findLastIndex(({ counts }) => counts.ok > 0);
  const lastSuccessSeconds = stages[last]?.lastSuccessSeconds;
  if (lastSuccessSeconds === undefined) return undefined;
  const after = stages.slice(last).map(({ failedSince }) => failedSince);
  const begun = after.flatMap(({ starts }) => starts.filter((seconds) => seconds > lastSuccessSeconds));
  const starts = stages.map(({ started, count }) => started.subarray(0, count).filter((each) => !Number.isNaN(each)));
  const first = starts.reduce((low, each) => each.reduce((a, b) => Math.min(a, b), low), Infinity);
  const lastBeginSeconds = begun.reduce((a, b) => Math.max(a, b), lastSuccessSeconds);
  return {
    lastSuccessSeconds,
    failures: after.reduce((sum, each) => sum + each.starts.length, 0),
    begunAfter: begun.length,
    lastBeginSeconds,
    longestFailureSeconds: after.reduce((most, { longestSeconds }) => Math.max(most, longestSeconds), 0),
    sendingSeconds: lastBeginSeconds - first,
  };
}

/**
 * A few failures at the very end, or requests that a full server let time out while the run ended, are failures like any others:
 * the limit judges them. A time in which requests were sent counts only beyond what one of them waited.
 */
function isEndOfServer(end: DeadEnd, requests: number, failuresBefore: number): boolean {
  if (end.begunAfter < FEWEST) return false;
  const usual = failuresBefore / Math.max(1, requests - end.failures);
  if (usual ** end.begunAfter >= CHANCE) return false;
  if (end.begunAfter >= SHARE_OF_REQUESTS * requests) return true;
  const silent = end.lastBeginSeconds - end.lastSuccessSeconds;
  if (silent <= end.longestFailureSeconds) return false;
  return silent >= LONG_SECONDS || silent >= SHARE_OF_TIME * end.sendingSeconds;
}
