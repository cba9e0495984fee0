// The flat layout that vLLM's `bench serve` introduced and SGLang and InferenceX took over: `mean_ttft_ms`, `p99_tpot_ms`, `duration`.
import type { Definition, Measure, QuantityId, ReportScope, Statistics, Told } from '../canonical';
import type { Problem } from '../../problem';
import { ALL_AT_ONCE, TOLD, toldBy } from './told';
import { measure, numberOf, quantileKey, shown, textOf, type Json } from './values';
import { own } from '../../own';

export interface FlatBlock {
  readonly quantity: QuantityId;
  /** `ttft` in `mean_ttft_ms`. */
  readonly name: string;
  readonly definition: Definition;
}

/** @param suffix `_ms`, or empty where a tool writes seconds */
export function flatMeasures(value: Json, file: string, blocks: readonly FlatBlock[], suffix: string): Measure[] {
  const factor = suffix === '_ms' ? 0.001 : 1;
  return blocks.flatMap(({ quantity, name, definition }) =>
    measure(quantity, flatStatistics(value, `${name}${suffix}`, factor), {
      file,
      key: `*_${name}${suffix}`,
      factor,
      definition,
    }),
  );
}

function flatStatistics(value: Json, ending: string, factor: number): Statistics | undefined {
  const stats: Record<string, number> = {};
  for (const [key, entry] of Object.entries(value)) {
    if (!key.endsWith(`_${ending}`)) continue;
    const number = numberOf(entry);
    const name = flatName(key.slice(0, -ending.length - 1));
    if (number !== undefined && name !== undefined) stats[name] = number * factor;
  }
  return Object.keys(stats).length > 0 ? stats : undefined;
}

function flatName(name: string): string | undefined {
  if (name === 'mean' || name === 'min' || name === 'max') return name;
  if (name === 'median') return 'p50';
  if (name === 'std') return 'stdDev';
  const match = /^p(\d{1,2}(?:\.\d+)?)$/.exec(name);
  return match ? quantileKey(Number(match[1])) : undefined;
}

/** Total and mean of a token count: the mean is not in the file. */
export function tokenTotals(
  quantity: 'prompt_tokens' | 'output_tokens',
  total: number | undefined,
  ok: number | undefined,
  source: { readonly file: string; readonly key: string; readonly definition: Definition },
): readonly Measure[] {
  if (total === undefined) return [];
  const mean = ok === undefined || ok === 0 ? {} : { mean: total / ok };
  return measure(quantity, { total, ...mean }, { ...source, derived: 'mean: total / completed' });
}

/** `request_rate` and `max_concurrency` as all three tools write them: a number, Infinity or "inf", null. */
export function servingLoad(value: Json): ReportScope['load'] {
  const given = value['request_rate'];
  const unlimited = isUnlimited(given);
  const rate = numberOf(given);
  const cap = numberOf(value['max_concurrency']);
  const burstiness = numberOf(value['burstiness']);
  if (rate !== undefined) {
    const law = burstiness === undefined || burstiness === 1 ? '' : `, burstiness ${burstiness}`;
    return {
      model: 'open',
      requestedRateRps: rate,
      ...(cap === undefined ? {} : { cap: { value: cap, from: `max_concurrency ${cap}` } }),
      words: `${rate} requests/s asked${law}${cap === undefined ? '' : `, at most ${cap} in flight`}`,
    };
  }
  if (cap !== undefined) return { model: 'closed', concurrency: cap, words: `${cap} concurrent` };
  if (unlimited) return { model: 'open', allAtOnce: true, words: 'all requests at once (rate inf)' };
  return given === undefined || given === null
    ? { model: 'not recorded', words: 'not recorded' }
    : { model: 'replay', words: `request_rate ${shown(given)}` };
}

function isUnlimited(rate: unknown): boolean {
  return rate === 'inf' || rate === Infinity || rate === 'Infinity';
}

/** Where load and counts stand in it. */
export const SERVING_KEYS = {
  rate: 'request_rate',
  concurrency: 'max_concurrency',
  window: 'duration',
  planned: 'num_prompts',
  ok: 'completed',
  failed: 'failed',
} as const satisfies ReportScope['keys'];

/** Backend names of vLLM and SGLang -> the kind of request they send. */
const REQUESTS: Readonly<Record<string, string>> = {
  openai: 'completion',
  vllm: 'completion',
  lmdeploy: 'completion',
  'sglang-oai': 'completion',
  'openai-chat': 'chat',
  'sglang-oai-chat': 'chat',
};

/**
 * What the layout itself says of the workload. Gaps are drawn from a gamma law of shape `burstiness`, which is exponential at 1
 * (SGLang has no other); `request_rate` inf with `max_concurrency` is a closed loop.
 */
export function servingTold(value: Json, file: string): readonly Told[] {
  const rate = numberOf(value['request_rate']);
  const burstiness = numberOf(value['burstiness']) ?? 1;
  const closed = rate === undefined && numberOf(value['max_concurrency']) !== undefined;
  const burst = !closed && isUnlimited(value['request_rate']);
  const backendKey = textOf(value['endpoint_type']) === undefined ? 'backend' : 'endpoint_type';
  const backend = textOf(value[backendKey]);
  const law = burstiness === 1 ? 'exponential-gaps' : `gamma gaps of shape ${burstiness}`;
  return toldBy(file, [
    [
      ['load', 'type'],
      rate === undefined ? (closed ? 'concurrent' : burst ? ALL_AT_ONCE : undefined) : 'poisson',
      closed ? 'max_concurrency' : 'request_rate',
    ],
    [
      TOLD.arrivalLaw,
      rate !== undefined ? law : closed ? 'closed-loop' : burst ? ALL_AT_ONCE : undefined,
      rate !== undefined && value['burstiness'] !== undefined
        ? 'burstiness'
        : closed
          ? 'max_concurrency'
          : 'request_rate',
    ],
    [['server', 'model_name'], textOf(value['model_id']), 'model_id'],
    [['tokenizer', 'pretrained_model_name_or_path'], textOf(value['tokenizer_id']), 'tokenizer_id'],
    [['api', 'type'], backend && (own(REQUESTS, backend) ?? backend), backendKey],
  ]);
}

/** Keys that no reader knows: labels the user or a wrapper added. */
export function extraFacts(
  value: Json,
  file: string,
  known: ReadonlySet<string>,
): { label: string; value: string; source: string }[] {
  return Object.entries(value)
    .filter(([key, entry]) => !known.has(key) && isPlain(entry) && !/^(?:mean|median|std|p\d+(?:\.\d+)?)_/.test(key))
    .map(([key, entry]) => ({ label: key, value: shown(entry), source: file }));
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Arrays with one entry per request; `itls` has a list in each. */
const ARRAYS = ['ttfts', 'itls', 'input_lens', 'output_lens', 'start_times'] as const;

/** Arrays that are none, are shorter than the others, or hold what is no number: such requests have no value, and it is said. */
export function arrayProblems(value: Json, file: string): readonly Problem[] {
  const size = Array.isArray(value['ttfts']) ? value['ttfts'].length : undefined;
  const faults = ARRAYS.flatMap((key): string[] => {
    const entry = value[key];
    if (entry === undefined || entry === null) return [];
    if (!Array.isArray(entry)) return [`'${key}' is no list`];
    const isEntry = key === 'itls' ? isNumbers : isNumber;
    const wrong = entry.reduce((count: number, one: unknown) => count + (isEntry(one) ? 0 : 1), 0);
    return [
      ...(wrong > 0 ? [`${wrong} of ${entry.length} entries of '${key}' are no numbers`] : []),
      ...(size !== undefined && entry.length !== size ? [`'${key}' has ${entry.length} entries, 'ttfts' ${size}`] : []),
    ];
  });
  if (faults.length === 0) return [];
  return [
    {
      code: 'REP122',
      severity: 'warning',
      path: [],
      message: `${file}: ${faults.join('; ')}: what depends on it is left out`,
      file,
    },
  ];
}

/** NaN and null are how Python writes "none". */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' || value === null;
}

function isNumbers(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.every(isNumber));
}
