// What is sent again (load.request_retries): faults of the connection before an answer, with the first attempt's clock.
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Client, RetryRule, SendOptions, WireResult } from '../../../src/client/types';
import { client, DONE, options, rawServer, request, STREAM_HEAD, token, type RawServer } from './raw-server';

let server: RawServer | undefined;
let under: Client | undefined;

afterEach(async () => {
  await under?.close();
  await server?.close();
  server = under = undefined;
});

const ANSWER = STREAM_HEAD + token('a') + token('b', 'length') + DONE;

/** @param answers what the server does with the first, second, ... request; the last for all after it */
async function ask(
  answers: readonly ((socket: Socket) => unknown)[],
  rule: Partial<RetryRule> = {},
  sending: Partial<SendOptions> = {},
): Promise<WireResult> {
  server = await rawServer((socket) => answers[Math.min(server!.requests.length, answers.length) - 1]!(socket));
  under = client(server.url, { retries: { times: 3, backoffSeconds: 0.02, ...rule } });
  return under.send(request(), options(sending));
}

const reset = (socket: Socket): unknown => socket.resetAndDestroy();
const closed = (socket: Socket): unknown => socket.destroy();
const fine = (socket: Socket): unknown => socket.end(ANSWER);

describe('a fault of the connection before an answer', () => {
  it.each([
    ['reset', reset],
    ['closed', closed],
  ])('%s: is sent again, and the clock is that of the first attempt', async (_, fault) => {
    const before = performance.now() / 1000;
    const result = await ask([fault, fault, fine]);
    expect(result.outcome).toEqual({ kind: 'ok' });
    expect(server!.requests).toHaveLength(3);
    expect(new Set(server!.requests.map((text) => text.split('\r\n\r\n')[1])).size).toBe(1);
    expect(result.retries).toMatchObject({ attempts: 2, recovered: true });
    // Two pauses: 0.02 and 0.04 s, each stretched by 0.5 at least.
    const waited = result.firstTokenSeconds! - result.sentSeconds!;
    expect(waited).toBeGreaterThan(0.03);
    expect(result.retries!.wastedSeconds).toBeGreaterThan(0.03);
    expect(result.retries!.wastedSeconds).toBeLessThanOrEqual(waited);
    expect(result.sentSeconds).toBeGreaterThanOrEqual(before);
  });

  it('a port that nobody listens on, until the attempts are used up', async () => {
    server = await rawServer(fine);
    const { url } = server;
    await server.close();
    server = undefined;
    under = client(url, { retries: { times: 2, backoffSeconds: 0.01 } });
    const result = await under.send(request(), options());
    expect(result.outcome).toMatchObject({ kind: 'failed', errorType: 'ClientConnectorError' });
    expect(result.retries).toMatchObject({ attempts: 2, recovered: false });
    expect(result.retries!.wastedSeconds).toBeCloseTo(result.endSeconds - result.sentSeconds!, 9);
  });

  it('whose next attempt ends in a status is that status, and nothing was recovered', async () => {
    const busy = (socket: Socket): unknown => socket.end('HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n');
    const result = await ask([reset, busy]);
    expect(result.outcome).toMatchObject({ kind: 'failed', httpStatus: 503 });
    expect(server!.requests).toHaveLength(2);
    expect(result.retries).toMatchObject({ attempts: 1, recovered: false });
  });
});

describe('is sent once', () => {
  const partly = (socket: Socket): void => {
    socket.write(STREAM_HEAD + token('a'), () => setTimeout(() => socket.resetAndDestroy(), 5));
  };
  it.each<[string, (socket: Socket) => unknown, Partial<SendOptions>]>([
    ['an answer that broke in the middle', partly, {}],
    ['a status', (socket) => socket.end('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n'), {}],
    ['a timeout', () => undefined, { timeoutSeconds: 0.05 }],
    ['what is not HTTP', (socket) => socket.end('hello\r\n\r\n'), {}],
    ['an answer that is fine', fine, {}],
  ])('%s', async (_, answer, sending) => {
    const result = await ask([answer], {}, sending);
    expect(server!.requests).toHaveLength(1);
    expect(result.retries).toBeUndefined();
  });

  it('a stop ends the pause, and what had happened is the result', async () => {
    const control = new AbortController();
    setTimeout(() => {
      control.abort('stopped');
    }, 50);
    const began = performance.now();
    const result = await ask([reset], { backoffSeconds: 60 }, { signal: control.signal });
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(result.outcome.kind).toBe('failed');
    expect(result.retries).toBeUndefined();
    expect(server!.requests).toHaveLength(1);
  });
});
