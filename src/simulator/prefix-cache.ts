// A prefix cache of the kind vLLM has: full blocks of the prompt, found again by the chain of all that precedes them.
import { createHash } from 'node:crypto';

/** Tokens per block, vLLM's default. */
const BLOCK_TOKENS = 16;

export interface PrefixCache {
  /** Prompt tokens found in the cache; the prompt's blocks are remembered from now on. */
  lookUp(tokens: readonly string[], salt?: string): number;
  clear(): void;
}

/** Remembers at most `capacityTokens`, forgetting what was used longest ago. */
export function createPrefixCache(capacityTokens: number): PrefixCache {
  // A Map keeps insertion order: the first key is the one used longest ago.
  const blocks = new Map<string, true>();
  const capacity = Math.max(1, Math.floor(capacityTokens / BLOCK_TOKENS));

  return {
    lookUp(tokens, salt = '') {
      let chain = salt;
      let cached = 0;
      let unbroken = true;
      for (let start = 0; start + BLOCK_TOKENS <= tokens.length; start += BLOCK_TOKENS) {
        const block = tokens.slice(start, start + BLOCK_TOKENS).join(' ');
        chain = createHash('sha256').update(chain).update(block).digest('base64');
        const known = blocks.delete(chain);
        blocks.set(chain, true);
        unbroken &&= known;
        // The last token is always computed: without it there is nothing to take the next one from.
        if (unbroken && start + BLOCK_TOKENS < tokens.length) cached += BLOCK_TOKENS;
      }
      for (const oldest of blocks.keys()) {
        if (blocks.size <= capacity) break;
        blocks.delete(oldest);
      }
      return cached;
    },
    clear() {
      blocks.clear();
    },
  };
}
