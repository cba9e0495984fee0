// One name per quantity: what any tool's report is translated into, with where each number was read and how it is defined.
import type { MediaMeans } from '../metrics/media';
import type { QuantityId } from '../metrics/quantities';
import type { ConfigPath, Problem } from '../problem';
import type { RunFacts } from './facts';

export type { QuantityId } from '../metrics/quantities';

/** The choices behind a number; what a tool does not say is absent. */
export interface Definition {
  /** Zero of the clock. */
  readonly start?: 'send' | 'schedule' | 'server';
  /** What counts as the first token. */
  readonly anchor?:
    | 'first-content' // first non-empty content
    | 'first-content-or-reasoning'
    | 'first-chunk' // first chunk that has choices, be it empty
    | 'server';
  /** Where a latency ends. */
  readonly end?: 'last-token' | 'stream-end' | 'server';
  /** What a mean gives equal weight to. */
  readonly weighting?: 'requests' | 'tokens' | 'gaps';
  readonly percentiles?: 'linear' | 'nearest-rank' | 'weighted-rank' | 'histogram';
  readonly stdDev?: 'population' | 'sample';
  /** Who counted the tokens in it. `asked`: nobody, it is the length that was asked for. */
  readonly tokens?: TokenCounter | 'chunks' | 'assumed';
  /** Of a rate: a mean of rates over time, not the total over the window. */
  readonly average?: 'over-time';
  /** Window of a rate, in words. */
  readonly window?: string;
  /** What else a reader of the number must know. */
  readonly note?: string;
}

/** `server-tokenizer`: the server's own tokenizer, asked for each text after the run (`POST /tokenize`). */
export type TokenCounter =
  'server' | 'client' | 'server-tokenizer' | 'asked' | 'server-else-client' | 'server-else-asked';

/** Where a number stands in the file. */
export interface MeasureSource {
  readonly file: string;
  /** Dotted; `*` stands for the statistic. */
  readonly key: string;
  /** The file's number times this is ours (0.001 for milliseconds). */
  readonly factor: number;
}

/** Keys: `mean`, `stdDev`, `min`, `max`, `total`, `value` (a single number), `p50`, `p99.9`. Units as QUANTITIES says. */
export type Statistics = Readonly<Record<string, number>>;

export interface Measure {
  readonly quantity: QuantityId;
  readonly stats: Statistics;
  readonly source: MeasureSource;
  readonly definition: Definition;
  /** How many values it is over, where the file says so. */
  readonly count?: number;
  /** Set when it is not in the file but follows from it: how. */
  readonly derived?: string;
}

export interface ScopeCounts {
  readonly total?: number;
  readonly ok?: number;
  readonly failed?: number;
  readonly cancelled?: number;
  readonly planned?: number;
}

/** What of a scope beside its measures stands under a key of its own. */
export type ScopeKey = 'rate' | 'concurrency' | 'window' | 'planned' | 'total' | 'ok' | 'failed';

const SCOPE_WORDS: Readonly<Record<ScopeKey, string>> = {
  rate: 'rate asked for',
  concurrency: 'concurrency asked for',
  window: 'window',
  planned: 'requests planned',
  total: 'requests that ended',
  ok: 'requests that succeeded',
  failed: 'failed requests',
};

/** A part of a report that has numbers of its own: a stage, the summary of all, one benchmark or line of several. */
export interface ReportScope {
  readonly id: string;
  readonly label: string;
  readonly kind: 'stage' | 'summary' | 'run' | 'adapter';
  readonly stage?: number;
  readonly file: string;
  readonly warmup?: boolean;
  readonly load: {
    readonly model: 'open' | 'closed' | 'replay' | 'not recorded';
    readonly requestedRateRps?: number;
    /** What the user asked to be in flight (closed loop). */
    readonly concurrency?: number;
    /** No rate and no limit was set: every request was sent at the start. */
    readonly allAtOnce?: true;
    /** Most the client could have in flight, and where that was read. */
    readonly cap?: { readonly value: number; readonly from: string };
    readonly words: string;
  };
  readonly counts: ScopeCounts;
  /** Dotted keys of load and counts in `file`, where they have any. */
  readonly keys?: Readonly<Partial<Record<ScopeKey, string>>>;
  readonly windowSeconds?: { readonly value: number; readonly from: string };
  readonly startedAt?: string;
  readonly measures: readonly Measure[];
  /** Quantities the file has a figure under that measures nothing, with why. */
  readonly unmeasured?: Readonly<Partial<Record<QuantityId, string>>>;
  /** Numbers of the file that cannot be (a part above its whole): evidence for the identities, shown and exported nowhere. */
  readonly refuted?: readonly Measure[];
  /** What the model server itself counted in the same window. */
  readonly server?: ServerTelemetry;
  /** The tool's own goodput figures, as it defines them. */
  readonly goodput?: { readonly stats: Statistics; readonly definition: string };
  /** What a number leaves out, or how it differs from inference-perf's of the same name. */
  readonly remarks?: Readonly<Partial<Record<QuantityId, string>>>;
  /** What else the file says that is no measure: evidence for pitfalls. */
  readonly extras?: ScopeExtras;
}

export interface ScopeExtras {
  /** From the first to the last send, seconds. */
  readonly sendSeconds?: number;
  /** `requested_rate` as written, also where it is no rate (closed loops, sessions). */
  readonly statedRate?: number;
  readonly cachedPromptTokens?: number;
  /** Requests sent more than once, and how many attempts that took beyond the first of each. */
  readonly retried?: { readonly requests: number; readonly attempts: number };
  /** Answers whose client count is not the server's. */
  readonly tokenMismatches?: number;
  /** Failures by the label their tool gave them. */
  readonly failureLabels?: Readonly<Record<string, number>>;
  /** Media of the successes, where the report counts them. */
  readonly media?: MediaMeans;
  /** Bytes per pixel of the images that were sent, mean over mean. */
  readonly imageBytesPerPixel?: number;
  /** Of the client itself: share of time its event loop was busy, and how late its turns were at p99, seconds. */
  readonly loopUse?: number;
  readonly loopDelayP99Seconds?: number;
  /** From the first send to the end of the last answer, seconds, where requests tell. */
  readonly requestsSpanSeconds?: number;
  /** Mean time from the last token of an answer to the end of its stream (usage chunk, [DONE]), where requests tell. */
  readonly streamTailSeconds?: number;
  /** Where requests tell, over the answers that have a TPOT: mean time from first to last token, and mean tokens. */
  readonly decoded?: { readonly seconds: number; readonly tokens: number };
  /** The same over every answer with a token: those that gaps between tokens come from. */
  readonly spanned?: { readonly seconds: number; readonly tokens: number };
}

/** What a session report says (inference-perf's session replay). */
export interface SessionFigures {
  readonly file: string;
  readonly stage?: number;
  readonly sessions?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  /** Sessions whose server reported cached tokens. */
  readonly withCacheInfo?: number;
  /** COMPLETED, FAILED or TIMED_OUT. */
  readonly status?: string;
  /** Of the listed sessions, those that are copies (`_dup` in the id) and those that are not. */
  readonly copies?: number;
  readonly originals?: number;
}

/** A server's own view, as a tool scraped it. */
export interface ServerTelemetry {
  readonly file: string;
  readonly count?: number;
  readonly measures: readonly Measure[];
  /** Of prompt tokens, found in the prefix cache. */
  readonly cacheHitShare?: number;
  /** Keys that are exactly 0: no data as likely as a true zero. */
  readonly zeros: readonly string[];
  /** Keys whose name does not say what they hold. */
  readonly misnamed: readonly string[];
}

/** One setting as another tool's file has it, under the key of inference-perf's config that means the same. */
export interface Told {
  readonly path: ConfigPath;
  readonly value: unknown;
  readonly file: string;
  /** Dotted. */
  readonly key: string;
}

export interface VersionClass {
  /** "v0.5.0", "main after 2026-08-13", "2025 (no 'failed')". */
  readonly name: string;
  /** What it was recognised by. */
  readonly evidence: readonly string[];
}

/** One tool's report, translated. */
export interface CanonicalReport {
  readonly tool: string;
  readonly toolVersion?: string;
  readonly versionClass: VersionClass;
  /** Folder or file as the user named it. */
  readonly place: string;
  readonly name: string;
  readonly files: readonly string[];
  readonly startedAt?: string;
  readonly model?: string;
  readonly endpoint?: string;
  readonly tokenizer?: string;
  readonly seed?: string;
  readonly scopes: readonly ReportScope[];
  /** What the reader had to assume because the format does not say it. */
  readonly assumptions: readonly string[];
  /** Names of what the format does not record. */
  readonly notRecorded: readonly string[];
  /** Other facts as the file has them: dataset, flags, labels. */
  readonly facts: readonly { readonly label: string; readonly value: string; readonly source: string }[];
  /** What the files of another tool say about the workload: evidence for comparisons, in place of a config. */
  readonly told?: readonly Told[];
  /** Facts that are no setting, or that the reader knows better than `told` and `config`. */
  readonly said?: Partial<RunFacts>;
  /** The config the numbers were made with, secrets masked. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Where that config stands: its file, and the dotted key it is under, empty at the top. */
  readonly configAt?: { readonly file: string; readonly key: string };
  readonly problems: readonly Problem[];
  readonly sessions?: readonly SessionFigures[];
  /** Whether the run came to its end, where the tool says so, and where. */
  readonly ended?: { readonly complete: boolean; readonly why?: string; readonly file: string; readonly key: string };
  /** Files with a bare NaN or Infinity, which is no JSON. */
  readonly bareNumbers?: readonly string[];
  /** The rates of the sweep's stages were given, not found: the run.json or directive they came from. */
  readonly sweepPinnedBy?: string;
  /** The tool's own verdict on itself, in words (validation.json, LoadGen, AIPerf's submission check). */
  readonly ownVerdict?: readonly string[];
}

/** The parts by number of their stage, or by their place where they have none. */
export function stageScopes({ scopes }: CanonicalReport): readonly (readonly [stage: number, ReportScope])[] {
  return scopes
    .filter(({ kind }) => kind === 'stage' || kind === 'run')
    .map((scope, index) => [scope.stage ?? index, scope]);
}

export function stageScope(report: CanonicalReport, stage: number): ReportScope | undefined {
  return stageScopes(report).find(([id]) => id === stage)?.[1];
}

/** All stages together, or the only part there is. */
export function summaryOf(report: CanonicalReport): ReportScope | undefined {
  const parts = stageScopes(report);
  return report.scopes.find(({ kind }) => kind === 'summary') ?? (parts.length === 1 ? parts[0]![1] : undefined);
}

/** Where something of a scope stands; without a key, in words. */
export function placeIn({ file, keys }: ReportScope, what: ScopeKey): { readonly file: string; readonly key: string } {
  return { file, key: keys?.[what] ?? SCOPE_WORDS[what] };
}

/** Of inference-perf's lifecycle files, which ours are too. */
export const LIFECYCLE_KEYS = {
  rate: 'load_summary.requested_rate',
  concurrency: 'load_summary.concurrency',
  window: 'benchmark_time_seconds',
  total: 'load_summary.count',
  ok: 'successes.count',
  failed: 'failures.count',
} as const satisfies ReportScope['keys'];

/** The measure of a quantity in a scope; the first when a reader gave several. */
export function measureOf(scope: { readonly measures: readonly Measure[] }, quantity: QuantityId): Measure | undefined {
  return scope.measures.find((measure) => measure.quantity === quantity);
}

/** One statistic of a quantity, or undefined. */
export function statisticOf(scope: ReportScope, quantity: QuantityId, statistic: string): number | undefined {
  return measureOf(scope, quantity)?.stats[statistic];
}

/** Aspects in which two measures of one quantity differ, in words; aspects that one side does not say are not named. */
export function definitionDifferences(a: Definition, b: Definition): readonly string[] {
  const windows = sameWindow(a.window, b.window) ? [] : [`window: ${a.window ?? ''} against ${b.window ?? ''}`];
  const aspects = ['start', 'anchor', 'end', 'weighting', 'percentiles', 'stdDev', 'tokens'] as const;
  const others = aspects.flatMap((aspect) =>
    a[aspect] !== undefined && b[aspect] !== undefined && a[aspect] !== b[aspect]
      ? [`${aspect}: ${a[aspect]} against ${b[aspect]}`]
      : [],
  );
  return [...others, ...windows];
}

/** Window of every rate that is computed from requests, here and by inference-perf. */
export const REQUESTS_WINDOW = 'first send to last end, failures included';

/** Of rates, in words; one that is not said is not held against another. From the first send to the last answer is one span to all. */
export function sameWindow(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined || a === b) return true;
  const span = /^first send to last (?:end|answer)/;
  return span.test(a) && span.test(b);
}
