// The `failures` half of a lifecycle report: how many, how long they took, grouped by label.
import type { LifecycleReport } from './lifecycle';
import type { RequestRecord } from './record';
import { inputTokens, latencySeconds, type CountSource } from './request-metrics';
import { statOfSorted, sum } from './statistics';
import { Values } from './values';

interface FailureOptions {
  readonly percentiles: readonly number[];
  readonly inputTokenSource?: CountSource;
  readonly maxErrorMessages?: number;
}

/** inference-perf's default of distinct messages kept per label. */
const MAX_MESSAGES = 100;

/** Takes failures one by one. Labels come most frequent first; distinct messages in order of appearance, capped. */
export class Failures {
  private count = 0;
  private readonly latencies = new Values();
  private readonly prompts = new Values();
  private readonly cached = new Values();
  private readonly groups = new Map<string, { count: number; readonly messages: Set<string> }>();
  private readonly source: CountSource;
  private readonly maxMessages: number;

  constructor(private readonly options: FailureOptions) {
    const { inputTokenSource, maxErrorMessages } = options;
    // A failed request rarely has usage; the client's count of its prompt is then the only one.
    this.source = inputTokenSource === 'server-usage' ? 'mixed' : (inputTokenSource ?? 'mixed');
    this.maxMessages = maxErrorMessages ?? MAX_MESSAGES;
  }

  add(record: RequestRecord): void {
    const { outcome } = record;
    if (outcome.kind !== 'failed') return;
    this.count++;
    this.latencies.add(latencySeconds(record));
    this.prompts.add(inputTokens(record, this.source));
    this.cached.add(record.usage?.cachedPromptTokens);
    const group = this.groups.get(outcome.label) ?? { count: 0, messages: new Set<string>() };
    group.count++;
    if (group.messages.size < this.maxMessages) group.messages.add(outcome.message);
    this.groups.set(outcome.label, group);
  }

  report(): LifecycleReport['failures'] {
    const { percentiles } = this.options;
    const total = sum(this.prompts.view());
    return {
      count: this.count,
      request_latency: statOfSorted(this.latencies.sorted(), percentiles),
      prompt_tokens:
        this.count > 0 && this.prompts.length === 0
          ? null
          : { total, ...this.cachedTokens(total), ...statOfSorted(this.prompts.sorted(), percentiles) },
      by_label: this.byLabel(),
    };
  }

  /** Left out where no failed answer said how much of its prompt was cached: that is not 0. Without failures inference-perf writes zeros. */
  private cachedTokens(total: number): { cached: number; uncached: number } | object {
    if (this.count > 0 && this.cached.length === 0) return {};
    const cached = sum(this.cached.view());
    return { cached, uncached: Math.max(total - cached, 0) };
  }

  private byLabel(): LifecycleReport['failures']['by_label'] {
    const sorted = [...this.groups].sort(([, a], [, b]) => b.count - a.count);
    return Object.fromEntries(
      sorted.map(([label, group]) => [
        label,
        { count: group.count, messages: [...group.messages].map((message) => ({ message })) },
      ]),
    );
  }
}
