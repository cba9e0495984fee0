// Anthropic's Messages API on the wire: headers, event types, usage of both ends, errors in the stream, whole answers.
import { afterEach, describe, expect, it } from 'vitest';
import { readAnthropicPiece } from '../../../src/client/anthropic';
import type { Client } from '../../../src/client/types';
import { client, options, rawServer, request, type RawServer } from './raw-server';

let server: RawServer | undefined;
let under: Client | undefined;
afterEach(async () => {
  await under?.close();
  await server?.close();
  server = under = undefined;
});

const event = (value: { type: string; [key: string]: unknown }): string =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const START = event({
  type: 'message_start',
  message: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [],
    usage: { input_tokens: 25, output_tokens: 1, cache_read_input_tokens: 5 },
  },
});
const delta = (part: Record<string, unknown>): string => event({ type: 'content_block_delta', index: 0, delta: part });
const word = (text: string): string => delta({ type: 'text_delta', text });
const END = event({ type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 4 } });
const STOP = event({ type: 'message_stop' });
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n';

async function stream(body: string, apiKey?: string) {
  server = await rawServer((socket) => socket.end(HEAD + body));
  under = client(server.url, { api: 'anthropic_messages', ...(apiKey === undefined ? {} : { apiKey }) });
  return under.send(request({ api: 'anthropic_messages', route: '/v1/messages' }), options());
}

describe('a stream', () => {
  it('gives tokens, both usages, the stop reason and success', async () => {
    const body =
      START + event({ type: 'ping' }) + word('A') + word(' long') + word(' "quoted"') + word(' end') + END + STOP;
    const result = await stream(body);
    expect(result.outcome).toEqual({ kind: 'ok' });
    expect(result.chunkTexts).toEqual(['A', ' long', ' "quoted"', ' end']);
    expect(result.outputText).toBe('A long "quoted" end');
    expect(result.usage).toEqual({ promptTokens: 25, completionTokens: 4, cachedPromptTokens: 5 });
    expect(result.finishReason).toBe('max_tokens');
  });

  it('thinking and tool input are tokens, not content', async () => {
    const body =
      START +
      delta({ type: 'thinking_delta', thinking: 'hm' }) +
      delta({ type: 'signature_delta', signature: 'x' }) +
      event({
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 't', name: 'look', input: {} },
      }) +
      delta({ type: 'input_json_delta', partial_json: '{"a":1}' }) +
      word('so') +
      END +
      STOP;
    const result = await stream(body);
    expect(result.chunkTexts).toEqual(['hm', 'look', '{"a":1}', 'so']);
    expect(result.outputText).toBe('so');
    expect(result.firstContentSeconds!).toBeGreaterThanOrEqual(result.firstTokenSeconds!);
  });

  it('an error event is a failure with what had come', async () => {
    const result = await stream(
      START + word('A') + event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    );
    expect(result.outcome).toMatchObject({ kind: 'failed' });
    expect(JSON.stringify(result.outcome)).toMatch(/Overloaded \(overloaded_error\)/);
    expect(result.chunkTexts).toEqual(['A']);
  });

  it('cut off before its end, or empty, is no success', async () => {
    expect((await stream(START + word('A'))).outcome.kind).toBe('failed');
    await under?.close();
    await server?.close();
    expect((await stream(START + END + STOP)).outcome.kind).toBe('failed');
  });
});

describe('headers', () => {
  it('the key goes into x-api-key, the version is always there', async () => {
    await stream(START + word('A') + END + STOP, 'secret-key');
    expect(server!.requests[0]).toMatch(/x-api-key: secret-key/i);
    expect(server!.requests[0]).toMatch(/anthropic-version: 2023-06-01/i);
    expect(server!.requests[0]).not.toMatch(/authorization/i);
    expect(server!.requests[0]).toMatch(/^POST \/v1\/messages /);
  });

  it('session headers: the id always, the token once the server gave one', async () => {
    let answers = 0;
    server = await rawServer((socket) => {
      const body = `{"choices":[{"text":"a","finish_reason":"stop"}]}`;
      socket.write(`HTTP/1.1 200 OK\r\nX-Token: t${++answers}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
    under = client(server.url, { sessionIdHeader: 'x-session', sessionTokenHeader: 'x-token' });
    const send = (sessionId?: string) =>
      under!.send(request({ streaming: false, ...(sessionId === undefined ? {} : { sessionId }) }), options());
    await send('one');
    await send('one');
    await send('two');
    await send();
    const seen = server.requests.map((text) => [/x-session: (\S+)/.exec(text)?.[1], /x-token: (\S+)/.exec(text)?.[1]]);
    expect(seen).toEqual([
      ['one', undefined],
      ['one', 't1'],
      ['two', undefined],
      [undefined, undefined],
    ]);
  });
});

it('a whole answer', () => {
  const value = {
    type: 'message',
    content: [
      { type: 'text', text: 'Hi' },
      { type: 'tool_use', name: 'f', input: { a: 1 } },
    ],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 2 },
  };
  expect(readAnthropicPiece(value)).toEqual({
    content: 'Hi',
    other: 'f{"a":1}',
    finishReason: 'end_turn',
    usage: { promptTokens: 3, completionTokens: 2 },
  });
  expect(readAnthropicPiece({ type: 'something_new' })).toEqual({ content: '', other: '' });
  expect(readAnthropicPiece(3)).toBeUndefined();
});
