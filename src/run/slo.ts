// SLO headers: limits a config sends to the server with every request, and that goodput is judged by (reference 1.2, 5.5).
import type { EffectiveConfig } from '../config/runtime';

export interface SloHeaders {
  readonly ttftSeconds?: number;
  readonly tpotSeconds?: number;
}

/** An unknown unit counts as seconds, as in inference-perf. */
const UNITS: Readonly<Record<string, number>> = { s: 1, ms: 1e-3, us: 1e-6 };

/**
 * The limits in `api.headers`. Read for streamed answers only, as inference-perf does: without token times they cannot be judged.
 * Undefined when there are none; a value that is no number is none (inference-perf warns and goes on).
 */
export function sloOf({ api }: Pick<EffectiveConfig, 'api'>): SloHeaders | undefined {
  if (!api.streaming || api.headers === null) return undefined;
  const unit = api.slo_unit ?? 'ms';
  const values = new Map(Object.entries(api.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const read = (header: string): number | undefined => {
    const text = values.get(header.toLowerCase())?.trim();
    const value = text === undefined || text === '' ? Number.NaN : Number(text);
    return Number.isFinite(value) ? value * (UNITS[unit.toLowerCase()] ?? 1) : undefined;
  };
  const ttftSeconds = read(api.slo_ttft_header ?? `x-slo-ttft-${unit}`);
  const tpotSeconds = read(api.slo_tpot_header ?? `x-slo-tpot-${unit}`);
  if (ttftSeconds === undefined && tpotSeconds === undefined) return undefined;
  return {
    ...(ttftSeconds === undefined ? {} : { ttftSeconds }),
    ...(tpotSeconds === undefined ? {} : { tpotSeconds }),
  };
}

/** Limits of goodput: the config's, with those of the headers put over them. Undefined when there are none of either. */
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
