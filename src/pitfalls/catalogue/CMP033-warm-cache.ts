// CMP033: The previous run warmed the cache.
import { percent } from '../../figures';
import { statisticOf } from '../../readers/canonical';
import { dataType, type ReportSign, said } from '../in-report';
import { type Pitfall, RATES } from '../pitfall';

const SHARED = new Set(['shared_prefix', 'conversation_replay', 'otel_trace_replay', 'weka_trace_replay']);

/** Prompts that share nothing with each other can only be cached from before the run. */
const warmCache: ReportSign = (report) => {
  const type = dataType(report);
  const first = report.scopes.filter(({ kind }) => kind === 'stage').sort((a, b) => (a.stage ?? 0) - (b.stage ?? 0))[0];
  const cached = first?.extras?.cachedPromptTokens;
  const total = first && statisticOf(first, 'prompt_tokens', 'total');
  if (type === undefined || SHARED.has(type) || !first || cached === undefined || !total) return undefined;
  if (cached / total <= 0.02) return undefined;
  return said(
    first.id,
    `${percent(cached / total)} of the first stage’s prompt tokens came out of the server’s prefix cache although data.type ${type} repeats nothing: an earlier run left them there`,
  );
};

export const CMP033: Pitfall = {
  code: 'CMP033',
  title: 'The previous run warmed the cache',
  consequence:
    'With fixed seeds the second run finds its prompts in the server’s prefix cache and is faster for no other reason.',
  remedy: 'Restart the server or reset its cache, or change the seed; record the cache’s state.',
  moves: ['ttft', 'request_latency', ...RATES],
  configPaths: ['load.base_seed', 'data.shared_prefix.seed'],
  source: 'vLLM documentation: Automatic Prefix Caching',
  inReport: {
    words: 'Over 2 % of the first stage’s prompt tokens were cached, with data that repeat nothing.',
    whole: warmCache,
  },
};
