// Reports over nothing: zeros that stand for "no data", and files of a known tool that hold no run.
import type { Problem } from '../problem';
import { QUANTITIES } from '../metrics/quantities';
import { measureOf, type CanonicalReport, type Measure, type QuantityId, type ReportScope } from './canonical';
import { at } from './readers/values';

/**
 * Where no request succeeded, some tools write 0 for every latency, length and rate. Those are no measurements: they are taken out,
 * with a word among the assumptions, so that nothing is computed from them or claimed of them.
 */
export function withoutZeros(report: CanonicalReport): CanonicalReport {
  const dropped = new Map<ReportScope, readonly Measure[]>(
    report.scopes.map((scope) => [scope, scope.counts.ok === 0 ? scope.measures.filter(isZero) : []]),
  );
  const words = [...dropped].flatMap(([{ id, file }, measures]) => {
    if (measures.length === 0) return [];
    const names = [...new Set(measures.map(({ quantity }) => QUANTITIES[quantity].label))].join(', ');
    return [`${id}: no request succeeded, so the zeros of ${file} are no data and are left out (${names})`];
  });
  if (words.length === 0) return report;
  const scopes = report.scopes.map((scope): ReportScope => {
    const left = dropped.get(scope) ?? [];
    if (left.length === 0) return scope;
    const reasons = Object.fromEntries(left.map(({ quantity }) => [quantity, 'no request succeeded']));
    return {
      ...scope,
      measures: scope.measures.filter((measure) => !left.includes(measure)),
      unmeasured: { ...scope.unmeasured, ...reasons },
    };
  });
  return { ...report, scopes, assumptions: [...report.assumptions, ...words] };
}

/** Times that no answer can have been done in. */
const BETWEEN_TOKENS: readonly QuantityId[] = ['tpot', 'token_gap', 'chunk_gap'];
const NEVER_ZERO: readonly QuantityId[] = ['ttft', 'tpot', 'token_gap', 'chunk_gap', 'ntpot', 'e2e'];

/**
 * Figures under the name of something that was not measured: zeros for times that no answer had (one token has no second, an
 * answer that came whole has no chunks), and a "first token" that is the whole answer because nothing was streamed.
 */
export function withoutUnmeasured(report: CanonicalReport): CanonicalReport {
  const streamed = settingOf(report, 'api.streaming');
  const words: string[] = [];
  const scopes = report.scopes.map((scope): ReportScope => {
    const reasons = new Map<QuantityId, string>();
    for (const measure of scope.measures) {
      const why = whyUnmeasured(measure, scope, streamed);
      if (why !== undefined) reasons.set(measure.quantity, why);
    }
    if (reasons.size === 0) return scope;
    const measures = scope.measures.filter((measure) => whyUnmeasured(measure, scope, streamed) === undefined);
    for (const [quantity, why] of reasons) {
      words.push(
        `${scope.id}: ${QUANTITIES[quantity].label} of ${scope.file} was not measured and is left out: ${why}`,
      );
    }
    return { ...scope, measures, unmeasured: { ...scope.unmeasured, ...Object.fromEntries(reasons) } };
  });
  return words.length === 0 ? report : { ...report, scopes, assumptions: [...report.assumptions, ...words] };
}

/** Of answers that came: every prompt has a token, and a second in which nothing was read or written is none they came in. */
const NEVER_ZERO_OF_ANSWERS: readonly QuantityId[] = [
  'prompt_tokens',
  'requests_per_sec',
  'input_tokens_per_sec',
  'output_tokens_per_sec',
  'total_tokens_per_sec',
];

/** Zeros under a count or a rate although requests succeeded; answers of length 0 exist, where all of them are nobody counted. */
function whyUncounted(measure: Measure, scope: ReportScope): string | undefined {
  const { quantity } = measure;
  if (!isZero(measure) || (scope.counts.ok ?? 0) === 0) return undefined;
  if (NEVER_ZERO_OF_ANSWERS.includes(quantity))
    return `${scope.counts.ok} requests succeeded, and the file has 0, which is how its tool writes that nobody counted`;
  const timed = ['tpot', 'token_gap', 'chunk_gap'] as const;
  return quantity === 'output_tokens' && timed.some((id) => (measureOf(scope, id)?.stats['mean'] ?? 0) > 0)
    ? 'the file has 0 tokens and times between tokens: nobody counted'
    : undefined;
}

function whyUnmeasured(measure: Measure, scope: ReportScope, streamed: unknown): string | undefined {
  const { quantity } = measure;
  if (measure.count === 0) return 'it is over 0 requests';
  const uncounted = whyUncounted(measure, scope);
  if (uncounted !== undefined) return uncounted;
  const tokens = measureOf(scope, 'output_tokens')?.stats['mean'];
  const isOne = tokens !== undefined && tokens <= 1;
  // A single 0 beside answers of several tokens may be one that was rounded.
  const isNothing = isZero(measure) && (isOne || Object.keys(measure.stats).length > 1);
  // One token has no second: what stands under a time between tokens is of nothing, be it 0 or left from a sum.
  if (isOne && BETWEEN_TOKENS.includes(quantity) && measureOf(scope, 'output_tokens')?.stats['max'] === 1)
    return zeroWords(quantity, true);
  if (NEVER_ZERO.includes(quantity) && isNothing) return zeroWords(quantity, isOne);
  if (quantity !== 'ttft' || streamed === true) return undefined;
  if (streamed === false) return 'answers were not streamed, and without streaming TTFT equals the latency';
  const whole = measureOf(scope, 'e2e');
  return whole && !isOne && tokens !== undefined && isSame(measure, whole)
    ? 'it is the latency in every statistic, as where answers are not streamed'
    : undefined;
}

function zeroWords(quantity: QuantityId, isOne: boolean): string {
  if (isOne && quantity !== 'ttft' && quantity !== 'e2e')
    return 'answers of one token have no second, and the file has 0 for that';
  return 'the file has 0 in every statistic, which is how its tool writes that nothing was timed';
}

/** In all statistics that both have, two at least. */
function isSame(a: Measure, b: Measure): boolean {
  const common = Object.keys(a.stats).filter((key) => b.stats[key] !== undefined);
  return common.length > 1 && common.every((key) => a.stats[key] === b.stats[key]);
}

/** As the tool's own file tells it, else the config the numbers were made with. */
function settingOf({ told, config }: CanonicalReport, path: string): unknown {
  return told?.find((entry) => entry.path.join('.') === path)?.value ?? at(config, ...path.split('.'));
}

function isZero({ stats }: Measure): boolean {
  return Object.values(stats).every((value) => value === 0);
}

/** A part without a count, a window and a number says nothing of any run. */
export function withoutEmptyParts(report: CanonicalReport): CanonicalReport {
  const scopes = report.scopes.filter(
    ({ measures, counts, windowSeconds, server, goodput }) =>
      measures.length > 0 || Object.keys(counts).length > 0 || windowSeconds !== undefined || server || goodput,
  );
  return scopes.length === report.scopes.length ? report : { ...report, scopes };
}

/** @returns what to say of a report without a single part; undefined when it has one, or requests to compute one from */
export function emptyReport(report: CanonicalReport, hasRecords: boolean): Problem | undefined {
  if (report.scopes.length > 0 || hasRecords) return undefined;
  return {
    code: 'REP129',
    severity: 'error',
    path: [],
    message: `${report.name} is a result of ${report.tool} without a single run in it that has a number: nothing was measured`,
    remedy: 'Look into the log of that run for why it ended before its first result',
    file: report.files[0] ?? report.name,
  };
}
