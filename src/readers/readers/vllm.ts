// Reader of `vllm bench serve` results, old and new keys, one file a run or one line a run (reference peers.md sections 2 and 4.2).
import type { CanonicalReport, Definition, ReportScope, ScopeCounts, Told } from '../canonical';

import type { ReportReader, SourceDocument } from './reader';
import {
  arrayProblems,
  extraFacts,
  flatMeasures,
  SERVING_KEYS,
  servingLoad,
  servingTold,
  tokenTotals,
  type FlatBlock,
} from './serving-layout';
import { settingsTold, stackTold } from './settings';
import { TOLD, toldBy } from './told';
import { compact, hasAll, numberOf, single, textOf, type Json } from './values';
import { isObject } from '../../own';

const SEND = { start: 'send', percentiles: 'linear', stdDev: 'population' } as const satisfies Definition;

const BLOCKS: readonly FlatBlock[] = [
  { quantity: 'ttft', name: 'ttft', definition: { ...SEND, anchor: 'first-chunk', weighting: 'requests' } },
  {
    quantity: 'tpot',
    name: 'tpot',
    definition: { ...SEND, end: 'last-token', weighting: 'requests', tokens: 'server-else-client' },
  },
  {
    quantity: 'chunk_gap',
    name: 'itl',
    definition: { percentiles: 'linear', stdDev: 'population', weighting: 'gaps' },
  },
  { quantity: 'e2e', name: 'e2el', definition: { ...SEND, end: 'last-token', weighting: 'requests' } },
  {
    quantity: 'e2e_schedule',
    name: 'e2el_including_client_queue',
    definition: { ...SEND, start: 'schedule', end: 'last-token', weighting: 'requests' },
  },
  {
    quantity: 'schedule_delay',
    name: 'client_queue_time',
    definition: { percentiles: 'linear', weighting: 'requests' },
  },
];

const KNOWN = new Set(
  (
    'date endpoint_type backend label model_id tokenizer_id num_prompts request_rate burstiness max_concurrency duration completed failed ' +
    'total_input_tokens total_output_tokens request_throughput request_goodput request_goodput: output_throughput total_token_throughput ' +
    'max_output_tokens_per_s max_concurrent_requests rtfx input_throughput'
  ).split(' '),
);

function isVllm(value: unknown): value is Json {
  return (
    isObject(value) &&
    hasAll(value, ['request_rate', 'burstiness', 'total_input_tokens', 'completed', 'duration']) &&
    !Object.hasOwn(value, 'random_range_ratio') &&
    Object.keys(value).some((key) => /^(?:mean|median|p\d+)_(?:ttft|tpot|itl|e2el)_ms$/.test(key))
  );
}

/** `--save-detailed`: arrays with one entry per request. */
export function hasArrays(value: unknown): value is Json {
  return isObject(value) && Array.isArray(value['ttfts']) && Array.isArray(value['itls']);
}

function linesOf({ format, value }: SourceDocument): readonly unknown[] {
  return format === 'jsonl' && Array.isArray(value) ? value : [value];
}

/** Of one result under the JSON file’s keys. */
export function vllmRun(value: Json, file: string, name: string): CanonicalReport {
  const counts = countsOf(value);
  const recent = Object.hasOwn(value, 'failed');
  const detailed = hasArrays(value);
  const duration = numberOf(value['duration']);
  const served = stackTold(value, file);
  return {
    tool: 'vllm bench serve',
    versionClass: {
      name: recent ? 'late 2025 and after' : 'before late 2025',
      evidence: [
        recent ? "'failed' is there" : "'failed' is not there",
        ...(Object.hasOwn(value, 'request_goodput:') ? ["the key 'request_goodput:' has its old colon"] : []),
        ...(Object.hasOwn(value, 'max_concurrent_requests') ? ["'max_concurrent_requests' is there"] : []),
        detailed ? 'per-request arrays are there (--save-detailed)' : 'no per-request arrays',
      ],
    },
    place: file,
    name,
    files: [file],
    ...facts(value),
    scopes: [
      {
        id: 'run',
        label: 'run',
        kind: 'run',
        file,
        load: servingLoad(value),
        counts,
        keys: SERVING_KEYS,
        ...(duration === undefined ? {} : { windowSeconds: { value: duration, from: 'duration' } }),
        measures: measuresOf(value, file, counts),
        ...goodputOf(value),
      },
    ],
    assumptions: [
      'output tokens are the server’s usage; where it sent none, the client tokenized, and the file does not say which',
      'every request of the file was measured: a warm-up is neither recorded nor excluded here',
      "'date' is the local time at the end of the run, without a zone",
      ...(recent ? [] : ['failed = num_prompts - completed: this version does not count failures']),
    ],
    notRecorded: [
      ...(Object.keys(value).some((key) => key.endsWith('_e2el_ms')) ? [] : ['E2E (needs --percentile-metrics e2el)']),
      'start of the run',
      'tool version',
      'warm-up',
      'ignore_eos',
      'sampling parameters',
      'dataset and asked lengths',
      'token source of each request',
      'seed',
      'server version and flags',
      ...(detailed ? [] : ['length distributions', 'per-request records (no intervals, no recomputation)']),
    ],
    facts: extraFacts(value, file, KNOWN),
    told: toldOf(value, file),
    ...(served ? { said: { stack: served } } : {}),
    problems: arrayProblems(value, file),
  };
}

/** What `--metadata` or a wrapper added counts as much as the tool's own keys; its clients of text answers always stream. */
function toldOf(value: Json, file: string): readonly Told[] {
  const told = servingTold(value, file);
  const type = told.find(({ path }) => path.join('.') === 'api.type');
  const streams = type?.value === 'chat' || type?.value === 'completion' ? true : undefined;
  return [
    ...told,
    ...toldBy(file, [
      [TOLD.streaming, streams, type?.key ?? ''],
      [TOLD.goodput, value['request_goodput'] === null ? {} : undefined, 'request_goodput'],
    ]),
    ...settingsTold(value, file),
  ];
}

function facts(value: Json): Partial<CanonicalReport> {
  return compact<{ model?: string; tokenizer?: string; startedAt?: string }>({
    model: textOf(value['model_id']),
    tokenizer: textOf(value['tokenizer_id']),
    startedAt: textOf(value['date']),
  });
}

function countsOf(value: Json): ScopeCounts {
  const planned = numberOf(value['num_prompts']);
  const ok = numberOf(value['completed']);
  const failed = numberOf(value['failed']) ?? (planned === undefined || ok === undefined ? undefined : planned - ok);
  const total = ok === undefined || failed === undefined ? undefined : ok + failed;
  return compact<ScopeCounts>({ planned, ok, failed, total });
}

function measuresOf(value: Json, file: string, counts: ScopeCounts): ReportScope['measures'] {
  // Newer versions wait the first gap of their schedule before the first request, inside the window.
  const window = 'start of the schedule to last answer';
  const rate = (
    id: 'requests_per_sec' | 'input_tokens_per_sec' | 'output_tokens_per_sec' | 'total_tokens_per_sec',
    key: string,
  ) => single(id, numberOf(value[key]), { file, key, definition: { window } });
  const tokens = { tokens: 'server-else-client' } as const;
  return [
    ...flatMeasures(value, file, BLOCKS, '_ms'),
    ...tokenTotals('prompt_tokens', numberOf(value['total_input_tokens']), counts.ok, {
      file,
      key: 'total_input_tokens',
      definition: tokens,
    }),
    ...tokenTotals('output_tokens', numberOf(value['total_output_tokens']), counts.ok, {
      file,
      key: 'total_output_tokens',
      definition: tokens,
    }),
    ...rate('requests_per_sec', 'request_throughput'),
    ...rate('input_tokens_per_sec', 'input_throughput'),
    ...rate('output_tokens_per_sec', 'output_throughput'),
    ...rate('total_tokens_per_sec', 'total_token_throughput'),
  ];
}

function goodputOf(value: Json): Pick<ReportScope, 'goodput'> | Record<string, never> {
  const rate = numberOf(value['request_goodput']) ?? numberOf(value['request_goodput:']);
  if (rate === undefined) return {};
  return {
    goodput: { stats: { request_goodput: rate }, definition: 'vLLM: completed answers within every limit / duration' },
  };
}

export const vllmReader: ReportReader = {
  tool: 'vllm bench serve',
  recognise: (document) => {
    const lines = linesOf(document);
    return lines.length > 0 && lines.every(isVllm)
      ? {
          role: hasArrays(lines[0]) ? 'detailed' : 'result',
          evidence: 'request_rate, burstiness, total_input_tokens and *_ttft_ms',
        }
      : undefined;
  },
  read: ({ documents }) => ({
    reports: documents.flatMap((document) =>
      linesOf(document).flatMap((value, index, all) =>
        isVllm(value)
          ? [vllmRun(value, document.file, all.length === 1 ? document.file : `${document.file}, line ${index + 1}`)]
          : [],
      ),
    ),
    problems: [],
  }),
};
