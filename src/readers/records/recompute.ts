// Every metric again from the requests, under a definition of the caller's choice: who counts, which window, what failures do.
import {
  inputTokens,
  latencySeconds,
  ntpotSeconds,
  outputTokens,
  startSeconds,
  tpotSeconds,
  ttftSeconds,
  type CountSource,
  type MeasuredRequest,
} from '../../metrics/request-metrics';
import { mean, percentile, sum } from '../../metrics/statistics';
import {
  REQUESTS_WINDOW,
  type Definition,
  type Measure,
  type QuantityId,
  type ScopeCounts,
  type Statistics,
  type TokenCounter,
} from '../canonical';
import { quantileKey } from '../readers/values';
import type { Requests } from './requests';

export interface RecomputeDefinition {
  readonly tokens: 'server' | 'client' | 'server-else-client';
  /** Who counts prompts, where it is not who counts answers. */
  readonly inputTokens?: 'server' | 'client' | 'server-else-client';
  /** What the stamps of the requests are: they were chosen when the file was read. */
  readonly gap: 'token_gap' | 'chunk_gap';
  /** Requests sent in [from, to) seconds after the first send. */
  readonly windowSeconds?: { readonly from: number; readonly to: number };
  /** Left out at the beginning, in order of sending. */
  readonly warmup?: { readonly requests?: number; readonly seconds?: number };
  /** `leave-out`: latencies of the successes. `never-answered`: a failure is an infinite latency and TTFT. */
  readonly failures: 'leave-out' | 'never-answered';
  /** `inference-perf`: an empty answer is an NTPOT of 0, an answer with one stamp has no TTFT. `own`: neither. */
  readonly flavour: 'inference-perf' | 'own';
  /** Stamps are of tokens: several at one moment came in one chunk, and there is no decode time to see. */
  readonly stampsTokens?: boolean;
  /** 0..100; interpolated linearly between closest ranks, as numpy does. */
  readonly percentiles: readonly number[];
}

export const DEFAULT_PERCENTILES: readonly number[] = [50, 90, 95, 99, 99.9];

export interface Recomputed {
  readonly counts: ScopeCounts;
  /** Left out by window and warm-up. */
  readonly leftOut: number;
  /** First send to last end; absent when starts are not recorded. */
  readonly windowSeconds?: number;
  readonly measures: readonly Measure[];
  /** Whose counts they are: not what was asked for where a file keeps one number per request. */
  readonly counters: { readonly input: TokenCounter; readonly output: TokenCounter };
  /** What could not be computed, and why. */
  readonly missing: readonly string[];
}

/** Why a cut by time cannot be made of these requests, in words; undefined when it can, or none is asked for. */
export function refusedCut(requests: Requests, definition: RecomputeDefinition): string | undefined {
  if (requests.hasStarts) return undefined;
  const asked = [
    ...(definition.warmup?.seconds === undefined ? [] : ['a warm-up in seconds']),
    ...(definition.windowSeconds ? ['a window'] : []),
  ];
  return asked.length === 0 ? undefined : `${asked.join(' and ')} cannot be cut: ${NO_STARTS}`;
}

const NO_STARTS = 'starts are not recorded';

/**
 * Indexes of the requests inside window and warm-up cut. Without starts the order of the file is the order of sending, and a cut by time
 * leaves nothing (`refusedCut` says why).
 */
export function chosenRequests(requests: Requests, definition: RecomputeDefinition): Uint32Array {
  const { warmup, windowSeconds } = definition;
  const order = new Uint32Array(requests.length).map((_, i) => i);
  if (!warmup && !windowSeconds) return order;
  if (refusedCut(requests, definition) !== undefined) return new Uint32Array(0);
  if (!requests.hasStarts) return order.slice(warmup?.requests ?? 0);
  const sent = Float64Array.from(order, (i) => startSeconds(requests.at(i)) ?? NaN);
  order.sort((a, b) => sent[a]! - sent[b]!);
  const zero = order.length > 0 ? sent[order[0]!]! : 0;
  return order.slice(warmup?.requests ?? 0).filter((i) => {
    const after = sent[i]! - zero;
    if (warmup?.seconds !== undefined && !(after >= warmup.seconds)) return false;
    return !windowSeconds || (after >= windowSeconds.from && after < windowSeconds.to);
  });
}

export function recompute(requests: Requests, definition: RecomputeDefinition, file: string): Recomputed {
  const chosen = chosenRequests(requests, definition);
  const ok = chosen.filter((i) => !requests.isFailed(i));
  const span = requests.hasStarts ? spanOf(requests, chosen) : undefined;
  const counters = {
    input: counterOf(requests, 'input', inputBy(definition)),
    output: counterOf(requests, 'output', definition.tokens),
  };
  const missing = [...withoutStarts(requests, definition), ...otherCounters(requests, definition)];
  const parts: Parts = { requests, ok, failed: chosen.length - ok.length, definition, file, missing, counters };
  return {
    counts: { total: chosen.length, ok: ok.length, failed: parts.failed },
    leftOut: requests.length - chosen.length,
    ...(span === undefined ? {} : { windowSeconds: span }),
    measures: [...latencies(parts), ...gaps(parts), ...tokens(parts, span)],
    counters,
    missing,
  };
}

/** What requests without starts cannot give, and what had to be taken for granted of them. */
function withoutStarts(requests: Requests, definition: RecomputeDefinition): string[] {
  if (requests.hasStarts) return [];
  const refused = refusedCut(requests, definition);
  return [
    ...(refused === undefined ? [] : [refused]),
    `requests/s and tokens/s: ${NO_STARTS}, so there is no window`,
    ...(definition.warmup?.requests === undefined
      ? []
      : ['the first requests are the first of the file: its order is the order of sending']),
  ];
}

/** Who counts prompts under a definition. */
export function inputBy({ inputTokens: by, tokens: output }: RecomputeDefinition): RecomputeDefinition['tokens'] {
  return by ?? output;
}

/** Whose number it is that this definition takes. */
function counterOf({ oneCount }: Requests, side: 'input' | 'output', by: TokenCounter): TokenCounter {
  const one = oneCount[side];
  return one !== undefined && isTaken(one, by) ? one : by;
}

/** Whether the one number a file keeps may stand for the count that is asked for. */
function isTaken(one: TokenCounter, by: TokenCounter): boolean {
  if (by === 'server-else-client') return true;
  return by === 'server' ? one === 'server' || one.startsWith('server-else') : one === by;
}

const ELSE = {
  'server-else-client': 'the client’s tokenizer',
  'server-else-asked': 'the length asked for',
} as const;

/** Where a file does not say whether a count is the one that is asked for. */
function otherCounters({ oneCount }: Requests, definition: RecomputeDefinition): string[] {
  return (['input', 'output'] as const).flatMap((side) => {
    if ((side === 'input' ? inputBy(definition) : definition.tokens) !== 'server') return [];
    const one = oneCount[side];
    if (one !== 'server-else-client' && one !== 'server-else-asked') return [];
    return [
      `${side} tokens by the server alone: the file keeps one number per request, the server’s usage where it sent one, else ${ELSE[one]}, and does not say which; that number is taken`,
    ];
  });
}

interface Parts {
  readonly requests: Requests;
  readonly ok: Uint32Array;
  readonly failed: number;
  readonly definition: RecomputeDefinition;
  readonly file: string;
  readonly missing: string[];
  readonly counters: Recomputed['counters'];
}

/** max(end) - min(sent), failures included: inference-perf's benchmark time. @param chosen default: all */
export function spanOf(
  requests: Requests,
  chosen: Iterable<number> = Array.from({ length: requests.length }, (_, i) => i),
): number {
  let start = Infinity;
  let end = -Infinity;
  for (const i of chosen) {
    const row = requests.at(i);
    start = Math.min(start, finite(startSeconds(row), Infinity));
    end = Math.max(end, finite(row.endSeconds, -Infinity));
  }
  return end > start ? end - start : 0;
}

function finite(value: number | undefined, otherwise: number): number {
  return value === undefined || Number.isNaN(value) ? otherwise : value;
}

const SOURCES = {
  server: 'server-usage',
  client: 'client-tokenizer',
  'server-else-client': 'mixed',
} as const satisfies Record<RecomputeDefinition['tokens'], CountSource>;

/** Tokens of one answer; undefined where they were not counted so. */
export function outputOf(
  requests: Requests,
  row: MeasuredRequest,
  by: RecomputeDefinition['tokens'],
): number | undefined {
  return outputTokens(row, sourceOf(requests, by));
}

/** Tokens of one prompt; undefined where they were not counted so. */
export function inputOf(row: MeasuredRequest, by: RecomputeDefinition['tokens']): number | undefined {
  return inputTokens(row, SOURCES[by]);
}

/** Each latency of a request as reports have it, with what inference-perf does differently; undefined where the request does not have it. */
export const LATENCIES: Readonly<
  Record<
    'ttft' | 'tpot' | 'ntpot' | 'e2e',
    (requests: Requests, row: MeasuredRequest, definition: RecomputeDefinition) => number | undefined
  >
> = {
  ttft: (_, row, { flavour }) => (row.chunkSeconds.length > (flavour === 'own' ? 0 : 1) ? ttftSeconds(row) : undefined),
  tpot: (requests, row, { tokens, stampsTokens }) => {
    const seconds = tpotSeconds(row, sourceOf(requests, tokens));
    return seconds === 0 && stampsTokens ? undefined : seconds;
  },
  ntpot: (requests, row, { tokens, flavour }) =>
    flavour !== 'own' && outputOf(requests, row, tokens) === 0 ? 0 : ntpotSeconds(row, sourceOf(requests, tokens)),
  e2e: (_, row) => latencySeconds(row),
};

/** Whose output tokens: what was asked for is nobody's count. */
function sourceOf({ oneCount }: Requests, by: RecomputeDefinition['tokens']): CountSource {
  return by === 'client' && oneCount.output === 'asked' ? 'not-counted' : SOURCES[by];
}

function latencies(parts: Parts): Measure[] {
  const { requests, ok, definition } = parts;
  const never = definition.failures === 'never-answered' ? parts.failed : 0;
  return (['ttft', 'tpot', 'ntpot', 'e2e'] as const).flatMap((metric) => {
    const values = collect(ok, (i) => LATENCIES[metric](requests, requests.at(i), definition));
    const infinite = metric === 'ttft' || metric === 'e2e' ? never : 0;
    return measured(
      parts,
      metric,
      values,
      {
        start: 'send',
        weighting: 'requests',
        percentiles: 'linear',
        ...(metric === 'tpot' || metric === 'ntpot' ? { tokens: parts.counters.output } : {}),
        ...(infinite > 0 ? { note: `${infinite} failures count as never answered` } : {}),
      },
      infinite,
    );
  });
}

function gaps(parts: Parts): readonly Measure[] {
  const { requests, ok, definition, missing } = parts;
  if (requests.droppedGaps > 0) {
    missing.push(`gaps: ${requests.droppedGaps.toLocaleString('en-US')} of them were not kept`);
    return [];
  }
  const flags = new Uint8Array(requests.length);
  for (const i of ok) flags[i] = 1;
  const values = requests.gapsOf((i) => flags[i] === 1);
  return measured(parts, definition.gap, values, { weighting: 'gaps', percentiles: 'linear' }, 0);
}

function tokens(parts: Parts, span: number | undefined): Measure[] {
  const { requests, ok, definition, missing, file, counters } = parts;
  const totals = new Map<'in' | 'out', number>();
  const lengths = (side: 'in' | 'out'): readonly Measure[] => {
    const values = collect(ok, (i) => {
      const row = requests.at(i);
      return side === 'in' ? inputOf(row, inputBy(definition)) : outputOf(requests, row, definition.tokens);
    });
    if (values.length === ok.length && ok.length > 0) totals.set(side, sum(values));
    else if (values.length < ok.length) {
      missing.push(
        `${side === 'in' ? 'prompt' : 'output'} tokens of ${ok.length - values.length} answers: not counted by ${(side === 'in' ? inputBy(definition) : definition.tokens).replaceAll('-', ' ')}`,
      );
    }
    if (values.length === 0) return [];
    const found = measured(
      parts,
      side === 'in' ? 'prompt_tokens' : 'output_tokens',
      values,
      { tokens: side === 'in' ? counters.input : counters.output, percentiles: 'linear' },
      0,
    );
    const total = totals.get(side);
    return total === undefined ? found : found.map((entry) => ({ ...entry, stats: { total, ...entry.stats } }));
  };
  const rate = (quantity: QuantityId, total: number | undefined): readonly Measure[] =>
    total === undefined || span === undefined || span <= 0
      ? []
      : [
          {
            quantity,
            stats: { value: total / span },
            source: { file, key: 'computed', factor: 1 },
            definition: { window: REQUESTS_WINDOW },
          },
        ];
  const all = [...lengths('in'), ...lengths('out')];
  const input = totals.get('in');
  const output = totals.get('out');
  return [
    ...all,
    ...rate('requests_per_sec', ok.length),
    ...rate('input_tokens_per_sec', input),
    ...rate('output_tokens_per_sec', output),
    ...rate('total_tokens_per_sec', input === undefined || output === undefined ? undefined : input + output),
  ];
}

function collect(indexes: Uint32Array, of: (index: number) => number | undefined): Float64Array {
  const values = new Float64Array(indexes.length);
  let size = 0;
  for (const i of indexes) {
    const value = of(i);
    if (value !== undefined && !Number.isNaN(value)) values[size++] = value;
  }
  return values.subarray(0, size);
}

function measured(
  parts: Parts,
  quantity: QuantityId,
  values: Float64Array,
  definition: Definition,
  infinite: number,
): readonly Measure[] {
  if (values.length === 0) {
    if (parts.ok.length > 0) parts.missing.push(`${quantity}: no answer has it`);
    return [];
  }
  // The values are this function's own: sorting in place saves a copy of a hundred megabytes.
  const sorted = values.sort();
  const stats: Record<string, number> = {};
  // A mean or maximum over a failure that was never answered has no value.
  if (infinite === 0) stats['mean'] = mean(sorted);
  stats['min'] = sorted[0]!;
  for (const percent of parts.definition.percentiles) {
    const value = infinite === 0 ? percentile(sorted, percent) : percentileOfAll(sorted, infinite, percent);
    if (value !== undefined) stats[quantileKey(percent)] = value;
    else parts.missing.push(`${quantity} p${percent}: it lies among the failures`);
  }
  if (infinite === 0) stats['max'] = sorted[sorted.length - 1]!;
  const statistics: Statistics = stats;
  return [
    {
      quantity,
      stats: statistics,
      source: { file: parts.file, key: 'computed', factor: 1 },
      definition,
      count: values.length + infinite,
    },
  ];
}

/** Percentile of the values and `infinite` more that lie above all of them; undefined when it lies among those. */
function percentileOfAll(sorted: Float64Array, infinite: number, percent: number): number | undefined {
  const position = (percent / 100) * (sorted.length + infinite - 1);
  if (Math.ceil(position) >= sorted.length) return undefined;
  return percentile(sorted, (position / (sorted.length - 1)) * 100);
}
