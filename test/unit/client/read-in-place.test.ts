// Answers over real sockets, taken in place: cut at any byte, in any HTTP framing, the record is the same.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { takesFastPaths } from '../../../src/fast-paths';
import { sharedReads } from '../../../src/client/read-in-place';
import type { Client, WireResult } from '../../../src/client/types';
import { CHUNKED_HEAD, DONE, chunk, client, options, rawServer, request, token, type RawServer } from './raw-server';

let server: RawServer | undefined;
let under: Client | undefined;

afterEach(async () => {
  await under?.close();
  await server?.close();
  server = under = undefined;
});

const TEXTS = [' a', ' b', ' é🚀', ' "q"', ' c', ' d'];
const EVENTS = TEXTS.map((text) => token(text));
const END = chunk(token('', 'length')) + chunk(DONE) + '0\r\n\r\n';
const PLAIN = CHUNKED_HEAD + EVENTS.map(chunk).join('') + END;

const seen = (result: WireResult): unknown => [result.outcome, result.chunkTexts, result.finishReason];
const FINE = [{ kind: 'ok' }, TEXTS, 'length'];

/** Answers request after request, each in its pieces: the kernel may join them, but never across a pause. */
async function answering(answers: readonly (readonly (Buffer | string)[])[]): Promise<Client> {
  let next = 0;
  server = await rawServer(async (socket) => {
    socket.setNoDelay(true);
    for (const [index, piece] of answers[next++]!.entries()) {
      // Two turns: the first may come before the client's turn to read.
      if (index > 0) for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
      socket.write(piece);
    }
  });
  under = client(server.url, { connections: 1 });
  return under;
}

describe('an answer over a socket', () => {
  it('is the same cut in two at any byte, all on one connection', async () => {
    const bytes = Buffer.from(PLAIN);
    const cuts = Array.from({ length: bytes.length - 1 }, (_, index) => index + 1);
    const asked = await answering(cuts.map((cut) => [bytes.subarray(0, cut), bytes.subarray(cut)]));
    for (const cut of cuts) expect([cut, seen(await asked.send(request(), options()))]).toEqual([cut, FINE]);
    expect(server!.connections()).toBe(1);
  }, 60_000);

  it('is the same byte by byte', async () => {
    const asked = await answering([[...Buffer.from(PLAIN)].map((byte) => Buffer.from([byte]))]);
    expect(seen(await asked.send(request(), options()))).toEqual(FINE);
  });

  const joined = EVENTS.join('');
  it.each([
    ['chunks that cut events', [joined.slice(0, 70), joined.slice(70, 75), joined.slice(75)].map(chunk).join('')],
    ['several events in a chunk', chunk(EVENTS.slice(0, 4).join('')) + chunk(EVENTS.slice(4).join(''))],
    ['extensions', EVENTS.map((event) => chunk(event).replace('\r\n', ';a="b"\r\n')).join('')],
    [
      'extensions in the middle',
      EVENTS.map((each, at) => (at === 2 ? chunk(each).replace('\r\n', ';x\r\n') : chunk(each))).join(''),
    ],
    [
      'capital digits and zeros before them',
      EVENTS.map((event) => `0${chunk(event).replace(/^\w+/, (size) => size.toUpperCase())}`).join(''),
    ],
  ])('is the same with %s', async (_, body) => {
    const trailers = END.replace('0\r\n\r\n', '0\r\nx-took: 3\r\nx-count: 9\r\n\r\n');
    const asked = await answering([
      [CHUNKED_HEAD + body + END],
      [CHUNKED_HEAD, body, END],
      [CHUNKED_HEAD + body, trailers],
    ]);
    for (let time = 0; time < 3; time++) expect(seen(await asked.send(request(), options()))).toEqual(FINE);
    expect(server!.connections()).toBe(1);
  });

  it('is the same after an interim answer, with a head of any length and with other names of the encoding', async () => {
    const body = EVENTS.map(chunk).join('') + END;
    const long = CHUNKED_HEAD.replace('\r\n\r\n', `\r\nx-long: ${'y'.repeat(9000)}\r\n\r\n`);
    const capital = CHUNKED_HEAD.replace('transfer-encoding: chunked', 'Transfer-Encoding: Chunked');
    const asked = await answering([
      [`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${CHUNKED_HEAD}${body}`],
      [long, body],
      [long + body],
      [capital + body],
    ]);
    for (let time = 0; time < 4; time++) expect(seen(await asked.send(request(), options()))).toEqual(FINE);
  });

  it('fails for a broken chunk as the HTTP parser says, and keeps what came before it', async () => {
    const asked = await answering([[CHUNKED_HEAD + chunk(token('a')) + chunk(token('b')) + 'zz\r\nhello\r\n' + END]]);
    const result = await asked.send(request(), options());
    expect(result.outcome).toMatchObject({ kind: 'failed' });
    expect(JSON.stringify(result.outcome)).toMatch(/chunk size/i);
    expect(result.chunkTexts).toEqual(['a', 'b']);
  });

  it('fails when a chunk does not end where it says', async () => {
    const asked = await answering([[CHUNKED_HEAD + chunk(token('a')), chunk(token('b')).replace(/\r\n$/, 'XX'), END]]);
    const result = await asked.send(request(), options());
    expect(result.outcome).toMatchObject({ kind: 'failed' });
    expect(result.chunkTexts[0]).toBe('a');
  });

  it('is the same when a read cuts a chunk whose data looks like chunks, behind a head that came in pieces', async () => {
    const data = `b\r\n: ten bytes\r\n${EVENTS.join('')}`;
    const size = `${Buffer.byteLength(data).toString(16)}\r\n`;
    const interim = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
    const asked = await answering([
      [CHUNKED_HEAD.slice(0, 20), CHUNKED_HEAD.slice(20) + size, data, `\r\n${END}`],
      [interim + CHUNKED_HEAD + size, data, `\r\n${END}`],
      [CHUNKED_HEAD + size, data, `\r\n${END}`],
    ]);
    for (let time = 0; time < 3; time++) expect(seen(await asked.send(request(), options()))).toEqual(FINE);
    expect(server!.connections()).toBe(1);
  });

  it('takes nothing more in once it was cancelled, even by its own first token', async () => {
    const asked = await answering([[CHUNKED_HEAD, EVENTS.map(chunk).join('') + END]]);
    const stop = new AbortController();
    const onFirstToken = (): void => {
      stop.abort('enough');
    };
    const result = await asked.send(request(), options({ signal: stop.signal, onFirstToken }));
    expect(seen(result)).toEqual([{ kind: 'cancelled', reason: 'enough' }, TEXTS.slice(0, 1), undefined]);
  });

  // The plain way is stamped by the parser, once a chunk.
  it.skipIf(!takesFastPaths)('has one time for all that one read brought, and later ones for later reads', async () => {
    server = await rawServer(async (socket) => {
      socket.write(CHUNKED_HEAD + EVENTS.slice(0, 3).map(chunk).join(''));
      await sleep(30);
      socket.write(EVENTS.slice(3).map(chunk).join('') + END);
    });
    under = client(server.url);
    const { chunkSeconds, endSeconds } = await under.send(request(), options());
    expect(new Set(chunkSeconds.slice(0, 3)).size).toBe(1);
    expect(chunkSeconds[3]! - chunkSeconds[2]!).toBeGreaterThan(0.02);
    expect(chunkSeconds[5]).toBe(endSeconds);
  });

  it('does not mix up many that arrive at once', async () => {
    server = await rawServer((socket, text) => {
      const name = /"prompt":"(\w+)"/.exec(text)![1]!;
      const body = Buffer.from(
        CHUNKED_HEAD + Array.from({ length: 40 }, (_, at) => chunk(token(`${name}-${at}`))).join('') + END,
      );
      for (let at = 0; at < body.length; at += 1009) setImmediate(() => socket.write(body.subarray(at, at + 1009)));
    });
    under = client(server.url, { connections: 30 });
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, n) => under!.send(request({ body: `{"prompt":"p${n}"}` }), options())),
    );
    for (const [n, result] of results.entries()) {
      expect(result.chunkTexts).toEqual(Array.from({ length: 40 }, (_, at) => `p${n}-${at}`));
    }
  });
});

it('leaves sockets to Node where the system takes the buffer before there is something to read', () => {
  expect(sharedReads('win32')).toBeUndefined();
  expect(sharedReads('linux')).toBeDefined();
});
