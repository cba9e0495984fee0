// A Run: one report folder as the product sees it, whatever wrote it. Readers make these; views and comparisons take them.
import type { RequestRecord } from '../metrics/record';
import type { LifecycleReport } from '../metrics/lifecycle';
import type { CountSource, ItlBasis } from '../metrics/request-metrics';
import type { FolderAccess } from '../folder/access';
import type { Problem } from '../problem';
import type { CanonicalReport, TokenCounter } from './canonical';
import type { RunManifest } from '../folder/manifest';
import type { StackRecord } from '../folder/stack';

/** Whose counts the numbers of a run are normalised with, and what its gaps are between. */
export interface Counting {
  readonly output: CountSource;
  readonly input: CountSource;
  readonly itl: ItlBasis;
  /** Where a `mixed` output has no count of the server, the length asked for stands in its place, not a count of the client. */
  readonly outputElseAsked?: true;
}

export interface RunLengths {
  /** Ascending. */
  readonly prompt?: Float64Array;
  readonly output?: Float64Array;
  /** Who counted them. */
  readonly by: { readonly prompt: TokenCounter; readonly output: TokenCounter };
}

export interface Run {
  /** Folder as the user named it. */
  readonly folder: string;
  readonly tool: { readonly name: string; readonly version?: string };
  /** Absent for folders that IsoPerf did not write. */
  readonly manifest?: RunManifest;
  /** Text of the folder's config.yaml, to show and click. */
  readonly configText?: string;
  /** Name of that file inside the folder (a `report_file_prefix` changes it). */
  readonly configFile?: string;
  /** What ran, as values: the manifest's effective config. Absent when the folder does not say it in a form that was read. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** True when the folder shows signs of IsoPerf but its run.json cannot be read: what is here is a remainder. */
  readonly damaged?: boolean;
  /** What served, where the folder or the user says it; a manifest's own record is `manifest.stack`. */
  readonly stack?: StackRecord;
  /** Per-request records, in planned order; absent when the folder has none. */
  readonly records?: readonly RequestRecord[];
  /** Of our own folder, `summary_lifecycle_metrics.json` as it was written; `reportOf` says what it means. */
  readonly summary?: LifecycleReport;
  /** The same of `stage_<n>_lifecycle_metrics.json`, by stage. */
  readonly stages: ReadonlyMap<number, LifecycleReport>;
  /** Names of the files that were read. */
  readonly files: readonly string[];
  /**
   * The report in canonical quantities, with where each number was read, how it is defined, what was assumed and what is
   * not recorded. For foreign folders; `reportOf` makes it for our own.
   */
  readonly canonical?: CanonicalReport;
  /** Another tool's file with one entry per request, and the folder it is in; `withRecords` reads it. */
  readonly perRequest?: { readonly folder: FolderAccess; readonly file: string };
  /** Lengths of the answered requests where they are known, and the requests cannot be records: a file without starting times. */
  readonly lengths?: RunLengths;
  /** What the gaps are between in `records` that another tool wrote. */
  readonly gaps?: ItlBasis;
  /** What the reader noticed: truncated last line, missing summary, counts that do not add up. */
  readonly problems: readonly Problem[];
}
