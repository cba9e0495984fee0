// TLS: whom the client trusts, whom it does not, and whether it says why.
import { readFileSync } from 'node:fs';
import { createServer as createPlain } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ClientProblem } from '../../../src/client/endpoint';
import { probeServer } from '../../../src/client/probe';
import type { Client, ClientOptions, WireResult } from '../../../src/client/types';
import { DONE, client, options, request, token } from './raw-server';

const TOKENS = 200;
const FOLDER = path.resolve(__dirname, '../../fixtures/tls');
const file = (name: string): string => path.join(FOLDER, name);
const pem = (name: string): Buffer => readFileSync(file(name));

let server: Server | undefined;
let under: Client | undefined;

afterEach(async () => {
  await under?.close();
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = under = undefined;
});

async function serve(changes: ServerOptions = {}): Promise<string> {
  const started = createServer(
    { key: pem('localhost-key.pem'), cert: pem('localhost-cert.pem'), ...changes },
    ({ url }, response) => {
      if (url !== '/stream') {
        response.setHeader('content-type', 'application/json');
        response.end('{"choices":[{"text":"a"}]}');
        return;
      }
      response.setHeader('content-type', 'text/event-stream');
      for (let at = 0; at < TOKENS; at++) response.write(token(`t${at}`));
      response.end(DONE);
    },
  );
  server = started;
  started.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return `https://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

function send(url: string, changes: Partial<ClientOptions> = {}): Promise<WireResult> {
  under = client(url, changes);
  return under.send(request({ streaming: false }), options());
}

function message(result: WireResult): string {
  return result.outcome.kind === 'failed' ? `${result.outcome.label}: ${result.outcome.message}` : result.outcome.kind;
}

const CA = file('localhost-cert.pem');

describe('the server certificate', () => {
  it('is refused when nobody known signed it, and the message says what to do', async () => {
    const result = await send(await serve());
    expect(message(result)).toMatch(
      /^Connection Error: Cannot connect: the TLS certificate of https:.*not signed by an authority known here .*CA file/,
    );
    expect(result.outcome).toMatchObject({ errorType: 'ClientConnectorCertificateError' });
    expect(result.sentSeconds).toBeUndefined();
  });

  it('is accepted with its CA file', async () => {
    expect(message(await send(await serve(), { caPath: CA }))).toBe('ok');
  });

  it('is refused when it is for another name', async () => {
    const url = await serve({ key: pem('other-key.pem'), cert: pem('other-cert.pem') });
    expect(message(await send(url, { caPath: file('other-cert.pem') }))).toMatch(/is for another name: .*127\.0\.0\.1/);
  });
});

describe('a stream through TLS', () => {
  it('comes whole, on one connection, with its tokens in the order of time', async () => {
    under = client(await serve(), { caPath: CA, connections: 1 });
    for (let time = 0; time < 3; time++) {
      const result = await under.send(request({ route: '/stream' }), options());
      expect(message(result)).toBe('ok');
      expect(result.chunkTexts).toEqual(Array.from({ length: TOKENS }, (_, at) => `t${at}`));
      expect([...result.chunkSeconds].sort((a, b) => a - b)).toEqual(result.chunkSeconds);
      expect(result.chunkSeconds[0]).toBeGreaterThan(result.sentSeconds!);
    }
  });
});

describe('the client certificate', () => {
  const wanted = { requestCert: true, rejectUnauthorized: true, ca: pem('other-cert.pem') };

  it('is sent when it is given', async () => {
    const url = await serve(wanted);
    const files = { caPath: CA, certPath: file('other-cert.pem'), keyPath: file('other-key.pem') };
    expect(message(await send(url, files))).toBe('ok');
  });

  it('is missed in words when the server wants one', async () => {
    expect(message(await send(await serve(wanted), { caPath: CA }))).toMatch(/client certificate|reset|closed/);
  });
});

describe('one side without TLS', () => {
  it('says that a server at https:// does not speak TLS', async () => {
    const real = createPlain((_request, response) => response.end());
    await new Promise<void>((resolve) => real.listen(0, '127.0.0.1', resolve));
    const result = await send(`https://127.0.0.1:${(real.address() as AddressInfo).port}`);
    expect(message(result)).toMatch(/does not speak TLS\. Write http:\/\//);
    real.closeAllConnections();
    await new Promise((resolve) => real.close(resolve));
  });

  it('says something of use when a server at http:// speaks TLS', async () => {
    const url = (await serve()).replace('https:', 'http:');
    expect(message(await send(url))).toMatch(/https:\/\/ in base_url|before it answered/);
  });
});

describe('a run that cannot start for TLS is told what helps, and never to start the server', () => {
  const refusal = async (url: string, changes: Partial<ClientOptions> = {}): Promise<string> => {
    under = client(url, changes);
    const problem = await under.probe().then(
      () => undefined,
      (error: unknown) => (error as ClientProblem).problem,
    );
    expect(problem?.code).toBe('RUN104');
    expect(problem?.remedy).not.toContain('Start the server');
    return problem?.remedy ?? '';
  };

  it('an authority nobody knows', async () => {
    expect(await refusal(await serve())).toBe('Name the certificate’s authority with --ca-file.');
  });
  it('another name', async () => {
    const url = await serve({ key: pem('other-key.pem'), cert: pem('other-cert.pem') });
    expect(await refusal(url, { caPath: file('other-cert.pem') })).toMatch(/name that the certificate is for/);
  });
  it('a client certificate that is wanted', async () => {
    const wanted = { requestCert: true, rejectUnauthorized: true, ca: pem('other-cert.pem'), maxVersion: 'TLSv1.2' };
    const url = await serve(wanted as ServerOptions);
    expect(await refusal(url, { caPath: CA })).toMatch(/server\.cert_path and server\.key_path/);
  });
  it('no TLS at all', async () => {
    const real = createPlain((_request, response) => response.end());
    await new Promise<void>((resolve) => real.listen(0, '127.0.0.1', resolve));
    expect(await refusal(`https://127.0.0.1:${(real.address() as AddressInfo).port}`)).toMatch(/http or https/);
    real.closeAllConnections();
    await new Promise((resolve) => real.close(resolve));
  });
  it.each([
    ['CERT_HAS_EXPIRED', /new certificate/],
    ['CERT_NOT_YET_VALID', /clocks/],
  ])('%s', async (code, words) => {
    const outcome = { kind: 'failed', errorType: 'ClientConnectorCertificateError', label: 'x', message: 'x' } as const;
    const result = { outcome, networkCode: code } as WireResult;
    const found = await probeServer('https://h', false, () => Promise.resolve({ result, body: '' })).catch(
      (error: unknown) => (error as ClientProblem).problem.remedy,
    );
    expect(found).toMatch(words);
  });
  it('a CA file that cannot be read is named by its option', () => {
    const made = (): Client => client('https://h:1', { caPath: file('no-such.pem') });
    expect(made).toThrow(
      expect.objectContaining({
        problem: expect.objectContaining({ path: [], remedy: 'Name another file with --ca-file.' }) as unknown,
      }),
    );
  });
});
