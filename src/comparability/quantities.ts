// The quantities a comparison shows: how each is named, which way is better, and how it is read from records or a report.
import type { LifecycleReport, Stat } from '../metrics/lifecycle';
import type { RequestRecord } from '../metrics/record';
import {
  inputTokens,
  isSuccess,
  latencySeconds,
  ntpotSeconds,
  outputTokens,
  scheduleDelaySeconds,
  tpotSeconds,
  ttftSeconds,
  type CountSource,
  type ItlBasis,
} from '../metrics/request-metrics';
import type { MetricComparison, MetricName } from './comparison';
import { isGood } from './goodput';

/** Under whose counts a side's numbers are computed: its own, as its report is. */
export interface Counting {
  readonly output: CountSource;
  readonly input: CountSource;
  readonly itl: ItlBasis;
  /** Goodput limits, seconds by metric; empty: none. */
  readonly limits: Readonly<Record<string, number>>;
  /** Failed requests count as slower than every answer, instead of being left out. */
  readonly failuresAreSlow?: boolean;
}

export interface LatencyQuantity {
  readonly kind: 'latency';
  readonly metric: MetricName;
  readonly label: string;
  readonly better: MetricComparison['better'];
  /** Seconds of a request; undefined where it was not measured. Absent for token gaps, of which a request has several. */
  readonly value?: (record: RequestRecord, counting: Counting) => number | undefined;
  readonly reported: (report: LifecycleReport) => Stat;
  readonly needs: 'streaming' | 'output count' | 'both' | 'nothing';
  /** Over every request that was sent, not only the successes. */
  readonly overAllSent?: boolean;
}

export interface RateQuantity {
  readonly kind: 'rate';
  readonly metric: MetricName;
  readonly label: string;
  readonly unit: string;
  readonly better: MetricComparison['better'];
  /** What one answer adds; undefined where nobody counted. */
  readonly weight: (record: RequestRecord, counting: Counting) => number | undefined;
  readonly reported: (report: LifecycleReport) => number | null;
}

export const LATENCIES: readonly LatencyQuantity[] = [
  {
    kind: 'latency',
    metric: 'ttft',
    label: 'TTFT',
    better: 'lower',
    needs: 'streaming',
    value: ttftSeconds,
    reported: (report) => report.successes.latency.time_to_first_token,
  },
  {
    kind: 'latency',
    metric: 'tpot',
    label: 'TPOT',
    better: 'lower',
    needs: 'both',
    value: (record, { output }) => tpotSeconds(record, output),
    reported: (report) => report.successes.latency.time_per_output_token,
  },
  {
    kind: 'latency',
    metric: 'itl',
    label: 'ITL',
    better: 'lower',
    needs: 'streaming',
    // Of a tool that measures gaps between chunks alone: token-source says which are between what.
    reported: (report) => report.successes.latency.inter_token_latency ?? report.isoperf?.chunk_gap ?? null,
  },
  {
    kind: 'latency',
    metric: 'ntpot',
    label: 'NTPOT',
    better: 'lower',
    needs: 'output count',
    value: (record, { output }) => ntpotSeconds(record, output),
    reported: (report) => report.successes.latency.normalized_time_per_output_token,
  },
  {
    kind: 'latency',
    metric: 'request_latency',
    label: 'Request latency',
    better: 'lower',
    needs: 'nothing',
    value: latencySeconds,
    reported: (report) => report.successes.latency.request_latency,
  },
];

export const SCHEDULE_DELAY: LatencyQuantity = {
  kind: 'latency',
  metric: 'schedule_delay',
  label: 'Schedule delay',
  better: 'neither',
  needs: 'nothing',
  overAllSent: true,
  value: scheduleDelaySeconds,
  reported: (report) => report.load_summary.schedule_delay,
};

export const RATES: readonly RateQuantity[] = [
  {
    kind: 'rate',
    metric: 'requests_per_sec',
    label: 'Requests/s',
    unit: 'requests/s',
    better: 'higher',
    weight: () => 1,
    reported: (report) => report.successes.throughput.requests_per_sec,
  },
  {
    kind: 'rate',
    metric: 'output_tokens_per_sec',
    label: 'Output tokens/s',
    unit: 'tokens/s',
    better: 'higher',
    weight: (record, { output }) => outputTokens(record, output),
    reported: (report) => report.successes.throughput.output_tokens_per_sec,
  },
  {
    kind: 'rate',
    metric: 'input_tokens_per_sec',
    label: 'Input tokens/s',
    unit: 'tokens/s',
    better: 'higher',
    weight: (record, { input }) => inputTokens(record, input),
    reported: (report) => report.successes.throughput.input_tokens_per_sec,
  },
  {
    kind: 'rate',
    metric: 'total_tokens_per_sec',
    label: 'Total tokens/s',
    unit: 'tokens/s',
    better: 'higher',
    weight: (record, { input, output }) => {
      const [read, written] = [inputTokens(record, input), outputTokens(record, output)];
      return read === undefined || written === undefined ? undefined : read + written;
    },
    reported: (report) => report.successes.throughput.total_tokens_per_sec,
  },
];

/** Good answers a second, as inference-perf's request_goodput but over the window of the other rates. */
export const GOODPUT: RateQuantity = {
  kind: 'rate',
  metric: 'request_goodput',
  label: 'Goodput',
  unit: 'requests/s',
  better: 'higher',
  weight: (record, counting) => (Object.keys(counting.limits).length === 0 ? undefined : isGood(record, counting)),
  reported: (report) => report.successes.goodput_metrics?.['request_goodput'] ?? null,
};

/** Requests whose end was seen: inference-perf's scope of rates and of the error rate. */
export function ended(records: readonly RequestRecord[]): readonly RequestRecord[] {
  return records.filter((record) => isSuccess(record) || record.outcome.kind === 'failed');
}
