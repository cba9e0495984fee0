// Where requests go and what every one of them carries: address, headers, TLS files, and what must never be printed.
import { readFileSync } from 'node:fs';
import { SECRET_HEADER } from '../config/secrets';
import type { Problem } from '../problem';
import type { ClientOptions } from './types';

declare const ISOPERF_VERSION: string;

/** An expected failure to set a client up or to reach its server; the shells print its `problem`. */
export class ClientProblem extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
    this.name = 'ClientProblem';
  }
}

export interface Endpoint {
  /** `http://host:port`, no path. */
  readonly origin: string;
  /** The path of a route: the base URL's own before it. */
  readonly pathOf: (route: string) => string;
  /** Names and values in turn, as they go on the wire. */
  readonly headers: readonly string[];
  readonly tls: TlsFiles;
  /** The proxy on the way, without its credentials. */
  readonly proxy?: string | undefined;
  /** Removes the secrets this endpoint knows from a text. */
  readonly redact: (text: string) => string;
}

/** The one version of the Messages API there is (reference 4.1). */
const ANTHROPIC_VERSION = '2023-06-01';

interface TlsFiles {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/**
 * Checks and prepares the options once, before any request.
 * @throws ClientProblem RUN101 for an address, RUN102 for a file, RUN103 for a header that cannot be used
 */
export function createEndpoint(options: ClientOptions): Endpoint {
  const url = readBaseUrl(options.baseUrl);
  const password = decodeURIComponent(url.password);
  const basic =
    url.username === '' ? undefined : Buffer.from(`${decodeURIComponent(url.username)}:${password}`).toString('base64');
  const fields = new Map<string, readonly [string, string]>();
  const set = (name: string, value: string): void => {
    fields.set(name.toLowerCase(), [name, value]);
  };
  set('content-type', 'application/json');
  set('user-agent', `isoperf/${ISOPERF_VERSION}`);
  const anthropic = options.api === 'anthropic_messages';
  // inference-perf leaves the version out without a key; the API asks for it always.
  if (anthropic) set('anthropic-version', ANTHROPIC_VERSION);
  const hasKey = options.apiKey !== undefined && options.apiKey !== '';
  if (hasKey && anthropic) set('x-api-key', options.apiKey);
  else if (hasKey) set('authorization', `Bearer ${options.apiKey}`);
  else if (basic !== undefined) set('authorization', `Basic ${basic}`);
  // As in inference-perf, the config's own headers replace ours, whatever their case.
  for (const [name, value] of Object.entries(options.headers)) set(name, value);
  for (const [name, value] of fields.values()) checkHeader(name, value);
  return {
    origin: url.origin,
    pathOf: pathsAfter(url.pathname.replace(/\/+$/, '')),
    headers: [...fields.values()].flat(),
    tls: readTlsFiles(options),
    proxy: options.proxy === undefined ? undefined : new URL(options.proxy).origin,
    redact: createRedactor([options.apiKey, password, basic, ...secretHeaders(options.headers)]),
  };
}

function readBaseUrl(text: string): URL {
  const refuse = (why: string): ClientProblem =>
    new ClientProblem({
      code: 'RUN101',
      severity: 'error',
      path: ['server', 'base_url'],
      message: `No request can be sent: base_url ${why}.`,
      remedy: 'Write it like http://host:8000 or https://host/prefix.',
    });
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw refuse(`"${withoutCredentials(text)}" is not a URL`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw refuse(`starts with ${url.protocol} but only http and https are spoken`);
  if (url.search !== '' || url.hash !== '')
    throw refuse('has a query or a fragment, which the route would be appended to');
  return url;
}

/** A URL that does not parse may still hold a password. */
function withoutCredentials(text: string): string {
  return text.replace(/\/\/[^@/]*@/, '//***@');
}

/** Base path and route with exactly one slash between them; each of the few routes of a run once, as one text that all its requests share. */
function pathsAfter(prefix: string): (route: string) => string {
  const paths = new Map<string, string>();
  return (route) => {
    let path = paths.get(route);
    if (path === undefined) {
      path = `${prefix}/${route.replace(/^\/+/, '')}`;
      paths.set(route, path);
    }
    return path;
  };
}

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function checkHeader(name: string, value: string): void {
  if (HEADER_NAME.test(name) && HEADER_VALUE.test(value)) return;
  // The value is not shown: it may be a secret.
  throw new ClientProblem({
    code: 'RUN103',
    severity: 'error',
    path: name.toLowerCase() === 'authorization' ? ['server', 'api_key'] : ['api', 'headers', name],
    message: `No request can be sent: the header ${JSON.stringify(name)} has a name or a value that HTTP forbids (a line break, a space in the name, a character outside latin-1).`,
    remedy: 'Look for a stray newline at the end of the value.',
  });
}

function readTlsFiles(options: ClientOptions): TlsFiles {
  const read = (key: string, path: string | undefined): Buffer | undefined => {
    if (path === undefined) return undefined;
    try {
      return readFileSync(path);
    } catch (error) {
      throw new ClientProblem({
        code: 'RUN102',
        severity: 'error',
        // Authorities are named on the command line only.
        path: key === 'ca_path' ? [] : ['server', key],
        message: `No request can be sent: ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'}).`,
        remedy: key === 'ca_path' ? 'Name another file with --ca-file.' : `Correct server.${key}, or remove it.`,
      });
    }
  };
  const ca = read('ca_path', options.caPath);
  const cert = read('cert_path', options.certPath);
  const key = read('key_path', options.keyPath);
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

function secretHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers)
    .filter(([name]) => SECRET_HEADER.test(name))
    .map(([, value]) => value.replace(/^(bearer|basic)\s+/i, ''));
}

/** Shorter values are not secrets but words ("default"): removing them would garble every message. */
const SHORTEST_SECRET = 6;

function createRedactor(secrets: readonly (string | undefined)[]): (text: string) => string {
  const known = secrets.filter((secret): secret is string => secret !== undefined && secret.length >= SHORTEST_SECRET);
  // As it stands, and as JSON would write it.
  const forms = [...new Set(known.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))];
  return (text) => {
    let clean = text;
    for (const form of forms) if (clean.includes(form)) clean = clean.replaceAll(form, '[secret]');
    return clean;
  };
}
