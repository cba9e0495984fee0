// Servers that misbehave, each on a loopback socket of its own, each with the record it must lead to.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Client, PreparedRequest, SendOptions, WireResult } from '../../../src/client/types';
import {
  CHUNKED_HEAD,
  DONE,
  STREAM_HEAD,
  chunk,
  client,
  options,
  rawServer,
  request,
  token,
  whole,
  type RawServer,
} from './raw-server';

let server: RawServer | undefined;
let under: Client | undefined;

afterEach(async () => {
  await under?.close();
  await server?.close();
  server = under = undefined;
});

async function ask(
  respond: (socket: Socket, text: string) => unknown,
  changes: Partial<PreparedRequest> = {},
  sending: Partial<SendOptions> = {},
): Promise<WireResult> {
  server = await rawServer(respond);
  under = client(server.url);
  return under.send(request(changes), options(sending));
}

function failureOf(result: WireResult): Extract<WireResult['outcome'], { kind: 'failed' }> {
  if (result.outcome.kind !== 'failed') throw new Error(`expected a failure, got ${JSON.stringify(result.outcome)}`);
  return result.outcome;
}

describe('streams that are fine, however they arrive', () => {
  const expectFine = (result: WireResult): void => {
    expect(result.outcome).toEqual({ kind: 'ok' });
    expect(result.chunkTexts).toEqual(['a', ' b', ' é🚀']);
    expect(result.outputText).toBe('a b é🚀');
    expect(result.finishReason).toBe('length');
    expect(result.usage).toEqual({ promptTokens: 1, completionTokens: 3 });
  };
  const usage = 'data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":3}}\n\n';
  const body = token('a') + token(' b') + token(' é🚀', 'length') + usage + DONE;

  it('in one piece', async () => {
    expectFine(await ask((socket) => socket.end(STREAM_HEAD + body)));
  });

  it('with CRLF line ends', async () => {
    expectFine(await ask((socket) => socket.end(STREAM_HEAD + body.replaceAll('\n', '\r\n'))));
  });

  it('without a space after the colon', async () => {
    expectFine(await ask((socket) => socket.end(STREAM_HEAD + body.replaceAll('data: ', 'data:'))));
  });

  it('without the blank line at the end', async () => {
    expectFine(await ask((socket) => socket.end((STREAM_HEAD + body).trimEnd())));
  });

  it('with a byte order mark and comments', async () => {
    expectFine(
      await ask((socket) => socket.end(`${STREAM_HEAD}\uFEFF: hello\n\n${body.replaceAll('\n\n', '\n\n: ping\n\n')}`)),
    );
  });

  it('byte by byte', async () => {
    const bytes = Buffer.from(body);
    const result = await ask(async (socket) => {
      socket.setNoDelay(true);
      socket.write(STREAM_HEAD);
      for (const byte of bytes) {
        socket.write(Buffer.from([byte]));
        await new Promise(setImmediate);
      }
      socket.end();
    });
    expectFine(result);
  });

  it('over a half-closed connection, in chunked encoding, on a connection that is used again', async () => {
    const result = await ask((socket) => {
      socket.write(CHUNKED_HEAD + chunk(body) + chunk(': bye\n\n') + '0\r\n\r\n');
    });
    expectFine(result);
    expectFine(await under!.send(request(), options()));
    expect(server!.connections()).toBe(1);
  });

  it('follows the body to its end after [DONE]', async () => {
    const result = await ask(async (socket) => {
      socket.write(STREAM_HEAD + body);
      await sleep(60);
      socket.end(': late\n\n');
    });
    expectFine(result);
    expect(result.endSeconds - result.lastTokenSeconds!).toBeGreaterThan(0.04);
  });

  it('takes a usage lie as it is: what the server says is kept apart from what was seen', async () => {
    const lie = 'data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":999}}\n\n';
    const result = await ask((socket) => socket.end(STREAM_HEAD + token('a') + lie + DONE));
    expect(result.usage?.completionTokens).toBe(999);
    expect(result.chunkSeconds).toHaveLength(1);
  });

  it('puts the times in order', async () => {
    const result = await ask(async (socket) => {
      await sleep(20);
      socket.write(STREAM_HEAD);
      await sleep(20);
      socket.write(token('a'));
      await sleep(20);
      socket.end(token('b', 'stop') + DONE);
    });
    const times = [result.sentSeconds!, result.firstByteSeconds!, result.chunkSeconds[1]!, result.endSeconds];
    expect([...times].sort((a, b) => a - b)).toEqual(times);
    expect(result.firstTokenSeconds).toBe(result.firstByteSeconds);
    expect(result.firstTokenSeconds! - result.sentSeconds!).toBeGreaterThan(0.03);
  });
});

describe('answers that are not 200', () => {
  it.each([
    ['429 Too Many Requests', '{"error":{"message":"slow down"}}', '429 - Rate Limit', 'slow down'],
    ['500 Internal Server Error', '{"detail":"died"}', '500 - Internal Server Error', 'died'],
    ['502 Bad Gateway', '<html>nginx</html>', '502 - Bad Gateway', 'nginx'],
    ['503 Service Unavailable', '', '503 - Service Unavailable', 'empty body'],
    ['504 Gateway Timeout', '', '504 - Gateway Timeout', '504'],
    ['400 Bad Request', '{"message":"maximum context length is 10"}', '400 - Context Window', 'context length'],
    ['400 Bad Request', '{"error":"invalid json"}', '400 - Invalid JSON', 'invalid json'],
    ['404 Not Found', '{"error":{"message":"no such model"}}', '404 - Model Not Found', 'no such model'],
    ['408 Request Timeout', '{"error":"timed out"}', '408 - Timeout', 'timed out'],
    ['401 Unauthorized', '{"error":"Unauthorized"}', '401 - other', 'Unauthorized'],
    ['201 Created', '{"choices":[{"text":"a"}]}', '201 - other', '201'],
  ])('%s %s', async (status, body, label, said) => {
    const failure = failureOf(await ask((socket) => socket.write(whole(status, body))));
    expect(failure.label).toBe(label);
    expect(failure.errorType).toBe(`HTTP Error ${status.slice(0, 3)}`);
    expect(failure.httpStatus).toBe(Number(status.slice(0, 3)));
    expect(failure.message).toContain(said);
  });

  it('says where a redirect points', async () => {
    const reply = whole('307 Temporary Redirect', '', 'location: https://elsewhere/v1\r\n');
    const failure = failureOf(await ask((socket) => socket.write(reply)));
    expect(failure.message).toContain('https://elsewhere/v1');
    expect(failure.message).toContain('base_url');
  });
});

describe('200 that is none', () => {
  it.each([
    [
      'an error body for a stream',
      whole('200 OK', '{"error":{"message":"engine died","code":500}}'),
      true,
      'error in answer',
      'engine died',
    ],
    ['an error body', whole('200 OK', '{"error":"engine died"}'), false, 'error in answer', 'engine died'],
    [
      'an error in the stream',
      STREAM_HEAD + token('a') + 'data: {"error":{"message":"died"}}\n\n' + DONE,
      true,
      'error in stream',
      'died',
    ],
    ['an empty stream', STREAM_HEAD, true, 'empty answer', 'empty'],
    ['only [DONE]', STREAM_HEAD + DONE, true, 'empty answer', '[DONE]'],
    ['an empty body', whole('200 OK', ''), false, 'empty answer', 'empty'],
    ['an empty text', whole('200 OK', '{"choices":[{"text":""}]}'), false, 'empty answer', 'choices'],
    ['a web page', whole('200 OK', '<html>login</html>'), false, 'unreadable answer', '<html>login'],
    ['a web page for a stream', whole('200 OK', '<html>login</html>'), true, 'unreadable answer', '<html>login'],
    [
      'a whole answer for a stream',
      whole('200 OK', '{"choices":[{"text":"a"}]}'),
      true,
      'unreadable answer',
      'a stream was asked for',
    ],
    ['a stream for a whole answer', STREAM_HEAD + token('a') + DONE, false, 'unreadable answer', 'data:'],
    ['a list', whole('200 OK', '[1]'), false, 'unreadable answer', '[1]'],
    ['a compressed body', whole('200 OK', 'xyz', 'content-encoding: gzip\r\n'), true, 'unreadable answer', 'gzip'],
    ['a clean end before the end', STREAM_HEAD + token('a') + token('b'), true, 'stream ended early', '2 token events'],
  ])('%s', async (_name, reply, streaming, label, said) => {
    const failure = failureOf(
      await ask(
        (socket) => {
          socket.write(reply);
          if (reply.includes('connection: close')) socket.end();
        },
        { streaming },
      ),
    );
    expect(failure.label).toBe(label);
    expect(failure.message).toContain(said);
  });
});

describe('connections that break', () => {
  it('reset before the answer', async () => {
    const result = await ask((socket) => socket.resetAndDestroy());
    const failure = failureOf(result);
    expect(failure).toMatchObject({ label: 'Connection Error', errorType: 'ServerDisconnectedError' });
    expect(failure.message).toMatch(/reset .* before it answered/);
    expect(result.sentSeconds).toBeDefined();
  });

  it('closed before the answer', async () => {
    const failure = failureOf(await ask((socket) => socket.destroy()));
    expect(failure).toMatchObject({ label: 'Connection Error', errorType: 'ServerDisconnectedError' });
    expect(failure.message).toMatch(/closed .* before it answered/);
  });

  it('reset in the middle of the answer, with what arrived kept', async () => {
    const result = await ask(async (socket) => {
      socket.write(CHUNKED_HEAD + chunk(token('a')));
      await sleep(30);
      socket.resetAndDestroy();
    });
    expect(failureOf(result).label).toBe('Connection Error');
    expect(failureOf(result).message).toMatch(/reset .* in the middle of the answer \(1 token events arrived\)/);
    expect(result.chunkTexts).toEqual(['a']);
    expect(result.outputText).toBe('a');
  });

  it('closed in the middle of chunked encoding', async () => {
    const result = await ask(async (socket) => {
      socket.write(CHUNKED_HEAD + chunk(token('a')));
      await sleep(30);
      socket.end();
    });
    expect(failureOf(result).message).toMatch(/closed .* in the middle of the answer/);
    expect(result.chunkTexts).toEqual(['a']);
  });

  it('closed before the announced length', async () => {
    const result = await ask(
      (socket) => {
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"choices":');
      },
      { streaming: false },
    );
    expect(failureOf(result).label).toBe('Connection Error');
  });

  it('not HTTP at all', async () => {
    const failure = failureOf(await ask((socket) => socket.end('SSH-2.0-OpenSSH\r\n')));
    expect(failure.label).toBe('not http');
    expect(failure.message).toContain('is not HTTP');
  });

  it('serves the next request after each of these', async () => {
    let turn = 0;
    const good = STREAM_HEAD + token('a', 'stop') + DONE;
    server = await rawServer((socket) => {
      turn++;
      if (turn % 2 === 0) socket.end(good);
      else if (turn % 4 === 1) socket.resetAndDestroy();
      else socket.destroy();
    });
    under = client(server.url, { connections: 1 });
    const kinds: string[] = [];
    for (let i = 0; i < 8; i++) kinds.push((await under.send(request(), options())).outcome.kind);
    expect(kinds).toEqual(['failed', 'ok', 'failed', 'ok', 'failed', 'ok', 'failed', 'ok']);
  });
});

describe('servers that hang', () => {
  it('times out before the answer', async () => {
    const result = await ask(() => undefined, {}, { timeoutSeconds: 0.1 });
    const failure = failureOf(result);
    expect(failure).toMatchObject({ label: 'Timeout', errorType: 'TimeoutError' });
    expect(failure.message).toContain('0.1 s');
    expect(failure.message).toContain('nothing arrived');
    expect(result.endSeconds - result.sentSeconds!).toBeGreaterThan(0.05);
  });

  it('times out in the middle, says how far it came and keeps it', async () => {
    const result = await ask(
      (socket) => void socket.write(CHUNKED_HEAD + chunk(token('a') + token('b'))),
      {},
      { timeoutSeconds: 0.15 },
    );
    expect(failureOf(result).label).toBe('Timeout');
    expect(failureOf(result).message).toContain('2 token events arrived');
    expect(result.chunkTexts).toEqual(['a', 'b']);
  });

  it('says so when the answer was complete and only its end is missing', async () => {
    const result = await ask(
      (socket) => void socket.write(CHUNKED_HEAD + chunk(token('a') + DONE)),
      {},
      { timeoutSeconds: 0.15 },
    );
    expect(failureOf(result).message).toContain('[DONE]');
  });

  it('frees the connection for the next request', async () => {
    let turn = 0;
    server = await rawServer((socket) => {
      if (++turn > 1) socket.end(STREAM_HEAD + token('a') + DONE);
    });
    under = client(server.url, { connections: 1 });
    const first = await under.send(request(), options({ timeoutSeconds: 0.05 }));
    const second = await under.send(request(), options());
    expect([first.outcome.kind, second.outcome.kind]).toEqual(['failed', 'ok']);
  });
});

describe('giving up', () => {
  it('cancels what is on the wire, keeps what arrived', async () => {
    const stop = new AbortController();
    const onFirstToken = (): void => {
      stop.abort('stage over');
    };
    const result = await ask(
      (socket) => void socket.write(CHUNKED_HEAD + chunk(token('a'))),
      {},
      { signal: stop.signal, onFirstToken },
    );
    expect(result.outcome).toEqual({ kind: 'cancelled', reason: 'stage over' });
    expect(result.chunkTexts).toEqual(['a']);
  });

  it('closes the connection, so that the server stops working', async () => {
    const stop = new AbortController();
    let closed = false;
    await ask(
      (socket) => {
        socket.on('close', () => (closed = true));
        socket.write(CHUNKED_HEAD);
        setTimeout(() => stop.abort(), 20);
      },
      {},
      { signal: stop.signal },
    );
    await sleep(50);
    expect(closed).toBe(true);
  });

  it('sends nothing when the signal came first', async () => {
    const result = await ask(() => undefined, {}, { signal: AbortSignal.abort(new Error('too late')) });
    expect(result.outcome).toEqual({ kind: 'cancelled', reason: 'too late' });
    expect(result.sentSeconds).toBeUndefined();
    expect(server!.requests).toHaveLength(0);
  });

  it('cancels those that wait for a connection, and leaves the others alone', async () => {
    server = await rawServer((socket) => {
      setTimeout(() => socket.end(STREAM_HEAD + token('a') + DONE), 100);
    });
    under = client(server.url, { connections: 1 });
    const stop = new AbortController();
    const running = under.send(request(), options());
    const waiting = Array.from({ length: 2000 }, () => under!.send(request(), options({ signal: stop.signal })));
    const after = under.send(request(), options());
    stop.abort('no more');
    expect(new Set((await Promise.all(waiting)).map((each) => each.outcome.kind))).toEqual(new Set(['cancelled']));
    expect((await running).outcome.kind).toBe('ok');
    expect((await after).outcome.kind).toBe('ok');
    expect(server.requests).toHaveLength(2);
  });

  it('ends what is open when the client is closed', async () => {
    server = await rawServer(() => undefined);
    under = client(server.url, { connections: 1 });
    const open = [under.send(request(), options()), under.send(request(), options())];
    await sleep(30);
    await under.close();
    for (const result of await Promise.all(open)) expect(result.outcome.kind).toBe('cancelled');
  });
});

describe('connections', () => {
  it('opens as many as are allowed and needed, and no more', async () => {
    server = await rawServer((socket) => {
      setTimeout(() => socket.write(whole('200 OK', '{"choices":[{"text":"a"}]}')), 30);
    });
    under = client(server.url, { connections: 3 });
    const send = (): Promise<WireResult> => under!.send(request({ streaming: false }), options());
    const results = await Promise.all(Array.from({ length: 9 }, send));
    expect(results.every((each) => each.outcome.kind === 'ok')).toBe(true);
    expect(server.connections()).toBe(3);
    await send();
    expect(server.connections()).toBe(3);
  });
});
