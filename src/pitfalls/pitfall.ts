// What an entry of the catalogue says: one way in which two honest-looking numbers are not comparable.

export type Moved =
  | 'ttft'
  | 'tpot'
  | 'itl'
  | 'ntpot'
  | 'request_latency'
  | 'schedule_delay'
  | 'requests_per_sec'
  | 'input_tokens_per_sec'
  | 'output_tokens_per_sec'
  | 'total_tokens_per_sec'
  | 'error_rate'
  | 'goodput'
  | 'percentiles'
  | 'server_metrics'
  | 'session_metrics';

export type DetectedIn = 'config' | 'report' | 'comparison';

export interface Pitfall {
  /** `CMP` and three digits; never reused, never renumbered. 001..083 are P1..P83 of the reference. */
  readonly code: string;
  readonly title: string;
  /** What it does to the numbers. */
  readonly consequence: string;
  readonly remedy: string;
  readonly moves: readonly Moved[];
  /** The keys of `how`; what a report shows by itself also shows in every comparison with it. */
  readonly detectedIn: readonly DetectedIn[];
  /** How it is recognised, place by place: which keys, which figures. */
  readonly how: Readonly<Partial<Record<DetectedIn, string>>>;
  /** Fields of the config it hangs on, for hover: dotted, list indexes left out, e.g. `load.stages.rate`. */
  readonly configPaths: readonly string[];
  /** Where the fact comes from. */
  readonly source: string;
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

type Entry = Omit<Pitfall, 'code' | 'source' | 'configPaths' | 'detectedIn'> & {
  readonly configPaths?: readonly string[];
  readonly source?: string;
};

/** An entry by its number; up to 83 the source is the reference's entry of the same number. */
export function pitfall(number: number, entry: Entry): Pitfall {
  const { how } = entry;
  const detectedIn: readonly DetectedIn[] = [
    ...(how.config === undefined ? [] : (['config'] as const)),
    ...(how.report === undefined ? [] : (['report'] as const)),
    ...(how.report === undefined && how.comparison === undefined ? [] : (['comparison'] as const)),
  ];
  return {
    detectedIn,
    configPaths: [],
    source: `inference-perf (upstream main 7de5ef2), reference entry P${number}`,
    ...entry,
    code: codeOf(number),
  };
}

export function codeOf(number: number): string {
  return `CMP${String(number).padStart(3, '0')}`;
}
