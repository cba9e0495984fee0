// CMP087: A chunk is not a token.
import { duration, significant } from '../../figures';
import { type ReportScope, statisticOf } from '../../readers/canonical';
import { said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

/** How many of the client's tokens are one of the server's: more tokens make a shorter time per token, and no fuller chunk. */
function clientSurplus({ measures }: ReportScope): number {
  const mean = (by: string): number =>
    measures.find(({ quantity, definition }) => quantity === 'output_tokens' && definition.tokens === by)?.stats[
      'mean'
    ] ?? NaN;
  const surplus = (mean('client') - 1) / (mean('server') - 1);
  const byClient = measures.find(({ quantity }) => quantity === 'tpot')?.definition.tokens === 'client';
  return byClient && surplus > 0 && Number.isFinite(surplus) ? surplus : 1;
}

const chunks: Sign = (scope) => {
  const [gap, tpot] = [statisticOf(scope, 'chunk_gap', 'mean'), statisticOf(scope, 'tpot', 'mean')];
  if (gap === undefined || tpot === undefined || tpot <= 0 || gap < 1.3 * tpot) return undefined;
  if (gap < 1.3 * tpot * clientSurplus(scope)) return undefined;
  return said(
    scope.id,
    `chunks are ${duration(gap)} apart and a token takes ${duration(tpot)}: about ${significant(gap / tpot)} tokens come in one chunk, and the gap is no time between tokens`,
  );
};

export const CMP087: Pitfall = {
  code: 'CMP087',
  title: 'A chunk is not a token',
  consequence:
    'Speculative decoding, tool parsers and batching servers put several tokens into one chunk: gaps between chunks are not ITL.',
  remedy: 'Split by token counts, or call it chunk latency.',
  moves: ['itl'],
  configPaths: [],
  source: 'vLLM issue 27485; aiperf PR 1279',
  inReport: { words: 'The mean gap between chunks is 1.3 times the decode time per token.', parts: [chunks] },
};
