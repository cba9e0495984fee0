// Who counted the tokens: inference-perf main's rules (reference 4.5), decided once per run and recorded (docs/decisions).
import type { TextTokenizer } from '../datagen/tokenizer';
import type { RequestRecord } from '../metrics/record';
import type { CountSource } from '../metrics/request-metrics';
import type { RunManifest, TokenSource } from '../folder/manifest';

export interface TokenRule {
  readonly tokenizer: TextTokenizer | undefined;
  /** Whose /tokenize was asked after the run, where nobody else counted: `vLLM`. */
  readonly serverTokenizer?: string | undefined;
  /** Why there is no tokenizer, in words. */
  readonly noTokenizer: string | undefined;
  /** `report.request_lifecycle.use_server_output_tokens`. */
  readonly useServerOutputTokens: boolean;
  /** Whether the config has a tokenizer section: then ITL is between tokens, else between chunks. */
  readonly hasTokenizerSection: boolean;
}

/** Takes the successes of the measured stages one by one: who counted how many of them. */
export class CountTally {
  private successes = 0;
  private readonly output = { serverCounted: 0, clientCounted: 0 };
  private readonly input = { serverCounted: 0, clientCounted: 0 };
  private isChunked = false;

  constructor(private readonly rule: TokenRule) {}

  add(record: RequestRecord): void {
    if (record.outcome.kind !== 'ok') return;
    this.successes++;
    if (record.usage?.completionTokens !== undefined) this.output.serverCounted++;
    if (record.usage?.promptTokens !== undefined) this.input.serverCounted++;
    if (record.clientOutputTokens !== undefined) this.output.clientCounted++;
    if (record.clientPromptTokens !== undefined) this.input.clientCounted++;
    this.isChunked ||= record.chunkTokens !== undefined;
  }

  sources(): NonNullable<RunManifest['tokens']> {
    return tokenSources(this.rule, this.output, this.input, this.successes, this.isChunked);
  }
}

/**
 * Output: the client's tokenizer when there is one, unless use_server_output_tokens; then, and without a tokenizer, the server.
 * Input: the server where it counted, the client elsewhere. A server that counted some answers only makes the source "mixed".
 */
function tokenSources(
  rule: TokenRule,
  output: Counts,
  input: Counts,
  successes: number,
  isChunked: boolean,
): NonNullable<RunManifest['tokens']> {
  const { tokenizer, noTokenizer, useServerOutputTokens } = rule;
  const identity = tokenizer ? { tokenizer: tokenizer.identity } : {};
  if (!tokenizer && rule.serverTokenizer !== undefined && output.serverCounted === 0 && input.serverCounted === 0) {
    return byServerTokenizer(rule.serverTokenizer, output, input);
  }
  const byClient = tokenizer !== undefined && !useServerOutputTokens;
  return {
    output: {
      source: byClient ? clientSource(output) : serverFirst(output, successes),
      ...identity,
      ...output,
      reason: byClient
        ? 'a tokenizer is at hand and use_server_output_tokens is false, so the client’s count is used, as in inference-perf'
        : tokenizer
          ? 'use_server_output_tokens is true: the server’s count is used where it sent one, the client’s elsewhere'
          : `${noTokenizer ?? 'no tokenizer is at hand'}, so only the server can count`,
    },
    input: {
      source: serverFirst(input, successes),
      ...identity,
      ...input,
      reason: 'the server’s count is used where it sent one, the client’s elsewhere, as in inference-perf main',
    },
    itl: isChunked && rule.hasTokenizerSection ? 'tokens' : 'chunks',
  };
}

/** Its counts are put where a client's would be; the name says whose they are. */
function byServerTokenizer(dialect: string, output: Counts, input: Counts): NonNullable<RunManifest['tokens']> {
  const counted = (counts: Counts): TokenSource => ({
    source: counts.clientCounted > 0 ? 'server-tokenizer' : 'not-counted',
    ...counts,
    reason: `no tokenizer is at hand and the server sent no usage, so its own tokenizer (POST /tokenize of ${dialect}) was asked when the run had ended`,
  });
  return { output: counted(output), input: counted(input), itl: 'chunks' };
}

type Counts = Pick<TokenSource, 'serverCounted' | 'clientCounted'>;

function clientSource({ clientCounted }: Counts): CountSource {
  return clientCounted > 0 ? 'client-tokenizer' : 'not-counted';
}

function serverFirst({ serverCounted, clientCounted }: Counts, total: number): CountSource {
  if (serverCounted === 0) return clientCounted > 0 ? 'client-tokenizer' : 'not-counted';
  return serverCounted === total || clientCounted === 0 ? 'server-usage' : 'mixed';
}
