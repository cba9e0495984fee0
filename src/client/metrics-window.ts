// Scrapes of a server's /metrics -> what happened between the first and the last of them.
import { percentile, sortedValues } from '../metrics/statistics';
import type { MetricField, ServerMetric } from './metrics-catalogue';
import type { MetricSample } from './metrics-text';

export interface Scrape {
  /** Seconds of the monotonic clock. */
  readonly atSeconds: number;
  readonly samples: readonly MetricSample[];
  /** Taken during a stage: only its gauges were kept. */
  readonly gaugesOnly?: boolean;
}

export interface MetricValues extends Partial<Record<MetricField, number>> {
  readonly kind: ServerMetric['kind'];
  readonly name: string;
  /** Observations of a histogram in the window. */
  readonly count?: number;
}

export interface WindowMetrics {
  readonly metrics: Readonly<Record<string, MetricValues>>;
  /** What was not found: never 0. */
  readonly absent: readonly { readonly key: string; readonly lookedFor: string; readonly reason: string }[];
}

/**
 * @param model only series of this model count, where series are labelled by model
 * Counters and histograms are differences of the last and the first scrape, series by series: exact, without the extrapolation of
 * Prometheus' rate(). A series that fell was reset; then it counts from 0. Gauges are statistics over the scrapes in between.
 */
export function windowMetrics(
  wanted: readonly ServerMetric[],
  scrapes: readonly Scrape[],
  model: string,
): WindowMetrics {
  const metrics: Record<string, MetricValues> = {};
  const absent: { key: string; lookedFor: string; reason: string }[] = [];
  const own = scrapes.map((scrape) => ({ ...scrape, samples: samplesOf(scrape.samples, model) }));
  for (const metric of wanted) {
    const values = valuesOf(metric, own);
    if (typeof values !== 'string') metrics[metric.key] = values;
    else absent.push({ key: metric.key, lookedFor: metric.name, reason: values });
  }
  return { metrics, absent };
}

function samplesOf(samples: readonly MetricSample[], model: string): ReadonlyMap<string, readonly MetricSample[]> {
  const named = samples.filter(({ labels }) => labels['model_name'] !== undefined);
  const isLabelled = named.some(({ labels }) => labels['model_name'] === model);
  const byName = new Map<string, MetricSample[]>();
  for (const sample of samples) {
    const label = sample.labels['model_name'];
    if (isLabelled && label !== undefined && label !== model) continue;
    const list = byName.get(sample.name);
    if (list) list.push(sample);
    else byName.set(sample.name, [sample]);
  }
  return byName;
}

interface OwnScrape {
  readonly atSeconds: number;
  readonly gaugesOnly?: boolean;
  readonly samples: ReadonlyMap<string, readonly MetricSample[]>;
}

/** The values, or why there are none. */
function valuesOf(metric: ServerMetric, scrapes: readonly OwnScrape[]): MetricValues | string {
  if (scrapes.length === 0) return 'the server was not scraped';
  if (metric.kind === 'gauge') return gaugeValues(metric, scrapes);
  const ends = scrapes.filter(({ gaugesOnly }) => gaugesOnly !== true);
  const [first, last] = [ends[0], ends.at(-1)];
  if (!first || !last) return 'the server was not scraped at the ends of the window';
  if (first === last) return 'the server was scraped once only: there is no difference';
  const seconds = last.atSeconds - first.atSeconds;
  return metric.kind === 'counter'
    ? counterValues(metric, first, last, seconds)
    : histogramValues(metric, first, last, seconds);
}

const NOT_THERE = 'the server has no such metric';

/** Before and after a stage a server is idle: only what was read in between tells of the stage. */
function gaugeValues({ name, kind }: ServerMetric, scrapes: readonly OwnScrape[]): MetricValues | string {
  const during = scrapes.filter(({ gaugesOnly }) => gaugesOnly === true);
  if (during.length === 0) return 'no scrape fell inside the window';
  const sums = during.flatMap(({ samples }) => {
    const found = samples.get(name);
    return found ? [found.reduce((sum, { value }) => sum + value, 0)] : [];
  });
  if (sums.length === 0) return NOT_THERE;
  const sorted = sortedValues(sums);
  const mean = sums.reduce((sum, value) => sum + value, 0) / sums.length;
  return { kind, name, mean, median: percentile(sorted, 50), p90: percentile(sorted, 90), p99: percentile(sorted, 99) };
}

function counterValues(
  { name, kind }: ServerMetric,
  first: OwnScrape,
  last: OwnScrape,
  seconds: number,
): MetricValues | string {
  for (const series of [`${name}_total`, name]) {
    const total = increase(first, last, series);
    if (total !== undefined) return { kind, name: series, total, perSecond: total / seconds };
  }
  return NOT_THERE;
}

/** Sum over the series of what was added. Undefined when the last scrape has none. */
function increase(first: OwnScrape, last: OwnScrape, name: string): number | undefined {
  const after = last.samples.get(name);
  if (!after) return undefined;
  const before = new Map((first.samples.get(name) ?? []).map((sample) => [seriesKey(sample), sample.value]));
  return after.reduce((sum, sample) => {
    const was = before.get(seriesKey(sample)) ?? 0;
    return sum + (sample.value >= was ? sample.value - was : sample.value);
  }, 0);
}

function seriesKey({ labels }: MetricSample): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function histogramValues(
  { name, kind }: ServerMetric,
  first: OwnScrape,
  last: OwnScrape,
  seconds: number,
): MetricValues | string {
  const count = increase(first, last, `${name}_count`);
  const sum = increase(first, last, `${name}_sum`);
  if (count === undefined || sum === undefined) return NOT_THERE;
  if (count === 0) return 'nothing was observed in the window';
  const buckets = bucketIncreases(first, last, `${name}_bucket`);
  const quantile = (q: number): number | undefined => bucketQuantile(buckets, q);
  const [median, p90, p99] = [quantile(0.5), quantile(0.9), quantile(0.99)];
  return {
    kind,
    name,
    count,
    mean: sum / count,
    perSecond: count / seconds,
    ...(median === undefined ? {} : { median }),
    ...(p90 === undefined ? {} : { p90 }),
    ...(p99 === undefined ? {} : { p99 }),
  };
}

interface Bucket {
  readonly le: number;
  readonly count: number;
}

/** Cumulative, ascending by bound, over all series. */
function bucketIncreases(first: OwnScrape, last: OwnScrape, name: string): readonly Bucket[] {
  const bounds = new Set((last.samples.get(name) ?? []).map(({ labels }) => labels['le'] ?? ''));
  const only = (scrape: OwnScrape, le: string): OwnScrape => ({
    ...scrape,
    samples: new Map([[name, (scrape.samples.get(name) ?? []).filter(({ labels }) => labels['le'] === le)]]),
  });
  return [...bounds]
    .map((le) => ({
      le: le === '+Inf' ? Infinity : Number(le),
      count: increase(only(first, le), only(last, le), name) ?? 0,
    }))
    .filter(({ le }) => !Number.isNaN(le))
    .sort((a, b) => a.le - b.le);
}

/**
 * Prometheus' histogram_quantile: linear inside the bucket, from 0 in the first one, and the highest finite bound when it lies in the
 * last. Undefined without buckets or observations.
 */
export function bucketQuantile(buckets: readonly Bucket[], q: number): number | undefined {
  const total = buckets.at(-1)?.count ?? 0;
  if (total <= 0) return undefined;
  const rank = q * total;
  const index = buckets.findIndex(({ count }) => count >= rank);
  const bucket = buckets[index]!;
  if (bucket.le === Infinity) return buckets.at(-2)?.le;
  const below = buckets[index - 1];
  const [start, before] = below ? [below.le, below.count] : [Math.min(0, bucket.le), 0];
  return bucket.count === before
    ? bucket.le
    : start + ((bucket.le - start) * (rank - before)) / (bucket.count - before);
}

/** Samples of the wanted metrics alone: a server's page holds hundreds of others. */
export function keepWanted(
  wanted: readonly ServerMetric[],
  samples: readonly MetricSample[],
  gaugesOnly: boolean,
): MetricSample[] {
  const names = new Set(
    wanted.flatMap(({ kind, name }) => {
      if (kind === 'gauge') return [name];
      if (gaugesOnly) return [];
      return kind === 'counter' ? [name, `${name}_total`] : [`${name}_bucket`, `${name}_sum`, `${name}_count`];
    }),
  );
  return samples.filter(({ name }) => names.has(name));
}
