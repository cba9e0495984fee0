// CMP083: Missing cache figures are not zero.
import { whole } from '../../figures';
import { type ReportSign, said } from '../in-report';
import type { Pitfall } from '../pitfall';

const cacheFigures: ReportSign = (report) => {
  const found = report.sessions?.find(
    ({ sessions: all, withCacheInfo }) =>
      all !== undefined && all > 0 && withCacheInfo !== undefined && withCacheInfo < all,
  );
  if (!found) return undefined;
  return said(
    found.stage === undefined ? 'summary' : `stage ${found.stage}`,
    `the server reported cached tokens for ${whole(found.withCacheInfo ?? 0)} of ${whole(found.sessions ?? 0)} sessions: for the others the share is not measured, which is not 0 %`,
  );
};

export const CMP083: Pitfall = {
  code: 'CMP083',
  title: 'Missing cache figures are not zero',
  consequence: 'Cache-hit shares of sessions exist only when the server reports cached tokens; null is not 0 %.',
  remedy: 'Read null as not measured.',
  moves: ['session_metrics'],
  configPaths: [],
  source: 'vLLM documentation: --enable-prompt-tokens-details',
  inReport: { words: 'sessions_with_cache_info is below the number of sessions.', whole: cacheFigures },
};
