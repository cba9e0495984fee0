// Who counted the tokens? Server and client counts differ by percents, so a ratio over both is none.
import { chunkCountOf, type ItlBasis } from '../../metrics/request-metrics';
import type { Counter } from '../../readers/facts';
import { sameAddress } from '../address';
import type { Evidence, MetricName } from '../comparison';
import { assumption, confounds, dimension, moved, same, unknown, type Context, type SideEvidence } from '../dimension';
import { percent } from '../../figures';
import { inFact, inManifest } from '../evidence';
import { factsOn, sideStreams, successesOf, type Side } from '../side';

interface TokenSources extends SideEvidence {
  readonly input: Counter | undefined;
  readonly output: Counter | undefined;
  readonly itl: ItlBasis | undefined;
  readonly streamed: boolean;
}

const OUTPUT: readonly MetricName[] = ['tpot', 'ntpot', 'output_tokens_per_sec', 'total_tokens_per_sec'];
const INPUT: readonly MetricName[] = ['input_tokens_per_sec', 'total_tokens_per_sec'];
/** Of a mixture: shares of server-counted answers closer than this are one mixture. */
const MIX_TOLERANCE = 0.01;
/** Share of answers with one token a chunk from which both bases of ITL give the same numbers. */
const SINGLE_SHARE = 0.99;

function sourcesOf(side: Side): TokenSources {
  const facts = factsOn(side);
  const { inputCounter: input, outputCounter: output, gapBasis } = facts;
  const path = ['report', 'request_lifecycle', 'use_server_output_tokens'];
  const tokenizer = inFact(facts.tokenizer, identity(output.value) ?? facts.tokenizer.value);
  const evidence: Evidence[] = [
    { ...inFact(output, sourceName(output.value)), configPath: path },
    { ...tokenizer, configPath: ['tokenizer', 'pretrained_model_name_or_path'] },
    ...(side.run.manifest ? [inManifest(side, 'tokens.output counted', counts(output.value))] : []),
    inFact(input, sourceName(input.value)),
    inFact(gapBasis),
  ];
  const isKnown = input.value !== undefined || output.value !== undefined;
  const itl = isKnown ? itlBasis(side, gapBasis.value) : undefined;
  const summary = isKnown
    ? `output: ${sourceName(output.value) ?? 'not recorded'}, input: ${sourceName(input.value) ?? 'not recorded'}, ITL ${itl === undefined ? 'not recorded' : `between ${itl}`}`
    : 'not recorded';
  return {
    input: input.value,
    output: output.value,
    itl,
    streamed: sideStreams(side),
    summary,
    evidence,
  };
}

function sourceName(counter: Counter | undefined): string | undefined {
  return counter?.otherwise === 'asked' ? 'server-usage, else the length asked for' : counter?.source;
}

/** Where the server's count shows that every chunk carried one token, gaps between chunks are gaps between tokens. */
function itlBasis({ stages }: Side, declared: ItlBasis | undefined): ItlBasis | undefined {
  let streamed = 0;
  let single = 0;
  for (const record of successesOf(stages) ?? []) {
    if (record.chunkSeconds.length === 0) continue;
    streamed++;
    const chunks = chunkCountOf(record);
    if (chunks !== undefined && record.usage?.completionTokens === chunks) single++;
  }
  return single > 0 && single >= SINGLE_SHARE * streamed ? 'tokens' : declared;
}

function identity(source: Counter | undefined): string | undefined {
  if (!source?.tokenizer) return undefined;
  const { source: name, sha256 } = source.tokenizer;
  return isHash(sha256) ? `${name} (sha256 ${sha256.slice(0, 12)})` : name;
}

function counts(source: Counter | undefined): string | undefined {
  return source && `server ${source.serverCounted}, client ${source.clientCounted}`;
}

export const tokenSource = dimension<TokenSources>({
  id: 'token-source',
  title: 'Token counter',
  question: 'Who counted the input and output tokens?',
  tolerance: `The same source per quantity and, for a client tokenizer, the same tokenizer.json; a mixture with the same share of server counts within ${MIX_TOLERANCE * 100} percentage point.`,
  pitfall: 'CMP058',
  affects: moved([...OUTPUT, 'input_tokens_per_sec', 'itl']),
  remedy:
    'Count both sides alike: report.request_lifecycle.use_server_output_tokens and the same tokenizer on both; ask the server for usage.',
  evidence: sourcesOf,
  judge,
});

function judge(a: TokenSources, b: TokenSources, context: Context) {
  // One of the two counters may be known where the other is not: each is judged by itself.
  if ((!a.output || !b.output) && (!a.input || !b.input)) {
    const isWhole = ({ output, input }: TokenSources): boolean => output !== undefined && input !== undefined;
    return unknown('Who counted the tokens', isWhole(a), isWhole(b));
  }
  const output = difference('output', a.output, b.output);
  const input = difference('input', a.input, b.input);
  // Without gaps on a side there is no ITL to compare, and nothing to say about it.
  const itl = a.itl !== undefined && b.itl !== undefined && a.itl !== b.itl && a.streamed && b.streamed;
  const metrics = new Set<MetricName>();
  if (output) OUTPUT.forEach((metric) => metrics.add(metric));
  if (input) INPUT.forEach((metric) => metrics.add(metric));
  if (itl) metrics.add('itl');
  const found = [output, input].filter((difference) => difference !== undefined);
  const words = [
    output?.words,
    input?.words,
    itl ? `ITL is between ${a.itl} on A and between ${b.itl} on B` : undefined,
  ];
  const message = words.filter((word) => word !== undefined).join('; ');
  const moves = moved([...metrics]);
  if (metrics.size === 0) {
    const shares = [a, b].some((side) => [side.output, side.input].some((source) => source && unshared(source)));
    return shares
      ? assumption(
          `${sameWords(a.output!, a.input!)} How many answers the server counted is recorded on neither side.`,
          'that the server counted as large a share of the answers on both sides',
          { moves: moved([...OUTPUT, ...INPUT]) },
        )
      : same(sameWords(a.output!, a.input!));
  }
  if (found.length > 0 && found.every(({ preferred }) => preferred) && sameAddress(context.a, context.b) !== false) {
    const belief = 'that the server sent its usage with every answer on both sides, as it did on the one that says so';
    if (!itl)
      return assumption(`${capital(message)}: one counter, if the server sent its usage with every answer.`, belief, {
        moves,
      });
    return confounds(`${capital(words[2]!)}: a chunk may carry several tokens, or none.`, {
      moves: moved(['itl']),
      pitfall: 'CMP057',
      note: `Of the counters is assumed ${belief}.`,
    });
  }
  // Nobody counted on one side, or nobody says with what: nothing is known to differ (ITL's basis follows from that).
  if (found.length > 0 && found.every((difference) => difference.open)) {
    return {
      state: 'unknown' as const,
      message: `${capital(message)}, so what needs the count cannot be judged.`,
      moves,
    };
  }
  const only = found.length === 0 ? { pitfall: 'CMP057' } : output === undefined && !itl ? { pitfall: 'CMP059' } : {};
  return confounds(
    `${capital(message)}. Two counters differ by percents on the same text, so these metrics change with the counter.`,
    { moves, ...only },
  );
}

interface Difference {
  readonly words: string;
  /** Nothing is known to differ, only not known to agree. */
  readonly open: boolean;
  /** One side prefers the server's usage without saying how often it came; the other has it for every answer. */
  readonly preferred?: true;
}

function difference(which: 'input' | 'output', a: Counter | undefined, b: Counter | undefined): Difference | undefined {
  if (!a || !b) {
    const silent = !a && !b ? 'either side' : !a ? 'A' : 'B';
    return { words: `who counted ${which} tokens is not recorded on ${silent}`, open: true };
  }
  if (a.source !== b.source) {
    const [mixed, server] = a.source === 'mixed' ? [a, b] : [b, a];
    const isPreferred = mixed.source === 'mixed' && server.source === 'server-usage';
    // A mixture that is all the server's is the server's.
    if (isPreferred && !unshared(mixed) && serverShare(mixed) === 1) return undefined;
    const isSilent = isPreferred && unshared(mixed) && mixed.otherwise === undefined;
    if (isSilent)
      return { words: `${which} tokens: ${wordsOf(a)} on A, ${wordsOf(b)} on B`, open: true, preferred: true };
    const open = a.source === 'not-counted' || b.source === 'not-counted';
    return { words: `${which} tokens: ${wordsOf(a)} on A, ${wordsOf(b)} on B`, open };
  }
  // How often the server was silent is not recorded, so nor is how often they differ.
  if (a.otherwise !== b.otherwise) {
    return { words: `${which} tokens: ${wordsOf(a)} on A, ${wordsOf(b)} on B`, open: true };
  }
  if (a.source === 'server-usage' || a.source === 'server-tokenizer' || a.source === 'not-counted') return undefined;
  if (a.source === 'mixed' && unshared(a) !== unshared(b)) {
    const silent = unshared(a) ? 'A' : 'B';
    return { words: `${which} tokens: how many answers the server counted is not recorded on ${silent}`, open: true };
  }
  if (a.source === 'mixed' && Math.abs(serverShare(a) - serverShare(b)) > MIX_TOLERANCE) {
    return {
      words: `${which} tokens: the server counted ${percent(serverShare(a))} of the answers on A and ${percent(serverShare(b))} on B, the client the rest`,
      open: false,
    };
  }
  // A mixture that is all the server's needs no tokenizer.
  if (a.source === 'mixed' && !unshared(a) && serverShare(a) === 1 && serverShare(b) === 1) return undefined;
  const [x, y] = [a.tokenizer?.sha256, b.tokenizer?.sha256];
  if (x === undefined || y === undefined) {
    const silent = x === undefined && y === undefined ? 'either side' : x === undefined ? 'A' : 'B';
    return { words: `with which tokenizer ${which} tokens were counted is not recorded on ${silent}`, open: true };
  }
  if (x === y) return undefined;
  if (!isHash(x) || !isHash(y)) {
    // A report names its tokenizer; two names may be one file in two places, and one name may have two revisions.
    return { words: `${which} tokens are counted with tokenizers of other names (${x} on A, ${y} on B)`, open: false };
  }
  return { words: `${which} tokens are counted with another tokenizer.json on each side`, open: false };
}

function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** A report says that the server's counts were preferred, but not how many there were. */
function unshared({ source, serverCounted, clientCounted }: Counter): boolean {
  return source === 'mixed' && serverCounted === 0 && clientCounted === 0;
}

/** A mixture takes the server's count wherever there is one; every answer has the client's or the server's. */
function serverShare({ serverCounted, clientCounted }: Counter): number {
  return serverCounted / Math.max(1, serverCounted, clientCounted);
}

function sameWords(output: Counter, input: Counter): string {
  if (output.source === 'not-counted') {
    return 'Nobody counted output tokens on either side, so TPOT, NTPOT and token rates are not shown.';
  }
  return `Output tokens by ${wordsOf(output)}, input tokens by ${wordsOf(input)}, on both sides.`;
}

function wordsOf({ source, otherwise }: Counter): string {
  return otherwise === 'asked' ? 'the server’s usage where sent, else the length asked for' : SOURCES[source];
}

const SOURCES: Readonly<Record<Counter['source'], string>> = {
  'server-usage': 'the server’s usage',
  'client-tokenizer': 'the client’s tokenizer',
  'server-tokenizer': 'the server’s own tokenizer, asked after the run',
  mixed: 'the server’s usage where sent, else the client’s tokenizer',
  'not-counted': 'nobody counted',
};

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
