// The quantities a comparison shows, and how each is read from records or a report; their names are in metrics/quantities.
import { QUANTITIES, type MetricName, type Quantity, type QuantityId } from '../metrics/quantities';
import type { RequestRecord } from '../metrics/record';
import {
  inputTokens,
  isSuccess,
  latencySeconds,
  ntpotSeconds,
  outputTokens,
  scheduleDelaySeconds,
  tpotSeconds,
  ttfcSeconds,
  ttftSeconds,
  type CountSource,
  type ItlBasis,
} from '../metrics/request-metrics';
import { measureOf, type ReportScope } from '../readers/canonical';
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
  readonly id: QuantityId;
  readonly metric: MetricName;
}

export interface LatencyQuantity extends Named {
  readonly kind: 'latency';
  /** Seconds of a request; undefined where it was not measured. Absent for token gaps, of which a request has several. */
  readonly value?: (record: RequestRecord, counting: Counting) => number | undefined;
  /** Over every request that was sent, not only the successes. */
  readonly overAllSent?: boolean;
}

export interface RateQuantity extends Named {
  readonly kind: 'rate';
  /** What one answer adds; undefined where nobody counted. */
  readonly weight: (record: RequestRecord, counting: Counting) => number | undefined;
}

export const LATENCIES: readonly LatencyQuantity[] = [
  {
    ...QUANTITIES.ttft,
    id: 'ttft',
    kind: 'latency',
    value: ttftSeconds,
  },
  {
    ...QUANTITIES.tpot,
    id: 'tpot',
    kind: 'latency',
    value: (record, { output }) => tpotSeconds(record, output),
  },
  {
    ...QUANTITIES.token_gap,
    id: 'token_gap',
    kind: 'latency',
  },
  {
    ...QUANTITIES.ntpot,
    id: 'ntpot',
    kind: 'latency',
    value: (record, { output }) => ntpotSeconds(record, output),
  },
  {
    ...QUANTITIES.e2e,
    id: 'e2e',
    kind: 'latency',
    value: latencySeconds,
  },
];

/** Shown beside TTFT where an answer of either side had something before its content. */
export const FIRST_CONTENT: LatencyQuantity = {
  ...QUANTITIES.ttfc,
  id: 'ttfc',
  kind: 'latency',
  value: ttfcSeconds,
};

export const SCHEDULE_DELAY: LatencyQuantity = {
  ...QUANTITIES.schedule_delay,
  id: 'schedule_delay',
  kind: 'latency',
  overAllSent: true,
  value: scheduleDelaySeconds,
};

export const RATES: readonly RateQuantity[] = [
  {
    ...QUANTITIES.requests_per_sec,
    id: 'requests_per_sec',
    kind: 'rate',
    weight: () => 1,
  },
  {
    ...QUANTITIES.output_tokens_per_sec,
    id: 'output_tokens_per_sec',
    kind: 'rate',
    weight: (record, { output }) => outputTokens(record, output),
  },
  {
    ...QUANTITIES.input_tokens_per_sec,
    id: 'input_tokens_per_sec',
    kind: 'rate',
    weight: (record, { input }) => inputTokens(record, input),
  },
  {
    ...QUANTITIES.total_tokens_per_sec,
    id: 'total_tokens_per_sec',
    kind: 'rate',
    weight: (record, { input, output }) => {
      const [read, written] = [inputTokens(record, input), outputTokens(record, output)];
      return read === undefined || written === undefined ? undefined : read + written;
    },
  },
];

/** Good answers a second, as inference-perf's request_goodput but over the window of the other rates. */
export const GOODPUT: RateQuantity = {
  ...QUANTITIES.request_goodput,
  id: 'request_goodput',
  kind: 'rate',
  weight: (record, counting) => (Object.keys(counting.limits).length === 0 ? undefined : isGood(record, counting)),
};

/** Statistics as a report has them. Where a tool measures gaps between chunks alone: token-source says which are between what. */
export function reportedStatistics(scope: ReportScope, { id }: Named): Readonly<Record<string, number>> | undefined {
  const measure = measureOf(scope, id) ?? (id === 'token_gap' ? measureOf(scope, 'chunk_gap') : undefined);
  return measure?.stats;
}

export function reportedRate(scope: ReportScope, quantity: RateQuantity): number | undefined {
  return quantity === GOODPUT
    ? scope.goodput?.stats['request_goodput']
    : reportedStatistics(scope, quantity)?.['value'];
}

/** Requests whose end was seen: inference-perf's scope of rates and of the error rate. */
export function ended(records: readonly RequestRecord[]): readonly RequestRecord[] {
  return records.filter((record) => isSuccess(record) || record.outcome.kind === 'failed');
}
