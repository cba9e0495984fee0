// Which answers were good: the run's own limits, as inference-perf applies them (reference section 5.5).
import type { RequestRecord } from '../metrics/record';
import { latencySeconds, ntpotSeconds, itlGapsSeconds, tpotSeconds, ttftSeconds } from '../metrics/request-metrics';
import { mean } from '../metrics/statistics';
import type { Counting } from './quantities';
import { configValue, type Side } from './side';

const NAMES = ['ttft', 'tpot', 'itl', 'ntpot', 'request_latency'] as const;
type Name = (typeof NAMES)[number];

/** Of `report.goodput.constraints`; other keys are ignored, as upstream. Seconds. */
export function goodputLimits({ run }: Side): Readonly<Partial<Record<Name, number>>> {
  const limits: Partial<Record<Name, number>> = {};
  const given = configValue(run, ['report', 'goodput', 'constraints']);
  for (const name of NAMES) {
    const value = (given as Partial<Record<string, unknown>> | undefined)?.[name];
    if (typeof value === 'number') limits[name] = value;
  }
  return limits;
}

/** A limit on something that was not measured is not met. */
export function isGood(record: RequestRecord, counting: Counting): 0 | 1 {
  const good = NAMES.every((name) => {
    const limit = counting.limits[name];
    if (limit === undefined) return true;
    const value = valueOf(record, name, counting);
    return value !== undefined && value <= limit;
  });
  return good ? 1 : 0;
}

function valueOf(record: RequestRecord, name: Name, { output, itl }: Counting): number | undefined {
  switch (name) {
    case 'ttft':
      return ttftSeconds(record);
    case 'tpot':
      return tpotSeconds(record, output);
    case 'ntpot':
      return ntpotSeconds(record, output);
    case 'request_latency':
      return latencySeconds(record);
    case 'itl': {
      const gaps = itlGapsSeconds(record, itl);
      return gaps.length > 0 ? mean(gaps) : undefined;
    }
  }
}
