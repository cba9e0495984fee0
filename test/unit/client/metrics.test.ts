// The server's own metrics: the text format, differences between scrapes, inference-perf's queries against a Prometheus.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { metricFilters, metricsOf, queriesFor, type ServerMetric } from '../../../src/client/metrics-catalogue';
import { askPrometheus, getText } from '../../../src/client/metrics-http';
import { parseMetricsText } from '../../../src/client/metrics-text';
import { bucketQuantile, keepWanted, windowMetrics, type Scrape } from '../../../src/client/metrics-window';

describe('the text format', () => {
  it('reads names, labels with escapes, values of every kind, timestamps and exemplars', () => {
    const { samples, unreadable } = parseMetricsText(
      [
        '# HELP http_requests_total The total.',
        '# TYPE http_requests_total counter',
        'http_requests_total{method="post",code="200"} 1027 1395066363000',
        String.raw`msdos{path="C:\\DIR\\F.TXT",error="no \"F\"\n"} 1.458255915e9`,
        'metric_without_timestamp_and_labels 12.47',
        'weird{problem="division by zero"} +Inf -3982045',
        'rpc{quantile="0.01",} 3102',
        'spaced { a = "1" , b="2" }   7',
        'low -Inf',
        'none NaN',
        'bucket_total{le="0.1"} 8 # {trace_id="x"} 0.67 1',
        '# EOF',
        '',
      ].join('\n'),
    );
    expect(unreadable).toEqual([]);
    expect(samples).toEqual([
      { name: 'http_requests_total', labels: { method: 'post', code: '200' }, value: 1027 },
      { name: 'msdos', labels: { path: String.raw`C:\DIR\F.TXT`, error: 'no "F"\n' }, value: 1.458255915e9 },
      { name: 'metric_without_timestamp_and_labels', labels: {}, value: 12.47 },
      { name: 'weird', labels: { problem: 'division by zero' }, value: Infinity },
      { name: 'rpc', labels: { quantile: '0.01' }, value: 3102 },
      { name: 'spaced', labels: { a: '1', b: '2' }, value: 7 },
      { name: 'low', labels: {}, value: -Infinity },
      { name: 'none', labels: {}, value: Number.NaN },
      { name: 'bucket_total', labels: { le: '0.1' }, value: 8 },
    ]);
  });

  it('braces, commas and hashes inside label values split nothing', () => {
    const [sample] = parseMetricsText('a{x="},{ # y"} 1').samples;
    expect(sample).toEqual({ name: 'a', labels: { x: '},{ # y' }, value: 1 });
  });

  it('names the lines it cannot read', () => {
    expect(parseMetricsText('<html>\nok 1\nopen{a="1 2\nno_value\nword x').unreadable).toEqual([1, 3, 4, 5]);
  });

  it('any label value survives being written and read', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        // A lone carriage return would be a line end of some readers; servers escape only these three.
        fc.pre(!value.includes('\r'));
        const written = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
        expect(parseMetricsText(`m{l="${written}"} 1`).samples[0]?.labels['l']).toBe(value);
      }),
    );
  });
});

const scrape = (atSeconds: number, text: string, gaugesOnly = false): Scrape => ({
  atSeconds,
  samples: parseMetricsText(text).samples,
  gaugesOnly,
});
const WANTED: readonly ServerMetric[] = [
  { key: 'requests', kind: 'counter', name: 'vllm:request_success' },
  { key: 'queue', kind: 'gauge', name: 'waiting' },
  { key: 'latency', kind: 'histogram', name: 'lat' },
];

describe('what happened between scrapes', () => {
  const before = scrape(
    10,
    `vllm:request_success_total{model_name="m",r="stop"} 5
vllm:request_success_total{model_name="other",r="stop"} 100
waiting{model_name="m"} 0
lat_bucket{model_name="m",le="1"} 1
lat_bucket{model_name="m",le="+Inf"} 2
lat_sum{model_name="m"} 3
lat_count{model_name="m"} 2`,
  );
  const after = scrape(
    14,
    `vllm:request_success_total{model_name="m",r="stop"} 9
vllm:request_success_total{model_name="m",r="length"} 4
vllm:request_success_total{model_name="other",r="stop"} 900
waiting{model_name="m"} 0
lat_bucket{model_name="m",le="1"} 5
lat_bucket{model_name="m",le="2"} 9
lat_bucket{model_name="m",le="+Inf"} 10
lat_sum{model_name="m"} 11
lat_count{model_name="m"} 10`,
  );
  const during = [3, 1].map((value, index) => scrape(11 + index, `waiting{model_name="m"} ${value}`, true));

  it('differences of this model alone, series that began in between from 0, gauges from the scrapes in between', () => {
    const { metrics, absent } = windowMetrics(WANTED, [before, ...during, after], 'm');
    expect(absent).toEqual([]);
    expect(metrics['requests']).toEqual({
      kind: 'counter',
      name: 'vllm:request_success_total',
      total: 8,
      perSecond: 2,
    });
    expect(metrics['queue']).toMatchObject({ mean: 2, median: 2 });
    // Of 8 observations 4 were up to 1 and 9 - 0 up to 2 in buckets that began in between.
    expect(metrics['latency']).toMatchObject({ count: 8, mean: 1, perSecond: 2, median: 1 });
  });

  it('a restart of the server counts from 0', () => {
    const reset = scrape(14, 'vllm:request_success_total{model_name="m",r="stop"} 3');
    expect(windowMetrics(WANTED, [before, reset], 'm').metrics['requests']).toMatchObject({ total: 3 });
  });

  it('what is not there is absent with its name and reason, never 0', () => {
    const { metrics, absent } = windowMetrics(WANTED, [scrape(1, 'x 1'), scrape(2, 'x 2')], 'm');
    expect(metrics).toEqual({});
    expect(absent.map(({ key, lookedFor }) => [key, lookedFor])).toEqual([
      ['requests', 'vllm:request_success'],
      ['queue', 'waiting'],
      ['latency', 'lat'],
    ]);
    expect(windowMetrics(WANTED, [before], 'm').absent[0]!.reason).toMatch(/once only/);
    expect(windowMetrics(WANTED, [], 'm').absent[0]!.reason).toMatch(/not scraped/);
    const idle = windowMetrics(WANTED, [before, { ...before, atSeconds: 14 }], 'm');
    expect(idle.metrics['requests']).toMatchObject({ total: 0, perSecond: 0 });
    expect(idle.absent.find(({ key }) => key === 'latency')!.reason).toMatch(/nothing was observed/);
  });

  it('keeps the wanted samples only, and of scrapes in between the gauges', () => {
    const { samples } = parseMetricsText('other 1\nwaiting 2\nlat_sum 3\nvllm:request_success_total 4');
    expect(keepWanted(WANTED, samples, false).map(({ name }) => name)).toEqual([
      'waiting',
      'lat_sum',
      'vllm:request_success_total',
    ]);
    expect(keepWanted(WANTED, samples, true).map(({ name }) => name)).toEqual(['waiting']);
  });

  it('quantiles as Prometheus interpolates them', () => {
    const buckets = [
      { le: 0.1, count: 10 },
      { le: 0.5, count: 30 },
      { le: Infinity, count: 40 },
    ];
    expect(bucketQuantile(buckets, 0.125)).toBeCloseTo(0.05, 12);
    expect(bucketQuantile(buckets, 0.5)).toBeCloseTo(0.3, 12);
    expect(bucketQuantile(buckets, 0.9)).toBe(0.5);
    expect(bucketQuantile([], 0.5)).toBeUndefined();
    expect(bucketQuantile([{ le: 1, count: 0 }], 0.5)).toBeUndefined();
  });
});

describe('names and queries', () => {
  const query = (server: string, key: string, field: string): string =>
    queriesFor(
      metricsOf(server).find((metric) => metric.key === key)!,
      metricFilters(server, 'm', ['a="b"']),
      60.4,
    ).find(([name]) => name === field)![1];

  it('are inference-perf’s for each server', () => {
    expect(query('vllm', 'requests', 'total')).toBe(
      `sum(increase(vllm:request_success_total{model_name='m',a="b"}[60s]) or increase(vllm:request_success{model_name='m',a="b"}[60s]))`,
    );
    expect(query('sglang', 'requests', 'perSecond')).toBe(
      `sum(rate(sglang:e2e_request_latency_seconds_count{model_name='m',a="b"}[60s]))`,
    );
    expect(query('tgi', 'request_latency', 'p90')).toBe(
      'histogram_quantile(0.9, sum(rate(tgi_request_duration_bucket{a="b"}[60s])) by (le))',
    );
    expect(query('vllm', 'queue_length', 'mean')).toBe(
      `avg_over_time(vllm:num_requests_waiting{model_name='m',a="b"}[60s])`,
    );
    expect(metricsOf('mock')).toEqual([]);
  });
});

describe('a Prometheus', () => {
  const closers: (() => void)[] = [];
  afterEach(() => {
    for (const close of closers.splice(0)) close();
  });
  async function fake(answer: (query: string, request: IncomingMessage) => unknown): Promise<string> {
    const server = createServer((request, response) => {
      const { searchParams, pathname } = new URL(request.url ?? '', 'http://x');
      const value = pathname.endsWith('/api/v1/query') ? answer(searchParams.get('query') ?? '', request) : undefined;
      if (value === undefined) response.writeHead(404).end();
      else response.end(typeof value === 'string' ? value : JSON.stringify(value));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const vector = (...values: string[]): unknown => ({
    status: 'success',
    data: { resultType: 'vector', result: values.map((value) => ({ metric: {}, value: [1, value] })) },
  });
  const ask = (url: string) =>
    askPrometheus({ url, metrics: WANTED, filters: '', windowSeconds: 30, evalSeconds: 1000.5 });

  it('the first series, six decimals; empty answers, NaN and errors are absent with their query', async () => {
    const times: (string | null)[] = [];
    const url = await fake((query, request) => {
      times.push(new URL(request.url!, 'http://x').searchParams.get('time'));
      if (query.startsWith('sum(increase')) return vector('8.12345678', '99');
      if (query.includes('quantile')) return vector('NaN');
      if (query.startsWith('avg_over_time(waiting')) return { status: 'error', error: 'bad' };
      return vector();
    });
    const { metrics, absent } = await ask(`${url}/`);
    expect(new Set(times)).toEqual(new Set(['1000.5']));
    expect(metrics).toEqual({ requests: { kind: 'counter', name: 'vllm:request_success', total: 8.123457 } });
    const reasons = Object.fromEntries(absent.map(({ key, reason }) => [key, reason]));
    expect(reasons).toMatchObject({
      'requests.perSecond': 'no series',
      'queue.mean': 'the query failed',
      'queue.p90': 'the value is NaN',
    });
    expect(absent.every(({ lookedFor }) => lookedFor.includes('[30s'))).toBe(true);
  });

  it('one that is not there is asked once', async () => {
    const { metrics, absent } = await ask('http://127.0.0.1:1');
    expect(metrics).toEqual({});
    expect(new Set(absent.map(({ reason }) => reason)).size).toBe(1);
    expect(absent).toHaveLength(12);
  });

  it('a login in the address becomes a header and is not in messages', async () => {
    const seen: unknown[] = [];
    const url = await fake((_query, request) => {
      seen.push(request.headers.authorization);
      return vector('1');
    });
    await ask(url.replace('//', '//user:p%40ss@'));
    expect(seen[0]).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
    const refused = await getText(`${url.replace('//', '//user:secret@')}/nowhere`);
    expect(refused.ok).toBe(false);
    expect(JSON.stringify(refused)).not.toContain('secret');
  });
});
