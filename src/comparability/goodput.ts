// Which answers were good: the run's own limits, as inference-perf applies them (reference section 5.5).
import type { RequestRecord } from '../metrics/record';
import {
  latencySeconds,
  ntpotSeconds,
  itlGapsSeconds,
  tpotSeconds,
  ttftSeconds,
  type CountSource,
  type ItlBasis,
} from '../metrics/request-metrics';
import { mean } from '../metrics/statistics';
import type { FactTypes } from '../readers/facts';
import { factsOn, type Side } from './side';

const NAMES = ['ttft', 'tpot', 'itl', 'ntpot', 'request_latency'] as const;
type Name = (typeof NAMES)[number];

/**
 * Of `report.goodput.constraints`, with the limits of SLO headers over them, as the run judged its own; other keys are ignored, as
 * upstream. Seconds.
 */
function goodputLimits(side: Side): Readonly<Partial<Record<Name, number>>> {
  const limits: Partial<Record<Name, number>> = {};
  const given = factsOn(side).goodputLimits.value;
  for (const name of NAMES) {
    const value = given?.[name];
    if (typeof value === 'number') limits[name] = value;
  }
  const { ttftSeconds, tpotSeconds } = headerLimits(side) ?? {};
  if (ttftSeconds !== undefined) limits.ttft = ttftSeconds;
  if (tpotSeconds !== undefined) limits.tpot = tpotSeconds;
  return limits;
}

/** Undefined where nobody says whether there were any: a config without limits is one that has none. */
export function knownLimits(side: Side): Readonly<Partial<Record<Name, number>>> | undefined {
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
  const good = NAMES.every((name) => {
    const limit = counting.limits[name];
    if (limit === undefined) return true;
    const value = valueOf(record, name, counting);
    return value !== undefined && value <= limit;
  });
  return good ? 1 : 0;
}

function valueOf(record: RequestRecord, name: Name, { output, itl }: Rule): number | undefined {
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
