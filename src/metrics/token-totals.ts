// The token half of a lifecycle report: totals, lengths and rates, and the reason where nobody counted.
import type { LifecycleReport, Stat } from './lifecycle';
import type { CountSource } from './request-metrics';
import { statOfSorted, sum } from './statistics';
import type { Values } from './values';

interface TokenOptions {
  readonly percentiles: readonly number[];
  readonly outputTokenSource: CountSource;
  readonly inputTokenSource?: CountSource;
}

/** Token counts of the successes, each column with the answers that were counted that way. */
export interface TokenColumns {
  /** Successes. */
  readonly count: number;
  /** By `inputTokenSource` and `outputTokenSource`. */
  readonly input: Values;
  readonly output: Values;
  /** Server first, else the client. */
  readonly mixedOutput: Values;
  readonly clientOutput: Values;
  readonly cached: Values;
}

export function throughput(
  columns: TokenColumns,
  windowSeconds: number,
  options: TokenOptions,
  notMeasured: Record<string, string>,
): LifecycleReport['successes']['throughput'] {
  const perSecond = (total: number): number => (windowSeconds > 0 ? total / windowSeconds : 0);
  const input = fullTotal('input', columns.count, columns.input, options.inputTokenSource ?? 'mixed');
  const output = fullTotal('output', columns.count, columns.output, options.outputTokenSource);
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
    requests_per_sec: perSecond(columns.count),
  };
}

/** A rate over answers some of which nobody counted would be too low: there is a total only when all were counted. */
function fullTotal(
  which: 'input' | 'output',
  successes: number,
  counts: Values,
  source: CountSource,
): { total?: number; reason?: string } {
  if (counts.length === successes) return { total: sum(counts.view()) };
  if (counts.length === 0) return { reason: notCounted(which, source) };
  return { reason: `${successes - counts.length} of ${successes} answers have no ${which} token count` };
}

export function promptTokens(
  { count, input, cached }: TokenColumns,
  options: TokenOptions,
  notMeasured: Record<string, string>,
): Readonly<Record<string, number>> | null {
  if (input.length === 0 && count > 0) {
    notMeasured['successes.prompt_tokens'] = notCounted('input', options.inputTokenSource ?? 'mixed');
    return null;
  }
  notePartial('successes.prompt_tokens', input.length, count, notMeasured);
  const total = sum(input.view());
  const stat = statOfSorted(input.sorted(), options.percentiles);
  if (cached.length === 0 && count > 0) {
    notMeasured['successes.prompt_tokens.cached'] =
      'the server reported no cached prompt tokens; cached and uncached are left out (inference-perf writes 0)';
    return { total, ...stat };
  }
  const fromCache = sum(cached.view());
  return { total, cached: fromCache, uncached: Math.max(total - fromCache, 0), ...stat };
}

/** The client's count, whatever the source of the rates: inference-perf's `output_len`. */
export function outputLength(
  { count, clientOutput }: TokenColumns,
  options: TokenOptions,
  notMeasured: Record<string, string>,
): Stat {
  if (clientOutput.length === 0) {
    notMeasured['successes.output_len'] =
      count === 0 ? 'no request succeeded' : notCounted('output', 'client-tokenizer');
  } else notePartial('successes.output_len', clientOutput.length, count, notMeasured);
  return statOfSorted(clientOutput.sorted(), options.percentiles);
}

export function serverFirstOutputTokens(
  { count, mixedOutput }: TokenColumns,
  options: TokenOptions,
  notMeasured: Record<string, string>,
): Readonly<Record<string, number>> | null {
  if (mixedOutput.length === 0 && count > 0) {
    notMeasured['successes.output_tokens'] = notCounted('output', 'mixed');
    return null;
  }
  notePartial('successes.output_tokens', mixedOutput.length, count, notMeasured);
  const total = sum(mixedOutput.view());
  return { total, ...statOfSorted(mixedOutput.sorted(), options.percentiles) };
}

function notePartial(key: string, counted: number, all: number, notMeasured: Record<string, string>): void {
  if (counted < all) notMeasured[key] = `over the ${counted} of ${all} answers that were counted`;
}

export function notCounted(which: 'input' | 'output', source: CountSource): string {
  switch (source) {
    case 'server-usage':
      return `the server reported no ${which} token counts`;
    case 'server-tokenizer':
      return `the server's tokenizer did not count the ${which} tokens`;
    case 'client-tokenizer':
      return `no client tokenizer counted the ${which} tokens`;
    case 'mixed':
    case 'not-counted':
      return `nobody counted the ${which} tokens: the server reported none and no client tokenizer was at hand`;
  }
}
