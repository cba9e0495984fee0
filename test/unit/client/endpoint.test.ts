// Addresses, headers, secrets, and the questions a server is asked before the load starts.
import { describe, expect, it } from 'vitest';
import { ClientProblem, createEndpoint } from '../../../src/client/endpoint';
import { createClient } from '../../../src/client/http-client';
import { networkFailure } from '../../../src/client/network-failures';
import type { ClientOptions } from '../../../src/client/types';
import { client, options, rawServer, request, whole } from './raw-server';

const OK = whole('200 OK', '{"choices":[{"text":"a"}]}');
const plain = (changes: Partial<ClientOptions>): ClientOptions => ({
  baseUrl: 'http://h:1',
  headers: {},
  connections: 1,
  ...changes,
});

function problemOf(changes: Partial<ClientOptions>): ClientProblem['problem'] {
  try {
    createClient(plain(changes));
  } catch (error) {
    if (error instanceof ClientProblem) return error.problem;
  }
  throw new Error('expected a ClientProblem');
}

describe('the address', () => {
  it.each([
    ['http://h:1', '/v1/completions', '/v1/completions'],
    ['http://h:1/', '/v1/completions', '/v1/completions'],
    ['http://h:1/llm', '/v1/completions', '/llm/v1/completions'],
    ['http://h:1/llm/', 'v1/completions', '/llm/v1/completions'],
    ['https://h/a/b//', '/v1/completions', '/a/b/v1/completions'],
  ])('%s and %s', (baseUrl, route, path) => {
    expect(createEndpoint(plain({ baseUrl })).pathOf(route)).toBe(path);
  });

  it('asks for exactly that path', async () => {
    const server = await rawServer((socket) => socket.write(OK));
    const under = client(`${server.url}/llm/`);
    await under.send(request({ streaming: false }), options());
    expect(server.requests[0]).toMatch(/^POST \/llm\/v1\/completions HTTP\/1\.1\r\n/);
    await under.close();
    await server.close();
  });

  it.each([
    ['h:1', 'only http and https'],
    ['', 'is not a URL'],
    ['ftp://h', 'only http and https'],
    ['http://h?x=1', 'query'],
    ['http://user:hunter2@[bad', '***@'],
  ])('refuses %j', (baseUrl, said) => {
    const problem = problemOf({ baseUrl });
    expect(problem).toMatchObject({ code: 'RUN101', severity: 'error', path: ['server', 'base_url'] });
    expect(problem.message).toContain(said);
    expect(problem.message).not.toContain('hunter2');
    expect(problem.remedy).toContain('http://');
  });
});

describe('headers', () => {
  const lines = (changes: Partial<ClientOptions>): Record<string, string> => {
    const flat = createEndpoint(plain(changes)).headers;
    return Object.fromEntries(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]!]] : [])));
  };

  it('carry the key as a bearer token, and the own headers instead of ours whatever their case', () => {
    expect(lines({ apiKey: 'k' })).toMatchObject({ 'content-type': 'application/json', authorization: 'Bearer k' });
    const own = lines({ apiKey: 'k', headers: { Authorization: 'Token t', 'X-Slo': '1' } });
    expect(own).toMatchObject({ Authorization: 'Token t', 'X-Slo': '1' });
    expect(own).not.toHaveProperty('authorization');
  });

  it('carry the credentials of the URL when there is no key', () => {
    expect(lines({ baseUrl: 'http://u:p%40ss@h' })['authorization']).toBe(
      `Basic ${Buffer.from('u:p@ss').toString('base64')}`,
    );
  });

  it('are refused when HTTP forbids them, without showing the value', () => {
    const problem = problemOf({ apiKey: 'secret-key\n' });
    expect(problem).toMatchObject({ code: 'RUN103', path: ['server', 'api_key'] });
    expect(JSON.stringify(problem)).not.toContain('secret-key');
    expect(problemOf({ headers: { 'a b': 'x' } }).code).toBe('RUN103');
  });

  it('reach the server', async () => {
    const server = await rawServer((socket) => socket.write(OK));
    const under = client(server.url, { apiKey: 'key-123456', headers: { 'X-Slo-Ttft': '100' } });
    await under.send(request({ streaming: false, body: '{"p":"ü"}' }), options());
    expect(server.requests[0]).toContain('authorization: Bearer key-123456\r\n');
    expect(server.requests[0]).toContain('X-Slo-Ttft: 100\r\n');
    expect(server.requests[0]).toContain('content-length: 10\r\n');
    expect(server.requests[0]).toMatch(/\r\n\r\n\{"p":"ü"\}$/);
    await under.close();
    await server.close();
  });
});

describe('files that cannot be read', () => {
  it.each([
    ['caPath', []],
    ['certPath', ['server', 'cert_path']],
    ['keyPath', ['server', 'key_path']],
  ])('%s', (option, key) => {
    const problem = problemOf({ baseUrl: 'https://h', [option]: '/nowhere/x.pem' });
    expect(problem).toMatchObject({ code: 'RUN102', path: key });
    expect(problem.remedy).toMatch(option === 'caPath' ? /--ca-file/ : /Correct server\./);
    expect(problem.message).toContain('/nowhere/x.pem');
    expect(problem.message).toContain('ENOENT');
  });
});

describe('secrets', () => {
  it('are cut out of what an echoing server sends back', async () => {
    const server = await rawServer((socket, text) => socket.write(whole('500 Oops', JSON.stringify({ error: text }))));
    const under = client(server.url, { apiKey: 'sk-very-secret', headers: { 'X-Api-Key': 'other-secret' } });
    const result = await under.send(request(), options({ keepRawBody: true }));
    const everything = JSON.stringify(result);
    expect(everything).toContain('[secret]');
    expect(everything).not.toMatch(/sk-very-secret|other-secret/);
    await under.close();
    await server.close();
  });

  it('are cut out of an answer, too', async () => {
    const body = '{"choices":[{"text":"your key is sk-very-secret"}]}';
    const server = await rawServer((socket) => socket.write(whole('200 OK', body)));
    const under = client(server.url, { apiKey: 'sk-very-secret' });
    const result = await under.send(request({ streaming: false }), options());
    expect(result.outputText).toBe('your key is [secret]');
    await under.close();
    await server.close();
  });
});

describe('raw bodies', () => {
  it.each([true, false])('are kept when asked for: %s', async (keepRawBody) => {
    const server = await rawServer((socket) => socket.write(OK));
    const under = client(server.url);
    const result = await under.send(request({ streaming: false }), options({ keepRawBody }));
    expect(result.rawBody).toBe(keepRawBody ? '{"choices":[{"text":"a"}]}' : undefined);
    await under.close();
    await server.close();
  });
});

describe('a server that cannot be reached', () => {
  it('is refused by name', async () => {
    const server = await rawServer(() => undefined);
    await server.close();
    const under = client(server.url);
    const { outcome } = await under.send(request(), options());
    expect(outcome).toMatchObject({ kind: 'failed', label: 'Connection Error', errorType: 'ClientConnectorError' });
    expect(JSON.stringify(outcome)).toContain('nothing listens there');
    await expect(under.probe()).rejects.toMatchObject({ problem: { code: 'RUN104', severity: 'error' } });
    await under.close();
  });

  it('has no address', async () => {
    const under = client('http://no-such-host.invalid');
    const { outcome } = await under.send(request(), options());
    expect(outcome).toMatchObject({ kind: 'failed', label: 'Connection Error', errorType: 'ClientConnectorDNSError' });
    expect(JSON.stringify(outcome)).toContain('no-such-host.invalid');
    await under.close();
  });

  it.each([
    ['ECONNREFUSED', 'refused'],
    ['ENOTFOUND', 'DNS'],
    ['EAI_AGAIN', 'name server'],
    ['EHOSTUNREACH', 'no route'],
    ['EMFILE', 'file descriptors'],
    ['UND_ERR_CONNECT_TIMEOUT', 'in time'],
    ['CERT_HAS_EXPIRED', 'has expired'],
    ['CERT_NOT_YET_VALID', 'clocks'],
    ['EPROTO', 'handshake'],
    ['EWEIRD', 'EWEIRD'],
  ])('%s has its own words', (code, said) => {
    const error = Object.assign(new AggregateError([Object.assign(new Error('low level'), { code })]), { code });
    const { message, label } = networkFailure(error, { origin: 'http://h:1' }, undefined);
    expect(message).toContain(said);
    expect(label).toMatch(/^(Connection Error|Timeout)$/);
  });

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT', 'EHOSTUNREACH'])(
    '%s on the way through a proxy is the proxy’s, not the server’s',
    (code) => {
      const error = Object.assign(new Error('low level'), { code });
      const { message, errorType } = networkFailure(error, { origin: 'https://h', proxy: 'http://p:3128' }, undefined);
      expect(errorType).toBe('ClientProxyConnectionError');
      expect(message).toContain('the proxy http://p:3128');
    },
  );
});

describe('the probe', () => {
  const answering = async (models: string, version: string): Promise<unknown> => {
    const server = await rawServer((socket, text) =>
      socket.write(text.startsWith('GET /v1/models ') ? models : version),
    );
    const under = client(server.url, { apiKey: 'key-123456' });
    const facts = await under.probe();
    expect(server.requests.every((each) => each.includes('authorization: Bearer key-123456'))).toBe(true);
    await under.close();
    await server.close();
    return facts;
  };

  it('reads models and version', async () => {
    const models = whole('200 OK', '{"object":"list","data":[{"id":"a"},{"id":"b"}]}');
    expect(await answering(models, whole('200 OK', '{"version":"0.9.1"}'))).toEqual({
      models: ['a', 'b'],
      version: '0.9.1',
      notes: [],
    });
  });

  it('notes what is missing instead of guessing', async () => {
    expect(await answering(whole('404 Not Found', ''), whole('200 OK', '<html>'))).toEqual({
      notes: ['/v1/models answered 404.', '/version answered 200 but not with a version.'],
    });
  });

  it('says that the key was rejected', async () => {
    const facts = await answering(whole('401 Unauthorized', '{"error":"no"}'), whole('404 Not Found', ''));
    expect(facts).toMatchObject({ keyRejected: true });
    expect(JSON.stringify(facts)).toContain('API key');
  });
});
