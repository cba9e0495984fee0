// When failures make a run no measurement: too many of them, or nothing but failures from one moment on.
import type { StageTally } from '../loadgen/tally';
import { totalOutcomes } from './describe';

/** A share of the measured requests, or a number of them. */
export type FailureLimit = { readonly share: number } | { readonly count: number };

/** More failures than that, and the figures are those of a minority. */
export const DEFAULT_MAX_FAILURES: FailureLimit = { share: 0.5 };

/** So many failures in a row at the end are no accident of a run that had none before. */
const FEWEST = 3;
/** Failures at random end a run with so many in a row less often than this. */
const CHANCE = 1e-6;

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
  if (died && died.failures >= FEWEST) {
    const before = failed - died.failures;
    const usual = before / (before + ok);
    if (usual ** died.failures < CHANCE) {
      return `after ${died.lastSuccessSeconds.toFixed(1)} s nothing succeeded any more: ${died.failures} of ${ok + failed} requests failed from there on${example(stages)}`;
    }
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

/** The end of the last success, in the run's seconds, and how many failures came after it. */
function endOfSuccess(stages: readonly StageTally[]): { lastSuccessSeconds: number; failures: number } | undefined {
  const last = stages.findLastIndex(({ counts }) => counts.ok > 0);
  const stage = stages[last];
  if (stage?.lastSuccessSeconds === undefined) return undefined;
  const later = stages.slice(last + 1).reduce((sum, { counts }) => sum + counts.failed, 0);
  return { lastSuccessSeconds: stage.lastSuccessSeconds, failures: stage.failuresSinceSuccess + later };
}
