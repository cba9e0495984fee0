// Reader of InferenceX results: the raw benchmark_serving variant and the aggregate, both in seconds (reference peers.md section 4.8).
import type { CanonicalReport, Definition, ReportScope, ScopeCounts, Told } from '../canonical';
import type { ReportReader } from './reader';
import { extraFacts, flatMeasures, servingLoad, servingTold, tokenTotals, type FlatBlock } from './serving-layout';
import { settingsTold, stackTold } from './settings';
import { TOLD, toldBy } from './told';
import { compact, hasAll, numberOf, single, textOf, type Json } from './values';
import { isObject } from '../../own';

const SEND = { start: 'send', percentiles: 'linear', weighting: 'requests' } as const satisfies Definition;
const BLOCKS: readonly FlatBlock[] = [
  { quantity: 'ttft', name: 'ttft', definition: { ...SEND, anchor: 'first-chunk' } },
  { quantity: 'tpot', name: 'tpot', definition: { ...SEND, end: 'last-token', tokens: 'server-else-client' } },
  { quantity: 'chunk_gap', name: 'itl', definition: { percentiles: 'linear', weighting: 'gaps' } },
  { quantity: 'e2e', name: 'e2el', definition: { ...SEND, end: 'last-token' } },
];
const KNOWN = new Set(
  (
    'date model_id tokenizer_id num_prompts request_rate burstiness max_concurrency duration completed good_completed total_input_tokens ' +
    'total_output_tokens request_throughput request_goodput input_throughput output_throughput total_token_throughput model conc'
  ).split(' '),
);

function kindOf(value: unknown): 'raw' | 'aggregate' | undefined {
  if (!isObject(value)) return undefined;
  const seconds = Object.hasOwn(value, 'median_ttft') || Object.hasOwn(value, 'median_tpot');
  if (!seconds) return undefined;
  if (hasAll(value, ['request_rate', 'burstiness', 'duration'])) return 'raw';
  return hasAll(value, ['tput_per_gpu', 'conc']) || hasAll(value, ['hw', 'conc']) ? 'aggregate' : undefined;
}

/** Its workloads are closed loops over prompts of random tokens. */
function toldOf(value: Json, file: string, kind: 'raw' | 'aggregate'): readonly Told[] {
  const closed = kind === 'aggregate' && numberOf(value['conc']) !== undefined;
  const framework = textOf(value['framework'])?.split(/[-_]/)[0];
  return [
    ...(kind === 'raw' ? servingTold(value, file) : []),
    ...toldBy(file, [
      [['load', 'type'], closed ? 'concurrent' : undefined, 'conc'],
      [TOLD.arrivalLaw, closed ? 'closed-loop' : undefined, 'conc'],
      [['server', 'type'], framework, 'framework'],
      [TOLD.goodput, value['request_goodput'] === null ? {} : undefined, 'request_goodput'],
      [TOLD.streaming, timesFirstToken(value) ? true : undefined, 'median_ttft'],
    ]),
    ...settingsTold(value, file),
  ];
}

function timesFirstToken(value: Json): boolean {
  return (numberOf(value['median_ttft']) ?? numberOf(value['mean_ttft']) ?? 0) > 0;
}

function oneRun(value: Json, file: string, kind: 'raw' | 'aggregate'): CanonicalReport {
  const served = stackTold(value, file);
  return {
    tool: 'InferenceX',
    versionClass: {
      name: kind === 'raw' ? 'raw benchmark_serving result' : 'aggregate (agg_*.json)',
      evidence: [
        "'median_ttft' without '_ms': seconds",
        kind === 'raw' ? "'good_completed' is there" : "'tput_per_gpu' or 'hw' and 'conc' are there",
      ],
    },
    place: file,
    name: file,
    files: [file],
    ...compact<{ model?: string; tokenizer?: string; startedAt?: string }>({
      model: textOf(value['model_id']) ?? textOf(value['model']),
      tokenizer: textOf(value['tokenizer_id']),
      startedAt: textOf(value['date']),
    }),
    scopes: [kind === 'raw' ? rawScope(value, file) : aggregateScope(value, file)],
    assumptions: [
      'twice the concurrency was sent as warm-up and is not in the numbers (its default): the file does not record it',
      'output tokens are the server’s usage',
      ...(kind === 'raw' ? ['failed = num_prompts - completed'] : []),
    ],
    notRecorded: [
      ...(Object.keys(value).some((key) => /^(?:mean|std)_(?:ttft|tpot|itl|e2el)$/.test(key))
        ? []
        : ['means and standard deviations of latencies']),
      ...(Object.hasOwn(value, 'std_intvty')
        ? [
            'interactivity is left out: *_intvty is 1000 / TPOT in ms, and std_intvty the same of the deviation, which means nothing',
          ]
        : []),
      'warm-up',
      'ignore_eos',
      'sampling parameters',
      'seed',
      'asked lengths and their range ratio',
      'per-request records (no intervals, no recomputation)',
      ...(kind === 'raw' ? ['hardware'] : ['counts', 'window']),
    ],
    facts: extraFacts(value, file, KNOWN),
    told: toldOf(value, file, kind),
    ...(served ? { said: { stack: served } } : {}),
    problems: [],
  };
}

function rawScope(value: Json, file: string): ReportScope {
  const planned = numberOf(value['num_prompts']);
  const ok = numberOf(value['completed']);
  const failed = planned === undefined || ok === undefined ? undefined : planned - ok;
  const duration = numberOf(value['duration']);
  const rate = (id: Parameters<typeof single>[0], key: string) =>
    single(id, numberOf(value[key]), { file, key, definition: { window: 'start of the schedule to last answer' } });
  const good = numberOf(value['request_goodput']);
  const tokens = { tokens: 'server-else-client' } as const;
  return {
    id: 'run',
    label: 'run',
    kind: 'run',
    file,
    load: servingLoad(value),
    counts: compact<ScopeCounts>({ planned, ok, failed, total: planned }),
    ...(duration === undefined ? {} : { windowSeconds: { value: duration, from: 'duration' } }),
    measures: [
      ...flatMeasures(value, file, BLOCKS, ''),
      ...tokenTotals('prompt_tokens', numberOf(value['total_input_tokens']), ok, {
        file,
        key: 'total_input_tokens',
        definition: tokens,
      }),
      ...tokenTotals('output_tokens', numberOf(value['total_output_tokens']), ok, {
        file,
        key: 'total_output_tokens',
        definition: tokens,
      }),
      ...rate('requests_per_sec', 'request_throughput'),
      ...rate('input_tokens_per_sec', 'input_throughput'),
      ...rate('output_tokens_per_sec', 'output_throughput'),
      ...rate('total_tokens_per_sec', 'total_token_throughput'),
    ],
    ...(good === undefined
      ? {}
      : {
          goodput: { stats: { request_goodput: good }, definition: 'completed answers within every limit / duration' },
        }),
  };
}

function aggregateScope(value: Json, file: string): ReportScope {
  const level = numberOf(value['conc']);
  return {
    id: 'run',
    label: 'run',
    kind: 'run',
    file,
    load:
      level === undefined
        ? { model: 'not recorded', words: 'not recorded' }
        : { model: 'closed', concurrency: level, words: `${level} concurrent` },
    counts: {},
    measures: flatMeasures(value, file, BLOCKS, ''),
  };
}

export const inferenceXReader: ReportReader = {
  tool: 'InferenceX',
  recognise: ({ value }) => {
    const kind = kindOf(value);
    return kind ? { role: kind, evidence: "'median_ttft' without '_ms'" } : undefined;
  },
  read: ({ documents }) => ({
    reports: documents.flatMap(({ value, file }) => {
      const kind = kindOf(value);
      return kind && isObject(value) ? [oneRun(value, file, kind)] : [];
    }),
    problems: [],
  }),
};
