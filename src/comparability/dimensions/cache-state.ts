// In what state were the caches of prompts and media? Prompts that they already hold cost no prefill, pictures no encoding.
import { percent } from '../../figures';
import { cachedShareOf, cachingFlag, saltOf, sentAgain } from '../cache-evidence';
import {
  assumption,
  confounds,
  dimension,
  moved,
  same,
  unknown,
  type Context,
  type Judgement,
  type SideEvidence,
} from '../dimension';
import { inFact, inReport, inSetting } from '../evidence';
import { factsOn, stackOf, type Side } from '../side';

interface Cache extends SideEvidence {
  /** Cached over all prompt tokens, where the server says it. */
  readonly share: number | undefined;
  /** What the stack record says of prefix caching. */
  readonly enabled: boolean | undefined;
  /** Whether the stack record lists the server's flags at all. */
  readonly flags: boolean;
  readonly startedAt: string | undefined;
  /** Whether pictures, frames or sounds went with the prompts. */
  readonly isMedia: boolean;
  /** Items found over items looked for in the server's media cache. */
  readonly mediaShare: number | undefined;
}

/** Shares of cached prompt tokens closer than this save as much prefill as a few percent of length would. */
const SHARE_TOLERANCE = 0.02;

function cacheOf(side: Side, context: Context): Cache {
  const facts = factsOn(side);
  const enabled = cachingFlag(side);
  const { share: said, evidence } = cachedShareOf(side, context);
  const share = said ?? (enabled === false ? 0 : undefined);
  const media = facts.media.value;
  const isMedia = media !== undefined && media.bytesPerRequest > 0;
  const found = facts.mediaCacheCounters.value;
  const mediaShare = found && (found.queries > 0 ? found.hits / found.queries : 0);
  const flag = enabled === undefined ? '' : `, prefix caching ${enabled ? 'on' : 'off'}`;
  return {
    share,
    enabled,
    flags: stackOf(side)?.args !== undefined,
    startedAt: facts.startedAt.value,
    isMedia,
    mediaShare,
    summary:
      said === undefined ? `cached tokens not reported${flag}` : `${percent(said)} of prompt tokens cached${flag}`,
    evidence: [
      ...evidence,
      inReport(
        stackOf(side)?.source ?? 'stack.yaml',
        'prefix caching',
        enabled === undefined ? undefined : enabled ? 'on' : 'off',
      ),
      ...(isMedia ? [inFact(facts.mediaCacheCounters, found && `${found.hits} of ${found.queries}`)] : []),
      inFact(facts.promptsHash, facts.promptsHash.value?.slice(0, 12)),
      inFact(facts.endpoint),
      inFact(facts.startedAt),
      inSetting(side, ['load', 'base_seed']),
    ],
  };
}

/** Of what was sent beside the text: undefined where that says nothing against the two. */
function mediaJudgement(a: Cache, b: Cache, context: Context): Judgement | undefined {
  if (!a.isMedia || !b.isMedia) return undefined;
  if (a.mediaShare !== undefined && b.mediaShare !== undefined) {
    if (Math.abs(a.mediaShare - b.mediaShare) <= SHARE_TOLERANCE) return undefined;
    return confounds(
      `${percent(a.mediaShare)} of A’s and ${percent(b.mediaShare)} of B’s pictures, frames and sounds came out of the server’s media cache: the side with more had less to decode and encode before its first token.`,
    );
  }
  if (a.mediaShare !== undefined || b.mediaShare !== undefined) {
    return unknown('How much came out of the media cache', a.mediaShare !== undefined, b.mediaShare !== undefined);
  }
  // Without a prefix cache the media may still be kept; where that one is open too, its own question says all.
  const again = a.share === 0 && b.share === 0 ? sentAgain(context) : undefined;
  return again && { state: 'unknown', message: againWords(a, b, again, 'media cache') };
}

function flagWords({ enabled }: Cache): string {
  return enabled === undefined ? 'not set' : enabled ? 'on' : 'off';
}

export const cacheState = dimension<Cache>({
  id: 'cache-state',
  title: 'Prefix cache',
  question: 'Did the server’s caches of prompts and media hold as much on both sides?',
  tolerance: `The share of cached prompt tokens, by the answers or by the server’s counters over the window, within ${SHARE_TOLERANCE * 100} percentage points. Reported on neither side, it is open where both sides sent the same prompts to one address, and taken for equal, by name, elsewhere.`,
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
    'Empty the cache before each side (vLLM: POST /reset_prefix_cache, SGLang: POST /flush_cache, or a restart), or send other prompts (another load.base_seed); let the server say what it had cached (its /metrics, or vLLM’s --enable-prompt-tokens-details).',
  evidence: cacheOf,
  judge: (a, b, context) => {
    const media = mediaJudgement(a, b, context);
    if (media) return media;
    if (a.enabled === false && b.enabled === false && a.share === 0 && b.share === 0) {
      return same('Prefix caching is off on both sides.');
    }
    if (a.share !== undefined && b.share !== undefined) {
      const [x, y] = [percent(a.share), percent(b.share)];
      if (Math.abs(a.share - b.share) > SHARE_TOLERANCE) {
        return confounds(
          `${x} of A’s and ${y} of B’s prompt tokens came out of the prefix cache: the side with more had less to read before its first token.`,
        );
      }
      return same(`As many prompt tokens came out of the cache on both sides (${x} and ${y}).`);
    }
    // Both records list their flags: the one without this flag has the engine's default, and the server differs.
    if (a.enabled !== b.enabled && a.flags && b.flags) {
      return same(`Prefix caching is ${flagWords(a)} on A and ${flagWords(b)} on B, see server.`, {
        follows: 'server',
      });
    }
    if (a.share !== undefined || b.share !== undefined) {
      return unknown('How much came out of the prefix cache', a.share !== undefined, b.share !== undefined);
    }
    if (a.enabled !== b.enabled) {
      return unknown('Whether the prefix cache was on', a.enabled !== undefined, b.enabled !== undefined);
    }
    const again = sentAgain(context);
    if (again === undefined) {
      const isSalted = saltOf(context.a) !== saltOf(context.b);
      return assumption(
        `No server reported cached tokens, on either side.${isSalted ? ' Each side sent another cache_salt, which keeps their prompts apart in the cache.' : ''}`,
        `that the prefix cache held as much on both sides${isSalted ? ' (that the server honours cache_salt, as vLLM does)' : ''}`,
      );
    }
    return { state: 'unknown', message: againWords(a, b, again) };
  },
});

function againWords(
  a: Cache,
  b: Cache,
  again: 'same-address' | 'unsaid',
  cache: 'prefix cache' | 'media cache' = 'prefix cache',
): string {
  const isOrdered = a.startedAt !== undefined && b.startedAt !== undefined && a.startedAt !== b.startedAt;
  const [first, second] = (a.startedAt ?? '') <= (b.startedAt ?? '') ? ['A', 'B'] : ['B', 'A'];
  const where = again === 'same-address' ? 'to the same address' : 'to an address that is not recorded';
  const sent = isOrdered
    ? `${second} sent the very prompts of ${first} ${where}`
    : `A and B sent the very same prompts ${where}, one after the other`;
  const who = isOrdered ? second : 'the later one';
  return `${sent}, and nothing that was recorded says what the ${cache} still held: if the server kept it, ${who} is faster for that alone.`;
}
