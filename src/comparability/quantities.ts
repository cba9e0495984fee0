// The quantities a comparison shows, and how each is read from records or a report; their names are in metrics/quantities.
import type { LifecycleReport, Stat } from '../metrics/lifecycle';
import { QUANTITIES, type MetricName, type Quantity } from '../metrics/quantities';
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

interface Named extends Quantity {
  readonly metric: MetricName;
}

export interface LatencyQuantity extends Named {
  readonly kind: 'latency';
  /** Seconds of a request; undefined where it was not measured. Absent for token gaps, of which a request has several. */
  readonly value?: (record: RequestRecord, counting: Counting) => number | undefined;
  readonly reported: (report: LifecycleReport) => Stat;
  /** Over every request that was sent, not only the successes. */
  readonly overAllSent?: boolean;
}

export interface RateQuantity extends Named {
  readonly kind: 'rate';
  /** What one answer adds; undefined where nobody counted. */
  readonly weight: (record: RequestRecord, counting: Counting) => number | undefined;
  readonly reported: (report: LifecycleReport) => number | null;
}

export const LATENCIES: readonly LatencyQuantity[] = [
  {
    ...QUANTITIES.ttft,
    kind: 'latency',
    value: ttftSeconds,
    reported: (report) => report.successes.latency.time_to_first_token,
  },
  {
    ...QUANTITIES.tpot,
    kind: 'latency',
    value: (record, { output }) => tpotSeconds(record, output),
    reported: (report) => report.successes.latency.time_per_output_token,
  },
  {
    ...QUANTITIES.token_gap,
    kind: 'latency',
    // Of a tool that measures gaps between chunks alone: token-source says which are between what.
    reported: (report) => report.successes.latency.inter_token_latency ?? report.isoperf?.chunk_gap ?? null,
  },
  {
    ...QUANTITIES.ntpot,
    kind: 'latency',
    value: (record, { output }) => ntpotSeconds(record, output),
    reported: (report) => report.successes.latency.normalized_time_per_output_token,
  },
  {
    ...QUANTITIES.e2e,
    kind: 'latency',
    value: latencySeconds,
    reported: (report) => report.successes.latency.request_latency,
  },
];

export const SCHEDULE_DELAY: LatencyQuantity = {
  ...QUANTITIES.schedule_delay,
  kind: 'latency',
  overAllSent: true,
  value: scheduleDelaySeconds,
  reported: (report) => report.load_summary.schedule_delay,
};

export const RATES: readonly RateQuantity[] = [
  {
    ...QUANTITIES.requests_per_sec,
    kind: 'rate',
    weight: () => 1,
    reported: (report) => report.successes.throughput.requests_per_sec,
  },
  {
    ...QUANTITIES.output_tokens_per_sec,
    kind: 'rate',
    weight: (record, { output }) => outputTokens(record, output),
    reported: (report) => report.successes.throughput.output_tokens_per_sec,
  },
  {
    ...QUANTITIES.input_tokens_per_sec,
    kind: 'rate',
    weight: (record, { input }) => inputTokens(record, input),
    reported: (report) => report.successes.throughput.input_tokens_per_sec,
  },
  {
    ...QUANTITIES.total_tokens_per_sec,
    kind: 'rate',
    weight: (record, { input, output }) => {
      const [read, written] = [inputTokens(record, input), outputTokens(record, output)];
      return read === undefined || written === undefined ? undefined : read + written;
    },
    reported: (report) => report.successes.throughput.total_tokens_per_sec,
  },
];

/** Good answers a second, as inference-perf's request_goodput but over the window of the other rates. */
export const GOODPUT: RateQuantity = {
  ...QUANTITIES.request_goodput,
  kind: 'rate',
  weight: (record, counting) => (Object.keys(counting.limits).length === 0 ? undefined : isGood(record, counting)),
  reported: (report) => report.successes.goodput_metrics?.['request_goodput'] ?? null,
};

/** Requests whose end was seen: inference-perf's scope of rates and of the error rate. */
export function ended(records: readonly RequestRecord[]): readonly RequestRecord[] {
  return records.filter((record) => isSuccess(record) || record.outcome.kind === 'failed');
}
