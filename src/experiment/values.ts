// One run as an experiment sees it: one number of every metric at every load, and what its health and its cache are judged by.
import { asRecorded } from '../comparability/align';
import { cachedShareOf } from '../comparability/cache-evidence';
import { rowsOf } from '../comparability/metric-rows';
import { loadLabel, sideOf } from '../comparability/side';
import { percentile, sortedValues } from '../metrics/statistics';
import { isSuccess, outputTokens, scheduleDelaySeconds } from '../metrics/request-metrics';
import type { Run } from '../readers/run';
import type { StageFigures } from './journal';
import { keyOf } from './keys';

export interface RunFigures {
  readonly stages: readonly StageFigures[];
  readonly requests: number;
  readonly outputTokens?: number;
  readonly lagP99Seconds?: number;
  readonly failuresPercent: number;
  readonly cachedShare?: number;
  readonly promptsHash?: string;
}

/** Measured stages alone; warm-ups are in no number. */
export function figuresOf(run: Run): RunFigures {
  const one = asRecorded(sideOf('A', run), sideOf('B', run));
  const stages = one.matching.pairs.map((pair): StageFigures => {
    const values: Record<string, number> = {};
    for (const { metric, statistic, a } of rowsOf(pair, one.countingA, one.countingB, 0, false)) {
      if (a.side.value !== undefined) values[keyOf(metric, statistic).key] = a.side.value;
    }
    return { load: loadLabel(pair.a.load), values };
  });
  const records = one.a.stages.flatMap(({ records: own = [] }) => own);
  const ended = records.filter((record) => isSuccess(record) || record.outcome.kind === 'failed');
  const delays = records.flatMap((record) => scheduleDelaySeconds(record) ?? []);
  const tokens = records.filter(isSuccess).map((record) => outputTokens(record, one.countingA.output));
  const counted = tokens.length > 0 && tokens.every((count) => count !== undefined);
  const { share } = cachedShareOf(one.a, one);
  const promptsHash = run.manifest?.workload.promptsHash;
  return {
    stages,
    requests: records.length,
    ...(counted ? { outputTokens: tokens.reduce((sum, count) => sum + count, 0) } : {}),
    ...(delays.length > 0 ? { lagP99Seconds: percentile(sortedValues(delays), 99) } : {}),
    failuresPercent:
      ended.length === 0 ? 100 : (ended.filter((record) => !isSuccess(record)).length / ended.length) * 100,
    ...(share === undefined ? {} : { cachedShare: share }),
    ...(promptsHash === undefined ? {} : { promptsHash }),
  };
}
