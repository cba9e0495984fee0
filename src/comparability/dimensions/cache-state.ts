// In what state was the prefix cache? Prompts that it already holds cost no prefill.
import { summaryOf } from '../../readers/canonical';
import { reportOf } from '../../readers/own';
import type { Evidence } from '../comparison';
import { assumption, confounds, dimension, moved, same, unknown, type Context, type SideEvidence } from '../dimension';
import { percent } from '../../figures';
import { sameAddress } from '../address';
import { inFact, inRecords, inReport, inSetting } from '../evidence';
import { factsOn, stackOf, type Side } from '../side';
import { flagsOf } from '../stack-diff';
import { comparedSuccesses } from '../workload';

interface Cache extends SideEvidence {
  /** Cached over all prompt tokens, where the server says it. */
  readonly share: number | undefined;
  /** What the stack record says of prefix caching. */
  readonly enabled: boolean | undefined;
  /** Whether the stack record lists the server's flags at all. */
  readonly flags: boolean;
  readonly promptsHash: string | undefined;
  readonly startedAt: string | undefined;
}

/** Shares of cached prompt tokens closer than this save as much prefill as a few percent of length would. */
const SHARE_TOLERANCE = 0.02;

function cachedShare(side: Side, context: Context): number | undefined {
  const records = comparedSuccesses(side, context);
  if (!records) {
    return reportedShare(side)?.share;
  }
  // The server's share of the server's own count: over the client's, a chat template would pass for cache.
  const said = records.filter(
    ({ usage }) => usage?.cachedPromptTokens !== undefined && usage.promptTokens !== undefined,
  );
  if (said.length === 0) return undefined;
  const sum = (of: (record: (typeof said)[number]) => number | undefined): number =>
    said.reduce((total, record) => total + (of(record) ?? 0), 0);
  const total = sum((record) => record.usage?.promptTokens);
  return total > 0 ? sum((record) => record.usage?.cachedPromptTokens) / total : undefined;
}

/** Of the summary, where the report says it. */
function reportedShare(
  side: Side,
): { readonly share: number; readonly file: string; readonly key: string } | undefined {
  const said = factsOn(side).cachedShare;
  if (said.value !== undefined) return { share: said.value, ...said.at };
  const scope = summaryOf(reportOf(side.run));
  const cached = scope?.extras?.cachedPromptTokens;
  const total = scope?.measures.find(
    ({ quantity, stats }) => quantity === 'prompt_tokens' && stats['total'] !== undefined,
  )?.stats['total'];
  if (!scope || cached === undefined || !total) return undefined;
  return { share: cached / total, file: scope.file, key: 'successes.prompt_tokens.cached' };
}

function cachingFlag(side: Side): boolean | undefined {
  const flags = flagsOf(stackOf(side)?.args ?? []).values;
  const value = flags.get('enable-prefix-caching') ?? flags.get('prefix-cache');
  if (value !== undefined) return value !== 'off' && value.toLowerCase() !== 'false';
  const off = flags.get('disable-radix-cache');
  return off === undefined ? undefined : off === 'off';
}

function cacheOf(side: Side, context: Context): Cache {
  const facts = factsOn(side);
  const reported = side.run.records ? undefined : reportedShare(side);
  const share = cachedShare(side, context);
  const enabled = cachingFlag(side);
  const seed = ['load', 'base_seed'];
  const shareWords = share === undefined ? undefined : `${percent(share)} of prompt tokens`;
  const evidence: Evidence[] = [
    side.run.records
      ? inRecords(side, 'usage.cachedPromptTokens', shareWords)
      : reported
        ? inReport(reported.file, reported.key, shareWords)
        : inFact(facts.cachedShare),
    inReport(
      stackOf(side)?.source ?? 'stack.yaml',
      'prefix caching',
      enabled === undefined ? undefined : enabled ? 'on' : 'off',
    ),
    inFact(facts.promptsHash, facts.promptsHash.value?.slice(0, 12)),
    inFact(facts.startedAt),
    inSetting(side, seed),
  ];
  const flag = enabled === undefined ? '' : `, prefix caching ${enabled ? 'on' : 'off'}`;
  return {
    share,
    enabled,
    flags: stackOf(side)?.args !== undefined,
    promptsHash: facts.promptsHash.value,
    startedAt: facts.startedAt.value,
    summary:
      share === undefined ? `cached tokens not reported${flag}` : `${percent(share)} of prompt tokens cached${flag}`,
    evidence,
  };
}

function flagWords({ enabled }: Cache): string {
  return enabled === undefined ? 'not set' : enabled ? 'on' : 'off';
}

export const cacheState = dimension<Cache>({
  id: 'cache-state',
  title: 'Prefix cache',
  question: 'Did the prefix cache hold as much on both sides?',
  tolerance: `The server’s share of cached prompt tokens within ${SHARE_TOLERANCE * 100} percentage points. Reported on neither side of one address, an equal cache is assumed, and that is named.`,
  pitfall: 'CMP033',
  affects: moved([
    'ttft',
    'request_latency',
    'ntpot',
    'requests_per_sec',
    'input_tokens_per_sec',
    'output_tokens_per_sec',
    'total_tokens_per_sec',
    'request_goodput',
  ]),
  remedy:
    'Restart the server before each side, or send other prompts (another load.base_seed); let the server report cached tokens (vLLM: --enable-prompt-tokens-details).',
  evidence: cacheOf,
  judge: (a, b, context) => {
    if (a.share !== undefined && b.share !== undefined) {
      const [x, y] = [percent(a.share), percent(b.share)];
      if (Math.abs(a.share - b.share) > SHARE_TOLERANCE) {
        return confounds(
          `${x} of A’s and ${y} of B’s prompt tokens came out of the prefix cache: the side with more had less to read before its first token.`,
        );
      }
      return same(`As many prompt tokens came out of the cache on both sides (${x} and ${y}).`);
    }
    if (a.share !== undefined || b.share !== undefined) {
      return unknown('How much came out of the prefix cache', a.share !== undefined, b.share !== undefined);
    }
    if (a.enabled === false && b.enabled === false) return same('Prefix caching is off on both sides.');
    if (a.enabled !== b.enabled) {
      // Both records list their flags: the one without this flag has the engine's default, and the server differs.
      if (a.flags && b.flags) {
        return same(`Prefix caching is ${flagWords(a)} on A and ${flagWords(b)} on B, see server.`, {
          follows: 'server',
        });
      }
      return unknown('Whether the prefix cache was on', a.enabled !== undefined, b.enabled !== undefined);
    }
    const assumed = 'that the prefix cache held as much on both sides';
    const repeated =
      a.promptsHash !== undefined && a.promptsHash === b.promptsHash && sameAddress(context.a, context.b) === true;
    if (!repeated) return assumption('No server reported cached tokens, on either side.', assumed);
    const [first, second] = (a.startedAt ?? '') <= (b.startedAt ?? '') ? ['A', 'B'] : ['B', 'A'];
    return assumption(
      `No server reported cached tokens, and ${second} sent the very prompts of ${first} to the same address: if the server kept its prefix cache between the two, ${second} is faster for that alone.`,
      `${assumed} (the same prompts went to the same address twice: restart the server in between, or use another seed)`,
    );
  },
});
