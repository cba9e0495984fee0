// Who counted: the client's tokenizer, the server's usage, both in part, or nobody.
import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../../src/metrics/record';
import { CountTally, type TokenRule } from '../../../src/run/token-sources';

const TOKENIZER = { identity: { source: 'local', sha256: 'ab' } } as TokenRule['tokenizer'];
const RULE: TokenRule = {
  tokenizer: TOKENIZER,
  noTokenizer: undefined,
  useServerOutputTokens: false,
  hasTokenizerSection: true,
};

interface Answer {
  readonly server?: boolean;
  readonly client?: boolean;
  readonly failed?: boolean;
  readonly chunked?: boolean;
}
function record({ server, client, failed, chunked }: Answer): RequestRecord {
  return {
    id: 0,
    stage: 0,
    scheduledSeconds: 0,
    chunkSeconds: [],
    promptHash: '',
    outcome: failed ? { kind: 'failed', errorType: 'X', label: 'x', message: 'x' } : { kind: 'ok' },
    ...(server ? { usage: { promptTokens: 3, completionTokens: 2 } } : {}),
    ...(client ? { clientPromptTokens: 3, clientOutputTokens: 2 } : {}),
    ...(chunked ? { chunkTokens: [1, 1] } : {}),
  };
}
function sources(rule: Partial<TokenRule>, ...answers: Answer[]) {
  const tally = new CountTally({ ...RULE, ...rule });
  for (const answer of answers) tally.add(record(answer));
  return tally.sources();
}

const both = { server: true, client: true };
const byServer = { useServerOutputTokens: true };
const none = { tokenizer: undefined, noTokenizer: 'no tokenizer is named' };

describe('the source of a run’s counts', () => {
  it.each([
    ['a tokenizer at hand', {}, [both, both], 'client-tokenizer', 'server-usage'],
    ['a tokenizer that could read no answer', {}, [{ server: true }], 'not-counted', 'server-usage'],
    ['the server, as asked', byServer, [both, both], 'server-usage', 'server-usage'],
    ['the server in part, the client elsewhere', byServer, [both, { client: true }], 'mixed', 'mixed'],
    ['a server that never counted', byServer, [{ client: true }], 'client-tokenizer', 'client-tokenizer'],
    ['the server in part, and no tokenizer', none, [{ server: true }, {}], 'server-usage', 'server-usage'],
    ['nobody', none, [{}, {}], 'not-counted', 'not-counted'],
    [
      'failures beside successes are not counted',
      byServer,
      [both, { failed: true, client: true }],
      'server-usage',
      'server-usage',
    ],
  ] as const)('%s', (_name, rule, answers, output, input) => {
    expect([sources(rule, ...answers).output.source, sources(rule, ...answers).input.source]).toEqual([output, input]);
  });

  it('comes with how many each counted, the tokenizer and the reason', () => {
    const { output, input } = sources(byServer, both, { client: true }, { client: true, failed: true });
    expect(output).toMatchObject({ serverCounted: 1, clientCounted: 2, tokenizer: { sha256: 'ab' } });
    expect(input).toMatchObject({ serverCounted: 1, clientCounted: 2 });
    expect(output.reason).toContain('use_server_output_tokens is true');
    expect(sources(none, {}).output.reason).toBe('no tokenizer is named, so only the server can count');
    expect(sources({}, both).output.reason).toContain('use_server_output_tokens is false');
  });

  it('gaps are between tokens where chunks were counted and the config has a tokenizer', () => {
    const chunked = { ...both, chunked: true };
    expect(sources({}, both, chunked).itl).toBe('tokens');
    expect(sources({}, both).itl).toBe('chunks');
    expect(sources({ hasTokenizerSection: false }, chunked).itl).toBe('chunks');
    expect(sources({}, { ...chunked, failed: true }).itl).toBe('chunks');
  });
});
