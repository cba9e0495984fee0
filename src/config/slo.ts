// SLO headers: limits a config sends to the server with every request, and that goodput is judged by (reference 1.2, 5.5).

export interface SloLimits {
  readonly ttftSeconds?: number;
  readonly tpotSeconds?: number;
}

/** The `api` section as far as it says limits; values as a file holds them. */
export interface SloSection {
  readonly streaming?: unknown;
  readonly headers?: unknown;
  readonly slo_unit?: unknown;
  readonly slo_ttft_header?: unknown;
  readonly slo_tpot_header?: unknown;
}

/** An unknown unit counts as seconds, as in inference-perf. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['ms', 1e-3],
  ['us', 1e-6],
]);

/**
 * The limits in `api.headers`, seconds. Read for streamed answers only, as inference-perf does: without token times they cannot be
 * judged. Undefined when there are none; a value that is no number is none (inference-perf warns and goes on).
 */
export function sloLimits(api: SloSection): SloLimits | undefined {
  const { headers } = api;
  if (api.streaming !== true || typeof headers !== 'object' || headers === null) return undefined;
  const unit = typeof api.slo_unit === 'string' ? api.slo_unit : 'ms';
  // A list or a mapping is no header's value, and a mapping of a stranger's file has no text.
  const written = Object.entries(headers).filter(([, value]) => typeof value !== 'object');
  const values = new Map(written.map(([name, value]) => [name.toLowerCase(), String(value)]));
  const read = (given: unknown, usual: string): number | undefined => {
    const text = values.get((typeof given === 'string' ? given : usual).toLowerCase())?.trim();
    const value = text === undefined || text === '' ? Number.NaN : Number(text);
    return Number.isFinite(value) ? value * (UNITS.get(unit.toLowerCase()) ?? 1) : undefined;
  };
  const ttftSeconds = read(api.slo_ttft_header, `x-slo-ttft-${unit}`);
  const tpotSeconds = read(api.slo_tpot_header, `x-slo-tpot-${unit}`);
  if (ttftSeconds === undefined && tpotSeconds === undefined) return undefined;
  return {
    ...(ttftSeconds === undefined ? {} : { ttftSeconds }),
    ...(tpotSeconds === undefined ? {} : { tpotSeconds }),
  };
}
