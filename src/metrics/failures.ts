// The `failures` half of a lifecycle report: how many, how long they took, grouped by label.
import type { LifecycleReport } from './lifecycle';
import type { RequestRecord } from './record';
import { inputTokens, latencySeconds, type CountSource } from './request-metrics';
import { statOf, sum } from './statistics';

interface FailureOptions {
  readonly percentiles: readonly number[];
  readonly inputTokenSource?: CountSource;
  readonly maxErrorMessages?: number;
}

/** Labels come most frequent first; distinct messages in order of appearance, capped (inference-perf's default: 100). */
export function summarizeFailures(
  records: readonly RequestRecord[],
  options: FailureOptions,
): LifecycleReport['failures'] {
  const failures = records.filter((record) => record.outcome.kind === 'failed');
  const latencies = failures.map(latencySeconds).filter((value) => value !== undefined);
  // A failed request rarely has usage; the client's count of its prompt is then the only one.
  const source = options.inputTokenSource === 'server-usage' ? 'mixed' : (options.inputTokenSource ?? 'mixed');
  const prompts = failures.map((record) => inputTokens(record, source)).filter((value) => value !== undefined);
  const total = sum(prompts);
  return {
    count: failures.length,
    request_latency: statOf(latencies, options.percentiles),
    prompt_tokens:
      failures.length > 0 && prompts.length === 0
        ? null
        : { total, ...cachedTokens(failures, total), ...statOf(prompts, options.percentiles) },
    by_label: byLabel(failures, options.maxErrorMessages ?? 100),
  };
}

/** Left out where no failed answer said how much of its prompt was cached: that is not 0. Without failures inference-perf writes zeros. */
function cachedTokens(
  failures: readonly RequestRecord[],
  total: number,
): { cached: number; uncached: number } | object {
  const reported = failures.flatMap(({ usage }) =>
    usage?.cachedPromptTokens === undefined ? [] : [usage.cachedPromptTokens],
  );
  if (failures.length > 0 && reported.length === 0) return {};
  const cached = sum(reported);
  return { cached, uncached: Math.max(total - cached, 0) };
}

function byLabel(failures: readonly RequestRecord[], maxMessages: number): LifecycleReport['failures']['by_label'] {
  const groups = new Map<string, { count: number; messages: Set<string> }>();
  for (const { outcome } of failures) {
    if (outcome.kind !== 'failed') continue;
    const group = groups.get(outcome.label) ?? { count: 0, messages: new Set<string>() };
    group.count++;
    if (group.messages.size < maxMessages) group.messages.add(outcome.message);
    groups.set(outcome.label, group);
  }
  const sorted = [...groups].sort(([, a], [, b]) => b.count - a.count);
  return Object.fromEntries(
    sorted.map(([label, group]) => [
      label,
      { count: group.count, messages: [...group.messages].map((message) => ({ message })) },
    ]),
  );
}
