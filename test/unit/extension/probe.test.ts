// Whether anything listens where a run would go.
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { probe } from '../../../src/extension/probe';

const server = createServer();
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  port = typeof address === 'object' && address ? address.port : 0;
});
afterAll(() => server.close());

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const address = other.address();
  await new Promise((resolve) => other.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

describe('an endpoint', () => {
  it('listens, or nothing does', async () => {
    expect(await probe(`http://127.0.0.1:${port}/v1`)).toBe('listens');
    expect(await probe(`http://127.0.0.1:${await freePort()}`)).toBe('nothing');
  });

  it.each([undefined, 'not a URL', 'ftp://127.0.0.1', '${BASE_URL}'])(
    '%s is not claimed to be anything',
    async (url) => {
      expect(await probe(url)).toBe('unknown');
    },
  );

  it('behind a proxy is not judged by a direct connection', async () => {
    expect(await probe('http://192.0.2.1:8000', 50, { HTTPS_PROXY: 'http://proxy:3128' })).toBe('unknown');
    const closed = `http://127.0.0.1:${await freePort()}`;
    expect(await probe(closed, 2000, { HTTPS_PROXY: 'http://proxy:3128' })).toBe('nothing');
  });

  it('that does not answer in time is unknown', async () => {
    expect(await probe('http://192.0.2.1:8000', 50, {})).toMatch(/unknown|nothing/);
  });
});
