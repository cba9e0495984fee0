// Did answers end for the same reason? A server that stops at EOS does less work than one that fills max_tokens.
import type { RequestRecord } from '../../metrics/record';
import { outputTokens } from '../../metrics/request-metrics';
import { proportionsZ } from '../../metrics/two-samples';
import type { Evidence } from '../comparison';
import { confounds, dimension, moved, same, unknown, type Context, type SideEvidence } from '../dimension';
import { percent } from '../../figures';
import { inFact, inRecords } from '../evidence';
import { factsOn, type Side } from '../side';
import { compareAsked, comparedSuccesses } from '../workload';

interface StopBehaviour extends SideEvidence {
  readonly ignoreEos: boolean | undefined;
  /** Answers that ran to max_tokens, of those whose end is known. */
  readonly full: { readonly hits: number; readonly n: number } | undefined;
}

const SHARE_FLOOR = 0.05;
const SHARE_Z = 4;
/** Re-tokenizing an answer may merge some tokens: a client's count this close to max_tokens is a full answer. */
const CLIENT_SLACK = 0.9;

/** `length` is the server's own word; without it, its count against max_tokens; then the client's count. */
function ranToLimit(record: RequestRecord): boolean | undefined {
  if (record.finishReason !== undefined) return record.finishReason === 'length';
  if (record.maxTokens === undefined) return undefined;
  const server = outputTokens(record, 'server-usage');
  if (server !== undefined) return server >= record.maxTokens;
  const client = outputTokens(record, 'client-tokenizer');
  return client === undefined ? undefined : client >= CLIENT_SLACK * record.maxTokens;
}

function fullAnswers(side: Side, context: Context): StopBehaviour['full'] {
  const successes = comparedSuccesses(side, context);
  if (successes) {
    const known = successes.map(ranToLimit).filter((value) => value !== undefined);
    if (known.length === 0 || known.length < 0.99 * successes.length) return undefined;
    return { hits: known.filter(Boolean).length, n: known.length };
  }
  const reasons = side.run.manifest?.lengths?.finishReasons;
  const n = Object.values(reasons ?? {}).reduce((total, value) => total + value, 0);
  return n > 0 ? { hits: reasons?.['length'] ?? 0, n } : undefined;
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
  const evidence: Evidence[] = [
    inFact(asks),
    inRecords(side, 'finish reasons', finishReasons(side, context)),
    inRecords(side, 'answers that ran to max_tokens', full && `${percent(full.hits / full.n)} of ${full.n}`),
  ];
  const asked = ignoreEos === undefined ? 'ignore_eos not recorded' : `ignore_eos ${ignoreEos}`;
  const realised = full ? `${percent(full.hits / full.n)} ran to max_tokens` : 'ends not recorded';
  return { ignoreEos, full, summary: `${asked}, ${realised}`, evidence };
}

function sharesDiffer(a: StopBehaviour, b: StopBehaviour): boolean {
  if (!a.full || !b.full) return false;
  const gap = Math.abs(a.full.hits / a.full.n - b.full.hits / b.full.n);
  return gap > SHARE_FLOOR && Math.abs(proportionsZ(a.full.hits, a.full.n, b.full.hits, b.full.n)) > SHARE_Z;
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

function judge(a: StopBehaviour, b: StopBehaviour, context: Context) {
  if (a.ignoreEos === undefined || b.ignoreEos === undefined) {
    return unknown('Whether ignore_eos was sent', a.ignoreEos !== undefined, b.ignoreEos !== undefined);
  }
  if (a.ignoreEos !== b.ignoreEos) {
    const seen = sharesDiffer(a, b) ? '' : ', though no difference shows in these answers';
    return confounds(
      `Only ${a.ignoreEos ? 'A' : 'B'} asks the server to go on past its end-of-sequence token${seen}: the other side’s answers may end early, which is less work per request.`,
    );
  }
  if (!a.full || !b.full) return unknown('Why the answers ended', a.full !== undefined, b.full !== undefined);
  if (!sharesDiffer(a, b)) {
    const shares = `${percent(a.full.hits / a.full.n)} of A’s and ${percent(b.full.hits / b.full.n)} of B’s`;
    return same(`ignore_eos ${a.ignoreEos} on both sides; ${shares} answers ran to max_tokens.`);
  }
  if (!a.ignoreEos && compareAsked(context, 'output')?.differs === true) {
    return same('Answers end at another max_tokens, so more or fewer reach it, see output-length.', {
      follows: 'output-length',
    });
  }
  const shares = `${percent(a.full.hits / a.full.n)} of A’s and ${percent(b.full.hits / b.full.n)} of B’s answers ran to max_tokens`;
  return confounds(
    a.ignoreEos
      ? `Both sides ask for ignore_eos, but only one server honours it: ${shares}.`
      : `Answers end for different reasons: ${shares}. The side that stops earlier does less work per request.`,
  );
}
