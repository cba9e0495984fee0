// What the environment does to the way to the server: a proxy (never for local addresses), TLS checks switched off. Always said.
import { isIP } from 'node:net';
import type { Problem } from '../problem';
import type { RunOptions } from './types';

export interface ProxyChoice {
  /** Address of the proxy, with credentials if it has some; undefined when requests go straight to the server. */
  readonly url?: string;
  /** For the plan and the report, without credentials. */
  readonly inWords: string;
}

/** Node's own switch turns off the checks of every connection. */
export function checksCertificates(env: RunOptions['env']): boolean {
  return env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0';
}

/** The warning of a run whose certificates nobody checks. */
export function uncheckedTls(baseUrl: string, env: RunOptions['env']): Problem[] {
  if (!/^https:/i.test(baseUrl) || checksCertificates(env)) return [];
  return [
    {
      code: 'RUN037',
      severity: 'warning',
      path: ['server', 'base_url'],
      message:
        'The server’s certificate is not checked, because NODE_TLS_REJECT_UNAUTHORIZED=0 is in the environment: whoever answers is taken for the server, and the API key is sent there.',
      remedy: 'Name the certificate’s authority with --ca-file, and remove the variable.',
    },
  ];
}

/** Undefined when the environment names no proxy for such an address. */
export function proxyFor(baseUrl: string, env: RunOptions['env']): ProxyChoice | undefined {
  if (!URL.canParse(baseUrl)) return undefined;
  const { protocol, hostname } = new URL(baseUrl);
  const found = variableFor(protocol, env);
  if (!found) return undefined;
  const [variable, value] = found;
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (isLocal(host)) return { inWords: `not used, though ${variable} is set: ${host} is a local address` };
  if (isExempt(host, read(env, 'NO_PROXY') ?? '')) {
    return { inWords: `not used, though ${variable} is set: NO_PROXY exempts ${host}` };
  }
  const url = value.includes('://') ? value : `http://${value}`;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    return { inWords: `not used: ${variable} is not the address of an HTTP proxy` };
  }
  const { origin } = new URL(url);
  return { url, inWords: `${origin} (${variable})` };
}

/** Lower case wins, as in curl; ALL_PROXY stands in for both. */
function variableFor(protocol: string, env: RunOptions['env']): readonly [string, string] | undefined {
  for (const name of [protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY', 'ALL_PROXY']) {
    const value = read(env, name);
    if (value !== undefined) return [name, value];
  }
  return undefined;
}

function read(env: RunOptions['env'], name: string): string | undefined {
  const value = env[name.toLowerCase()] ?? env[name];
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

/** Loopback, link-local and private addresses, names without a dot, and names that only a local network or a cluster resolves. */
function isLocal(host: string): boolean {
  if (isIP(host) === 4) return /^(127|10|0)\.|^192\.168\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\./.test(host);
  if (isIP(host) === 6) return host === '::1' || /^f[cd]|^fe[89ab]/.test(host);
  return !host.includes('.') || /\.(local|localhost|internal|svc)$/.test(host);
}

/** NO_PROXY: names that stand for themselves and all below them, addresses, `*`. */
function isExempt(host: string, list: string): boolean {
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map((entry) =>
      entry
        .toLowerCase()
        .replace(/^\*?\./, '')
        .replace(/:\d+$/, ''),
    )
    .some((entry) => entry === '*' || host === entry || host.endsWith(`.${entry}`));
}
