// Reader of Hugging Face's inference-benchmarker: one scope per step of its sweep, its own warm-up dropped (reference peers.md 4.7).
import type { CanonicalReport, Definition, Measure, ReportScope, ScopeCounts } from '../canonical';
import type { ReportReader } from './reader';
import { at, compact, measure, numberAt, shown, single, statisticsOf, textAt, type Json } from './values';
import { isObject } from '../../own';

const SEND = { start: 'send', weighting: 'requests', percentiles: 'linear' } as const satisfies Definition;

const BLOCKS: readonly { id: Measure['quantity']; key: string; definition: Definition }[] = [
  { id: 'ttft', key: 'time_to_first_token_ms', definition: { ...SEND, anchor: 'first-content' } },
  {
    id: 'tpot',
    key: 'inter_token_latency_ms',
    definition: {
      ...SEND,
      end: 'last-token',
      tokens: 'client',
      note: 'called inter token latency; 0 for an answer of one chunk',
    },
  },
  { id: 'e2e', key: 'e2e_latency_ms', definition: { ...SEND, end: 'stream-end' } },
];

function isResults(value: unknown): value is Json {
  if (!isObject(value) || !Array.isArray(value['results']) || !isObject(value['config'])) return false;
  return value['results'].some(
    (entry) =>
      isObject(entry) && Object.hasOwn(entry, 'total_tokens_sent') && Object.hasOwn(entry, 'token_throughput_secs'),
  );
}

function oneReport(value: Json, file: string): CanonicalReport {
  const results = (value['results'] as readonly unknown[]).filter(isObject);
  const warmups = results.filter((entry) => textAt(entry, 'id') === 'warmup').length;
  return {
    tool: 'inference-benchmarker',
    versionClass: {
      name: 'results file',
      evidence: ["results[] with 'total_tokens_sent' and 'token_throughput_secs'"],
    },
    place: file,
    name: file,
    files: [file],
    ...compact<{ startedAt?: string; model?: string; endpoint?: string; tokenizer?: string }>({
      startedAt: textAt(value, 'start_time'),
      model: textAt(value, 'config', 'model_name') ?? textAt(value, 'config', 'model'),
      endpoint: textAt(value, 'config', 'url'),
      tokenizer: textAt(value, 'config', 'tokenizer') ?? textAt(value, 'config', 'tokenizer_name'),
    }),
    scopes: results
      .map((entry, index) => ({ entry, index }))
      .filter(({ entry }) => textAt(entry, 'id') !== 'warmup')
      .map(({ entry, index }) => scopeOf(entry, index, file)),
    assumptions: [
      'tokens are counted by the client per chunk, without special tokens',
      ...(warmups > 0 ? [`${warmups} result called 'warmup' was left out: it is no measurement`] : []),
    ],
    notRecorded: [
      'standard deviations',
      'schedule delay',
      'gaps between chunks',
      'server version and flags',
      'ignore_eos',
      'sampling parameters',
      'per-request records (no intervals, no recomputation)',
    ],
    facts: ['profile', 'benchmark_kind', 'prompt_options', 'decode_options', 'meta'].flatMap((label) => {
      const fact = at(value, 'config', label);
      return fact === undefined || fact === null
        ? []
        : [{ label, value: shown(fact), source: `${file}: config.${label}` }];
    }),
    problems: [],
  };
}

function scopeOf(entry: Json, index: number, file: string): ReportScope {
  const id = textAt(entry, 'id') ?? `result ${index}`;
  const root = `results[${index}]`;
  const ok = numberAt(entry, 'successful_requests');
  const failed = numberAt(entry, 'failed_requests');
  const milliseconds = numberAt(entry, 'duration_ms');
  const totals = (quantity: 'prompt_tokens' | 'output_tokens', key: string): readonly Measure[] => {
    const total = numberAt(entry, key);
    if (total === undefined) return [];
    return measure(
      quantity,
      { total, ...(ok === undefined || ok === 0 ? {} : { mean: total / ok }) },
      { file, key: `${root}.${key}`, definition: { tokens: 'client' }, derived: 'mean: total / successful' },
    );
  };
  return {
    id,
    label: id,
    kind: 'run',
    stage: index,
    file,
    load: loadOf(entry),
    counts: compact<ScopeCounts>({ total: numberAt(entry, 'total_requests'), ok, failed }),
    ...(milliseconds === undefined ? {} : { windowSeconds: { value: milliseconds / 1000, from: 'duration_ms' } }),
    measures: [
      ...BLOCKS.flatMap(({ id: quantity, key, definition }) =>
        measure(quantity, statisticsOf(entry[key], 0.001), {
          file,
          key: `${root}.${key}.*`,
          factor: 0.001,
          definition,
        }),
      ),
      ...totals('prompt_tokens', 'total_tokens_sent'),
      ...totals('output_tokens', 'total_tokens'),
      ...single('requests_per_sec', numberAt(entry, 'request_rate'), { file, key: `${root}.request_rate` }),
      ...single('output_tokens_per_sec', numberAt(entry, 'token_throughput_secs'), {
        file,
        key: `${root}.token_throughput_secs`,
        definition: { tokens: 'client', window: 'duration of the step' },
      }),
    ],
  };
}

function loadOf(entry: Json): ReportScope['load'] {
  const rate = numberAt(entry, 'config', 'rate');
  const users = numberAt(entry, 'config', 'max_vus');
  const kind = textAt(entry, 'executor_type') ?? '';
  if (rate !== undefined && !/VU/i.test(kind.replace(/Rate/i, ''))) {
    return {
      model: 'open',
      requestedRateRps: rate,
      words: `${rate} requests/s asked, evenly spaced`,
      ...(users === undefined ? {} : { cap: { value: users, from: `config.max_vus ${users}` } }),
    };
  }
  if (users !== undefined) return { model: 'closed', concurrency: users, words: `${users} users in a closed loop` };
  return { model: 'not recorded', words: 'not recorded' };
}

export const hfReader: ReportReader = {
  tool: 'inference-benchmarker',
  recognise: ({ value }) =>
    isResults(value) ? { role: 'results', evidence: 'results[] with total_tokens_sent' } : undefined,
  read: ({ documents }) => ({
    reports: documents.flatMap(({ value, file }) => (isResults(value) ? [oneReport(value, file)] : [])),
    problems: [],
  }),
};
