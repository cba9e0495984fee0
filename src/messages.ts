// What the extension and its webviews may say to each other, and the check on what a webview says (untrusted input).
import type { ComparisonView } from './views/comparison/model';
import type { DimensionId } from './comparability/comparison';
import type { ReportView, Tone } from './views/report/model';
import { isObject } from './own';

export type ViewKind = 'report' | 'comparison' | 'live';

export type Side = 'a' | 'b';

/** A run under way, as drawn: figures are texts already. */
export interface LiveView {
  readonly title: string;
  readonly identity: readonly string[];
  readonly phase: 'starting' | 'running' | 'stopping' | 'counting' | 'finished' | 'failed';
  /** The state in words: "Stage 2 of 3, 41 s left". */
  readonly words: string;
  readonly tone: Tone;
  /** 0..1 of the whole run; absent while unknown. */
  readonly progress?: number;
  readonly stages: readonly LiveStage[];
  readonly counts: readonly { readonly label: string; readonly value: string; readonly tone: Tone }[];
  readonly figures: readonly { readonly label: string; readonly value: string; readonly detail?: string }[];
  readonly health: readonly { readonly tone: Tone; readonly message: string }[];
  /** The sentence in place of warnings and errors when there are none; says so when nothing was measured. */
  readonly calm: string;
  /** How many threads send, and why; absent until it is known. */
  readonly client?: string;
  readonly errors: readonly { readonly label: string; readonly count: number }[];
  /** The last seconds: seconds of the run, milliseconds (null: nothing measured in that second). */
  readonly trace: {
    readonly atSeconds: readonly number[];
    readonly ttftMs: readonly (number | null)[];
    readonly itlMs: readonly (number | null)[];
  };
  readonly problems: readonly { readonly tone: Tone; readonly message: string; readonly remedy?: string }[];
}

export interface LiveStage {
  readonly label: string;
  readonly warmup: boolean;
  readonly state: 'waiting' | 'running' | 'done';
  readonly words: string;
}

/** What a restored panel needs to find its data again; opaque to the webview. */
export interface Restore {
  readonly kind: ViewKind;
  /** URIs of the report folders: one, or A and B. */
  readonly folders: readonly string[];
  readonly intended: readonly DimensionId[];
  /** Dimensions both sides were recomputed in; checked again where they are used. */
  readonly aligned?: readonly string[];
  /** Of both windows' start, as the user wrote it. */
  readonly cut?: string;
  readonly interpolate?: boolean;
  /** URI of the comparison file it was opened from. */
  readonly file?: string;
}

export type HostMessage =
  | { readonly type: 'loading'; readonly words: string }
  | {
      readonly type: 'report';
      readonly view: ReportView;
      readonly restore: Restore;
      /** The view stands for a file of the explorer, which can be read as text as well. */
      readonly asText?: boolean;
    }
  | { readonly type: 'comparison'; readonly view: ComparisonView; readonly restore: Restore }
  | { readonly type: 'live'; readonly view: LiveView; readonly restore: Restore }
  | { readonly type: 'failed'; readonly message: string; readonly remedy: string; readonly asText?: boolean }
  | { readonly type: 'copied' };

export type WebviewMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'copyMarkdown' }
  | { readonly type: 'openReport'; readonly side: Side }
  | { readonly type: 'openFile'; readonly side: Side; readonly file: string }
  /** Opens the place one finding was read from; without a side, both, left and right. */
  | { readonly type: 'openEvidence'; readonly finding: number; readonly side?: Side }
  | { readonly type: 'explain'; readonly code: string }
  | { readonly type: 'intend'; readonly dimension: string | null }
  | { readonly type: 'align'; readonly dimension: string; readonly on: boolean }
  /** What is left out of both windows as warm-up: "50", "30s", "auto". */
  | { readonly type: 'cut'; readonly cut: string }
  | { readonly type: 'interpolate'; readonly on: boolean }
  | { readonly type: 'saveComparison' }
  | { readonly type: 'swap' }
  | { readonly type: 'compareWith' }
  | { readonly type: 'openAsText' }
  | { readonly type: 'stop'; readonly now: boolean }
  | { readonly type: 'showLog' };

type Check = (message: Readonly<Record<string, unknown>>) => boolean;

const always: Check = () => true;
const hasSide: Check = (message) => message['side'] === 'a' || message['side'] === 'b';

/** Every message a webview may send, with the check of its fields. */
const CHECKS: Readonly<Record<WebviewMessage['type'], Check>> = {
  ready: always,
  copyMarkdown: always,
  openReport: hasSide,
  openFile: (message) => hasSide(message) && isShortText(message['file']),
  openEvidence: (message) => isIndex(message['finding']) && (message['side'] === undefined || hasSide(message)),
  explain: (message) => isShortText(message['code']),
  intend: (message) => message['dimension'] === null || isShortText(message['dimension']),
  align: (message) => isShortText(message['dimension']) && typeof message['on'] === 'boolean',
  cut: (message) => isShortText(message['cut']),
  interpolate: (message) => typeof message['on'] === 'boolean',
  saveComparison: always,
  swap: always,
  compareWith: always,
  openAsText: always,
  stop: (message) => typeof message['now'] === 'boolean',
  showLog: always,
};

function isShortText(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= 300;
}

function isIndex(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0;
}

/** The message, or undefined when it is none that a view of ours may send. */
export function parseWebviewMessage(value: unknown): WebviewMessage | undefined {
  if (!isObject(value) || typeof value['type'] !== 'string' || !Object.hasOwn(CHECKS, value['type'])) return undefined;
  return CHECKS[value['type'] as WebviewMessage['type']](value) ? (value as unknown as WebviewMessage) : undefined;
}

/** What a panel may be restored from after a reload; undefined when the saved state is not ours. */
export function parseRestore(value: unknown): Restore | undefined {
  if (!isObject(value)) return undefined;
  const { kind, folders, intended, aligned, cut, interpolate, file } = value;
  if (kind !== 'report' && kind !== 'comparison' && kind !== 'live') return undefined;
  if (!isTextList(folders) || !isTextList(intended)) return undefined;
  if (folders.length !== (kind === 'comparison' ? 2 : 1)) return undefined;
  const kept = {
    ...(isTextList(aligned) ? { aligned } : {}),
    ...(typeof cut === 'string' && isShortText(cut) ? { cut } : {}),
    ...(interpolate === true ? { interpolate } : {}),
    ...(typeof file === 'string' && file.length < 4096 ? { file } : {}),
  };
  return { kind, folders, intended: intended as readonly DimensionId[], ...kept };
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string' && entry.length < 4096);
}
