// The same way to the server? A gateway, TLS or a port-forward adds time to every token, and some put tokens together.
import { rounded } from '../../figures';
import type { RequestRecord } from '../../metrics/record';
import { endedAtLimit, chunkCountOf } from '../../metrics/request-metrics';
import { addressOf, type Address } from '../address';
import type { Evidence, MetricName } from '../comparison';
import { assumption, confounds, dimension, moved, same, unknown, type Context, type SideEvidence } from '../dimension';
import { inFact, inManifest, inRecords, inReport } from '../evidence';
import { medianOf } from '../lengths';
import { factsOn, sideStreams, type Side } from '../side';
import { comparedSuccesses } from '../workload';

interface Path extends SideEvidence {
  readonly address: Address | undefined;
  /** Undefined: not recorded; a run of ours without one records that. */
  readonly proxy: string | undefined;
  readonly tlsChecks: 'on' | 'off' | undefined;
  readonly streamed: boolean;
  readonly inCluster: boolean | undefined;
  readonly route: string | undefined;
  /** Median of small requests over it before the run. */
  readonly rttMilliseconds: number | undefined;
  readonly perChunk: PerChunk | undefined;
}

interface PerChunk {
  readonly tokens: number;
  readonly counter: 'server' | 'client';
}

/** Counters differ by percents, chunking by whole tokens. */
const CHUNK_FACTOR = 1.5;

const CHUNKED: readonly MetricName[] = ['ttft', 'itl'];
const ALL_OF_IT: readonly MetricName[] = [
  'ttft',
  'itl',
  'tpot',
  'ntpot',
  'request_latency',
  'requests_per_sec',
  'output_tokens_per_sec',
  'input_tokens_per_sec',
  'total_tokens_per_sec',
  'request_goodput',
];

/**
 * Median tokens of a chunk: by the server's count where there is any, else by the client's. Undefined where nobody counted the chunks:
 * the first and the last moment of an answer are no two chunks.
 */
function tokensPerChunk(records: readonly RequestRecord[] | undefined): PerChunk | undefined {
  const byServer = medianSize(
    records,
    (record) => record.usage?.completionTokens ?? (endedAtLimit(record.finishReason) ? record.maxTokens : undefined),
  );
  if (byServer !== undefined) return { tokens: byServer, counter: 'server' };
  const byClient = medianSize(records, (record) => record.clientOutputTokens);
  return byClient === undefined ? undefined : { tokens: byClient, counter: 'client' };
}

function medianSize(
  records: readonly RequestRecord[] | undefined,
  tokensOf: (record: RequestRecord) => number | undefined,
): number | undefined {
  const sizes = new Float64Array(records?.length ?? 0);
  let n = 0;
  for (const record of records ?? []) {
    const [tokens, chunks] = [tokensOf(record), chunkCountOf(record)];
    if (tokens !== undefined && chunks !== undefined && chunks >= 2) sizes[n++] = tokens / chunks;
  }
  return medianOf(sizes.subarray(0, n));
}

function pathOf(side: Side, context: Context): Path {
  const facts = factsOn(side);
  const address = addressOf(side);
  const inCluster = facts.clientInCluster.value;
  const route = facts.networkRoute.value;
  const measured = side.run.manifest?.route;
  const perChunk = tokensPerChunk(comparedSuccesses(side, context));
  const evidence: Evidence[] = [
    inFact(
      facts.endpoint,
      side.run.manifest ? address && `${address.origin} (${address.place})` : facts.endpoint.value,
    ),
    inFact(facts.tls),
    inFact(facts.tlsChecks),
    inFact(facts.proxy),
    inFact(facts.clientInCluster),
    measured
      ? inManifest(side, 'route.kind', route)
      : inReport(facts.stack.value?.source ?? 'stack.yaml', 'route', route),
    ...(measured?.rttMilliseconds
      ? [
          inManifest(
            side,
            'route.rttMilliseconds',
            `p50 ${rounded(measured.rttMilliseconds.p50)} ms, p99 ${rounded(measured.rttMilliseconds.p99)} ms`,
          ),
        ]
      : []),
    inRecords(
      side,
      perChunk ? `tokens per chunk by the ${perChunk.counter}’s count, median` : 'tokens per chunk, median',
      perChunk && rounded(perChunk.tokens, 3),
    ),
  ];
  const parts = address ? [`${address.scheme} to ${address.place}`] : ['not recorded'];
  if (inCluster === true) parts.push('from inside a cluster');
  if (route !== undefined) parts.push(route);
  return {
    address,
    proxy: facts.proxy.value === undefined ? undefined : usedProxy(facts.proxy.value),
    tlsChecks: facts.tlsChecks.value,
    streamed: sideStreams(side),
    inCluster,
    route,
    rttMilliseconds: measured?.rttMilliseconds?.p50,
    perChunk,
    summary: parts.join(', '),
    evidence,
  };
}

/** One that the environment names and that was passed by ("not used, though ...") is none. */
function usedProxy(recorded: string): string {
  return recorded === 'none used' || recorded.startsWith('not used') ? 'none' : recorded;
}

export const networkPath = dimension<Path>({
  id: 'network-path',
  title: 'Network path',
  question: 'The same way to the server: direct, TLS, proxy, port-forward, in-cluster?',
  tolerance: `The same scheme, kind of address, proxy, route and place of the client (in a cluster or not); tokens per chunk within a factor of ${CHUNK_FACTOR}.`,
  pitfall: 'CMP056',
  affects: moved(ALL_OF_IT),
  remedy:
    'Send both sides the same way: from the same place to the same kind of address, with or without TLS and gateway alike; write the route into stack.yaml.',
  evidence: pathOf,
  judge,
});

function judge(a: Path, b: Path) {
  const changes: string[] = [];
  const compare = (what: string, left: string | undefined, right: string | undefined): void => {
    if (left !== undefined && right !== undefined && left !== right)
      changes.push(`${what} ${left} on A, ${right} on B`);
  };
  compare('scheme', a.address?.scheme, b.address?.scheme);
  compare('address of', a.address?.place, b.address?.place);
  compare('certificate checks', a.tlsChecks, b.tlsChecks);
  compare('proxy', a.proxy, b.proxy);
  compare('client', clientPlace(a), clientPlace(b));
  if (a.route !== b.route) compare('route', routeWords(a), routeWords(b));
  if (changes.length > 0) {
    return confounds(`Requests went another way: ${changes.join('; ')}. The way is in TTFT and in every gap.`, {
      changes,
      ...(tunnelled(a, b) ? { pitfall: 'CMP086' } : {}),
    });
  }
  const [x, y] = [a.perChunk?.tokens, b.perChunk?.tokens];
  const differ = x !== undefined && y !== undefined && Math.max(x, y) > CHUNK_FACTOR * Math.min(x, y);
  const byOne = a.perChunk?.counter === b.perChunk?.counter;
  if (differ && byOne) {
    return confounds(
      `A chunk carries ${rounded(x, 2)} tokens on A and ${rounded(y, 2)} on B: something on the way, or the server itself, sends tokens in bundles. The first token waits for its bundle, and gaps between tokens are gaps between bundles.`,
      {
        moves: moved([...CHUNKED]),
        remedy:
          'Find what bundles tokens (a gateway that buffers, stream_interval, speculative decoding) and set it alike; compare TPOT instead of ITL.',
      },
    );
  }
  if (!a.address || !b.address)
    return unknown('Where requests were sent', a.address !== undefined, b.address !== undefined);
  const one = (left: unknown, right: unknown): boolean => (left === undefined) !== (right === undefined);
  if (one(a.inCluster, b.inCluster)) {
    return unknown('Whether the client was in the cluster', a.inCluster !== undefined, b.inCluster !== undefined);
  }
  if (one(a.route, b.route)) return unknown('The route', a.route !== undefined, b.route !== undefined);
  if (one(a.proxy, b.proxy)) return unknown('Whether a proxy was used', a.proxy !== undefined, b.proxy !== undefined);
  if (a.streamed && b.streamed && one(x, y)) {
    return unknown('How many tokens a chunk carries', x !== undefined, y !== undefined, { moves: moved([...CHUNKED]) });
  }
  if (differ) {
    const who = `the ${a.perChunk?.counter ?? ''} counted them on A, the ${b.perChunk?.counter ?? ''} on B`;
    return {
      state: 'unknown' as const,
      message: `How many tokens a chunk carries cannot be compared: ${who}, and their counts differ.`,
      moves: moved([...CHUNKED]),
    };
  }
  const way = `${a.address.scheme} to ${a.address.place}`;
  if (a.inCluster === undefined) {
    return assumption(
      `Both sides used ${way}; where the client stood is recorded on neither.`,
      'that both clients stood in the same place of the network',
    );
  }
  return same(`Both sides used ${way}, ${clientPlace(a)!}, without a proxy.`);
}

/** One side at its own machine, the other elsewhere: a port-forward has that address. */
function tunnelled(a: Path, b: Path): boolean {
  const places = [a.address?.place, b.address?.place];
  return places[0] !== places[1] && places.includes('this machine') && !places.includes(undefined);
}

function routeWords({ route, rttMilliseconds }: Path): string | undefined {
  if (route === undefined || rttMilliseconds === undefined) return route;
  return `${route} (round trip ${rounded(rttMilliseconds)} ms)`;
}

function clientPlace({ inCluster }: Path): string | undefined {
  if (inCluster === undefined) return undefined;
  return inCluster ? 'from inside a cluster' : 'from outside a cluster';
}
