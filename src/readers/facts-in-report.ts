// Facts that no key of another tool's report states, and its numbers do: who counted, what gaps are between, why requests failed.
import type { MediaMeans } from '../metrics/media';
import { measureOf, type CanonicalReport, type Definition, type Measure, type QuantityId } from './canonical';
import { fact, type Counter, type Fact } from './facts';

const COUNTERS: Readonly<Partial<Record<NonNullable<Definition['tokens']>, Counter['source']>>> = {
  server: 'server-usage',
  client: 'client-tokenizer',
  'server-tokenizer': 'server-tokenizer',
  'server-else-client': 'mixed',
  'server-else-asked': 'mixed',
  asked: 'not-counted',
};

/** As that version of the tool is known to count; the first quantity that says it. */
export function counterOf(report: CanonicalReport, quantities: readonly QuantityId[]): Fact<Counter> | undefined {
  const scope = report.scopes[0];
  const measures = quantities.flatMap((quantity) => (scope && measureOf(scope, quantity)) ?? []);
  const found = measures.find(({ definition }) => definition.tokens !== undefined);
  const by = found?.definition.tokens;
  const source = by && COUNTERS[by];
  if (!found || !source) return undefined;
  // A name is all a report says of a tokenizer.
  const name = report.tokenizer;
  const counter: Counter = {
    source,
    ...(by === 'server-else-asked' ? { otherwise: 'asked' } : {}),
    ...(name === undefined ? {} : { tokenizer: { source: name, sha256: name } }),
    serverCounted: 0,
    clientCounted: 0,
  };
  return fact(counter, found.source.file, `${found.source.key}, as ${report.versionClass.name} counts`);
}

/** What the gaps of a report are between; undefined when it has none. */
export function gapsOf({ scopes }: CanonicalReport): Fact<'tokens' | 'chunks'> | undefined {
  const first = (quantity: QuantityId): Measure | undefined =>
    scopes.flatMap((scope) => measureOf(scope, quantity) ?? [])[0];
  const tokens = first('token_gap');
  const found = tokens ?? first('chunk_gap');
  return found && fact(tokens ? 'tokens' : 'chunks', found.source.file, found.source.key);
}

/** Of every part that is no summary of the others. */
export function failuresByLabel({ scopes }: CanonicalReport): Readonly<Record<string, number>> | undefined {
  const labels = scopes.flatMap(({ kind, extras }) =>
    kind !== 'summary' && extras?.failureLabels ? Object.entries(extras.failureLabels) : [],
  );
  if (labels.length === 0) return undefined;
  const counts = new Map<string, number>();
  for (const [label, count] of labels) counts.set(label, (counts.get(label) ?? 0) + count);
  return Object.fromEntries(counts);
}

/** inference-perf asks Prometheus for it; where nothing answers it writes 0, which is then no evidence. */
export function hitShareOf({ scopes }: CanonicalReport): Fact<number> | undefined {
  const server = scopes.findLast((scope) => (scope.server?.cacheHitShare ?? 0) > 0)?.server;
  return server && fact(server.cacheHitShare!, server.file, 'successes.prefix_cache_hit_percent.mean');
}

/** Of the whole run, else of its parts together. */
export function retriedOf({ scopes }: CanonicalReport): Fact<{ requests: number; attempts: number }> | undefined {
  const said = scopes.filter(({ extras }) => extras?.retried);
  const summary = said.filter(({ kind }) => kind === 'summary');
  const parts = summary.length > 0 ? summary : said;
  if (parts.length === 0) return undefined;
  const sum = (key: 'requests' | 'attempts'): number =>
    parts.reduce((total, { extras }) => total + extras!.retried![key], 0);
  return fact({ requests: sum('requests'), attempts: sum('attempts') }, parts[0]!.file, 'retries');
}

/** Of the whole run, else of its first part. */
export function mediaOf({ scopes }: CanonicalReport): Fact<MediaMeans> | undefined {
  const scope =
    scopes.find(({ kind, extras }) => kind === 'summary' && extras?.media) ??
    scopes.find(({ extras }) => extras?.media);
  const media = scope?.extras?.media;
  const file = scope?.measures[0]?.source.file;
  return media && file !== undefined ? fact(media, file, 'successes.image, .video and .audio') : undefined;
}
