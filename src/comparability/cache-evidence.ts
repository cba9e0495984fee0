// What a side says of its prefix cache, and whether the other side's very prompts went to the same server before.
import { jsonText, percent } from '../figures';
import { summaryOf } from '../readers/canonical';
import { reportOf } from '../readers/own';
import { sameAddress } from './address';
import type { Evidence } from './comparison';
import type { Context } from './dimension';
import { inFact, inRecords, inReport } from './evidence';
import { factsOn, stackOf, type Side } from './side';
import { flagsOf } from '../cluster/flags';
import { comparedSuccesses } from './workload';

export interface CachedShare {
  /** Cached over all prompt tokens; undefined where nobody says it. */
  readonly share: number | undefined;
  readonly evidence: readonly Evidence[];
}

/** By the answers themselves, else by the server's counters over the window, else as a report sums it up. */
export function cachedShareOf(side: Side, context: Context): CachedShare {
  const facts = factsOn(side);
  const counters = facts.cacheCounters.value;
  const counted = counters && (counters.queries > 0 ? counters.hits / counters.queries : 0);
  const inUsage = shareInUsage(side, context);
  const summed = summedShare(side);
  const usable = inUsage && (inUsage.all || counted === undefined) ? inUsage.share : undefined;
  const share = usable ?? counted ?? summed?.share;
  const words = (value: number | undefined): string | undefined =>
    value === undefined ? undefined : `${percent(value)} of prompt tokens`;
  const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
  return {
    share,
    evidence: [
      side.run.records
        ? inRecords(side, 'usage.cachedPromptTokens', words(inUsage?.share))
        : summed
          ? inReport(summed.file, summed.key, words(summed.share))
          : inFact(facts.cachedShare),
      inFact(facts.cacheCounters, counters && `${whole(counters.hits)} of ${whole(counters.queries)}`),
    ],
  };
}

/** The server's share of the server's own count: over the client's, a chat template would pass for cache. */
function shareInUsage(side: Side, context: Context): { readonly share: number; readonly all: boolean } | undefined {
  const counted = (comparedSuccesses(side, context) ?? []).filter(({ usage }) => usage?.promptTokens !== undefined);
  const said = counted.filter(({ usage }) => usage?.cachedPromptTokens !== undefined);
  const total = counted.reduce((sum, { usage }) => sum + usage!.promptTokens!, 0);
  if (said.length === 0 || total === 0) return undefined;
  // A server that says it for some requests leaves it out where nothing was cached (vLLM sends no details for 0).
  const cached = said.reduce((sum, { usage }) => sum + usage!.cachedPromptTokens!, 0);
  return { share: cached / total, all: said.length === counted.length };
}

/** Of the summary, where the report says it. */
function summedShare(side: Side): { readonly share: number; readonly file: string; readonly key: string } | undefined {
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

/** What the stack record says of prefix caching. */
export function cachingFlag(side: Side): boolean | undefined {
  const flags = flagsOf(stackOf(side)?.args ?? []).values;
  const value = flags.get('enable-prefix-caching') ?? flags.get('prefix-cache');
  if (value !== undefined) return value !== 'off' && value.toLowerCase() !== 'false';
  const off = flags.get('disable-radix-cache');
  return off === undefined ? undefined : off === 'off';
}

/** One run, looked at twice: nothing was sent again. */
function isOneRun({ a, b }: Context): boolean {
  const [x, y] = [a.run.manifest?.id, b.run.manifest?.id];
  return x !== undefined && y !== undefined ? x === y : a.run.folder === b.run.folder;
}

/**
 * Whether both sides sent one stream of prompts to what may have been one server. `unsaid`: the stream is one, the address is not
 * recorded. An embedded simulator lives as long as its run: its cache starts empty.
 */
export function sentAgain(context: Context): 'same-address' | 'unsaid' | undefined {
  const { a, b } = context;
  if (isOneRun(context) || !isOneStream(context)) return undefined;
  if ([a, b].some(({ run }) => run.manifest?.endpoint.kind === 'simulator')) return undefined;
  if (saltOf(a) !== saltOf(b)) return undefined;
  const address = sameAddress(a, b);
  return address === false ? undefined : address === true ? 'same-address' : 'unsaid';
}

/** What a server that knows `cache_salt` keeps apart in its prefix cache; undefined where none was sent, or nobody says. */
export function saltOf(side: Side): unknown {
  return factsOn(side).sampling.value?.['cache_salt'];
}

/** By the hash of the prompts; without one on both sides, the same tool that drew with the same seed from the same law. */
function isOneStream({ a, b }: Context): boolean {
  const [x, y] = [factsOn(a), factsOn(b)];
  if (x.promptsHash.value !== undefined && y.promptsHash.value !== undefined) {
    return x.promptsHash.value === y.promptsHash.value;
  }
  const alike = (id: 'tool' | 'seed' | 'dataType' | 'dataPath' | 'inputAsked' | 'apiType'): boolean =>
    jsonText(x[id].value) === jsonText(y[id].value);
  const isSeeded = x.seed.value !== undefined && x.dataType.value !== undefined;
  return isSeeded && (['tool', 'seed', 'dataType', 'dataPath', 'inputAsked', 'apiType'] as const).every(alike);
}
