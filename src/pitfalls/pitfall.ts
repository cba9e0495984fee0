// What an entry of the catalogue says: one way in which two honest-looking numbers are not comparable, and how it is seen and mended.
import type { MetricName } from '../metrics/quantities';
import type { PitfallCode } from './code';
import type { Mend } from './fix';
import type { Check } from './in-config';
import type { ReportSign, Sign } from './in-report';
import type { Between } from './pair';

/** Quantities by their names in comparisons, and what is none. */
export type Moved = MetricName | 'percentiles' | 'server_metrics' | 'session_metrics';

/** One file of catalogue/: its name begins with the code, and the cases beside it say where it fires and where it does not. */
export interface Pitfall {
  /** `CMP` and three digits; never reused, never renumbered. */
  readonly code: PitfallCode;
  readonly title: string;
  /** What it does to the numbers. */
  readonly consequence: string;
  readonly remedy: string;
  readonly moves: readonly Moved[];
  /** Fields of the config it hangs on, for hover: dotted, list indexes left out, e.g. `load.stages.rate`. */
  readonly configPaths: readonly string[];
  /** Where the fact can be read by everybody: a tool's source, an issue, a page, a paper. */
  readonly source?: string;
  readonly inConfig?: { readonly words: string; readonly check: Check };
  /**
   * `parts` look at each stage and the summary, `whole` at the report once. Without either an identity of the audit says it:
   * two numbers of the report that contradict each other. What a report shows by itself also shows in a comparison with it.
   */
  readonly inReport?: { readonly words: string; readonly parts?: readonly Sign[]; readonly whole?: ReportSign };
  readonly between?: { readonly words: string; readonly look: Between };
  /** What makes the numbers comparable, written into the config. */
  readonly mend?: Mend;
}

export const ALL_LATENCIES = ['ttft', 'tpot', 'itl', 'ntpot', 'request_latency'] as const satisfies readonly Moved[];
export const DECODE = ['tpot', 'itl', 'ntpot'] as const satisfies readonly Moved[];
export const RATES = [
  'requests_per_sec',
  'input_tokens_per_sec',
  'output_tokens_per_sec',
  'total_tokens_per_sec',
] as const satisfies readonly Moved[];
export const OUTPUT_RATES = ['output_tokens_per_sec', 'total_tokens_per_sec'] as const satisfies readonly Moved[];
export const EVERYTHING = [...ALL_LATENCIES, ...RATES] as const satisfies readonly Moved[];
