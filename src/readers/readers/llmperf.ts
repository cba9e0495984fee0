// Reader of Ray llmperf's summary: seconds, client tokens of one Llama tokenizer, "inter token latency" that is NTPOT (reference peers.md 4.6).
import type { CanonicalReport, Definition, Measure, QuantityId, ScopeCounts, Statistics } from '../canonical';
import type { ReportReader } from './reader';
import { settingsTold } from './settings';
import { lengthLaw, TOLD, toldBy } from './told';
import { compact, measure, numberOf, shown, single, textOf, type Json } from './values';
import { isObject } from '../../own';

const REQUESTS = {
  start: 'send',
  weighting: 'requests',
  percentiles: 'linear',
  stdDev: 'sample',
} as const satisfies Definition;

const BLOCKS: readonly { id: QuantityId; key: string; definition: Definition }[] = [
  { id: 'ttft', key: 'ttft_s', definition: { ...REQUESTS, anchor: 'first-content' } },
  {
    id: 'ntpot',
    key: 'inter_token_latency_s',
    definition: {
      ...REQUESTS,
      end: 'stream-end',
      tokens: 'chunks',
      note: 'llmperf calls it inter token latency; it contains TTFT',
    },
  },
  { id: 'e2e', key: 'end_to_end_latency_s', definition: { ...REQUESTS, end: 'stream-end' } },
  {
    id: 'prompt_tokens',
    key: 'number_input_tokens',
    definition: { tokens: 'client', percentiles: 'linear', stdDev: 'sample' },
  },
  {
    id: 'output_tokens',
    key: 'number_output_tokens',
    definition: { tokens: 'client', percentiles: 'linear', stdDev: 'sample' },
  },
];

function isSummary(value: unknown): value is Json {
  return (
    isObject(value) &&
    Object.hasOwn(value, 'results_ttft_s_mean') &&
    Object.hasOwn(value, 'results_num_requests_started')
  );
}

/** `results_ttft_s_quantiles_p99`, `results_ttft_s_mean`; min and max of token counts are written as texts. */
function statistics(value: Json, key: string): Statistics | undefined {
  const stats: Record<string, number> = {};
  const put = (name: string, suffix: string): void => {
    const number = numberOf(value[`results_${key}_${suffix}`], true);
    if (number !== undefined) stats[name] = number;
  };
  for (const name of ['mean', 'min', 'max']) put(name, name);
  put('stdDev', 'stddev');
  for (const percent of [25, 50, 75, 90, 95, 99]) put(`p${percent}`, `quantiles_p${percent}`);
  return Object.keys(stats).length > 0 ? stats : undefined;
}

function oneRun(value: Json, file: string): CanonicalReport {
  const ok = numberOf(value['results_num_completed_requests']);
  const perMinute = numberOf(value['results_num_completed_requests_per_min']);
  const window = ok === undefined || perMinute === undefined || perMinute <= 0 ? undefined : (ok * 60) / perMinute;
  const level = numberOf(value['num_concurrent_requests']);
  const ended = numberOf(value['timestamp']);
  const measures: Measure[] = [
    ...BLOCKS.flatMap(({ id, key, definition }) =>
      measure(id, statistics(value, key), { file, key: `results_${key}_*`, definition }),
    ),
    ...single('requests_per_sec', perMinute, { file, key: 'results_num_completed_requests_per_min', factor: 1 / 60 }),
    ...single('output_tokens_per_sec', numberOf(value['results_mean_output_throughput_token_per_s']), {
      file,
      key: 'results_mean_output_throughput_token_per_s',
      definition: { tokens: 'client', window: 'wall clock of the whole run' },
    }),
  ];
  return {
    tool: 'llmperf',
    versionClass: {
      name: textOf(value['version']) ?? 'not recorded',
      evidence: [`version ${shown(value['version'])}`, 'flat results_* keys'],
    },
    place: file,
    name: textOf(value['name']) ?? file,
    files: [file],
    ...compact<{ model?: string }>({ model: textOf(value['model']) }),
    tokenizer: 'hf-internal-testing/llama-tokenizer (fixed in llmperf)',
    scopes: [
      {
        id: 'run',
        label: 'run',
        kind: 'run',
        file,
        load:
          level === undefined
            ? { model: 'not recorded', words: 'not recorded' }
            : { model: 'closed', concurrency: level, words: `${level} concurrent` },
        counts: compact<ScopeCounts>({
          total: numberOf(value['results_num_requests_started']),
          ok,
          failed: numberOf(value['results_number_errors']),
        }),
        ...(window === undefined ? {} : { windowSeconds: { value: window, from: 'completed / completed per minute' } }),
        measures,
      },
    ],
    assumptions: [
      'every model’s tokens were counted with one Llama tokenizer: llmperf has no other',
      'the window is completed requests / completed per minute',
      ...(ended === undefined ? [] : [`'timestamp' is the end of the run: ${new Date(ended * 1000).toISOString()}`]),
    ],
    notRecorded: [
      'decode time per token (TPOT)',
      'gaps between chunks or tokens',
      'start of the run',
      'seed (11111, fixed)',
      'server version and flags',
      'ignore_eos',
      'per-request records (in *_individual_responses.json, without times: no recomputation)',
    ],
    facts: ['mean_input_tokens', 'stddev_input_tokens', 'mean_output_tokens', 'stddev_output_tokens']
      .filter((label) => value[label] !== undefined)
      .map((label) => ({ label: `asked ${label}`, value: shown(value[label]), source: file })),
    told: toldBy(file, [
      [['load', 'type'], level === undefined ? undefined : 'concurrent', 'num_concurrent_requests'],
      [TOLD.arrivalLaw, level === undefined ? undefined : 'closed-loop', 'num_concurrent_requests'],
      [['server', 'model_name'], textOf(value['model']), 'model'],
      [['data', 'input_distribution'], asked(value, 'input'), 'mean_input_tokens'],
      [['data', 'output_distribution'], asked(value, 'output'), 'mean_output_tokens'],
      [TOLD.streaming, value['results_ttft_s_mean'] === undefined ? undefined : true, 'results_ttft_s_mean'],
      [TOLD.warmupRequests, 0, 'no key: it leaves none out'],
      [TOLD.goodput, {}, 'no key: it has no goodput'],
      ...settingsTold(value, file).map((one) => [one.path, one.value, one.key] as const),
    ]),
    problems: [],
  };
}

function asked(value: Json, which: 'input' | 'output'): Json | undefined {
  return lengthLaw(numberOf(value[`mean_${which}_tokens`]), numberOf(value[`stddev_${which}_tokens`]));
}

export const llmperfReader: ReportReader = {
  tool: 'llmperf',
  recognise: ({ value }) => {
    if (isSummary(value)) return { role: 'summary', evidence: 'results_ttft_s_mean, results_num_requests_started' };
    const first: unknown = Array.isArray(value) ? value[0] : undefined;
    return isObject(first) && Object.hasOwn(first, 'ttft_s') && Object.hasOwn(first, 'end_to_end_latency_s')
      ? { role: 'individual responses', evidence: 'a list with ttft_s and end_to_end_latency_s' }
      : undefined;
  },
  read: ({ documents }) => ({
    reports: documents.flatMap(({ value, file }) => (isSummary(value) ? [oneRun(value, file)] : [])),
    problems: [],
  }),
};
