// Records of one scope (a stage, or the whole window) -> inference-perf's lifecycle report, main's formulas
// (reference inference-perf.md sections 5.2, 5.3, 5.5; its reportgen/base.py:462-720).
import { summarizeFailures } from './failures';
import { goodputOf } from './goodput';
import type { LifecycleReport, Stat } from './lifecycle';
import type { RequestRecord } from './record';
import {
  isSuccess,
  itlBasisOf,
  itlGapsSeconds,
  latencySeconds,
  ntpotSeconds,
  outputTokens,
  scheduleDelaySeconds,
  startSeconds,
  tpotSeconds,
  ttftSeconds,
  type CountSource,
  type ItlBasis,
} from './request-metrics';
import { statOf } from './statistics';
import { defined, notCounted, outputLength, promptTokens, serverFirstOutputTokens, throughput } from './token-totals';

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
export function summarize(records: readonly RequestRecord[], asked: SummarizeOptions): LifecycleReport {
  // inference-perf's schema lets 101 through and its report then fails; a finished run must not be lost to that.
  const options = { ...asked, percentiles: asked.percentiles.filter((percent) => percent >= 0 && percent <= 100) };
  const measured = records.filter((record) => record.outcome.kind === 'ok' || record.outcome.kind === 'failed');
  const successes = measured.filter(isSuccess);
  const notMeasured: Record<string, string> = {};
  const differs: Record<string, string> = {};
  const windowSeconds = spanSeconds(measured);
  const report: LifecycleReport = {
    benchmark_time_seconds: windowSeconds,
    load_summary: loadSummary(measured, options),
    successes: {
      count: successes.length,
      latency: latencies(successes, options, notMeasured, differs),
      throughput: throughput(successes, windowSeconds, options, notMeasured),
      request_size_bytes: statOf(defined(successes.map((r) => r.requestBytes)), options.percentiles),
      prompt_tokens: promptTokens(successes, options, notMeasured),
      output_len: outputLength(successes, options, notMeasured),
      output_tokens: serverFirstOutputTokens(successes, options, notMeasured),
      token_count_mismatches: successes.filter(countsDisagree).length,
      ...(options.goodput ? { goodput_metrics: goodputOf(successes, options.goodput, sourcesOf(options)) } : {}),
    },
    failures: summarizeFailures(measured, options),
  };
  const notes = Object.keys(differs).length > 0 ? { differs_from_inference_perf: differs } : {};
  const fromScheduled = fromScheduledTime(successes, options);
  return { ...report, isoperf: { not_measured: notMeasured, from_scheduled_time: fromScheduled, ...notes } };
}

/**
 * What a user waited: from the moment the schedule wanted the request sent. inference-perf's latencies begin at the send, so a client
 * that falls behind looks like a fast server (its pitfall of coordinated omission).
 */
function fromScheduledTime(
  successes: readonly RequestRecord[],
  { percentiles }: SummarizeOptions,
): { request_latency: Stat; time_to_first_token: Stat } {
  const stat = (end: (record: RequestRecord) => number | undefined): Stat =>
    statOf(
      successes.flatMap((record) => {
        const seconds = end(record);
        return seconds === undefined ? [] : [seconds - record.scheduledSeconds];
      }),
      percentiles,
    );
  return { request_latency: stat((r) => r.endSeconds), time_to_first_token: stat((r) => r.firstTokenSeconds) };
}

function sourcesOf(options: SummarizeOptions): { output: CountSource; input: CountSource; itl?: ItlBasis } {
  return {
    output: options.outputTokenSource,
    input: options.inputTokenSource ?? 'mixed',
    ...(options.itlBasis ? { itl: options.itlBasis } : {}),
  };
}

/** max(end) - min(start); 0 when nothing was tried. */
export function spanSeconds(records: readonly RequestRecord[]): number {
  const start = extreme(records, startSeconds, Math.min);
  const end = extreme(records, (r) => r.endSeconds, Math.max);
  return start === undefined || end === undefined ? 0 : end - start;
}

function loadSummary(measured: readonly RequestRecord[], options: SummarizeOptions): LifecycleReport['load_summary'] {
  const summary = {
    count: measured.length,
    schedule_delay: statOf(defined(measured.map(scheduleDelaySeconds)), options.percentiles),
  };
  if (!options.stage) return summary;
  const first = extreme(measured, startSeconds, Math.min) ?? 0;
  const last = extreme(measured, startSeconds, Math.max) ?? 0;
  const { requestedRateRps, concurrency } = options.stage;
  return {
    ...summary,
    send_duration: last - first,
    ...(requestedRateRps !== undefined ? { requested_rate: requestedRateRps } : {}),
    // Count over span, not count - 1: inference-perf's own definition.
    achieved_rate: last > first ? measured.length / (last - first) : 0,
    ...(concurrency !== undefined ? { concurrency } : {}),
  };
}

function latencies(
  successes: readonly RequestRecord[],
  options: SummarizeOptions,
  notMeasured: Record<string, string>,
  differs: Record<string, string>,
): LifecycleReport['successes']['latency'] {
  const source = options.outputTokenSource;
  const basis = options.itlBasis ?? itlBasisOf(successes);
  const stat = (values: readonly (number | undefined)[]): Stat => statOf(defined(values), options.percentiles);
  const gaps: number[] = [];
  for (const record of successes) for (const gap of itlGapsSeconds(record, basis)) gaps.push(gap);
  const result = {
    request_latency: stat(successes.map(latencySeconds)),
    normalized_time_per_output_token: stat(successes.map((r) => ntpotSeconds(r, source))),
    time_per_output_token: stat(successes.map((r) => tpotSeconds(r, source))),
    time_to_first_token: stat(successes.map(ttftSeconds)),
    inter_token_latency: statOf(gaps, options.percentiles),
  };
  const streamed = successes.some((r) => r.firstTokenSeconds !== undefined);
  for (const [key, value] of Object.entries(result)) {
    if (value === null) notMeasured[`successes.latency.${key}`] = whyNoLatency(key, successes, streamed, source);
  }
  explainDifferences(successes, source, basis, differs);
  return result;
}

function whyNoLatency(
  key: string,
  successes: readonly RequestRecord[],
  streamed: boolean,
  source: CountSource,
): string {
  if (successes.length === 0) return 'no request succeeded';
  if (!streamed && key !== 'request_latency' && key !== 'normalized_time_per_output_token') {
    return 'answers were not streamed (api.streaming), so the moments of their tokens are unknown';
  }
  if (
    (key === 'time_per_output_token' || key === 'normalized_time_per_output_token') &&
    !anyOutputCount(successes, source)
  ) {
    return notCounted('output', source);
  }
  if (key === 'normalized_time_per_output_token') return 'every answer was empty';
  if (key === 'time_per_output_token' || key === 'inter_token_latency') {
    return 'no answer had two or more tokens at different moments';
  }
  return 'no request recorded both of the moments it is the difference of';
}

function anyOutputCount(successes: readonly RequestRecord[], source: CountSource): boolean {
  return successes.some((r) => outputTokens(r, source) !== undefined);
}

/** Says where a number of ours deliberately is not upstream's; only what applies to these records. */
function explainDifferences(
  successes: readonly RequestRecord[],
  source: CountSource,
  basis: ItlBasis,
  differs: Record<string, string>,
): void {
  const latency = 'successes.latency';
  const empty = successes.filter((r) => outputTokens(r, source) === 0).length;
  if (empty > 0) {
    differs[`${latency}.normalized_time_per_output_token`] =
      `${empty} empty answers are left out; inference-perf counts each as 0.0`;
  }
  const single = successes.filter((r) => r.firstTokenSeconds !== undefined && stamps(r, basis) < 2).length;
  if (single > 0) {
    differs[`${latency}.time_to_first_token`] =
      `includes ${single} answers with a single token time; inference-perf leaves them out`;
  }
  const reasoning = successes.filter(
    (r) => r.firstTokenSeconds !== undefined && r.firstContentSeconds !== r.firstTokenSeconds,
  ).length;
  if (reasoning > 0) {
    const key = `${latency}.time_to_first_token`;
    const note = `in ${reasoning} answers the first token was not content (reasoning or a tool call) and counts; inference-perf waits for content`;
    differs[key] = differs[key] === undefined ? note : `${differs[key]}; ${note}`;
  }
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

function extreme(
  records: readonly RequestRecord[],
  of: (record: RequestRecord) => number | undefined,
  choose: (a: number, b: number) => number,
): number | undefined {
  let best: number | undefined;
  for (const record of records) {
    const value = of(record);
    if (value !== undefined) best = best === undefined ? value : choose(best, value);
  }
  return best;
}
