// A foreign report as the layout that comparisons and views take: what means the same is filled in, the rest is null with the reason.
import type { LifecycleReport, Stat } from '../metrics/lifecycle';
import {
  measureOf,
  statisticOf,
  type CanonicalReport,
  type Definition,
  type QuantityId,
  type ReportScope,
} from './canonical';

type Reasons = Record<string, string>;

/** Stages by number, and the summary: of a report with one part, that part. */
export function lifecyclesOf(report: CanonicalReport): {
  readonly stages: ReadonlyMap<number, LifecycleReport>;
  readonly summary?: LifecycleReport;
} {
  const parts = report.scopes.filter(({ kind }) => kind === 'stage' || kind === 'run');
  const summary = report.scopes.find(({ kind }) => kind === 'summary') ?? (parts.length === 1 ? parts[0] : undefined);
  const stages = new Map(parts.map((scope, index) => [scope.stage ?? index, lifecycleOf(scope)]));
  return { stages, ...(summary ? { summary: lifecycleOf(summary) } : {}) };
}

function lifecycleOf(scope: ReportScope): LifecycleReport {
  const missing: Reasons = {};
  const differs: Reasons = {};
  const { counts, load } = scope;
  const window = scope.windowSeconds?.value;
  if (window === undefined) missing['benchmark_time_seconds'] = 'not in the file';
  // The layout's 0 is a count; these are none.
  if (counts.ok === undefined) missing['successes.count'] = 'not in the file';
  if (counts.failed === undefined) missing['failures.count'] = 'failures are not counted in the file';
  const stat = statistics(scope, missing, differs);
  const rate = (id: QuantityId, key: string): number | null => {
    const value = statisticOf(scope, id, 'value');
    if (value === undefined) missing[`successes.throughput.${key}`] = 'not in the file';
    return value ?? null;
  };
  const chunkGap = measureOf(scope, 'chunk_gap') ? stat('chunk_gap', 'isoperf.chunk_gap') : null;
  const sends = statisticOf(scope, 'sends_per_sec', 'value');
  return {
    benchmark_time_seconds: window ?? 0,
    load_summary: {
      count: counts.total ?? counts.ok ?? 0,
      schedule_delay: stat('schedule_delay', 'load_summary.schedule_delay'),
      ...(load.requestedRateRps === undefined ? {} : { requested_rate: load.requestedRateRps }),
      ...(sends === undefined ? {} : { achieved_rate: sends }),
      ...(load.concurrency === undefined ? {} : { concurrency: load.concurrency }),
    },
    successes: {
      count: counts.ok ?? 0,
      latency: {
        request_latency: stat('e2e', 'successes.latency.request_latency'),
        normalized_time_per_output_token: stat('ntpot', 'successes.latency.normalized_time_per_output_token'),
        time_per_output_token: stat('tpot', 'successes.latency.time_per_output_token'),
        time_to_first_token: stat('ttft', 'successes.latency.time_to_first_token'),
        inter_token_latency: tokenGaps(scope, stat, missing),
      },
      throughput: {
        input_tokens_per_sec: rate('input_tokens_per_sec', 'input_tokens_per_sec'),
        output_tokens_per_sec: rate('output_tokens_per_sec', 'output_tokens_per_sec'),
        total_tokens_per_sec: rate('total_tokens_per_sec', 'total_tokens_per_sec'),
        requests_per_sec: rate('requests_per_sec', 'requests_per_sec') ?? 0,
      },
      request_size_bytes: null,
      prompt_tokens: stat('prompt_tokens', 'successes.prompt_tokens'),
      output_len: stat('output_tokens', 'successes.output_len'),
      output_tokens: stat('output_tokens', 'successes.output_tokens'),
      token_count_mismatches: 0,
      ...(scope.goodput ? { goodput_metrics: scope.goodput.stats } : {}),
    },
    failures: { count: counts.failed ?? 0, request_latency: null, prompt_tokens: null, by_label: {} },
    isoperf: {
      not_measured: missing,
      ...(chunkGap === null ? {} : { chunk_gap: chunkGap }),
      ...(Object.keys(differs).length > 0 ? { differs_from_inference_perf: differs } : {}),
    },
  };
}

type StatOf = (id: QuantityId, key: string) => Stat;

function statistics(scope: ReportScope, missing: Reasons, differs: Reasons): StatOf {
  return (id, key) => {
    const measure = measureOf(scope, id);
    if (!measure) {
      missing[key] = scope.unmeasured?.[id] ?? 'not in the file';
      return null;
    }
    const difference = differenceOf(id, measure.definition);
    if (difference !== undefined) differs[key] = difference;
    return Object.fromEntries(
      Object.entries(measure.stats).map(([name, value]) => [name === 'p50' ? 'median' : name, value]),
    );
  };
}

/** Gaps between chunks are not gaps between tokens: they never stand in the column of the others. */
function tokenGaps(scope: ReportScope, stat: StatOf, missing: Reasons): Stat {
  const key = 'successes.latency.inter_token_latency';
  const gaps = stat('token_gap', key);
  if (gaps === null && measureOf(scope, 'chunk_gap')) {
    missing[key] = 'this tool measures gaps between chunks, which are not gaps between tokens';
  } else if (gaps === null && scope.unmeasured?.chunk_gap !== undefined) {
    missing[key] = scope.unmeasured.chunk_gap;
  }
  return gaps;
}

/** How a number of ours differs from inference-perf's of the name it is put under. */
function differenceOf(id: QuantityId, definition: Definition): string | undefined {
  const parts = [
    ...(definition.weighting === 'tokens' ? ['its mean is weighted by tokens'] : []),
    ...(id === 'ttft' && definition.anchor === 'first-chunk' ? ['the first chunk counts, be it empty'] : []),
    ...(id === 'e2e' && definition.end === 'last-token'
      ? ['it ends at the last token, not at the end of the stream']
      : []),
    ...(definition.percentiles === 'weighted-rank' || definition.percentiles === 'nearest-rank'
      ? ['percentiles are by rank, not interpolated']
      : []),
  ];
  return parts.length === 0 ? undefined : parts.join('; ');
}
