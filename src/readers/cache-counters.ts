// How much came out of the server's caches of prompts and of media, by its own counters over the measured window.
import type { RunManifest, ServerMetricsWindow } from '../folder/manifest';
import type { CacheCounters } from './facts';

type Pairs = readonly { readonly hits: readonly string[]; readonly queries: string }[];

/** What was found, all of it together, and what it was looked for in: vLLM, vLLM where the pair is missing, SGLang. */
const PROMPTS: Pairs = [
  { hits: ['prefix_cache_hits', 'external_prefix_cache_hits'], queries: 'prefix_cache_queries' },
  { hits: ['prompt_tokens_cached'], queries: 'prompt_tokens' },
  { hits: ['cached_tokens'], queries: 'prompt_tokens' },
];

/** vLLM's processed pictures, frames and sounds, by item. */
const MEDIA: Pairs = [{ hits: ['mm_cache_hits'], queries: 'mm_cache_queries' }];

/**
 * @param total growth of a counter over the window; undefined where the server did not say
 * @returns undefined when no pair was recorded, or when the window saw no prompt at all
 */
export function countersOf(
  total: (key: string) => number | undefined,
  of: 'prompts' | 'media' = 'prompts',
): CacheCounters | undefined {
  for (const { hits, queries } of of === 'prompts' ? PROMPTS : MEDIA) {
    const [first, ...more] = hits.map(total);
    const asked = total(queries);
    if (first === undefined || asked === undefined) continue;
    // Nobody looked anything up although prompts were read: the cache is off.
    if (asked <= 0 && !((total('prompt_tokens') ?? 0) > 0)) continue;
    return { hits: first + more.reduce<number>((sum, part) => sum + (part ?? 0), 0), queries: asked };
  }
  return undefined;
}

/** Of the measured stages together; undefined when the server of one did not say. */
export function cacheCounters(
  manifest: RunManifest,
  warmupStages: readonly number[],
  of: 'prompts' | 'media' = 'prompts',
): CacheCounters | undefined {
  for (const source of ['scrape', 'prometheus'] as const) {
    const all = (manifest.serverMetrics ?? []).filter((window) => window.source === source);
    const staged = all.filter(({ stage }) => stage !== undefined && !warmupStages.includes(stage));
    const windows = staged.length > 0 || warmupStages.length > 0 ? staged : all;
    if (windows.length === 0) continue;
    const found = countersOf((key) => totalOf(windows, key), of) ?? (of === 'prompts' ? gaugeOf(windows) : undefined);
    if (found) return found;
  }
  return undefined;
}

function totalOf(windows: readonly ServerMetricsWindow[], key: string): number | undefined {
  return windows.reduce<number | undefined>((sum, { metrics }) => {
    const part = metrics[key]?.total;
    return sum === undefined || part === undefined ? undefined : sum + part;
  }, 0);
}

/** SGLang's share as a gauge, weighted with the prompt tokens of each window. */
function gaugeOf(windows: readonly ServerMetricsWindow[]): CacheCounters | undefined {
  let hits = 0;
  let queries = 0;
  for (const { metrics } of windows) {
    const rate = metrics['cache_hit_rate'];
    const share = rate?.mean ?? rate?.avg;
    const tokens = metrics['prompt_tokens']?.total;
    if (share === undefined || tokens === undefined) return undefined;
    hits += share * tokens;
    queries += tokens;
  }
  return queries > 0 ? { hits, queries } : undefined;
}
