// Which answers were good: the run's own limits, as inference-perf applies them (reference section 5.5).
import { sloLimits, type SloLimits } from '../config/slo';
import type { RequestRecord } from '../metrics/record';
import { latencySeconds, ntpotSeconds, itlGapsSeconds, tpotSeconds, ttftSeconds } from '../metrics/request-metrics';
import { mean } from '../metrics/statistics';
import type { Counting } from './quantities';
import { configValue, type Side } from './side';

const NAMES = ['ttft', 'tpot', 'itl', 'ntpot', 'request_latency'] as const;
type Name = (typeof NAMES)[number];

/**
 * Of `report.goodput.constraints`, with the limits of SLO headers over them, as the run judged its own; other keys are ignored, as
 * upstream. Seconds.
 */
export function goodputLimits(side: Side): Readonly<Partial<Record<Name, number>>> {
  const { run } = side;
  const limits: Partial<Record<Name, number>> = {};
  const given = configValue(run, ['report', 'goodput', 'constraints']);
  for (const name of NAMES) {
    const value = (given as Partial<Record<string, unknown>> | undefined)?.[name];
    if (typeof value === 'number') limits[name] = value;
  }
  const { ttftSeconds, tpotSeconds } = headerLimits(side) ?? {};
  if (ttftSeconds !== undefined) limits.ttft = ttftSeconds;
  if (tpotSeconds !== undefined) limits.tpot = tpotSeconds;
  return limits;
}

/** What SLO headers asked the server for: as the run recorded it, else as its config says. */
export function headerLimits({ run }: Side): SloLimits | undefined {
  const { manifest } = run;
  if (manifest?.slo) {
    const { ttftSeconds, tpotSeconds } = manifest.slo;
    return {
      ...(ttftSeconds === undefined ? {} : { ttftSeconds }),
      ...(tpotSeconds === undefined ? {} : { tpotSeconds }),
    };
  }
  const api = configValue(run, ['api']);
  return manifest || typeof api !== 'object' || api === null ? undefined : sloLimits(api);
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
