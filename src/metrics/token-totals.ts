// The token half of a lifecycle report: totals, lengths and rates, and the reason where nobody counted.
import type { LifecycleReport, Stat } from './lifecycle';
import type { RequestRecord } from './record';
import { inputTokens, outputTokens, type CountSource } from './request-metrics';
import { statOf, sum } from './statistics';

interface TokenOptions {
  readonly percentiles: readonly number[];
  readonly outputTokenSource: CountSource;
  readonly inputTokenSource?: CountSource;
}

export function throughput(
  successes: readonly RequestRecord[],
  windowSeconds: number,
  options: TokenOptions,
  notMeasured: Record<string, string>,
): LifecycleReport['successes']['throughput'] {
  const perSecond = (total: number): number => (windowSeconds > 0 ? total / windowSeconds : 0);
  const inputSource = options.inputTokenSource ?? 'mixed';
  const outputSource = options.outputTokenSource;
  const input = fullTotal('input', successes, (r) => inputTokens(r, inputSource), inputSource);
  const output = fullTotal('output', successes, (r) => outputTokens(r, outputSource), outputSource);
  const key = 'successes.throughput';
  if (input.reason !== undefined) notMeasured[`${key}.input_tokens_per_sec`] = input.reason;
  if (output.reason !== undefined) notMeasured[`${key}.output_tokens_per_sec`] = output.reason;
  const reason = input.reason ?? output.reason;
  if (reason !== undefined) notMeasured[`${key}.total_tokens_per_sec`] = reason;
  return {
    input_tokens_per_sec: input.total === undefined ? null : perSecond(input.total),
    output_tokens_per_sec: output.total === undefined ? null : perSecond(output.total),
    total_tokens_per_sec:
      input.total === undefined || output.total === undefined ? null : perSecond(input.total + output.total),
    requests_per_sec: perSecond(successes.length),
  };
}

/** A rate over answers some of which nobody counted would be too low: there is a total only when all were counted. */
function fullTotal(
  which: 'input' | 'output',
  successes: readonly RequestRecord[],
  count: (record: RequestRecord) => number | undefined,
  source: CountSource,
): { total?: number; reason?: string } {
  const counts = defined(successes.map(count));
  if (counts.length === successes.length) return { total: sum(counts) };
  if (counts.length === 0) return { reason: notCounted(which, source) };
  return { reason: `${successes.length - counts.length} of ${successes.length} answers have no ${which} token count` };
}

export function promptTokens(
  successes: readonly RequestRecord[],
  options: TokenOptions,
  notMeasured: Record<string, string>,
): Readonly<Record<string, number>> | null {
  const source = options.inputTokenSource ?? 'mixed';
  const counts = defined(successes.map((r) => inputTokens(r, source)));
  if (counts.length === 0 && successes.length > 0) {
    notMeasured['successes.prompt_tokens'] = notCounted('input', source);
    return null;
  }
  notePartial('successes.prompt_tokens', counts.length, successes.length, notMeasured);
  const total = sum(counts);
  const reports = defined(successes.map((r) => r.usage?.cachedPromptTokens));
  if (reports.length === 0 && successes.length > 0) {
    notMeasured['successes.prompt_tokens.cached'] =
      'the server reported no cached prompt tokens; cached and uncached are left out (inference-perf writes 0)';
    return { total, ...statOf(counts, options.percentiles) };
  }
  const cached = sum(reports);
  return { total, cached, uncached: Math.max(total - cached, 0), ...statOf(counts, options.percentiles) };
}

/** The client's count, whatever the source of the rates: inference-perf's `output_len`. */
export function outputLength(
  successes: readonly RequestRecord[],
  options: TokenOptions,
  notMeasured: Record<string, string>,
): Stat {
  const counts = defined(successes.map((r) => r.clientOutputTokens));
  if (counts.length === 0) {
    notMeasured['successes.output_len'] =
      successes.length === 0 ? 'no request succeeded' : notCounted('output', 'client-tokenizer');
  } else notePartial('successes.output_len', counts.length, successes.length, notMeasured);
  return statOf(counts, options.percentiles);
}

export function serverFirstOutputTokens(
  successes: readonly RequestRecord[],
  options: TokenOptions,
  notMeasured: Record<string, string>,
): Readonly<Record<string, number>> | null {
  const counts = defined(successes.map((r) => outputTokens(r, 'mixed')));
  if (counts.length === 0 && successes.length > 0) {
    notMeasured['successes.output_tokens'] = notCounted('output', 'mixed');
    return null;
  }
  notePartial('successes.output_tokens', counts.length, successes.length, notMeasured);
  return { total: sum(counts), ...statOf(counts, options.percentiles) };
}

function notePartial(key: string, counted: number, all: number, notMeasured: Record<string, string>): void {
  if (counted < all) notMeasured[key] = `over the ${counted} of ${all} answers that were counted`;
}

export function notCounted(which: 'input' | 'output', source: CountSource): string {
  switch (source) {
    case 'server-usage':
      return `the server reported no ${which} token counts`;
    case 'client-tokenizer':
      return `no client tokenizer counted the ${which} tokens`;
    case 'mixed':
    case 'not-counted':
      return `nobody counted the ${which} tokens: the server reported none and no client tokenizer was at hand`;
  }
}

/** The values that are there. */
export function defined(values: readonly (number | undefined)[]): number[] {
  return values.filter((value) => value !== undefined);
}
