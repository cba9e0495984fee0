// What the extension and the process that reads and judges reports for it (`dist/cli.js reader`) say to each other. Types only.
import type { DimensionId } from './comparability/comparison';
import type { ComparisonFile } from './comparability/comparison-file';
import type { Side } from './messages';
import type { Result, TextRange } from './problem';
import type { ComparisonView } from './views/comparison/model';
import type { ReportView } from './views/report/model';

/** A file or folder of VS Code's file system. */
export interface Place {
  /** The parts of its URI. */
  readonly uri: { readonly scheme: string; readonly authority: string; readonly path: string; readonly query: string };
  /** As VS Code shows it. */
  readonly name: string;
  /** Its path when it lies on this machine's disk: read there, everything else through VS Code. */
  readonly disk?: string;
}

export type Pair<T = Place> = readonly [T, T];

/** How two runs are compared, beyond which: the same as in a comparison file. */
export interface Question {
  readonly intended: readonly DimensionId[];
  /** Names of dimensions; those that cannot be aligned are left out. */
  readonly aligned: readonly string[];
  /** As the user wrote it. */
  readonly cut?: string;
  readonly interpolate?: boolean;
  /** Of a comparison that was opened from a file: the file, and what the view has no control for. */
  readonly from?: {
    readonly file: Place;
    readonly repeats: Pair<readonly Place[]>;
    readonly stacks: Pair<Place | undefined>;
    readonly gate: Pick<ComparisonFile, 'failOn' | 'thresholds' | 'margins'>;
  };
}

/** The name of a run and when it began; absent where the folder's name must do. */
export interface RunLabel {
  readonly name: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
}

export interface OpenReport {
  readonly view: ReportView;
  readonly markdown: string;
  readonly label?: RunLabel;
}

export interface OpenComparison {
  readonly view: ComparisonView;
  readonly markdown: string;
  readonly labels: Pair<RunLabel | undefined>;
}

/** A file of results, in the few facts that lists show. */
export interface KnownResult {
  readonly tool: string;
  readonly startedAt?: string;
  readonly endpoint?: string;
  readonly model?: string;
  readonly load?: string;
  readonly ttftP95Seconds?: number;
  /** Names of the files in its folder that belong to it, its own among them. */
  readonly files: readonly string[];
}

export interface EvidencePlace {
  readonly side: Side;
  /** Relative to the place of that side. */
  readonly file: string;
  readonly range?: TextRange;
}

interface Compared {
  readonly folders: Pair;
  readonly question: Question;
}

/** Everything that may be asked, with its answer. */
export interface Asks {
  /** `alone`: a file without the files that would belong to it. */
  readonly report: {
    readonly ask: { readonly place: Place; readonly alone: boolean };
    readonly answer: Result<OpenReport>;
  };
  /** Runs that were read for an earlier question are not read again. */
  readonly comparison: { readonly ask: Compared; readonly answer: Result<OpenComparison> };
  /** Where a finding was read from; without a side, on both. */
  readonly evidence: {
    readonly ask: Compared & { readonly finding: number; readonly side?: Side };
    readonly answer: readonly EvidencePlace[];
  };
  /** Which of these files are results of a benchmark, by their content; in the order asked. */
  readonly recognise: {
    readonly ask: { readonly places: readonly Place[] };
    readonly answer: readonly (KnownResult | undefined)[];
  };
  readonly comparisonFile: {
    readonly ask: { readonly text: string; readonly name: string };
    readonly answer: Result<ComparisonFile>;
  };
  /** What a comparison file says that asks this. */
  readonly comparisonText: {
    readonly ask: Omit<ComparisonFile, 'align' | 'cut'> & Pick<Question, 'aligned' | 'cut'>;
    readonly answer: string;
  };
}

export type AskKind = keyof Asks;

/** What a file system other than the disk is asked for. Types are VS Code's `FileType` bits. */
export interface Needs {
  readonly stat: { readonly type: number; readonly size: number } | undefined;
  readonly list: readonly (readonly [name: string, type: number])[];
  /** Undefined when the file is not there. */
  readonly read: Uint8Array | undefined;
}

export type NeedKind = keyof Needs;

/** To the reader. `id`s are the sender's own, and come back with the answer. */
export type ToReader =
  | {
      [K in AskKind]: { readonly type: 'ask'; readonly id: number; readonly kind: K; readonly ask: Asks[K]['ask'] };
    }[AskKind]
  | { readonly type: 'got'; readonly id: number; readonly value: Needs[NeedKind] }
  | { readonly type: 'refused'; readonly id: number; readonly message: string };

export type FromReader =
  | { readonly type: 'answer'; readonly id: number; readonly answer: Asks[AskKind]['answer'] }
  /** A mistake of ours. */
  | { readonly type: 'failed'; readonly id: number; readonly stack: string }
  | { readonly type: 'need'; readonly id: number; readonly need: NeedKind; readonly uri: Place['uri'] };
