// What a report view shows, ready to draw: texts, figures, tables and charts as data. The webview adds no numbers of its own.

/** One number as shown. Three significant digits, no unit (the column has it). */
export interface Figure {
  readonly text: string;
  /** What the number is: definition, counter, window, n, source file. Shown when the reader asks (hover or focus). */
  readonly note?: string;
  /** Greyed: shown, but not to be relied on; the note says why. */
  readonly weak?: boolean;
  /** Underlined: a notice of the report affects it; the note names it. */
  readonly doubted?: boolean;
}

export type Tone = 'good' | 'caution' | 'bad' | 'neutral';

export interface Fact {
  readonly label: string;
  readonly value: string;
  readonly note?: string;
}

export interface ViewNote {
  readonly tone: Tone;
  /** Consequence first, one sentence. */
  readonly title: string;
  readonly detail?: string;
  readonly remedy?: string;
  /** Code of the pitfall or problem it belongs to. */
  readonly code?: string;
  /** Stages it speaks of; undefined among them: all measured stages together. Absent: the whole run. */
  readonly stages?: readonly (number | undefined)[];
}

/** Latencies under the names of their quantities. */
export type ColumnId =
  'load' | 'requests' | 'ttft' | 'ttfc' | 'tpot' | 'token_gap' | 'chunk_gap' | 'e2e' | 'tokens' | 'schedule_delay';

export interface ColumnGroup {
  readonly id: ColumnId;
  readonly label: string;
  readonly unit?: string;
  readonly columns: readonly string[];
}

export interface StageRow {
  /** Undefined: all measured stages together. */
  readonly stage?: number;
  readonly label: string;
  readonly warmup: boolean;
  /** One per column, in the order of the groups. */
  readonly cells: readonly Figure[];
}

export interface StageTable {
  readonly groups: readonly ColumnGroup[];
  readonly rows: readonly StageRow[];
}

/** Meaning of a series; the webview gives each one colour, dash and point shape, the same everywhere. */
export type SeriesTone = 'p50' | 'p95' | 'p99' | 'a' | 'b' | 'asked' | 'reference' | 'sample' | number;

export interface ChartSeries {
  readonly name: string;
  readonly tone: SeriesTone;
  /** Stage the series belongs to, for the selection in the stages table. */
  readonly stage?: number;
  readonly draw: 'bars' | 'line' | 'points' | 'steps';
  readonly x: readonly number[];
  readonly y: readonly (number | null)[];
}

export interface ChartAxis {
  /** With its unit, e.g. "TTFT, ms". */
  readonly label: string;
  /** Names of the positions 0, 1, 2, ... */
  readonly categories?: readonly string[];
  /** Only whole numbers have a meaning here. */
  readonly whole?: boolean;
  readonly min?: number;
  readonly max?: number;
}

/** A stretch of the x axis: a stage, the warm-up. */
export interface ChartBand {
  readonly from: number;
  readonly to: number;
  readonly label: string;
  readonly shaded: boolean;
  readonly stage?: number;
}

export interface DataTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface ChartView {
  /** Name of the choice, when a chart offers several (a metric). */
  readonly label: string;
  /** What the chart shows, from the data; the whole message when there is nothing to draw. */
  readonly sentence: string;
  readonly x: ChartAxis;
  readonly y: ChartAxis;
  readonly stacked?: boolean;
  /** Empty: nothing to draw, the sentence says why. */
  readonly series: readonly ChartSeries[];
  readonly bands: readonly ChartBand[];
  readonly table: DataTable;
}

export interface ChartGroup {
  readonly id: string;
  readonly title: string;
  readonly choices: readonly ChartView[];
}

/** One of the few numbers of the first screen. */
export interface KeyNumber {
  /** "TTFT p50". */
  readonly label: string;
  readonly unit?: string;
  readonly figure: Figure;
}

export interface ReportView {
  /** Config and time; of another tool, its file and what is known of the time. */
  readonly title: string;
  /** Tool and version, endpoint, model, load in words. */
  readonly identity: readonly string[];
  readonly state: { readonly tone: Tone; readonly words: string };
  readonly notes: readonly ViewNote[];
  /** All notices in one line: "1 error, 3 warnings: …"; absent where there is none. */
  readonly notice?: string;
  /** Of the measured window; of several loads, of the highest. */
  readonly key: { readonly where: string; readonly numbers: readonly KeyNumber[] };
  readonly stages: StageTable;
  readonly charts: readonly ChartGroup[];
  readonly provenance: readonly { readonly title: string; readonly facts: readonly Fact[] }[];
  /** Files of the folder, to open. */
  readonly files: readonly string[];
}
