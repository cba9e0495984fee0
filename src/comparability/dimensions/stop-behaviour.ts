// Did answers end for the same reason? A server that stops at EOS does less work than one that fills max_tokens.
import type { RequestRecord } from '../../metrics/record';
import { endedAtLimit, fillsLimit, isFull } from '../../metrics/request-metrics';
import { proportionsZ } from '../../metrics/two-samples';
import type { Evidence } from '../comparison';
import {
  confounds,
  dimension,
  moved,
  same,
  unknown,
  type Context,
  type Judgement,
  type SideEvidence,
} from '../dimension';
import { percent } from '../../figures';
import { inFact, inRecords } from '../evidence';
import { factsOn, sideStreams, type Side } from '../side';
import { compareAsked, comparedSuccesses, ownLengths } from '../workload';

interface Share {
  readonly hits: number;
  readonly n: number;
}

interface StopBehaviour extends SideEvidence {
  readonly ignoreEos: boolean | undefined;
  /** Answers that ran to max_tokens, of those whose end is known. */
  readonly full: Share | undefined;
  /** Streams that ended without a finish reason; undefined where the tool keeps none. */
  readonly unsaid: Share | undefined;
  /** Those of them that are short of max_tokens: cut off, unless the model may end by itself. */
  readonly cut: Share | undefined;
}

const SHARE_FLOOR = 0.05;
const SHARE_Z = 4;
/** What a run calls the answers that gave no reason. */
const NOT_REPORTED = 'not reported';

/** The server's own word; without it, its count against max_tokens; then the client's count. */
function ranToLimit(record: RequestRecord): boolean | undefined {
  return record.finishReason === undefined ? fillsLimit(record) : endedAtLimit(record.finishReason);
}

function fullAnswers(side: Side, context: Context): Share | undefined {
  const successes = comparedSuccesses(side, context);
  if (successes) {
    return shareOf(successes.map(ranToLimit)) ?? fullByLength(side, context);
  }
  const reasons = Object.entries(side.run.manifest?.lengths?.finishReasons ?? {});
  const sum = (entries: readonly (readonly [string, number])[]): number =>
    entries.reduce((total, [, value]) => total + value, 0);
  const said = reasons.filter(([reason]) => reason !== NOT_REPORTED);
  const n = sum(said);
  if (n === 0 || n < 0.99 * sum(reasons)) return fullByLength(side, context);
  return { hits: sum(said.filter(([reason]) => endedAtLimit(reason))), n };
}

/** Of nearly all answers it has to be known. */
function shareOf(ran: readonly (boolean | undefined)[]): Share | undefined {
  const n = ran.filter((one) => one !== undefined).length;
  return n === 0 || n < 0.99 * ran.length ? undefined : { hits: ran.filter((one) => one === true).length, n };
}

/**
 * Of another tool, where one length was asked for: answers that have it ran to it. From a summary, all did where the shortest has
 * it, and none where the longest has not.
 */
function fullByLength(side: Side, context: Context): Share | undefined {
  const { outputAsked, outputCounter } = factsOn(side);
  const [asked, counter] = [outputAsked.value, outputCounter.value];
  const mean = asked?.['mean'];
  const isFixed = asked !== undefined && (asked['std_dev'] === 0 || (asked['min'] ?? NaN) === asked['max']);
  const isCounted = counter !== undefined && counter.source !== 'not-counted' && counter.otherwise === undefined;
  if (side.run.manifest || typeof mean !== 'number' || !isFixed || !isCounted) return undefined;
  const ran = (length: number | undefined): boolean | undefined =>
    isFull(length, mean, counter.source === 'server-usage');
  const lengths = ownLengths(side, context, 'output');
  if (lengths?.values) return shareOf(Array.from(lengths.values, ran));
  const { min, max, count: n } = lengths?.summary ?? {};
  if (n === undefined) return undefined;
  return ran(min) === true ? { hits: n, n } : ran(max) === false ? { hits: 0, n } : undefined;
}

/** Whole answers are whole by their form; a tool that keeps no reasons at all is silent about each. */
function unsaidEnds(side: Side, context: Context): Pick<StopBehaviour, 'unsaid' | 'cut'> {
  const none = { unsaid: undefined, cut: undefined };
  if (!sideStreams(side)) return none;
  const successes = comparedSuccesses(side, context);
  if (!successes || successes.length === 0) {
    const known = factsOn(side).unsaidEnds.value;
    if (!known) return none;
    return { unsaid: { hits: known.without, n: known.answered }, cut: { hits: known.cutShort, n: known.answered } };
  }
  const silent = successes.filter(({ finishReason }) => finishReason === undefined);
  if (!side.run.manifest && silent.length === successes.length) return none;
  const short = silent.filter((record) => fillsLimit(record) === false);
  return { unsaid: { hits: silent.length, n: successes.length }, cut: { hits: short.length, n: successes.length } };
}

function finishReasons(side: Side, context: Context): string | undefined {
  const successes = comparedSuccesses(side, context);
  const counts = new Map<string, number>(
    successes ? [] : Object.entries(side.run.manifest?.lengths?.finishReasons ?? {}),
  );
  for (const { finishReason } of successes ?? []) {
    if (finishReason !== undefined) counts.set(finishReason, (counts.get(finishReason) ?? 0) + 1);
  }
  if (counts.size === 0) return undefined;
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${reason} ${count}`)
    .join(', ');
}

function stopOf(side: Side, context: Context): StopBehaviour {
  const asks = factsOn(side).ignoreEos;
  const ignoreEos = asks.value;
  const full = fullAnswers(side, context);
  const { unsaid, cut } = unsaidEnds(side, context);
  const evidence: Evidence[] = [
    inFact(asks),
    inRecords(side, 'finish reasons', finishReasons(side, context)),
    inRecords(side, 'answers that ran to max_tokens', full && `${percent(full.hits / full.n)} of ${full.n}`),
    inRecords(side, 'answers without a finish reason', unsaid && shareWords(unsaid)),
  ];
  const asked = ignoreEos === undefined ? 'ignore_eos not recorded' : `ignore_eos ${ignoreEos}`;
  const realised = full ? `${percent(full.hits / full.n)} ran to max_tokens` : 'ends not recorded';
  const silent = unsaid && unsaid.hits > 0 ? `, ${unsaid.hits} without a finish reason` : '';
  return { ignoreEos, full, unsaid, cut, summary: `${asked}, ${realised}${silent}`, evidence };
}

function shareWords({ hits, n }: Share): string {
  return `${hits} of ${n}`;
}

function sharesDiffer(a: Share | undefined, b: Share | undefined): boolean {
  if (!a || !b || a.n === 0 || b.n === 0) return false;
  const gap = Math.abs(a.hits / a.n - b.hits / b.n);
  return gap > SHARE_FLOOR && Math.abs(proportionsZ(a.hits, a.n, b.hits, b.n)) > SHARE_Z;
}

function areOpposite(a: Share | undefined, b: Share | undefined): boolean {
  return a !== undefined && b !== undefined && Math.abs(a.hits / a.n - b.hits / b.n) === 1;
}

/** True when answers ended for other reasons: a difference of output lengths then follows from that. */
export function stopsDiffer(context: Context): boolean {
  return judge(stopOf(context.a, context), stopOf(context.b, context), context).state === 'confounds';
}

export const stopBehaviour = dimension<StopBehaviour>({
  id: 'stop-behaviour',
  title: 'Stop behaviour',
  question: 'Was ignore_eos asked for and honoured alike, and did answers end for the same reason?',
  tolerance: `The same ignore_eos; the share of answers that ran to max_tokens within ${SHARE_FLOOR * 100} percentage points, or apart by no more than chance (z <= ${SHARE_Z}).`,
  pitfall: 'CMP035',
  affects: moved([
    'tpot',
    'itl',
    'ntpot',
    'request_latency',
    'requests_per_sec',
    'output_tokens_per_sec',
    'total_tokens_per_sec',
  ]),
  remedy:
    'Set server.ignore_eos alike, and check that both servers honour it (some ignore it): every answer must end with finish_reason "length".',
  evidence: stopOf,
  judge,
});

function judge(a: StopBehaviour, b: StopBehaviour, context: Context): Judgement {
  const note = unsaidNote(a, b);
  const differs = sharesDiffer(a.full, b.full);
  if (differs) return confounds(differWords(a, b, context), note);
  if (areOpposite(a.full, b.full)) {
    const [{ hits, n }, of] = [a.full!, b.full!.n];
    return {
      state: 'unknown',
      message: `${hits === n ? 'All' : 'None'} of A’s ${n} and ${hits === n ? 'none' : 'all'} of B’s ${of} answers ran to max_tokens: too few answers to tell that from chance.`,
      ...note,
    };
  }
  if (a.ignoreEos === undefined || b.ignoreEos === undefined) {
    return unknown('Whether ignore_eos was sent', a.ignoreEos !== undefined, b.ignoreEos !== undefined, note);
  }
  if (a.ignoreEos !== b.ignoreEos) {
    return confounds(
      `Only ${a.ignoreEos ? 'A' : 'B'} asks the server to go on past its end-of-sequence token, though no difference shows in these answers: the other side’s answers may end early, which is less work per request.`,
      note,
    );
  }
  if (sharesDiffer(a.cut, b.cut)) {
    const shares = `${shareWords(a.cut!)} of A’s and ${shareWords(b.cut!)} of B’s answers ended without a finish reason before max_tokens`;
    return a.ignoreEos
      ? confounds(`${shares}, although both sides ask for ignore_eos: they were cut off, and count as answers.`, note)
      : {
          state: 'unknown',
          message: `${shares}: whether the model ended them, or something cut them off, is not recorded.`,
          ...note,
        };
  }
  if (!a.full || !b.full) return unknown('Why the answers ended', a.full !== undefined, b.full !== undefined, note);
  const shares = `${percent(a.full.hits / a.full.n)} of A’s and ${percent(b.full.hits / b.full.n)} of B’s`;
  return same(`ignore_eos ${a.ignoreEos} on both sides; ${shares} answers ran to max_tokens.`, note);
}

function differWords({ full: x, ...a }: StopBehaviour, { full: y, ...b }: StopBehaviour, context: Context): string {
  const shares = `${percent(x!.hits / x!.n)} of A’s and ${percent(y!.hits / y!.n)} of B’s answers ran to max_tokens`;
  const less = 'The side that stops earlier does less work per request.';
  if (a.ignoreEos !== b.ignoreEos) {
    const asks = a.ignoreEos === true ? 'A' : b.ignoreEos === true ? 'B' : undefined;
    return asks === undefined
      ? `Answers end for different reasons: ${shares}. ${less}`
      : `Only ${asks} asks the server to go on past its end-of-sequence token: ${shares}. ${less}`;
  }
  if (a.ignoreEos === true) return `Both sides ask for ignore_eos, but only one server honours it: ${shares}.`;
  const asked = compareAsked(context, 'output')?.differs === true ? ', at another max_tokens on each side' : '';
  return `Answers end for different reasons${asked}: ${shares}. ${less}`;
}

/** Nobody says whether such answers are whole: worth knowing, whatever the judgement. */
function unsaidNote(a: StopBehaviour, b: StopBehaviour): { note?: string } {
  const sides = [a, b].flatMap(({ unsaid, cut }, i) => {
    if (!unsaid || unsaid.hits === 0) return [];
    const short = cut && cut.hits > 0 ? ` (${cut.hits} of them before max_tokens)` : '';
    return [`${shareWords(unsaid)} of ${i === 0 ? 'A' : 'B'}’s answers${short}`];
  });
  return sides.length === 0
    ? {}
    : {
        note: `${sides.join(' and ')} ended with no finish reason, and count as successes: nothing says that they are whole.`,
      };
}
