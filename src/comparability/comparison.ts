// The judged comparison of two runs: what the command line prints, the webview draws and the exit code follows from.
import type { MetricName } from '../metrics/quantities';
import type { ConfigPath } from '../problem';

export type DimensionId =
  | 'metric-definition'
  | 'load-model'
  | 'arrival-process'
  | 'offered-load'
  | 'client-limit'
  | 'warmup-window'
  | 'steady-state'
  | 'completeness'
  | 'input-length'
  | 'output-length'
  | 'stop-behaviour'
  | 'prompt-identity'
  | 'sampling'
  | 'token-source'
  | 'endpoint-mode'
  | 'cache-state'
  | 'server'
  | 'topology'
  | 'network-path'
  | 'client-host'
  | 'sample-size'
  | 'goodput-definition'
  | 'telemetry';

/** same < aligned < intended < unknown < confounds, from harmless to fatal. */
export type DimensionState = 'same' | 'follows' | 'aligned' | 'intended' | 'confounds' | 'unknown';

export type { MetricName } from '../metrics/quantities';

export type Statistic = 'mean' | 'p50' | 'p90' | 'p95' | 'p99' | 'p99.9' | 'value';

/** One thing that was read, and where. `value` is absent when the file does not record it. */
export interface Evidence {
  /** Name inside the report folder, e.g. `run.json`, `config.yaml`, `records.jsonl`. */
  readonly file: string;
  /** Dotted key, or what was computed over the records. */
  readonly key: string;
  readonly value?: string;
  /** Where there is no value: why it is not recorded. */
  readonly reason?: string;
  /** Place in the run's config to click. */
  readonly configPath?: ConfigPath;
}

export interface FindingSide {
  /** The side in a few words, e.g. "no warm-up", "server usage", "not recorded". */
  readonly summary: string;
  readonly evidence: readonly Evidence[];
}

export interface Finding {
  readonly dimension: DimensionId;
  readonly title: string;
  readonly question: string;
  readonly state: DimensionState;
  /** What differs and so what, one or two sentences; for `same`, what was compared. */
  readonly message: string;
  /** What counts as equal, and why. */
  readonly tolerance: string;
  readonly a: FindingSide;
  readonly b: FindingSide;
  /** Metrics it moves when it differs; with statistics where only some are moved. */
  readonly moves: readonly MovedMetric[];
  /** Indexes into `Comparison.stages` it is about; absent: all of them. */
  readonly stages?: readonly number[];
  /**
   * Set with `follows`: whatever differs here is because of another finding, which is the one that counts; it is not judged by
   * itself, and the message says what follows from what.
   */
  readonly follows?: DimensionId;
  /**
   * Only with `unknown`: neither side records it, no run could, and nothing that is recorded speaks against it. The words are
   * what a reader has to believe; they are named in the claim and hold up neither a verdict nor a metric (docs/decisions).
   */
  readonly assumed?: string;
  /** The separate things that changed, where a dimension holds several (flags of a server): "image tag: v1 on A, v2 on B". */
  readonly changes?: readonly string[];
  /** Worth knowing although it confounds nothing: "p99 is withheld", "no warm-up was left out". Repeated in the notes. */
  readonly note?: string;
  /** Whether `align` can remove the difference and what it would do, or which file it would need. Absent: nothing to align. */
  readonly alignable?: { readonly possible: boolean; readonly words: string };
  /** Code of the pitfall it belongs to, e.g. `CMP008`. */
  readonly pitfall?: string;
  readonly remedy?: string;
}

export interface MovedMetric {
  readonly metric: MetricName;
  /** Absent: every statistic of the metric. */
  readonly statistics?: readonly Statistic[];
}

export type MetricVerdict = 'comparable' | 'comparable-after-alignment' | 'confounded' | 'undetermined';

export interface MetricSide {
  readonly value?: number;
  /** Why there is no value: "not streamed", "n = 60 is under the 299 that p99 needs", ... */
  readonly missing?: string;
  /** Values it rests on; null with the reason beside it. */
  readonly n: number | null;
  readonly nMissing?: string;
}

/** Why an answer is what it is; nothing else may be read out of the words. */
export type AnswerReason =
  /** different: repeats show it */
  | 'repeats'
  /** equivalent */
  | 'within-margin'
  /**
   * inconclusive: one run a side (by more than identical runs were seen to differ by, this pair differs; it is no repeat for all that),
   * an order in which drift may pass for a difference, chance, chance over many numbers, no interval
   */
  | 'beyond-known-noise'
  | 'single-runs'
  | 'drift'
  | 'chance'
  | 'many-numbers'
  | 'no-interval';

export interface Answer {
  readonly kind: 'different' | 'equivalent' | 'inconclusive';
  readonly reason: AnswerReason;
  /** As the user wrote it. */
  readonly margin?: string;
  /** Of an inconclusive one: so many further runs a side, in alternating order, would settle it if noise stays as it is. */
  readonly furtherRuns?: number;
}

export interface MetricComparison {
  readonly metric: MetricName;
  readonly statistic: Statistic;
  readonly label: string; // "TTFT p95"
  readonly unit: string; // "ms", "s", "tokens/s", "requests/s", "%"
  /** Index into `Comparison.stages`. */
  readonly stage: number;
  readonly better: 'lower' | 'higher' | 'neither';
  readonly a: MetricSide;
  readonly b: MetricSide;
  readonly difference?: {
    readonly absolute: number;
    /** (b - a) / a x 100; the base is always A. Absent when a is 0. */
    readonly percentOfA?: number;
    /** Interval of the absolute difference, 95 % where `level` says no more; absent with the reason in `noInterval`. */
    readonly interval?: {
      readonly low: number;
      readonly high: number;
      /** Of the ratio, resampled together; it leaves zero out where the difference's does. Absent when A may be 0. */
      readonly percentOfA?: { readonly low: number; readonly high: number };
      /** Higher than 0.95 where, over all numbers that were looked at, this one is not told from chance (repeats). */
      readonly level: number;
      readonly method: string;
    };
    readonly noInterval?: string;
    /** The interval leaves zero out: within single runs, or over repeats. What that is worth is the answer. */
    readonly detected?: boolean;
    readonly answer: Answer;
    /** p-value of no difference, adjusted for how many metrics were looked at. */
    readonly adjustedP?: number;
    /** Smallest true difference that four of five such experiments would see. */
    readonly detectable?: { readonly absolute: number; readonly percentOfA?: number };
    /** Standard deviation from run to run, learned from repeats; absent without them. */
    readonly noise?: { readonly absolute: number; readonly percentOfA?: number };
    /** Change from each run to the next, whatever its side; present where it is more than chance. */
    readonly driftPercentPerRun?: number;
    /** Requests of both sides are pairs: how alike they were, and the interval of two independent samples. */
    readonly paired?: {
      readonly pairs: number;
      /** Whether the interval is of pairs; where requests resemble each other no more than by chance, it is of two samples. */
      readonly together: boolean;
      readonly correlation?: number;
      readonly apart?: { readonly low: number; readonly high: number };
    };
    /** In words: "B is 12 % lower (better)", "no detectable difference". */
    readonly words: string;
  };
  /** Before and after alignment, and each step's share of what went away; in percent of A, before minus after is their sum. */
  readonly alignment?: {
    readonly beforePercentOfA: number;
    readonly afterPercentOfA: number;
    readonly shares: readonly { readonly dimension: DimensionId; readonly percentOfA: number }[];
    /** "12.0 % -> 3.1 % of A: token-source 6.2, warmup-window 2.7". */
    readonly words: string;
  };
  readonly verdict: MetricVerdict;
  /** Dimensions behind a verdict other than comparable. */
  readonly because: readonly DimensionId[];
}

export interface ComparedRun {
  /** Folder as the user named it. */
  readonly folder: string;
  readonly name: string;
  readonly startedAt?: string;
  readonly tool: string;
  readonly endpoint?: string;
  readonly model?: string;
  readonly load: string;
  readonly state: string; // "complete", "incomplete: 812 of 1,800"
}

/** Of one quantity: what request i took on B less what it took on A. */
export interface OwnDifference {
  readonly metric: MetricName;
  readonly label: string;
  readonly unit: string;
  /** Pairs that have it on both sides. */
  readonly n: number;
  readonly mean: number;
  /** Share of them that took longer on B, 0..1. */
  readonly longerOnB: number;
  /** Of what request i took on A with what it took on B; absent where one side does not vary. */
  readonly correlation?: number;
  /** The distribution: differences at rising percents, 0 the least and 100 the largest. */
  readonly at: readonly { readonly percent: number; readonly difference: number }[];
}

/** One matched stage request by request. */
export interface ComparedRequests {
  /** Index into `Comparison.stages`. */
  readonly stage: number;
  /** Pairs answered on both sides, requests of a side without a counterpart, pairs that were not answered on both. */
  readonly pairs?: {
    readonly answered: number;
    readonly unmatchedA: number;
    readonly unmatchedB: number;
    readonly failed: number;
  };
  /** Why requests are no pairs. */
  readonly reason?: string;
  readonly differences: readonly OwnDifference[];
}

export interface MatchedStages {
  readonly a: number;
  readonly b: number;
  readonly label: string; // "10 rps"
  /** Only side by side: the two offered other loads. */
  readonly differ?: true;
}

/** A pitfall of the catalogue that the two runs show; its page says what it does to which numbers. */
export interface PitfallSeen {
  readonly code: string;
  readonly title: string;
  /** Whose report shows it by itself; `between`: only the pair does. */
  readonly side: 'A' | 'B' | 'A and B' | 'between';
  /** The evidence with its figures. */
  readonly words: string;
  /** Set when a config accepts it (`# isoperf: disable`): who, and why. It is listed all the same. */
  readonly accepted?: string;
}

/** A number of one side at a load that the other side did not measure, beside what the other's neighbouring loads suggest. */
export interface InterpolatedRow {
  readonly metric: MetricName;
  readonly statistic: Statistic;
  readonly label: string;
  readonly unit: string;
  readonly a: number;
  readonly b: number;
  readonly percentOfA?: number;
  /** What else differs and moves it, besides the load. */
  readonly because: readonly DimensionId[];
}

/** Asked for; outside every verdict, claim and gate. */
export interface InterpolatedLoad {
  readonly label: string; // "12 rps"
  /** The side that measured this load. */
  readonly measured: 'A' | 'B';
  /** Its stage there. */
  readonly stage: number;
  /** Stages of the other side it lies between; absent when it lies outside all of them. */
  readonly between?: readonly [number, number];
  /** "B interpolated between its stages 1 (10 rps) and 2 (15 rps)"; or why there is nothing. */
  readonly words: string;
  readonly rows: readonly InterpolatedRow[];
}

/** The answers themselves, request by request. */
export interface AnswersCompared {
  /** `different` is said only where sampling leaves nothing to chance; `equal` is a fact whatever the sampling. */
  readonly state: 'equal' | 'different' | 'not-comparable';
  /** Why they are not: no text or hash was kept, other requests were sent, chance decides. */
  readonly reason?: 'not-kept' | 'other-requests' | 'sampling';
  /** Requests that were answered on both sides. */
  readonly pairs: number;
  readonly equal?: number;
  /** Of those that differ, with another number of tokens. */
  readonly otherLength?: number;
  /** In the order of A: index into `Comparison.stages`, and the request's id on each side. */
  readonly first?: { readonly stage: number; readonly a: number; readonly b: number };
  readonly words: string;
}

export interface Comparison {
  readonly format: 'isoperf-comparison';
  readonly version: 1;
  readonly a: ComparedRun;
  readonly b: ComparedRun;
  readonly intended: readonly DimensionId[];
  /** What both sides were recomputed under, in order; absent: as recorded. */
  readonly alignment?: readonly {
    readonly dimension: DimensionId;
    readonly applied: boolean;
    readonly words: string;
  }[];
  /** Runs of each side, when one was repeated. */
  readonly repeats?: {
    readonly a: readonly string[];
    readonly b: readonly string[];
    /** "alternating (A B B A)", "one side after the other (A A B B)", "not recorded". */
    readonly order: string;
    /** `even` and `leaning`: turns were taken; `open`: drift may pass for a difference. */
    readonly balance: 'even' | 'leaning' | 'open';
  };
  readonly verdict: {
    readonly state: 'comparable' | 'confounded' | 'undetermined';
    readonly exitCode: 0 | 3 | 4;
    /** One sentence in plain words. */
    readonly sentence: string;
  };
  /** The bounded claim, or why there is none. */
  readonly claim: { readonly text?: string; readonly noClaim?: string };
  /** Every dimension, worst first. */
  readonly findings: readonly Finding[];
  readonly stages: readonly MatchedStages[];
  /** Stages of one side that have no counterpart, in words. */
  readonly unmatched: readonly string[];
  readonly metrics: readonly MetricComparison[];
  /** Request by request, of each matched stage; absent with repeats, which tell more. */
  readonly requests?: readonly ComparedRequests[];
  /** Loads that only one side has, when that was asked for. */
  readonly interpolated?: readonly InterpolatedLoad[];
  /** Absent in comparisons that were saved by an earlier version. */
  readonly answers?: AnswersCompared;
  readonly notes: readonly string[];
  /** Every pitfall that is seen, whatever the findings make of it; in the order of the catalogue. */
  readonly pitfalls: readonly PitfallSeen[];
}
