// Reader of AIPerf's and genai-perf's JSON export and of AIPerf's per-request JSONL (reference peers.md sections 2 and 4.5).
import type { CanonicalReport, Definition, Measure, QuantityId, ReportScope, ScopeCounts, Told } from '../canonical';
import { fact, type Counter, type Fact } from '../facts';
import { saidByServer, serverOf } from './aiperf-server';
import { aiperfLoad, aiperfPlanned, aiperfTold, findKey } from './aiperf-told';
import type { ReportReader } from './reader';
import { settingsOfCommand } from './settings';
import { headOf } from './told';
import { at, compact, measure, numberAt, numberOf, shown, single, statisticsOf, textAt, type Json } from './values';
import { isObject, own } from '../../own';

/** Units as the file names them -> factor to ours. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  ms: 1e-3,
  milliseconds: 1e-3,
  s: 1,
  sec: 1,
  seconds: 1,
};

const SEND = { start: 'send', weighting: 'requests', stdDev: 'population' } as const satisfies Definition;

const LATENCIES: readonly { id: QuantityId; key: string; definition: Definition }[] = [
  { id: 'ttft', key: 'time_to_first_token', definition: { ...SEND, anchor: 'first-content-or-reasoning' } },
  // Of models that reason; of others it repeats TTFT.
  { id: 'ttfc', key: 'time_to_first_output_token', definition: { ...SEND, anchor: 'first-content' } },
  {
    id: 'tpot',
    key: 'inter_token_latency',
    definition: {
      ...SEND,
      end: 'last-token',
      note: 'AIPerf calls it inter token latency: (latency - TTFT) / (n - 1)',
    },
  },
  { id: 'chunk_gap', key: 'inter_chunk_latency', definition: { weighting: 'gaps', stdDev: 'population' } },
  { id: 'e2e', key: 'request_latency', definition: { ...SEND, end: 'last-token' } },
  // From the credit on, which is given when the request is due (AIPerf 0.13 and after).
  {
    id: 'e2e_schedule',
    key: 'effective_latency',
    definition: { ...SEND, start: 'schedule', end: 'last-token' },
  },
  { id: 'schedule_delay', key: 'credit_to_start_latency', definition: { weighting: 'requests', stdDev: 'population' } },
];

const RATES: readonly (readonly [QuantityId, string])[] = [
  ['requests_per_sec', 'request_throughput'],
  ['input_tokens_per_sec', 'input_token_throughput'],
  ['output_tokens_per_sec', 'output_token_throughput'],
  ['total_tokens_per_sec', 'total_token_throughput'],
];

/** Early genai-perf wrote its numbers as texts and called the lengths by other names. */
function modern(value: unknown): unknown {
  if (!isObject(value) || !isObject(value['input_config']) || typeof at(value, 'request_latency', 'avg') !== 'string')
    return value;
  const blocks = Object.entries(value).map(([key, block]): [string, unknown] => {
    if (!isObject(block) || textAt(block, 'unit') === undefined) return [key, block];
    const numbers = Object.entries(block).map(([name, text]) => [name, numberOf(text, true) ?? text]);
    return [own(EARLY_NAMES, key) ?? key, Object.fromEntries(numbers)];
  });
  return Object.fromEntries(blocks);
}

const EARLY_NAMES: Readonly<Record<string, string>> = {
  num_output_token: 'output_sequence_length',
  num_input_token: 'input_sequence_length',
};

function isExport(value: unknown): value is Json {
  if (!isObject(value) || !isBlock(value['request_latency'])) return false;
  return ['schema_version', 'aiperf_version', 'input_config', 'run_info'].some((key) => Object.hasOwn(value, key));
}

function isBlock(value: unknown): boolean {
  return textAt(value, 'unit') !== undefined && numberAt(value, 'avg') !== undefined;
}

/** `server_metrics_export.json` and `inputs.json` (the bodies it sent): no reports, and no surprise beside one. */
function isByProduct(value: unknown): boolean {
  if (!isObject(value)) return false;
  // The runs of a sweep side by side: each has an export of its own.
  if (value['aggregation_type'] === 'sweep' && Array.isArray(value['per_combination_metrics'])) return true;
  if (Object.hasOwn(value, 'aiperf_version')) return isObject(value['metrics']) && isObject(value['summary']);
  const first = Array.isArray(value['data']) ? (value['data'][0] as unknown) : undefined;
  return isObject(first) && Object.hasOwn(first, 'session_id') && Array.isArray(first['payloads']);
}

export function isAiperfRecord(value: unknown): value is Json {
  return (
    isObject(value) &&
    isObject(value['metadata']) &&
    isObject(value['metrics']) &&
    Object.hasOwn(value['metadata'], 'request_start_ns')
  );
}

function oneExport(value: Json, file: string): CanonicalReport {
  const schema = textAt(value, 'schema_version');
  const command = textAt(value, 'input_config', 'cli_command') ?? textAt(value, 'run_info', 'cli_command');
  const aiperf =
    schema !== undefined ||
    Object.hasOwn(value, 'aiperf_version') ||
    Object.hasOwn(value, 'run_info') ||
    /^aiperf\s/.test(command ?? '') ||
    Object.hasOwn(value, 'inter_chunk_latency');
  const version = textAt(value, 'aiperf_version');
  const input = value['input_config'];
  const asked = settingsOfCommand(command ?? '');
  const told = aiperfTold(value, file, asked);
  const server = findKey(input, 'use_server_token_count')?.value ?? asked['use-server-token-count'];
  const counter = server === undefined ? undefined : countedBy(server === true || server === 'true', told, file);
  const unknownUnits = LATENCIES.filter(({ key }) => isBlock(value[key]) && factorOf(value[key]) === undefined);
  return {
    tool: aiperf ? 'aiperf' : 'genai-perf',
    ...(version === undefined ? {} : { toolVersion: version }),
    versionClass: {
      name: aiperf ? `schema ${schema ?? 'before 1.0'}` : 'genai-perf',
      evidence: [
        schema === undefined ? "'input_config' and no 'schema_version'" : `schema_version ${schema}`,
        ...(schema === undefined && aiperf ? ["cli_command or 'inter_chunk_latency' are AIPerf’s"] : []),
      ],
    },
    place: file,
    name: file,
    files: [file],
    ...compact<{ seed?: string; startedAt?: string }>({
      seed: numberAt(value, 'run_info', 'random_seed')?.toString() ?? asText(findKey(input, 'random_seed')?.value),
      startedAt: textAt(value, 'start_time'),
    }),
    ...headOf(told),
    scopes: [scopeOf(value, file, server === true || server === 'true', asked)],
    ...(counter ? { said: { inputCounter: counter, outputCounter: counter } } : {}),
    assumptions: [
      server === undefined
        ? 'the client counted the output tokens (use_server_token_count off, its default): the file does not say so'
        : `output tokens are the ${server === true ? 'server’s' : 'client’s'} (use_server_token_count ${shown(server)})`,
      'percentiles are taken to be interpolated: the export does not say how',
    ],
    notRecorded: [
      ...(isBlock(value['time_to_first_token'])
        ? []
        : ['TTFT, decode time and gaps (not streamed, or left out of the export)']),
      ...(numberAt(value, 'benchmark_duration', 'avg') === undefined ? ['length of the window'] : []),
      ...(input === undefined ? ['the input config (load, lengths, endpoint, tokenizer)'] : []),
      ...(Object.hasOwn(value, 'warmup_metrics') || input !== undefined ? [] : ['warm-up']),
      ...(failedOf(value, 0) === undefined ? ['failed requests (no error_request_count: none, or not counted)'] : []),
      'server version and flags',
    ],
    facts: factsOf(value, file),
    told,
    problems: unknownUnits.map(({ key }) => ({
      code: 'REP122',
      severity: 'warning',
      path: [key],
      message: `${file}: '${key}' is in '${textAt(value, key, 'unit')}', a unit that is not known: the number was left out`,
      file,
    })),
    ...verdictOf(value, file),
    ...endOf(value, file),
  };
}

function scopeOf(value: Json, file: string, server: boolean, asked: Json): ReportScope {
  const ok = numberAt(value, 'request_count', 'avg');
  const failed = failedOf(value, ok);
  const planned = aiperfPlanned(value['input_config'], asked);
  const total = ok === undefined ? undefined : ok + (failed ?? 0);
  const duration = secondsAt(value, 'benchmark_duration');
  const tokens: Definition['tokens'] = server ? 'server' : 'client';
  const lengths = (id: QuantityId, key: string, by: Definition['tokens'] = tokens): readonly Measure[] =>
    measure(id, statisticsOf(value[key], 1), {
      file,
      key: `${key}.*`,
      definition: { tokens: by, stdDev: 'population' },
    });
  return {
    id: 'run',
    // Each run of a sweep has the same run_label where it has one trial; what varies is its name.
    label: textAt(value, 'run_info', 'variation_label') ?? textAt(value, 'run_info', 'run_label') ?? 'run',
    ...goodputOf(value),
    kind: 'run',
    file,
    load: aiperfLoad(value, asked),
    counts: compact<ScopeCounts>({ planned, ok, failed, total }),
    ...(duration === undefined ? {} : { windowSeconds: { value: duration, from: 'benchmark_duration' } }),
    measures: [
      ...LATENCIES.flatMap(({ id, key, definition }) => {
        const factor = factorOf(value[key]);
        if (factor === undefined) return [];
        if (id === 'ttfc' && numberAt(value, key, 'avg') === numberAt(value, 'time_to_first_token', 'avg')) return [];
        const full = id === 'tpot' ? { ...definition, tokens } : definition;
        return measure(id, statisticsOf(value[key], factor), {
          file,
          key: `${key}.*`,
          factor,
          definition: full,
          count: numberAt(value, key, 'count'),
        });
      }),
      ...lengths('prompt_tokens', 'input_sequence_length'),
      ...lengths('output_tokens', 'output_sequence_length'),
      // The server's own counts stand beside the client's (0.13 and after); where they are the numbers, once is enough.
      ...(server ? [] : lengths('prompt_tokens', 'usage_prompt_tokens', 'server')),
      ...(server ? [] : lengths('output_tokens', 'usage_completion_tokens', 'server')),
      ...RATES.flatMap(([id, key]) =>
        single(id, numberAt(value, key, 'avg'), {
          file,
          key: `${key}.avg`,
          definition: { window: 'first send to last answer' },
        }),
      ),
    ],
  };
}

/** As its own switch says: the server's usage, or the client's tokenizer for prompts and answers alike. */
function countedBy(server: boolean, told: readonly Told[], file: string): Fact<Counter> {
  const { tokenizer: name } = headOf(told);
  return fact(
    {
      source: server ? 'server-usage' : 'client-tokenizer',
      ...(server || name === undefined ? {} : { tokenizer: { source: name, sha256: name } }),
      serverCounted: 0,
      clientCounted: 0,
    },
    file,
    'use_server_token_count',
  );
}

function goodputOf(value: Json): Pick<ReportScope, 'goodput'> {
  const rate = numberAt(value, 'goodput', 'avg');
  const share = numberAt(value, 'good_request_fraction', 'avg');
  if (rate === undefined && share === undefined) return {};
  const stats = compact<Record<string, number>>({ request_goodput: rate, good_request_fraction: share });
  return { goodput: { stats, definition: 'AIPerf: answers within every limit of slos / duration' } };
}

/** Counted, or from the list of errors, or from the share of failures that newer versions write (schema 1.4). */
function failedOf(value: Json, ok: number | undefined): number | undefined {
  const counted = numberAt(value, 'error_request_count', 'avg');
  const share = numberAt(value, 'request_error_rate', 'avg');
  if (counted !== undefined) return counted;
  const summed = summedErrors(value['error_summary']);
  if (summed !== undefined) return summed;
  return share === undefined || ok === undefined || share >= 100 ? undefined : Math.round((ok * share) / (100 - share));
}

/** `error_summary` has one entry a kind of error, each with its count; undefined where it is not there, or one has none. */
function summedErrors(summary: unknown): number | undefined {
  if (!Array.isArray(summary)) return undefined;
  const counts = summary.map((entry) => numberAt(entry, 'count'));
  return counts.includes(undefined) ? undefined : counts.reduce<number>((total, count) => total + (count ?? 0), 0);
}

function factorOf(block: unknown): number | undefined {
  const unit = textAt(block, 'unit')?.toLowerCase();
  return unit === undefined || !Object.hasOwn(UNITS, unit) ? undefined : own(UNITS, unit);
}

function secondsAt(value: Json, key: string): number | undefined {
  const number = numberAt(value, key, 'avg');
  const factor = factorOf(value[key]);
  return number === undefined || factor === undefined ? undefined : number * factor;
}

function asText(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.length > 0 ? value.map(shown).join(', ') : undefined;
  return value === undefined || value === null ? undefined : shown(value);
}

function factsOf(value: Json, file: string): CanonicalReport['facts'] {
  return ['cli_command', 'benchmark_id', 'variation_label', 'trial'].flatMap((label) => {
    const fact = at(value, 'run_info', label);
    return fact === undefined || fact === null
      ? []
      : [{ label, value: shown(fact), source: `${file}: run_info.${label}` }];
  });
}

/** Whether the run came to its end, where the export says either. */
function endOf(value: Json, file: string): Pick<CanonicalReport, 'ended'> {
  if (value['was_cancelled'] === true)
    return { ended: { complete: false, why: 'cancelled', file, key: 'was_cancelled' } };
  if (value['is_complete'] === false) return { ended: { complete: false, file, key: 'is_complete' } };
  if (value['is_complete'] === true) return { ended: { complete: true, file, key: 'is_complete' } };
  return value['was_cancelled'] === false ? { ended: { complete: true, file, key: 'was_cancelled' } } : {};
}

function verdictOf(value: Json, file: string): Pick<CanonicalReport, 'ownVerdict'> | Record<string, never> {
  const reasons = value['runtime_submission_invalid_reasons'];
  const mismatched = numberAt(value, 'osl_mismatch_count', 'avg') ?? 0;
  const words = [
    ...(mismatched > 0
      ? [`AIPerf says that ${mismatched} answers have not the length that was asked for (osl_mismatch_count)`]
      : []),
    ...(Array.isArray(reasons) ? reasons.map((reason) => `AIPerf says the run is not valid: ${shown(reason)}`) : []),
    ...(value['was_cancelled'] === true ? ['the run was cancelled'] : []),
    ...(value['is_complete'] === false && value['was_cancelled'] !== true ? ['the run did not end'] : []),
  ];
  return words.length > 0 ? { ownVerdict: words.map((word) => `${file}: ${word}`) } : {};
}

export const aiperfReader: ReportReader = {
  tool: 'aiperf',
  recognise: ({ value, format }) => {
    if (isExport(modern(value))) return { role: 'export', evidence: "request_latency with 'unit' and 'avg'" };
    if (isByProduct(value)) return { role: 'by-product', evidence: 'what AIPerf writes beside its export' };
    const first: unknown = format === 'jsonl' && Array.isArray(value) ? value[0] : value;
    return isAiperfRecord(first) ? { role: 'records', evidence: 'metadata.request_start_ns and metrics' } : undefined;
  },
  read: ({ documents }) => {
    const exports = documents.flatMap(({ value: written, file }) => {
      const value = modern(written);
      return isExport(value) ? [oneExport(value, file)] : [];
    });
    const records = documents.filter(({ recognition }) => recognition.role === 'records').map(({ file }) => file);
    const [only] = exports;
    const server = documents.filter(({ recognition }) => recognition.role === 'by-product');
    const telemetry = serverOf(server);
    if (only && exports.length === 1)
      return {
        reports: [
          {
            ...only,
            files: [...only.files, ...records],
            scopes: only.scopes.map((scope) => (telemetry ? { ...scope, server: telemetry } : scope)),
            ...saidByServer(only, server),
          },
        ],
        problems: [],
      };
    return { reports: [...exports, ...records.map(recordsOnly)], problems: [] };
  },
};

/** A JSONL without its export: its numbers come from the requests alone. */
function recordsOnly(file: string): CanonicalReport {
  return {
    tool: 'aiperf',
    versionClass: { name: 'per-request export', evidence: ['metadata.request_start_ns and metrics in each line'] },
    place: file,
    name: file,
    files: [file],
    scopes: [],
    assumptions: ['the client counted the tokens (use_server_token_count off, its default): the file does not say so'],
    notRecorded: ['load', 'model', 'endpoint', 'seed', 'input config', 'tool version'],
    facts: [],
    problems: [],
  };
}
