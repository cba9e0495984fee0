// Identities of latencies: the parts of a request must add up, and gaps pooled over all requests must be the same time again.
import { QUANTITIES } from '../metrics/quantities';
import { significant } from '../figures';
import {
  type CanonicalReport,
  type Measure,
  measureOf,
  type ReportScope,
  statisticOf,
  type Statistics,
  type TokenCounter,
} from '../readers/canonical';
import { askedOf } from '../pitfalls/asked';
import { at } from '../readers/readers/values';
import type { Caution } from '../pitfalls/in-report';
import type { Identity } from './identity';
import { fallsIn, off, shareBelow, spreadOf } from './identity-math';
import { isObject } from '../own';

/** Slack of the identities for what no figure covers: the tail of the stream, rounding, one-token answers. */
const SLACK = 0.05;
/** Gaps under half a millisecond are no decode steps of a model: they came in one piece. */
const TINY_SECONDS = 0.0005;
const TINY_SHARE = 0.1;

const ms = (seconds: number): string => `${significant(seconds * 1000)} ms`;

interface Count {
  /** Mean output tokens of an answer. */
  readonly tokens: number;
  readonly by: TokenCounter | 'chunks' | 'assumed' | 'not said';
  /** Absent: the length that the config asked for. */
  readonly measure?: Measure;
}

/**
 * Every mean length at hand, the most trusted first: the server's, the length asked for where the end of sequence was to be
 * ignored, the client's, then the others. An identity that fails is tried with each before a number is accused.
 */
function countsAtHand(scope: ReportScope, report: CanonicalReport): readonly Count[] {
  const reported = scope.measures.flatMap((measure): Count[] => {
    const tokens = measure.quantity === 'output_tokens' ? measure.stats['mean'] : undefined;
    return tokens === undefined ? [] : [{ tokens, by: measure.definition.tokens ?? 'not said', measure }];
  });
  const asked = at(report.config, 'server', 'ignore_eos') === false ? undefined : askedOf(report, 'output');
  const all: readonly Count[] = [
    ...reported,
    ...(asked === undefined || scope.kind === 'adapter' ? [] : [{ tokens: asked.realised, by: 'asked' as const }]),
  ];
  const trust = (count: Count): number => (count.by === 'server' ? 0 : count.by === 'asked' ? 1 : 2);
  return [...all].sort((a, b) => trust(a) - trust(b));
}

interface Decode {
  /** Mean E2E - mean TTFT - mean time from the last token to the end of the stream, seconds. */
  readonly seconds: number;
  readonly counts: readonly Count[];
  /** The count that the report's own TPOT should be of: its first. */
  readonly own: Count;
}

function decodeOf(scope: ReportScope, report: CanonicalReport, of: 'decoded' | 'spanned'): Decode | undefined {
  const e2e = statisticOf(scope, 'e2e', 'mean');
  const ttft = statisticOf(scope, 'ttft', 'mean');
  const counts = countsAtHand(scope, report).filter(({ tokens }) => tokens > 1.5);
  const first = measureOf(scope, 'output_tokens');
  const own = counts.find(({ measure }) => measure !== undefined && measure === first);
  // Means over other answers do not add up: where requests tell, they are over the same.
  const decoded = scope.extras?.[of];
  if (decoded && own && decoded.tokens > 1.5) {
    const same = { ...own, tokens: decoded.tokens };
    return { seconds: decoded.seconds, counts: [same, ...counts.filter((count) => count !== own)], own: same };
  }
  if (e2e === undefined || ttft === undefined || !own) return undefined;
  return { seconds: e2e - ttft - (scope.extras?.streamTailSeconds ?? 0), counts, own };
}

const perTokenOf = ({ seconds }: Decode, { tokens }: Count): number => seconds / (tokens - 1);

/**
 * mean e2e = mean TTFT + mean(TPOT x (n - 1)). With aggregates the right side is mean TPOT x (mean n - 1) + cov(TPOT, n), and
 * |cov| <= sd(TPOT) x sd(n): the tolerance is that bound and 5 %.
 */
export function latencySum(scope: ReportScope, report: CanonicalReport): Identity[] {
  const decode = decodeOf(scope, report, 'decoded');
  const tpot = measureOf(scope, 'tpot');
  const mean = tpot?.stats['mean'];
  if (!decode || !tpot || mean === undefined || mean <= 0) return [];
  const toleranceFor = (count: Count): number =>
    SLACK + covarianceShare(tpot.stats, count.measure?.stats, count.tokens, mean) + tailShare(scope, count);
  const closes = (count: Count): boolean => off(perTokenOf(decode, count), mean) <= toleranceFor(count);
  const { own } = decode;
  const tolerance = toleranceFor(own);
  const common = {
    id: 'latency-sum',
    scope: scope.id,
    statement: 'mean E2E = mean TTFT + mean TPOT x (mean output tokens - 1)',
    tolerance: `${significant(tolerance * 100)} %: 5 %, one decode step for the end of the stream, and what TPOT and lengths that move together can explain`,
  } as const;
  if (closes(own)) return [{ ...common, holds: true, left: mean, right: perTokenOf(decode, own), unit: 's' }];
  // TPOT is right where another count at hand closes the sum: then the count is wrong.
  const other = decode.counts.find((count) => count !== own && closes(count));
  if (other) return [{ ...common, ...miscounted(own, other) }];
  const right = perTokenOf(decode, decode.counts[0] ?? own);
  const factor = right / mean;
  return [
    {
      ...common,
      holds: false,
      left: mean,
      right,
      unit: 's',
      factor,
      message: `TPOT is ${sizeOf(factor)}: it says ${ms(mean)}, but E2E minus TTFT over the tokens leaves ${ms(right)}`,
      cause: causeOfLatencySum(factor, report),
      pitfall: pausesCount(report) ? 'CMP045' : factor > 1.3 || report.tool === 'inference-perf' ? 'CMP060' : 'CMP058',
    },
  ];
}

const COUNTED_BY: Readonly<Partial<Record<Count['by'], string>>> = {
  server: 'the server counted',
  asked: 'the length that was asked for',
  client: 'the client counted',
  'server-tokenizer': 'the server’s own tokenizer counted',
};

/** The count beside TPOT is wrong: another one makes E2E, TTFT and TPOT agree. */
function miscounted(own: Count, other: Count): Omit<Identity, 'id' | 'scope' | 'statement' | 'tolerance'> {
  const factor = other.tokens / own.tokens;
  const key = own.measure?.source.key ?? 'output tokens';
  return {
    holds: false,
    left: own.tokens,
    right: other.tokens,
    unit: 'tokens',
    factor,
    message: `${key} is ${sizeOf(factor)}: it says ${significant(own.tokens)} tokens on average, but E2E, TTFT and TPOT agree at ${significant(other.tokens)}, ${COUNTED_BY[other.by] ?? 'another count of the report'}`,
    cause:
      own.by === 'client' || own.by === 'server-tokenizer'
        ? `${own.by === 'client' ? 'the client counted the text again with its tokenizer' : 'the text was counted again with the server’s tokenizer'}, which merges or splits what the server generated`
        : factor > 1
          ? 'the counter missed tokens (reasoning, tool calls, or chunks of several tokens)'
          : 'the counter counts more than was generated',
    pitfall: 'CMP058',
  };
}

function sizeOf(factor: number): string {
  if (factor > 1) return `${significant(factor)} times too small`;
  return factor > 0 ? `${significant(1 / factor)} times too large` : 'impossible';
}

/** A latency that ends with the stream contains up to one more step than the tokens show. */
function tailShare(scope: ReportScope, { tokens }: Count): number {
  const isKnown =
    measureOf(scope, 'e2e')?.definition.end === 'last-token' || scope.extras?.streamTailSeconds !== undefined;
  return isKnown ? 0 : 1 / (tokens - 1);
}

function covarianceShare(tpot: Statistics, lengths: Statistics | undefined, tokens: number, mean: number): number {
  const a = spreadOf(tpot);
  const b = lengths ? spreadOf(lengths) : undefined;
  // Without any figure for the spread of lengths, a fifth is allowed for.
  if (a === undefined || b === undefined) return 0.2;
  return (a * b) / (mean * (tokens - 1));
}

/** conversation_replay takes a simulated tool call's pause before it stamps the end (reference P45). */
function pausesCount({ config }: CanonicalReport): boolean {
  return isObject(at(config, 'data', 'conversation_replay', 'tool_call_latency_sec'));
}

function causeOfLatencySum(factor: number, report: CanonicalReport): string {
  if (factor > 1 && pausesCount(report)) return 'E2E contains the simulated tool calls of tool_call_latency_sec';
  if (report.tool === 'inference-perf' && factor > 1.3) {
    const version = report.versionClass.name;
    return `inference-perf ${version} divided the decode time by more time stamps than there were tokens (a stamp per line of the stream, or a begin token counted in every chunk); its inter_token_latency is too small by the same factor`;
  }
  if (factor > 1)
    return 'tokens were counted that the model did not generate one by one, or E2E contains time after the last token (usage chunk, [DONE], connection close)';
  return 'the token counter missed tokens (reasoning, tool calls, re-tokenized text), or TPOT contains TTFT';
}

/** Gaps over all requests, added up, are the decode time: mean gap x (tokens - 1) = mean E2E - mean TTFT. Only for token gaps. */
export function pooledGaps(scope: ReportScope, report: CanonicalReport): Identity[] {
  const decode = decodeOf(scope, report, 'spanned');
  const gap = statisticOf(scope, 'token_gap', 'mean');
  if (!decode || gap === undefined || gap <= 0) return [];
  // Both sides are sums over the same requests, so no covariance enters.
  const toleranceFor = (count: Count): number => 0.1 + tailShare(scope, count);
  const closes = (count: Count): boolean => off(perTokenOf(decode, count), gap) <= toleranceFor(count);
  // A miscount is the latency sum's to say: here any count at hand may close it.
  const count = decode.counts.find(closes) ?? decode.counts[0] ?? decode.own;
  const holds = closes(count);
  const right = perTokenOf(decode, count);
  const factor = right / gap;
  return [
    {
      id: 'pooled-gaps',
      scope: scope.id,
      holds,
      statement: 'mean token gap = (mean E2E - mean TTFT) / (mean output tokens - 1)',
      left: gap,
      right,
      unit: 's',
      factor,
      tolerance: `${significant(toleranceFor(count) * 100)} %: 10 %, and one step for the end of the stream`,
      ...(holds
        ? {}
        : {
            message: `the token gap is ${sizeOf(factor)}: mean ${ms(gap)}, but the decode time over the tokens is ${ms(right)}`,
            cause:
              factor > 1
                ? 'more tokens were stamped than generated (begin tokens counted in every chunk)'
                : 'the gaps are between chunks of several tokens, not between tokens: no tokenizer section was in the config',
            pitfall: factor > 1 ? 'CMP060' : 'CMP057',
          }),
    },
  ];
}

/** A mean over requests and a mean over gaps agree to five digits only when every answer has the same length. */
export function sameAsGap(scope: ReportScope, report: CanonicalReport): Identity[] {
  const tpot = statisticOf(scope, 'tpot', 'mean');
  const gaps = measureOf(scope, 'chunk_gap') ?? measureOf(scope, 'token_gap');
  const gap = gaps?.stats['mean'];
  const decode = decodeOf(scope, report, 'decoded');
  if (tpot === undefined || gap === undefined || !decode || off(tpot, gap) > 1e-4) return [];
  // Equal and right is what equal lengths give; equal and wrong means both came from the same wrong stamps.
  if (decode.counts.some((count) => off(perTokenOf(decode, count), tpot) < 0.3)) return [];
  return [
    {
      id: 'same-as-gap',
      scope: scope.id,
      holds: false,
      statement: 'TPOT (a mean over requests) and the gap (a mean over gaps) come from different divisors',
      left: tpot,
      right: gap,
      unit: 's',
      tolerance: 'equal to 0.01 % while the decode time per token is not',
      message: `TPOT and the mean gap are the same ${ms(tpot)}: both were divided by the same wrong number of time stamps`,
      cause: 'the number of stamps, not the number of tokens, is the divisor of both',
      pitfall: 'CMP060',
    },
  ];
}

interface TinyShare {
  readonly id: 'token_gap' | 'chunk_gap';
  /** Of the gaps, 0..1, that no decode step can have made. */
  readonly share: number;
}

function tinyShares(scope: ReportScope): TinyShare[] {
  const gapCount = (scope.counts.ok ?? 0) * ((statisticOf(scope, 'output_tokens', 'mean') ?? 1) - 1);
  // A share of a few gaps says nothing.
  if (gapCount < 300) return [];
  return (['token_gap', 'chunk_gap'] as const).flatMap((id) => {
    // Tokens of one chunk arrive at one moment, and nobody says that they were decoded in it: the chunks tell.
    if (id === 'token_gap' && measureOf(scope, 'chunk_gap')) return [];
    const gaps = measureOf(scope, id);
    const share = gaps ? shareBelow(gaps.stats, TINY_SECONDS) : undefined;
    const tpot = statisticOf(scope, 'tpot', 'mean');
    return share === undefined || (tpot !== undefined && tpot < 2 * TINY_SECONDS) ? [] : [{ id, share }];
  });
}

const tinyWords = (share: number): string =>
  `about ${Math.round(share * 100)} % of the gaps are under 0.5 ms: percentiles of the gap describe packets, not decoding`;

/**
 * Share of gaps that no decode step can have made. Our own stamps are of arrivals as the client read them: there a large share is
 * honest, contradicts nothing, and is a caution (`readTogether`).
 */
export function tinyGaps(scope: ReportScope, report: CanonicalReport): Identity[] {
  const stampedTwice = report.tool === 'inference-perf' && /^v0\.[1-3]/.test(report.versionClass.name);
  return tinyShares(scope).flatMap(({ id, share }): Identity[] => {
    const holds = share <= TINY_SHARE;
    if (!holds && report.tool === 'isoperf') return [];
    return [
      {
        id: 'tiny-gaps',
        scope: scope.id,
        holds,
        statement: 'few gaps are under 0.5 ms: a model does not decode faster',
        left: share,
        right: TINY_SHARE,
        unit: 'share',
        tolerance: 'at most 10 % of the gaps',
        ...(holds
          ? {}
          : {
              message: tinyWords(share),
              cause: stampedTwice
                ? 'lines of the stream were stamped, and a token has two; or the client read several events at once'
                : id === 'token_gap'
                  ? 'several tokens came in one chunk, a begin token was counted in every chunk, or a busy client read late what had come one by one'
                  : 'several events arrived at once: a proxy or gateway joined them, the server works in bursts, or a busy client read late what had come one by one',
              pitfall: stampedTwice ? 'CMP060' : 'CMP056',
            }),
      },
    ];
  });
}

/** Of our own run: chunks that were read in one moment, and whether the client's own lateness is enough to explain it. */
export function readTogether(scope: ReportScope, report: CanonicalReport): Caution[] {
  if (report.tool !== 'isoperf') return [];
  return tinyShares(scope).flatMap(({ id, share }): Caution[] => {
    if (share <= TINY_SHARE) return [];
    const delays = report.scopes.flatMap(({ extras }) => extras?.loopDelayP99Seconds ?? []);
    const late = scope.extras?.loopDelayP99Seconds ?? (delays.length > 0 ? Math.max(...delays) : undefined);
    const gap = statisticOf(scope, id, 'mean');
    const why =
      late === undefined || gap === undefined
        ? 'a busy client read late, a proxy or gateway joined chunks, or the server works in bursts'
        : late >= gap
          ? `the client read late: its event loop was ${ms(late)} late at p99, and a chunk comes every ${ms(gap)}`
          : `the client is not late enough for it (${ms(late)} at p99, a chunk every ${ms(gap)}): a proxy or gateway joins chunks, or the server works in bursts`;
    return [{ id: 'CMP056', scope: scope.id, message: `${tinyWords(share)}; ${why}`, pitfall: 'CMP056' }];
  });
}

/** Percentiles rise, and nothing is negative but a schedule delay. */
/** Thirty years: no latency. */
const LONGEST_SECONDS = 1e9;

export function order(scope: ReportScope): Identity[] {
  return scope.measures.flatMap(({ quantity, stats, source }): Identity[] => {
    const falls = fallsIn(stats);
    const lowest = Math.min(...Object.values(stats));
    const negative = lowest < 0 && quantity !== 'schedule_delay';
    const highest = Math.max(...Object.values(stats));
    const endless = QUANTITIES[quantity].unit === 's' && highest > LONGEST_SECONDS;
    if (falls.length === 0 && !negative && !endless) return [];
    return [
      {
        id: 'order',
        scope: scope.id,
        holds: false,
        statement: `percentiles of ${source.key} rise and are not negative`,
        left: negative || !endless ? lowest : highest,
        right: 0,
        unit: '',
        tolerance: 'none',
        message: `${source.file}: ${source.key} is no distribution: ${negative ? `a value is ${significant(lowest)}` : endless ? `a value is ${significant(highest)} s` : falls[0]!}`,
        cause:
          negative && quantity !== 'prompt_tokens' && quantity !== 'output_tokens'
            ? 'a time that the tool never set (0) had another taken from it, a clock was set back, or the file was edited'
            : 'the file was edited, or made by averaging several runs',
      },
    ];
  });
}
