// Limits of goodput: the config's own, and those its SLO headers send to the server with every request (reference 1.2, 5.5).
import type { EffectiveConfig } from '../config/will/runtime';
import { sloLimits, type SloLimits } from '../config/slo';

export function sloOf({ api }: Pick<EffectiveConfig, 'api'>): SloLimits | undefined {
  return sloLimits(api);
}

/** The config's limits, with those of the headers put over them. Undefined when there are none of either. */
export function goodputLimits(config: Pick<EffectiveConfig, 'api' | 'report'>): Record<string, number> | undefined {
  const slo = sloOf(config);
  const limits = config.report.goodput?.constraints;
  if (!slo && !limits) return undefined;
  return {
    ...limits,
    ...(slo?.ttftSeconds === undefined ? {} : { ttft: slo.ttftSeconds }),
    ...(slo?.tpotSeconds === undefined ? {} : { tpot: slo.tpotSeconds }),
  };
}
