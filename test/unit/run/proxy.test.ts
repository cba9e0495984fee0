// A proxy of the environment: used for addresses out there, never for local ones, shown without its password.
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/http-client';
import type { Client, ClientOptions } from '../../../src/client/types';
import { proxyFor } from '../../../src/run/proxy';
import { startSimulator } from '../../../src/simulator/server';
import { configOf, harness } from './harness';

describe('which proxy', () => {
  const env = { HTTP_PROXY: 'http://user:secret@proxy.example:3128', HTTPS_PROXY: 'proxy.example:3129' };

  it.each([
    ['http://models.example/v1', 'http://proxy.example:3128 (HTTP_PROXY)'],
    ['https://models.example', 'http://proxy.example:3129 (HTTPS_PROXY)'],
  ])('%s: %s', (url, words) => {
    expect(proxyFor(url, env)).toMatchObject({
      inWords: words,
      url: expect.stringContaining('proxy.example') as string,
    });
  });

  it.each([
    'http://localhost:8000',
    'http://127.0.0.1:8000',
    'http://[::1]:8000',
    'http://10.1.2.3',
    'http://172.20.0.4',
    'http://192.168.1.9',
    'http://vllm:8000',
    'http://vllm.default.svc:8000',
    'http://vllm.default.svc.cluster.local',
  ])('%s is local', (url) => {
    const choice = proxyFor(url, env)!;
    expect(choice.url).toBeUndefined();
    expect(choice.inWords).toMatch(/^not used, though HTTP_PROXY is set: .* is a local address$/);
  });

  it('172.15 and 172.32 are not private', () => {
    expect(proxyFor('http://172.15.0.1', env)!.url).toBeDefined();
    expect(proxyFor('http://172.32.0.1', env)!.url).toBeDefined();
  });

  it.each(['models.example', '.example', 'a.b, *.example', 'models.example:80', '*'])('NO_PROXY=%s exempts', (list) => {
    expect(proxyFor('http://models.example', { ...env, NO_PROXY: list })!.url).toBeUndefined();
  });

  it('another name in NO_PROXY does not; the password is in no words; without a variable there is nothing to say', () => {
    const choice = proxyFor('http://models.example', { ...env, no_proxy: 'els.example,other.example' })!;
    expect(choice.url).toContain('secret');
    expect(choice.inWords).not.toContain('secret');
    expect(proxyFor('http://models.example', {})).toBeUndefined();
    expect(proxyFor('https://models.example', { HTTP_PROXY: 'http://p:1' })).toBeUndefined();
    expect(proxyFor('https://models.example', { all_proxy: 'http://p:1' })!.url).toBe('http://p:1');
  });
});

describe('TLS checks', () => {
  it('switched off through Node’s environment: said, and kept in run.json', async () => {
    const h = harness();
    const sim = await startSimulator({ port: 0, ttftSeconds: 0.001, tokenSeconds: 0.0005 });
    try {
      const config = configOf({
        url: 'https://models.test:8443',
        load: '{ type: constant, stages: [{ rate: 5, duration: 1 }] }',
      });
      const clientFactory = (options: ClientOptions): Client => createClient({ ...options, baseUrl: sim.url });
      const off = await h.run(config, { clientFactory, env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } });
      if (off.kind !== 'ran') throw new Error('refused');
      expect(off.run.manifest.endpoint).toMatchObject({ tls: true, tlsChecks: 'off' });
      expect(off.problems.map(({ code }) => code)).toContain('RUN037');
      const on = await h.run(config, { clientFactory, out: 'on', env: { NODE_TLS_REJECT_UNAUTHORIZED: '1' } });
      if (on.kind !== 'ran') throw new Error('refused');
      expect(on.run.manifest.endpoint.tlsChecks).toBe('on');
      expect(on.problems.map(({ code }) => code)).not.toContain('RUN037');
    } finally {
      await sim.close();
      h.remove();
    }
  });
});

describe('requests through one', () => {
  let proxy: Server | undefined;
  afterEach(() => {
    proxy?.closeAllConnections();
    proxy?.close();
  });

  it('carry the whole address, the login and the load; streams keep their times', async () => {
    const sim = await startSimulator({ port: 0, ttftSeconds: 0.02, tokenSeconds: 0.005 });
    const seen: [string | undefined, string | undefined][] = [];
    proxy = createServer((request, response) => {
      seen.push([request.url, request.headers['proxy-authorization']]);
      const target = new URL(request.url!);
      const passed = httpRequest(
        { host: '127.0.0.1', port: new URL(sim.url).port, path: target.pathname, method: request.method },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        },
      );
      request.pipe(passed);
    });
    await new Promise<void>((resolve) => proxy!.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const client = createClient({
      baseUrl: 'http://models.example:9',
      headers: {},
      connections: 4,
      proxy: `http://user:secret@127.0.0.1:${port}`,
    });
    const body = JSON.stringify({ model: 'isoperf-simulated', prompt: 'one two', max_tokens: 6, stream: true });
    const results = await Promise.all(
      [0, 1, 2].map((id) =>
        client.send(
          {
            id,
            stage: 0,
            api: 'completion',
            streaming: true,
            route: '/v1/completions',
            body,
            promptHash: '',
            maxTokens: 6,
            promptTexts: [],
          },
          { timeoutSeconds: 10, signal: new AbortController().signal, keepRawBody: false },
        ),
      ),
    );
    await client.close();
    await sim.close();
    for (const { outcome, chunkSeconds, sentSeconds, firstTokenSeconds } of results) {
      expect(outcome).toEqual({ kind: 'ok' });
      expect(chunkSeconds).toHaveLength(6);
      expect(firstTokenSeconds! - sentSeconds!).toBeGreaterThan(0.015);
    }
    const login = `Basic ${Buffer.from('user:secret').toString('base64')}`;
    expect(seen).toEqual([0, 1, 2].map(() => ['http://models.example:9/v1/completions', login]));
  });
});
