// What a comparison view shows, ready to draw: the judged comparison with its heads and overlaid charts beside it.
import type { ChartGroup, Figure, Tone } from '../report/model';
import type { DimensionId, DimensionState, MetricVerdict, PitfallSeen } from '../../comparability/comparison';
import type { EvidenceRow } from './words';

/** One line of the two heads: the same field of A and of B under each other. */
export interface HeadRow {
  readonly label: string;
  readonly a: string;
  readonly b: string;
  readonly differs: boolean;
}

export interface FindingView {
  /** Index into `Comparison.findings`. */
  readonly index: number;
  /** Its place among the findings that need a reader, as rows name it; absent for the rest. */
  readonly number?: number;
  readonly title: string;
  readonly message: string;
  readonly a: FindingSideView;
  readonly b: FindingSideView;
  /** Both sides under each other by where they were read; those that are equal last. */
  readonly evidence: readonly (EvidenceRow & { readonly isEqual: boolean })[];
  /** "TTFT (every statistic), output tokens/s". */
  readonly moves: string;
  readonly tolerance: string;
  /** The separate things that changed, what had to be assumed, what is worth knowing beside the state. */
  readonly more: readonly { readonly label: string; readonly words: string }[];
  readonly remedy?: string;
  readonly pitfall?: string;
}

export interface FindingSideView {
  readonly summary: string;
  /** True when there is a file to open. */
  readonly canOpen: boolean;
}

export interface FindingGroup {
  readonly state: DimensionState;
  /** Unknown, and assumed equal: it holds nothing up. */
  readonly assumed?: true;
  readonly title: string;
  /** What the state means for the reader. */
  readonly hint: string;
  readonly findings: readonly FindingView[];
}

export interface MetricRow {
  readonly label: string;
  readonly unit: string;
  readonly a: Figure;
  readonly b: Figure;
  readonly difference: Figure;
  readonly interval: Figure;
  /** "B is 12 % lower (better)". */
  readonly words: string;
  readonly verdict: MetricVerdict;
  /** The verdict in words with what stands behind it. */
  readonly verdictWords: string;
}

/** One dimension in which both sides can be recomputed alike. */
export interface AlignmentSwitch {
  readonly id: DimensionId;
  readonly title: string;
  readonly on: boolean;
  /** False: the records it would need are missing. */
  readonly possible: boolean;
  /** What it did, would do, or would need. */
  readonly words: string;
}

/** One of the few numbers of the first screen; its difference is drawn on a line that all of them share. */
export interface KeyRow {
  readonly label: string;
  readonly unit: string;
  readonly a: Figure;
  readonly b: Figure;
  readonly percent: string;
  readonly interval: string;
  /** In percent of A; absent where A is 0. */
  readonly bar?: { readonly at: number; readonly low?: number; readonly high?: number };
  readonly verdict: MetricVerdict;
  /** "none detected", "by 1, 3". */
  readonly words: string;
}

/** Something that stands between the two runs, on the first screen. */
export interface Chip {
  /** Of the finding, in `Comparison.findings`. */
  readonly index: number;
  readonly title: string;
  readonly state: DimensionState;
  /** It can be aligned in place. */
  readonly align?: DimensionId;
}

export interface MetricTable {
  readonly stage: string;
  readonly rows: readonly MetricRow[];
}

/** A load that only one side has, apart from what is judged. */
export interface InterpolatedTable {
  /** "12 rps, B interpolated between its stages 1 (10 rps) and 2 (15 rps)". */
  readonly title: string;
  readonly rows: readonly {
    readonly label: string;
    readonly a: string;
    readonly b: string;
    readonly percent: string;
    readonly words: string;
  }[];
}

export interface ComparisonView {
  readonly title: string;
  /** Each side in a few words: config and time. */
  readonly names: { readonly a: string; readonly b: string };
  readonly heads: readonly HeadRow[];
  readonly verdict: {
    readonly tone: Tone;
    readonly word: string;
    readonly sentence: string;
    /** The claim, or the reason why there is none. */
    readonly claim: string;
    readonly isClaim: boolean;
    /** What differs or is not recorded, worst first. */
    readonly chips: readonly Chip[];
    /** Remedy of the worst finding. */
    readonly next?: string;
  };
  readonly key: {
    /** "20 rps"; "20 rps, 1 of 7 loads": the one where they differ most. */
    readonly where: string;
    /** Index into `metrics` of the load they are shown at. */
    readonly table: number;
    readonly rows: readonly KeyRow[];
  };
  readonly notes: readonly string[];
  readonly groups: readonly FindingGroup[];
  /** Pitfalls that the two runs show, each with its page. */
  readonly pitfalls: readonly PitfallSeen[];
  /** What may be declared as the one change under test. */
  readonly intendable: readonly { readonly id: DimensionId; readonly title: string }[];
  readonly intended?: DimensionId;
  /** Empty when nothing that differs can be aligned. */
  readonly alignment: readonly AlignmentSwitch[];
  /** What aligning the warm-up leaves out, as it was asked for: "auto", "50", "30s". Absent where nothing could be cut. */
  readonly cut?: string;
  readonly metrics: readonly MetricTable[];
  /** Absent when every load has its counterpart; `on` when they are shown. */
  readonly interpolation?: { readonly on: boolean; readonly tables: readonly InterpolatedTable[] };
  readonly charts: readonly ChartGroup[];
  readonly files: { readonly a: readonly string[]; readonly b: readonly string[] };
}
