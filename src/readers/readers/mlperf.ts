// Reader of MLPerf results: LoadGen's mlperf_log_summary.txt and the endpoints harness's result_summary.json, in nanoseconds (peers.md 4.10).
import type {
  CanonicalReport,
  Definition,
  Measure,
  QuantityId,
  ReportScope,
  ScopeCounts,
  Statistics,
} from '../canonical';
import type { ReportReader } from './reader';
import { at, compact, measure, numberAt, numberOf, quantileKey, single, textOf, type Json } from './values';
import { isObject } from '../../own';

const NANO = 1e-9;
const HEAD = 'MLPerf Results Summary';

function readSummary(text: string, file: string): CanonicalReport {
  const lines = new Map<string, string>();
  for (const line of text.split(/\r?\n/).slice(0, 2000)) {
    const match = /^\s*(.+?)\s*:\s*(.*?)\s*$/.exec(line);
    if (match) lines.set(match[1]!.toLowerCase(), match[2]!);
  }
  const scenario = lines.get('scenario') ?? 'not recorded';
  const result = lines.get('result is') ?? 'not recorded';
  const server = /server|interactive/i.test(scenario);
  const reasons = [...lines]
    .filter(([key, value]) => / satisfied/.test(key) && /^no$/i.test(value))
    .map(([key]) => `${key}: no`);
  const rate = numberIn(lines, 'completed samples per second') ?? numberIn(lines, 'samples per second');
  const target = numberIn(lines, 'target_qps');
  return {
    tool: 'MLPerf LoadGen',
    versionClass: { name: `${scenario} scenario`, evidence: [`'${HEAD}'`] },
    place: file,
    name: lines.get('sut name') ?? file,
    files: [file],
    ...(lines.get('qsl_rng_seed') === undefined ? {} : { seed: lines.get('qsl_rng_seed')! }),
    scopes: [
      {
        id: 'run',
        label: scenario,
        kind: 'run',
        file,
        load:
          server && target !== undefined
            ? { model: 'open', requestedRateRps: target, words: `${target} requests/s asked (Poisson)` }
            : { model: server ? 'open' : 'closed', words: scenario },
        counts: {},
        measures: [
          ...logMeasures(lines, file, server),
          ...single('requests_per_sec', rate, {
            file,
            key: 'Completed samples per second',
            definition: { window: 'LoadGen: until the last sample is done' },
          }),
          ...single(
            'output_tokens_per_sec',
            numberIn(lines, 'completed tokens per second') ?? numberIn(lines, 'tokens per second'),
            { file, key: 'Completed tokens per second' },
          ),
        ],
      },
    ],
    assumptions: [
      server
        ? 'latency counts from the scheduled time (Server scenario)'
        : 'latency counts from the issue of the query',
      'percentiles are sorted[int(n x p)], not interpolated',
    ],
    notRecorded: [
      'number of samples done',
      'length of the window',
      'token lengths',
      'start of the run',
      'per-request records',
    ],
    facts: ['mode', 'performance_sample_count', 'min_duration (ms)', 'min_query_count'].flatMap((label) =>
      lines.has(label) ? [{ label, value: lines.get(label)!, source: file }] : [],
    ),
    problems: [],
    ownVerdict: [`${file}: LoadGen says ${result}${reasons.length > 0 ? ` (${reasons.join(', ')})` : ''}`],
  };
}

const LOG_BLOCKS: readonly (readonly [QuantityId, string, ...string[]])[] = [
  ['ttft', 'first token latency'],
  // LoadGen calls it one thing in its percentiles and another in minimum, mean and maximum.
  ['tpot', 'time to output token', 'time per output token'],
  ['e2e', 'latency'],
];

function logMeasures(lines: ReadonlyMap<string, string>, file: string, server: boolean): Measure[] {
  const start = server ? 'schedule' : 'send';
  return LOG_BLOCKS.flatMap(([quantity, words, ...others]) => {
    const stats: Record<string, number> = {};
    for (const [key, text] of lines) {
      const name = logName(key, [words, ...others]);
      const value = Number(text);
      if (name !== undefined && text !== '' && Number.isFinite(value)) stats[name] = value * NANO;
    }
    const id =
      server && quantity === 'e2e' ? 'e2e_schedule' : server && quantity === 'ttft' ? 'ttft_schedule' : quantity;
    const definition: Definition = { start, anchor: 'server', percentiles: 'nearest-rank', weighting: 'requests' };
    return measure(id, stats, { file, key: `* ${words} (ns)`, factor: NANO, definition });
  });
}

/** `mean latency (ns)` -> mean; `99.00 percentile first token latency (ns)` -> p99. */
function logName(key: string, words: readonly string[]): string | undefined {
  const match = /^(min|max|mean|[\d.]+ percentile) (.+?) \(ns\)$/.exec(key);
  if (!match || !words.includes(match[2]!)) return undefined;
  const name = match[1]!;
  return name.endsWith('percentile') ? quantileKey(Number.parseFloat(name)) : name;
}

function numberIn(lines: ReadonlyMap<string, string>, key: string): number | undefined {
  return numberOf(lines.get(key), true);
}

function isEndpoints(value: unknown): value is Json {
  return isObject(value) && Object.hasOwn(value, 'n_samples_issued') && Object.hasOwn(value, 'duration_ns');
}

function readEndpoints(value: Json, file: string): CanonicalReport {
  const nanoseconds = numberOf(value['duration_ns']);
  const scope: ReportScope = {
    id: 'run',
    label: 'run',
    kind: 'run',
    file,
    load: { model: 'not recorded', words: 'not recorded' },
    counts: compact<ScopeCounts>({
      total: numberOf(value['n_samples_issued']),
      ok: numberOf(value['n_samples_completed']),
      failed: numberOf(value['n_samples_failed']),
    }),
    ...(nanoseconds === undefined ? {} : { windowSeconds: { value: nanoseconds * NANO, from: 'duration_ns' } }),
    measures: [
      ...(['ttft', 'tpot', 'latency'] as const).flatMap((key) =>
        measure(key === 'latency' ? 'e2e' : key, endpointStatistics(value[key]), {
          file,
          key: `${key}.*`,
          factor: NANO,
          definition: { start: 'send', weighting: 'requests', stdDev: 'population' },
        }),
      ),
      ...single('requests_per_sec', numberOf(value['qps']), {
        file,
        key: 'qps',
        definition: { window: '(completed - 1) / window', note: 'fence posts counted, unlike others' },
      }),
    ],
  };
  const sha = textOf(value['git_sha']);
  return {
    tool: 'MLPerf endpoints',
    ...(sha === undefined ? {} : { toolVersion: sha }),
    versionClass: { name: 'result_summary.json', evidence: ["'n_samples_issued' and 'duration_ns'"] },
    place: file,
    name: file,
    files: [file],
    scopes: [scope],
    assumptions: ['decode time is (end - first token) / (n - 1)'],
    notRecorded: [
      'load',
      'start of the run',
      'model',
      'token source',
      'server version and flags',
      'per-request records',
    ],
    facts: [],
    problems: [],
  };
}

function endpointStatistics(block: unknown): Statistics | undefined {
  if (!isObject(block)) return undefined;
  const stats: Record<string, number> = {};
  const put = (name: string, number: number | undefined): void => {
    if (number !== undefined) stats[name] = number * NANO;
  };
  put('mean', numberAt(block, 'avg'));
  put('stdDev', numberAt(block, 'std_dev'));
  put('min', numberAt(block, 'min'));
  put('p50', numberAt(block, 'median'));
  const percentiles = at(block, 'percentiles');
  if (isObject(percentiles)) {
    for (const [key, number] of Object.entries(percentiles)) {
      const percent = Number.parseFloat(key.replace(/^p/, ''));
      if (percent >= 0 && percent <= 100) put(quantileKey(percent), numberOf(number));
    }
  }
  put('max', numberAt(block, 'max'));
  return Object.keys(stats).length > 0 ? stats : undefined;
}

export const mlperfReader: ReportReader = {
  tool: 'MLPerf',
  recognise: ({ value, format }) => {
    if (format === 'text' && typeof value === 'string' && value.slice(0, 2000).includes(HEAD)) {
      return { role: 'summary', evidence: `'${HEAD}'` };
    }
    return isEndpoints(value) ? { role: 'result summary', evidence: 'n_samples_issued, duration_ns' } : undefined;
  },
  read: ({ documents }) => ({
    reports: documents.flatMap(({ value, file }) => {
      if (typeof value === 'string') return [readSummary(value, file)];
      return isEndpoints(value) ? [readEndpoints(value, file)] : [];
    }),
    problems: [],
  }),
};
