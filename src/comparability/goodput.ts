// Which answers were good: the run's own limits, as inference-perf applies them (reference section 5.5).
import type { RequestRecord } from '../metrics/record';
import type { CountSource, ItlBasis } from '../metrics/request-metrics';
import { GOODPUT_LIMITS, limitedSeconds, type GoodputLimit } from '../metrics/goodput';
import type { FactTypes } from '../readers/facts';
import { factsOn, type Side } from './side';

/**
 * Of `report.goodput.constraints`, with the limits of SLO headers over them, as the run judged its own; other keys are ignored, as
 * upstream. Seconds.
 */
function goodputLimits(side: Side): Readonly<Partial<Record<GoodputLimit, number>>> {
  const limits: Partial<Record<GoodputLimit, number>> = {};
  const given = factsOn(side).goodputLimits.value;
  for (const name of GOODPUT_LIMITS) {
    const value = given?.[name];
    if (typeof value === 'number') limits[name] = value;
  }
  const { ttftSeconds, tpotSeconds } = headerLimits(side) ?? {};
  if (ttftSeconds !== undefined) limits.ttft = ttftSeconds;
  if (tpotSeconds !== undefined) limits.tpot = tpotSeconds;
  return limits;
}

/** Undefined where nobody says whether there were any: a config without limits is one that has none. */
export function knownLimits(side: Side): Readonly<Partial<Record<GoodputLimit, number>>> | undefined {
  return side.run.config || factsOn(side).goodputLimits.value ? goodputLimits(side) : undefined;
}

/** What SLO headers asked the server for: as the run recorded it, else as its config says. */
export function headerLimits(side: Side): FactTypes['sloLimits'] | undefined {
  return factsOn(side).sloLimits.value;
}

interface Rule {
  readonly output: CountSource;
  readonly itl: ItlBasis;
  /** Seconds by metric. */
  readonly limits: Readonly<Record<string, number>>;
}

/** A limit on something that was not measured is not met. */
export function isGood(record: RequestRecord, counting: Rule): 0 | 1 {
  const good = GOODPUT_LIMITS.every((name) => {
    const limit = counting.limits[name];
    if (limit === undefined) return true;
    const value = limitedSeconds(record, name, counting);
    return value !== undefined && value <= limit;
  });
  return good ? 1 : 0;
}
