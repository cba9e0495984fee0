// Reader of SGLang's bench_serving JSONL: one run a line, bare Infinity, milliseconds (reference peers.md sections 2 and 4.3).
import type { CanonicalReport, Definition, Measure, ScopeCounts, TokenCounter, Told } from '../canonical';
import type { ReportReader, SourceDocument } from './reader';
import { arrayProblems, flatMeasures, servingLoad, servingTold, tokenTotals, type FlatBlock } from './serving-layout';
import { settingsTold, stackTold } from './settings';
import { TOLD, toldBy } from './told';
import { hasArrays } from './vllm';
import { compact, hasAll, numberOf, shown, single, textAt, textOf, type Json } from './values';
import { isObject } from '../../own';

const SEND = {
  start: 'send',
  percentiles: 'linear',
  stdDev: 'population',
  weighting: 'requests',
} as const satisfies Definition;

/** Backends whose client never reads a count from the answer. */
const NEVER_COUNTED: readonly string[] = ['trt', 'truss'];
/** SGLang's own route: `meta_info.completion_tokens` is in every chunk. */
const NATIVE: readonly string[] = ['sglang', 'sglang-native'];

/**
 * Whose `output_lens` and `total_output_tokens` are. The OpenAI routes begin with the length asked for and take the server's
 * `usage.completion_tokens` where it comes: with completions only beside text, so not from a last chunk of usage alone.
 */
export function sglangOutputCounter(value: Json): TokenCounter {
  const backend = textOf(value['backend']) ?? '';
  if (NATIVE.includes(backend)) return 'server';
  return NEVER_COUNTED.includes(backend) ? 'asked' : 'server-else-asked';
}

const OUTPUT_WORDS: Readonly<Partial<Record<TokenCounter, string>>> = {
  server: 'output tokens are the server’s count (completion_tokens of SGLang’s own route)',
  asked: 'output tokens are the lengths asked for: this backend reads no count from the answers',
  'server-else-asked':
    'output tokens are the server’s usage where it came beside the text, else the length asked for; the file does not say which',
};

function blocks(perToken: boolean, tokens: TokenCounter): readonly FlatBlock[] {
  return [
    { quantity: 'ttft', name: 'ttft', definition: { ...SEND, anchor: 'first-content-or-reasoning' } },
    {
      quantity: 'tpot',
      name: 'tpot',
      definition: { ...SEND, end: 'stream-end', tokens, note: 'contains the tail up to [DONE]' },
    },
    {
      quantity: perToken ? 'token_gap' : 'chunk_gap',
      name: 'itl',
      definition: {
        percentiles: 'linear',
        stdDev: 'population',
        weighting: 'gaps',
        ...(perToken ? { note: 'divided over the re-tokenized tokens of a chunk: accept_length is set' } : {}),
      },
    },
    { quantity: 'e2e', name: 'e2e_latency', definition: { ...SEND, end: 'stream-end' } },
  ];
}

const SETTINGS = [
  'dataset_name',
  'random_input_len',
  'random_output_len',
  'random_range_ratio',
  'sharegpt_output_len',
  'accept_length',
];

function isSglang(value: unknown): value is Json {
  return (
    isObject(value) &&
    hasAll(value, ['backend', 'duration', 'completed', 'total_input_tokens']) &&
    (Object.hasOwn(value, 'total_output_tokens_retokenized') || Object.hasOwn(value, 'random_range_ratio')) &&
    Object.hasOwn(value, 'request_rate')
  );
}

function linesOf({ format, value }: SourceDocument): readonly unknown[] {
  return format === 'jsonl' && Array.isArray(value) ? value : [value];
}

/** Of one result under the JSON line’s keys. */
export function sglangRun(value: Json, file: string, name: string): CanonicalReport {
  const accept = numberOf(value['accept_length']);
  const perToken = accept !== undefined && accept > 0;
  const counter = sglangOutputCounter(value);
  const ok = numberOf(value['completed']);
  const duration = numberOf(value['duration']);
  const served = stackTold(value['server_info'], file, 'server_info');
  return {
    tool: 'sglang bench_serving',
    versionClass: {
      name: Object.hasOwn(value, 'p90_ttft_ms') ? 'with p90 and p95' : 'p99 for all, p95 for ITL only',
      evidence: [
        Object.hasOwn(value, 'p90_ttft_ms') ? "'p90_ttft_ms' is there" : "'p90_ttft_ms' is not there",
        "'total_output_tokens_retokenized' beside 'total_output_tokens'",
      ],
    },
    place: file,
    name,
    files: [file],
    scopes: [
      {
        id: 'run',
        label: 'run',
        kind: 'run',
        file,
        load: servingLoad(value),
        counts: countsOf(value, ok),
        ...(duration === undefined
          ? {}
          : { windowSeconds: { value: duration, from: 'duration (contains one extra call to the server)' } }),
        measures: [...flatMeasures(value, file, blocks(perToken, counter), '_ms'), ...tokensAndRates(value, file, ok)],
      },
    ],
    assumptions: [
      OUTPUT_WORDS[counter]!,
      'one warm-up request was sent and is not in the numbers (its default): the file does not record it',
    ],
    notRecorded: [
      ...(Array.isArray(value['errors']) ? [] : ['failed requests']),
      'date',
      'model',
      'tokenizer',
      'tool version',
      'warm-up',
      'ignore_eos',
      'sampling parameters',
      'seed',
      'server version and flags',
      ...(hasArrays(value) ? [] : ['length distributions', 'per-request records (no intervals, no recomputation)']),
    ],
    facts: SETTINGS.flatMap((label) =>
      value[label] === undefined || value[label] === null ? [] : [{ label, value: shown(value[label]), source: file }],
    ),
    told: [...servingTold(value, file), ...workloadTold(value, file), ...othersTold(value, file)],
    ...(served ? { said: { stack: served } } : {}),
    problems: arrayProblems(value, file),
  };
}

/** Failures are counted only where the texts of their errors were kept (--output-details). */
function countsOf(value: Json, ok: number | undefined): ScopeCounts {
  const errors = value['errors'];
  const failed = Array.isArray(errors)
    ? errors.filter((text) => typeof text === 'string' && text !== '').length
    : undefined;
  const total = failed === undefined || ok === undefined ? undefined : ok + failed;
  return compact<ScopeCounts>({ ok, failed, total });
}

/** `random_range_ratio` r draws lengths evenly from r x length to length. */
function workloadTold(value: Json, file: string): readonly Told[] {
  const dataset = textOf(value['dataset_name']);
  const random = dataset?.startsWith('random') === true;
  const law = (key: string): Json | undefined => {
    const max = numberOf(value[key]);
    const ratio = numberOf(value['random_range_ratio']);
    return random && max !== undefined
      ? { type: 'uniform', max, ...(ratio === undefined ? {} : { ratio }) }
      : undefined;
  };
  return toldBy(file, [
    [['data', 'type'], dataset && `SGLang’s ${dataset}`, 'dataset_name'],
    [['data', 'input_distribution'], law('random_input_len'), 'random_input_len'],
    [['data', 'output_distribution'], law('random_output_len'), 'random_output_len'],
  ]);
}

const LENGTHS_AND_SERVER = new Set(['random_input_len', 'random_output_len', 'server_info']);

/** Its lengths of random data stand in every file, also where another data set was sent: they are told by `workloadTold` alone. */
function othersTold(value: Json, file: string): readonly Told[] {
  const server = value['server_info'];
  const ttft = numberOf(value['mean_ttft_ms']);
  const tokens = numberOf(value['total_output_tokens']);
  const ok = numberOf(value['completed']);
  const isText = tokens !== undefined && ok !== undefined && tokens > ok;
  return [
    ...toldBy(file, [
      // Without streaming it writes 0 for every first token.
      [TOLD.streaming, ttft === undefined || !isText ? undefined : ttft > 0, 'mean_ttft_ms'],
      [TOLD.goodput, {}, 'no key: it has no goodput'],
      [['server', 'version'], textAt(server, 'version'), 'server_info.version'],
      [['server', 'model_name'], textAt(server, 'model_path'), 'server_info.model_path'],
      [['tokenizer', 'pretrained_model_name_or_path'], textAt(server, 'tokenizer_path'), 'server_info.tokenizer_path'],
    ]),
    ...settingsTold(Object.fromEntries(Object.entries(value).filter(([key]) => !LENGTHS_AND_SERVER.has(key))), file),
  ];
}

function tokensAndRates(value: Json, file: string, ok: number | undefined): Measure[] {
  const window = 'start of the schedule to last answer, and one call for the server’s state';
  const rate = (id: Measure['quantity'], key: string): readonly Measure[] =>
    single(id, numberOf(value[key]), { file, key, definition: { window } });
  const output = (key: string, tokens: TokenCounter): readonly Measure[] =>
    tokenTotals('output_tokens', numberOf(value[key]), ok, { file, key, definition: { tokens } });
  return [
    ...tokenTotals('prompt_tokens', numberOf(value['total_input_tokens']), ok, {
      file,
      key: 'total_input_tokens',
      // `input_lens` may hold the server's counts; this total does not.
      definition: { tokens: 'client', note: 'lengths of the data set' },
    }),
    ...output('total_output_tokens', sglangOutputCounter(value)),
    ...output('total_output_tokens_retokenized', 'client'),
    ...rate('requests_per_sec', 'request_throughput'),
    ...rate('input_tokens_per_sec', 'input_throughput'),
    ...rate('output_tokens_per_sec', 'output_throughput'),
    ...rate('total_tokens_per_sec', 'total_throughput'),
    ...single('concurrency', numberOf(value['concurrency']), {
      file,
      key: 'concurrency',
      definition: { note: 'sum of latencies / duration' },
    }),
  ];
}

export const sglangReader: ReportReader = {
  tool: 'sglang bench_serving',
  recognise: (document) => {
    const lines = linesOf(document);
    return lines.length > 0 && lines.every(isSglang)
      ? {
          role: lines.length === 1 && hasArrays(lines[0]) ? 'detailed' : 'result',
          evidence: 'total_output_tokens_retokenized, random_range_ratio',
        }
      : undefined;
  },
  read: ({ documents }) => ({
    reports: documents.flatMap((document) =>
      linesOf(document).flatMap((value, index, all) =>
        isSglang(value)
          ? [sglangRun(value, document.file, all.length === 1 ? document.file : `${document.file}, line ${index + 1}`)]
          : [],
      ),
    ),
    problems: [],
  }),
};
