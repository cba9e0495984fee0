// The part of `isoperf import` that computes everything again from the requests, under a definition given on the command line.
import { printedIn, QUANTITIES, withUnit } from '../metrics/quantities';
import {
  measureOf,
  REQUESTS_WINDOW,
  sameWindow,
  type CanonicalReport,
  type ReportScope,
  type TokenCounter,
} from '../readers/canonical';
import { NOTHING, significant, whole } from '../figures';
import { goodputOf, parseLimits, type GoodputResult } from '../readers/records/goodput';
import { ownDefinition, type OpenedRequests } from '../readers/records/open-records';
import {
  DEFAULT_PERCENTILES,
  recompute,
  refusedCut,
  type RecomputeDefinition,
  type Recomputed,
} from '../readers/records/recompute';
import type { Problem } from '../problem';
import { UsageError } from './command';
import { bullet, columns, wrap } from './text-layout';

export const RECOMPUTE_OPTIONS = {
  recompute: { type: 'boolean' },
  tokens: { type: 'string' },
  gaps: { type: 'string' },
  warmup: { type: 'string' },
  window: { type: 'string' },
  failures: { type: 'string' },
  percentiles: { type: 'string' },
  goodput: { type: 'string' },
} as const;

export const RECOMPUTE_HELP = `Computed again from the requests (isoperf, inference-perf, vLLM --save-detailed, SGLang --output-details, AIPerf JSONL, GuideLLM):
  --recompute             every metric again, beside what the report says
  --tokens WHO            server, client, or server-else-client (default: whoever the report's own numbers used)
  --gaps WHAT             tokens or chunks: what a gap is between (default: tokens where they were stamped)
  --warmup N|Ns           leave out the first N requests, or those sent in the first N seconds (where starts are recorded)
  --window FROM:TO        only requests sent between these seconds after the first send
  --failures HOW          leave-out (default), or never-answered: a failure is a latency without end
  --percentiles P[,P]     default ${DEFAULT_PERCENTILES.join(',')}; always interpolated linearly
  --goodput NAME=S[,...]  limits in seconds: ttft, tpot, itl, ntpot, request_latency; an unknown name is an error`;

type Values = Readonly<Partial<Record<Exclude<keyof typeof RECOMPUTE_OPTIONS, 'recompute'>, string>>> & {
  readonly recompute?: boolean;
};

export interface RecomputeRequest {
  readonly change: Partial<RecomputeDefinition>;
  readonly basis: 'tokens' | 'chunks' | undefined;
  readonly limits: GoodputResult['limits'] | undefined;
}

/** Undefined when nothing is to be computed again. */
export function recomputeRequest(values: Values): RecomputeRequest | undefined {
  const names = ['tokens', 'gaps', 'warmup', 'window', 'failures', 'percentiles', 'goodput'] as const;
  if (values.recompute !== true && names.every((name) => values[name] === undefined)) return undefined;
  const tokens = oneOf('--tokens', values.tokens, ['server', 'client', 'server-else-client'] as const);
  const failures = oneOf('--failures', values.failures, ['leave-out', 'never-answered'] as const);
  const basis = oneOf('--gaps', values.gaps, ['tokens', 'chunks'] as const);
  const limits = values.goodput === undefined ? undefined : parseLimits(values.goodput);
  if (limits?.ok === false)
    throw new UsageError(
      `--goodput: ${limits.problems.map(({ message, remedy }) => `${message} (${remedy ?? ''})`).join('; ')}`,
    );
  return {
    change: {
      ...(tokens ? { tokens, inputTokens: tokens } : {}),
      ...(failures ? { failures } : {}),
      ...(basis ? { gap: basis === 'tokens' ? 'token_gap' : 'chunk_gap' } : {}),
      ...(values.warmup === undefined ? {} : { warmup: warmupOf(values.warmup) }),
      ...(values.window === undefined ? {} : { windowSeconds: windowOf(values.window) }),
      percentiles: percentilesOf(values.percentiles),
    },
    basis,
    limits: limits?.ok === true ? limits.value : undefined,
  };
}

function oneOf<T extends string>(option: string, value: string | undefined, allowed: readonly T[]): T | undefined {
  if (value === undefined) return undefined;
  const found = allowed.find((name) => name === value);
  if (!found) throw new UsageError(`${option} ${value} is unknown: it is one of ${allowed.join(', ')}`);
  return found;
}

function warmupOf(text: string): { requests: number } | { seconds: number } {
  const match = /^(\d+(?:\.\d+)?)(s?)$/.exec(text);
  if (!match || (match[2] === '' && text.includes('.')))
    throw new UsageError(`--warmup ${text}: write 100 for requests or 30s for seconds`);
  return match[2] === 's' ? { seconds: Number(match[1]) } : { requests: Number(match[1]) };
}

function windowOf(text: string): { from: number; to: number } {
  const match = /^(\d+(?:\.\d+)?)?:(\d+(?:\.\d+)?)?$/.exec(text);
  const from = Number(match?.[1] ?? 0);
  const to = Number(match?.[2] ?? Infinity);
  if (!match || to <= from) throw new UsageError(`--window ${text}: write FROM:TO in seconds, e.g. 30:330 or 30:`);
  return { from, to };
}

function percentilesOf(text: string | undefined): readonly number[] {
  if (text === undefined) return DEFAULT_PERCENTILES;
  const numbers = text.split(',').map(Number);
  if (text.split(',').some((part) => part.trim() === '') || numbers.some((number) => !(number >= 0 && number <= 100)))
    throw new UsageError(`--percentiles ${text}: numbers from 0 to 100, e.g. 50,95,99`);
  return numbers;
}

export interface RecomputeResult {
  readonly definition: RecomputeDefinition;
  readonly recomputed: Recomputed;
  readonly goodput?: GoodputResult;
}

export function recomputeFor(
  report: CanonicalReport,
  { requests: rows }: OpenedRequests,
  file: string,
  request: RecomputeRequest,
): RecomputeResult | Problem {
  const definition = { ...ownDefinition(report), ...request.change };
  const refused = refusedCut(rows, definition);
  if (refused !== undefined) {
    return {
      code: 'REP128',
      severity: 'error',
      path: [],
      message: `nothing is computed again: ${refused}`,
      file,
      remedy:
        'Cut a number of requests (--warmup 100), or take a file with start times (a newer vLLM with --save-detailed)',
    };
  }
  const recomputed = recompute(rows, definition, file);
  if (recomputed.counts.total === 0 && recomputed.leftOut > 0) {
    return {
      code: 'REP128',
      severity: 'error',
      path: [],
      message: `nothing is computed again: the cut leaves out all ${whole(recomputed.leftOut)} requests`,
      file,
      remedy: 'Cut less: --warmup and --window count from the first request that was sent',
    };
  }
  return {
    definition,
    recomputed,
    ...(request.limits ? { goodput: goodputOf(rows, request.limits, definition) } : {}),
  };
}

export function recomputeListing(
  report: CanonicalReport,
  { definition, recomputed, goodput }: RecomputeResult,
  width: number,
): string {
  const scope = report.scopes.find(({ kind }) => kind === 'summary' || kind === 'run');
  const percentiles = definition.percentiles.map((percent) => `p${percent}`);
  // A rate over another window is another number: it stands below, with both windows, and not beside the one computed here.
  const other: OtherRate[] = [];
  const rows = recomputed.measures.map(({ quantity, stats, definition }) => {
    const { unit, factor } = printedIn(QUANTITIES[quantity]);
    const show = (value: number | undefined): string => (value === undefined ? NOTHING : significant(value * factor));
    const reported = scope && measureOf(scope, quantity);
    const said = reported?.stats['mean'] ?? reported?.stats['value'];
    if (said !== undefined && !sameWindow(reported?.definition.window, definition.window)) {
      other.push({ label: QUANTITIES[quantity].label, said, window: reported!.definition.window! });
      return [QUANTITIES[quantity].label, NOTHING, show(stats['value']), ...percentiles.map(() => NOTHING)];
    }
    return [
      unit === 'ms' ? withUnit(QUANTITIES[quantity].label, unit) : QUANTITIES[quantity].label,
      show(said),
      show(stats['mean'] ?? stats['value']),
      ...percentiles.map((key) => show(stats[key])),
    ];
  });
  const header = ['quantity', 'reported', 'again', ...percentiles];
  const right = header.map((_, i) => i).slice(1);
  const { ok = 0, failed = 0 } = recomputed.counts;
  return [
    'Computed again from the requests',
    wrap(
      `${whole(ok)} successes, ${whole(failed)} failures, ${whole(recomputed.leftOut)} left out; ${wordsOf(definition, recomputed.counters)}`,
      width,
      2,
    ),
    columns([header, ...rows], { room: width, indent: 2, right, shrink: [0] }),
    ...otherWindows(other, scope, recomputed).map((text) => bullet('-', text, width, 2)),
    ...recomputed.missing.map((reason) => bullet('-', reason, width, 2)),
    ...(goodput ? [goodputLines(goodput, width)] : []),
  ].join('\n');
}

interface OtherRate {
  readonly label: string;
  readonly said: number;
  readonly window: string;
}

/** "the report's rates are over 3.26 s (...), those here over 3.21 s (...): Requests/s 18.4, Output tokens/s 368". */
function otherWindows(rates: readonly OtherRate[], scope: ReportScope | undefined, again: Recomputed): string[] {
  const span = (seconds: number | undefined): string => (seconds === undefined ? '' : `${seconds.toFixed(3)} s: `);
  return [...new Set(rates.map(({ window }) => window))].map((window) => {
    const of = rates.filter((rate) => rate.window === window).map(({ label, said }) => `${label} ${significant(said)}`);
    return `the report has ${of.join(', ')} over another window (${span(scope?.windowSeconds?.value)}${window}); those here are over ${span(again.windowSeconds)}${REQUESTS_WINDOW}`;
  });
}

const COUNTED: Readonly<Record<TokenCounter, string>> = {
  server: 'counted by the server',
  client: 'counted by the client',
  'server-tokenizer': 'counted by the server’s own tokenizer',
  asked: 'not counted: the length asked for',
  'server-else-client': 'counted by the server, else by the client',
  'server-else-asked': 'counted by the server, else the length asked for',
};

function wordsOf(
  { gap, failures, warmup, windowSeconds, flavour }: RecomputeDefinition,
  { input, output }: Recomputed['counters'],
): string {
  return [
    input === output ? `tokens ${COUNTED[input]}` : `output tokens ${COUNTED[output]}, input tokens ${COUNTED[input]}`,
    `gaps between ${gap === 'token_gap' ? 'tokens' : 'chunks'}`,
    failures === 'leave-out' ? 'failures left out of latencies' : 'failures count as never answered',
    ...(warmup?.requests === undefined ? [] : [`without the first ${whole(warmup.requests)} requests`]),
    ...(warmup?.seconds === undefined ? [] : [`without the first ${significant(warmup.seconds)} s`]),
    ...(windowSeconds
      ? [`sent from ${windowSeconds.from} s to ${windowSeconds.to === Infinity ? 'the end' : `${windowSeconds.to} s`}`]
      : []),
    'percentiles linear',
    flavour === 'inference-perf' ? 'empty answers and single stamps as inference-perf' : 'empty answers have no NTPOT',
  ].join('; ');
}

function goodRate(rate: number | undefined): string {
  return rate === undefined ? '' : `; ${significant(rate)} good requests/s`;
}

function goodputLines(goodput: GoodputResult, width: number): string {
  const limits = Object.entries(goodput.limits)
    .map(([name, limit]) => `${name} ${limit} s`)
    .join(', ');
  const attained = Object.entries(goodput.attainment)
    .map(([name, share]) => `${name} ${significant(share)} %`)
    .join(', ');
  return [
    `Goodput (${limits})`,
    wrap(
      `${significant(goodput.percentOfSuccesses)} % of ${whole(goodput.ok)} successes, as inference-perf counts${goodRate(goodput.requestsPerSecond)}`,
      width,
      2,
    ),
    wrap(
      `${significant(goodput.percentOfAll)} % of all ${whole(goodput.ok + goodput.failed)} requests, failures included${goodRate(goodput.requestsPerSecondOfAll)}`,
      width,
      2,
    ),
    wrap(`within each limit: ${attained}`, width, 2),
  ].join('\n');
}
