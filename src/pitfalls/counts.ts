// Two counts of the same tokens in one report: the client’s and the server’s.
import type { Measure, ReportScope, TokenCounter } from '../readers/canonical';

/** Both counts of one quantity, where the file has both. */
export function bothCounts(
  scope: ReportScope,
  quantity: 'prompt_tokens' | 'output_tokens',
  byServer: readonly TokenCounter[] = ['server-else-client', 'server'],
): Counts | undefined {
  const of = (who: string): Measure | undefined =>
    scope.measures.find(
      (measure) => measure.quantity === quantity && measure.definition.tokens === who && 'mean' in measure.stats,
    );
  const client = of('client');
  const server = byServer.map(of).find((found) => found !== undefined);
  return client && server ? { client: client.stats, server: server.stats } : undefined;
}

export interface Counts {
  readonly client: Measure['stats'];
  readonly server: Measure['stats'];
}

/** TTFT measured at the first visible text, where the server counts tokens that the client never saw. */
export function hiddenTokens(scope: ReportScope): number | undefined {
  const counts = bothCounts(scope, 'output_tokens');
  const [client, server] = [counts?.client['mean'], counts?.server['mean']];
  if (client === undefined || server === undefined || server < 1.2 * client) return undefined;
  return server - client;
}
