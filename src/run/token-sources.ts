// Who counted the tokens: inference-perf main's rules (reference 4.5), decided once per run and recorded (docs/decisions).
import type { TextTokenizer } from '../datagen/tokenizer';
import type { RequestRecord } from '../metrics/record';
import type { CountSource } from '../metrics/request-metrics';
import type { RunManifest, TokenSource } from '../report/manifest';

export interface TokenRule {
  readonly tokenizer: TextTokenizer | undefined;
  /** Why there is no tokenizer, in words. */
  readonly noTokenizer: string | undefined;
  /** `report.request_lifecycle.use_server_output_tokens`. */
  readonly useServerOutputTokens: boolean;
  /** Whether the config has a tokenizer section: then ITL is between tokens, else between chunks. */
  readonly hasTokenizerSection: boolean;
}

/**
 * Output: the client's tokenizer when there is one, unless use_server_output_tokens; then, and without a tokenizer, the server.
 * Input: the server where it counted, the client elsewhere. A server that counted some answers only makes the source "mixed".
 */
export function tokenSources(rule: TokenRule, successes: readonly RequestRecord[]): NonNullable<RunManifest['tokens']> {
  const { tokenizer, noTokenizer, useServerOutputTokens } = rule;
  const identity = tokenizer ? { tokenizer: tokenizer.identity } : {};
  const output = countsOf(successes, 'completionTokens', 'clientOutputTokens');
  const input = countsOf(successes, 'promptTokens', 'clientPromptTokens');
  const byClient = tokenizer !== undefined && !useServerOutputTokens;
  const chunked = successes.some((record) => record.chunkTokens !== undefined);
  return {
    output: {
      source: byClient ? clientSource(output) : serverFirst(output, successes.length),
      ...identity,
      ...output,
      reason: byClient
        ? 'a tokenizer is at hand and use_server_output_tokens is false, so the client’s count is used, as in inference-perf'
        : tokenizer
          ? 'use_server_output_tokens is true: the server’s count is used where it sent one, the client’s elsewhere'
          : `${noTokenizer ?? 'no tokenizer is at hand'}, so only the server can count`,
    },
    input: {
      source: serverFirst(input, successes.length),
      ...identity,
      ...input,
      reason: 'the server’s count is used where it sent one, the client’s elsewhere, as in inference-perf main',
    },
    itl: chunked && rule.hasTokenizerSection ? 'tokens' : 'chunks',
  };
}

type Counts = Pick<TokenSource, 'serverCounted' | 'clientCounted'>;

function countsOf(
  successes: readonly RequestRecord[],
  server: 'completionTokens' | 'promptTokens',
  client: 'clientOutputTokens' | 'clientPromptTokens',
): Counts {
  return {
    serverCounted: successes.filter((record) => record.usage?.[server] !== undefined).length,
    clientCounted: successes.filter((record) => record[client] !== undefined).length,
  };
}

function clientSource({ clientCounted }: Counts): CountSource {
  return clientCounted > 0 ? 'client-tokenizer' : 'not-counted';
}

function serverFirst({ serverCounted, clientCounted }: Counts, total: number): CountSource {
  if (serverCounted === 0) return clientCounted > 0 ? 'client-tokenizer' : 'not-counted';
  return serverCounted === total || clientCounted === 0 ? 'server-usage' : 'mixed';
}
