// Who counted the tokens behind another tool's numbers, and what its gaps are between: as its reader defines them.
import type { CountSource, ItlBasis } from '../metrics/request-metrics';
import { measureOf, type CanonicalReport, type Definition, type QuantityId } from './canonical';

const COUNTERS: Readonly<Partial<Record<NonNullable<Definition['tokens']>, CountSource>>> = {
  server: 'server-usage',
  client: 'client-tokenizer',
  'server-else-client': 'mixed',
  'server-else-asked': 'mixed',
  asked: 'not-counted',
};

/** Undefined where the reader does not know. */
export function reportedCounter(report: CanonicalReport, which: 'input' | 'output'): CountSource | undefined {
  // AIPerf's requests without its export: its numbers are the client's unless it was told otherwise.
  if (report.scopes.length === 0 && report.tool === 'aiperf') return 'client-tokenizer';
  const who = saidOf(report, which);
  return who && COUNTERS[who];
}

/** The length asked for stands where the server sent no count. */
export function isElseAsked(report: CanonicalReport): boolean {
  return saidOf(report, 'output') === 'server-else-asked';
}

function saidOf({ scopes: [scope] }: CanonicalReport, which: 'input' | 'output'): Definition['tokens'] {
  const quantities: readonly QuantityId[] =
    which === 'output' ? ['tpot', 'output_tokens', 'output_tokens_per_sec'] : ['prompt_tokens', 'input_tokens_per_sec'];
  return quantities
    .map((quantity) => scope && measureOf(scope, quantity)?.definition.tokens)
    .find((said) => said !== undefined);
}

/** Tokens where it has no gaps, as in inference-perf's words. */
export function reportedBasis({ scopes }: CanonicalReport): ItlBasis {
  const has = (quantity: QuantityId): boolean => scopes.some((scope) => measureOf(scope, quantity));
  return has('chunk_gap') && !has('token_gap') ? 'chunks' : 'tokens';
}
