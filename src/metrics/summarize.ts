// Records of one scope (a stage, or the whole window) -> inference-perf's lifecycle report, main's formulas
// (reference inference-perf.md sections 5.2, 5.3, 5.5; its reportgen/base.py:462-720).
import { Failures } from './failures';
import { Goodput } from './goodput';
import type { LifecycleReport, Stat } from './lifecycle';
import { MediaSummary } from './media';
import type { RequestRecord, RequestRetries } from './record';
import {
  isSuccess,
  itlBasisOf,
  itlGapsSeconds,
  latencySeconds,
  ntpotSeconds,
  outputTokens,
  inputTokens,
  scheduleDelaySeconds,
  sinceScheduled,
  startSeconds,
  tpotSeconds,
  hidesTokens,
  ttfcSeconds,
  ttftSeconds,
  type CountSource,
  type ItlBasis,
} from './request-metrics';
import { statOfSorted } from './statistics';
import { notCounted, outputLength, promptTokens, serverFirstOutputTokens, throughput } from './token-totals';
import { Values } from './values';

export interface SummarizeOptions {
  /** 0..100, in the order their keys shall have. */
  readonly percentiles: readonly number[];
  /** Whose count normalises TPOT, NTPOT, tokens/s and goodput. */
  readonly outputTokenSource: CountSource;
  /** Whose count fills `prompt_tokens` and input tokens/s. Default `mixed`: server first, as inference-perf main. */
  readonly inputTokenSource?: CountSource;
  /** Default: tokens when every streamed success knows its chunks' tokens, else chunks. */
  readonly itlBasis?: ItlBasis;
  /** Present for the report of one stage: adds the rate keys. */
  readonly stage?: { readonly requestedRateRps?: number; readonly concurrency?: number };
  /** `report.goodput.constraints`, seconds. */
  readonly goodput?: Readonly<Record<string, number>>;
  /** Distinct messages kept per failure label; inference-perf's default is 100. */
  readonly maxErrorMessages?: number;
}

/**
 * Summarises every answered or failed request among `records`; the caller leaves out warm-ups. As in inference-perf,
 * requests that were cancelled or never sent are in no number here (the manifest counts them).
 */
export function summarize(records: readonly RequestRecord[], options: SummarizeOptions): LifecycleReport {
  const summary = new Summary({ ...options, itlBasis: options.itlBasis ?? itlBasisOf(records) });
  for (const record of records) summary.add(record);
  return summary.report();
}

/** max(end) - min(start); 0 when nothing was tried. */
export function spanSeconds(records: readonly RequestRecord[]): number {
  const span = new Span();
  for (const record of records) span.add(record);
  return span.seconds;
}

/** From the first start to the last end. */
class Span {
  firstStart = Infinity;
  lastStart = -Infinity;
  private lastEnd = -Infinity;

  add(record: RequestRecord): void {
    const start = startSeconds(record);
    if (start !== undefined) {
      this.firstStart = Math.min(this.firstStart, start);
      this.lastStart = Math.max(this.lastStart, start);
    }
    if (record.endSeconds !== undefined) this.lastEnd = Math.max(this.lastEnd, record.endSeconds);
  }

  get seconds(): number {
    return Number.isFinite(this.firstStart) && Number.isFinite(this.lastEnd) ? this.lastEnd - this.firstStart : 0;
  }
}

/**
 * Takes records one by one and keeps columns of their metrics, not the records: a long run is summarised from its journal in a few
 * hundred bytes a request.
 */
export class Summary {
  readonly ttft = new Values();
  /** Only answers that came to visible content. */
  readonly ttfc = new Values();
  readonly tpot = new Values();
  readonly gaps = new Values();
  readonly latency = new Values();
  /** Answers with at least one gap between tokens. */
  answersWithGaps = 0;
  /** Gaps of 0 between tokens of one chunk: without them, the gaps are those between chunks. */
  private insideChunks = 0;
  private measured = 0;
  private readonly span = new Span();
  private readonly scheduleDelay = new Values();
  private readonly ntpot = new Values();
  private readonly requestBytes = new Values();
  private readonly latencyFromScheduled = new Values();
  private readonly ttftFromScheduled = new Values();
  private readonly tokens = {
    count: 0,
    input: new Values(),
    output: new Values(),
    mixedOutput: new Values(),
    clientOutput: new Values(),
    cached: new Values(),
  };
  private readonly media = new MediaSummary();
  private readonly retries = { attempts: 0, recovered: 0 };
  private readonly wasted = new Values();
  private mismatches = 0;
  private streamed = 0;
  private empty = 0;
  private single = 0;
  private notContentFirst = 0;
  /** Answers with reasoning or tool calls. */
  private hiding = 0;
  private readonly failures: Failures;
  private readonly goodput: Goodput | undefined;
  private readonly percentiles: readonly number[];

  constructor(private readonly options: SummarizeOptions & { readonly itlBasis: ItlBasis }) {
    // inference-perf's schema lets 101 through and its report then fails; a finished run must not be lost to that.
    this.percentiles = options.percentiles.filter((percent) => percent >= 0 && percent <= 100);
    this.failures = new Failures({ ...options, percentiles: this.percentiles });
    this.goodput =
      options.goodput &&
      new Goodput(options.goodput, {
        output: options.outputTokenSource,
        input: options.inputTokenSource ?? 'mixed',
        itl: options.itlBasis,
      });
  }

  /** Requests that were answered or failed. */
  get count(): number {
    return this.measured;
  }

  /** Reasoning or tool calls came before the content of some answer, or in its place. */
  get hidesTokens(): boolean {
    return this.hiding > 0;
  }

  /** Output tokens by the options' source, per second of the scope; undefined unless there were answers and every one was counted. */
  get outputTokensPerSecond(): number | undefined {
    const { output, count } = this.tokens;
    if (count === 0 || output.length === 0 || output.length < count || this.span.seconds === 0) return undefined;
    return output.view().reduce((total, tokens) => total + tokens, 0) / this.span.seconds;
  }

  add(record: RequestRecord): void {
    if (record.outcome.kind !== 'ok' && record.outcome.kind !== 'failed') return;
    this.measured++;
    this.span.add(record);
    this.scheduleDelay.add(scheduleDelaySeconds(record));
    if (record.retries) this.addRetries(record.retries);
    if (isSuccess(record)) this.addSuccess(record);
    else this.failures.add(record);
  }

  private addRetries({ attempts, recovered, wastedSeconds }: RequestRetries): void {
    this.retries.attempts += attempts;
    if (recovered) this.retries.recovered++;
    this.wasted.add(wastedSeconds);
  }

  /** inference-perf 0.7.0's block, which a run without attempts beyond the first does not have. */
  private sentAgain(): Pick<LifecycleReport, 'retries'> {
    const { attempts, recovered } = this.retries;
    const requests = this.wasted.length;
    if (requests === 0) return {};
    return {
      retries: {
        requests_retried: requests,
        attempts,
        recovered,
        failed_after_retry: requests - recovered,
        wasted_sec_total: this.wasted.view().reduce((total, seconds) => total + seconds, 0),
        wasted_sec: this.stat(this.wasted),
      },
    };
  }

  private addSuccess(record: RequestRecord): void {
    const { outputTokenSource: source, inputTokenSource = 'mixed', itlBasis } = this.options;
    const { tokens } = this;
    tokens.count++;
    tokens.input.add(inputTokens(record, inputTokenSource));
    tokens.output.add(outputTokens(record, source));
    tokens.mixedOutput.add(outputTokens(record, 'mixed'));
    tokens.clientOutput.add(record.clientOutputTokens);
    tokens.cached.add(record.usage?.cachedPromptTokens);
    this.latency.add(latencySeconds(record));
    this.ntpot.add(ntpotSeconds(record, source));
    this.tpot.add(tpotSeconds(record, source));
    this.ttft.add(ttftSeconds(record));
    this.ttfc.add(ttfcSeconds(record));
    const gaps = itlGapsSeconds(record, itlBasis);
    for (const gap of gaps) this.gaps.add(gap);
    if (gaps.length > 0) this.answersWithGaps++;
    if (itlBasis === 'tokens' && record.chunkTokens) this.insideChunks += gaps.length - gapsBetween(record.chunkTokens);
    this.requestBytes.add(record.requestBytes);
    this.media.add(record.media);
    this.latencyFromScheduled.add(sinceScheduled(record, record.endSeconds));
    this.ttftFromScheduled.add(sinceScheduled(record, record.firstTokenSeconds));
    this.goodput?.add(record);
    this.note(record);
  }

  /** What explains a number, or its absence. */
  private note(record: RequestRecord): void {
    if (countsDisagree(record)) this.mismatches++;
    if (outputTokens(record, this.options.outputTokenSource) === 0) this.empty++;
    if (record.firstTokenSeconds === undefined) return;
    this.streamed++;
    if (hidesTokens(record)) this.hiding++;
    if (stamps(record, this.options.itlBasis) < 2) this.single++;
    if (record.firstContentSeconds !== record.firstTokenSeconds) this.notContentFirst++;
  }

  /** @param stage present for the report of one stage: adds the rate keys; by default the options' */
  report(stage = this.options.stage): LifecycleReport {
    const notMeasured: Record<string, string> = {};
    const { tokens, percentiles } = this;
    const options = { ...this.options, percentiles };
    const windowSeconds = this.span.seconds;
    const report: LifecycleReport = {
      benchmark_time_seconds: windowSeconds,
      load_summary: this.loadSummary(stage),
      successes: {
        count: tokens.count,
        latency: this.latencies(notMeasured),
        throughput: { ...throughput(tokens, windowSeconds, options, notMeasured), ...this.media.rates(windowSeconds) },
        request_size_bytes: this.stat(this.requestBytes),
        prompt_tokens: promptTokens(tokens, options, notMeasured),
        output_len: outputLength(tokens, options, notMeasured),
        output_tokens: serverFirstOutputTokens(tokens, options, notMeasured),
        ...this.media.blocks(percentiles),
        token_count_mismatches: this.mismatches,
        ...(this.goodput ? { goodput_metrics: this.goodput.report() } : {}),
      },
      failures: this.failures.report(),
      ...this.sentAgain(),
    };
    const differs = this.differences();
    const notes = Object.keys(differs).length > 0 ? { differs_from_inference_perf: differs } : {};
    // What a user waited: from the moment the schedule wanted the request sent. inference-perf's latencies begin at the send, so a
    // client that falls behind looks like a fast server (its pitfall of coordinated omission).
    const fromScheduled = {
      request_latency: this.stat(this.latencyFromScheduled),
      time_to_first_token: this.stat(this.ttftFromScheduled),
    };
    const chunkGap = this.chunkGap();
    const firstContent = this.firstContent(notMeasured);
    return {
      ...report,
      isoperf: {
        not_measured: notMeasured,
        from_scheduled_time: fromScheduled,
        ...(chunkGap ? { chunk_gap: chunkGap } : {}),
        ...(firstContent ? { time_to_first_content: firstContent } : {}),
        ...notes,
      },
    };
  }

  /** Where nothing is hidden it is TTFT, and one number under two names would be none of the two. */
  private firstContent(notMeasured: Record<string, string>): Stat {
    if (this.streamed === 0) return null;
    const key = 'isoperf.time_to_first_content';
    if (this.hiding === 0) {
      notMeasured[key] = 'no answer had reasoning or tool calls, so it is the time to first token';
      return null;
    }
    const without = this.streamed - this.ttfc.length;
    if (without > 0) notMeasured[key] = `${without} of ${this.streamed} answers never came to visible content`;
    return this.stat(this.ttfc);
  }

  /** Arrivals ascend, so the gaps inside chunks are the smallest. Undefined where every chunk carried one token. */
  private chunkGap(): Stat | undefined {
    if (this.insideChunks <= 0) return undefined;
    return statOfSorted(this.gaps.sorted().subarray(this.insideChunks), this.percentiles);
  }

  private stat(values: Values): Stat {
    return statOfSorted(values.sorted(), this.percentiles);
  }

  private loadSummary(stage: SummarizeOptions['stage']): LifecycleReport['load_summary'] {
    const { span, measured } = this;
    const summary = { count: measured, schedule_delay: this.stat(this.scheduleDelay) };
    if (!stage) return summary;
    const duration = Number.isFinite(span.firstStart) ? span.lastStart - span.firstStart : 0;
    const { requestedRateRps, concurrency } = stage;
    return {
      ...summary,
      send_duration: duration,
      ...(requestedRateRps !== undefined ? { requested_rate: requestedRateRps } : {}),
      // Count over span, not count - 1: inference-perf's own definition.
      achieved_rate: duration > 0 ? measured / duration : 0,
      ...(concurrency !== undefined ? { concurrency } : {}),
    };
  }

  private latencies(notMeasured: Record<string, string>): LifecycleReport['successes']['latency'] {
    const result = {
      request_latency: this.stat(this.latency),
      normalized_time_per_output_token: this.stat(this.ntpot),
      time_per_output_token: this.stat(this.tpot),
      time_to_first_token: this.stat(this.ttft),
      inter_token_latency: this.stat(this.gaps),
    };
    for (const [key, value] of Object.entries(result)) {
      if (value === null) notMeasured[`successes.latency.${key}`] = this.whyNoLatency(key);
    }
    return result;
  }

  private whyNoLatency(key: string): string {
    const isNormalized = key === 'normalized_time_per_output_token';
    if (this.tokens.count === 0) return 'no request succeeded';
    if (this.streamed === 0 && key !== 'request_latency' && !isNormalized) {
      return 'answers were not streamed (api.streaming), so the moments of their tokens are unknown';
    }
    if ((key === 'time_per_output_token' || isNormalized) && this.tokens.output.length === 0) {
      return notCounted('output', this.options.outputTokenSource);
    }
    if (isNormalized) return 'every answer was empty';
    if (key === 'time_per_output_token' || key === 'inter_token_latency') {
      return 'no answer had two or more tokens at different moments';
    }
    return 'no request recorded both of the moments it is the difference of';
  }

  /** Says where a number of ours deliberately is not upstream's; only what applies to these records. */
  private differences(): Record<string, string> {
    const differs: Record<string, string> = {};
    const { empty, single, notContentFirst } = this;
    if (empty > 0) {
      differs['successes.latency.normalized_time_per_output_token'] =
        `${empty} empty answers are left out; inference-perf counts each as 0.0`;
    }
    const ttft = [
      ...(single > 0 ? [`includes ${single} answers with a single token time; inference-perf leaves them out`] : []),
      ...(notContentFirst > 0
        ? [
            `in ${notContentFirst} answers the first token was not content (reasoning or a tool call) and counts; inference-perf waits for content`,
          ]
        : []),
    ];
    if (ttft.length > 0) differs['successes.latency.time_to_first_token'] = ttft.join('; ');
    return differs;
  }
}

/** Gaps between arrivals that carry a token. */
function gapsBetween(chunkTokens: readonly number[]): number {
  let arrivals = 0;
  for (const tokens of chunkTokens) if (tokens > 0) arrivals++;
  return Math.max(0, arrivals - 1);
}

function stamps(record: RequestRecord, basis: ItlBasis): number {
  if (basis === 'chunks' || record.chunkTokens === undefined) return record.chunkSeconds.length;
  return record.chunkTokens.reduce((total, tokens) => total + tokens, 0);
}

/** Sum of the client's per-chunk counts against the server's; only where both exist. */
function countsDisagree(record: RequestRecord): boolean {
  const server = record.usage?.completionTokens;
  if (server === undefined || record.chunkTokens === undefined) return false;
  return record.chunkTokens.reduce((total, tokens) => total + tokens, 0) !== server;
}
