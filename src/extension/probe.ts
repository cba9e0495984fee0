// Does anything listen at an endpoint? One connection that says nothing, so that a run is not started into the void.
import { connect } from 'node:net';

export type Probe = 'listens' | 'nothing' | 'unknown';

/** Behind a proxy a direct connection proves nothing. */
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'] as const;

/** @param limitMs after so long without an answer nothing is claimed: networks may be slow */
export function probe(url: string | undefined, limitMs = 2000, env: NodeJS.ProcessEnv = process.env): Promise<Probe> {
  const place = url === undefined ? undefined : placeOf(url);
  if (!place || (!isLoopback(place.host) && PROXIES.some((name) => (env[name] ?? '') !== ''))) {
    return Promise.resolve('unknown');
  }
  return new Promise((resolve) => {
    const socket = connect(place);
    const end = (found: Probe): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(found);
    };
    const timer = setTimeout(() => end('unknown'), limitMs);
    socket.once('connect', () => end('listens'));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => end(REFUSALS.has(code ?? '') ? 'nothing' : 'unknown'));
  });
}

/** Somebody answered that there is nobody; a name or a route that is missing may be a network's mood, but no server's. */
const REFUSALS: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH']);

function placeOf(url: string): { readonly host: string; readonly port: number } | undefined {
  try {
    const { hostname, port, protocol } = new URL(url);
    if (protocol !== 'http:' && protocol !== 'https:') return undefined;
    const usual = protocol === 'https:' ? 443 : 80;
    return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? usual : Number(port) };
  } catch {
    return undefined;
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
