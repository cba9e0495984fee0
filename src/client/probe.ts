// Asks a server who it is before the load starts: `/v1/models` and `/version`.
import { ClientProblem } from './endpoint';
import { WANTS_CERTIFICATE } from './network-failures';
import type { ServerFacts, WireResult } from './types';
import { isObject } from '../own';

export interface FetchedText {
  readonly result: WireResult;
  readonly body: string;
}

/** A GET in whatever way the transport does it. Never rejects. */
export type FetchText = (path: string) => Promise<FetchedText>;

/**
 * What the server says of itself; whatever it does not say is a note, never a guess.
 * @throws ClientProblem RUN104 when it cannot be reached at all
 */
export async function probeServer(origin: string, endsInV1: boolean, fetchText: FetchText): Promise<ServerFacts> {
  const notes: string[] = [];
  const models = await fetchText('/v1/models');
  const status = statusOf(models.result);
  if (status === undefined && models.result.outcome.kind === 'failed') {
    throw new ClientProblem({
      code: 'RUN104',
      severity: 'error',
      path: ['server', 'base_url'],
      message: `The run cannot start: ${models.result.outcome.message}`,
      remedy: remedyFor(models.result.outcome.errorType, models.result.networkCode ?? '', origin),
    });
  }
  if (status === 404 && endsInV1) {
    throw new ClientProblem({
      code: 'RUN104',
      severity: 'error',
      path: ['server', 'base_url'],
      message: `The run cannot start: base_url ends in /v1, to which the routes (/v1/models, ...) are added, and the server answers 404 there.`,
      remedy: 'Leave /v1 out of base_url.',
    });
  }
  const listed = status === 200 ? modelsOf(models.body) : undefined;
  const names = listed?.map(({ id }) => id);
  const lengths = new Map(listed?.flatMap(({ id, tokens }) => (tokens === undefined ? [] : [[id, tokens] as const])));
  if (names === undefined) notes.push(explain('/v1/models', status, 'a list of models'));
  const asked = await fetchText('/version');
  const version = statusOf(asked.result) === 200 ? versionText(asked.body) : undefined;
  if (version === undefined) notes.push(explain('/version', statusOf(asked.result), 'a version'));
  return {
    ...(version === undefined ? {} : { version }),
    ...(names === undefined ? {} : { models: names }),
    ...(lengths.size === 0 ? {} : { maxModelTokens: lengths }),
    ...(status === 401 || status === 403 ? { keyRejected: true } : {}),
    notes,
  };
}

function statusOf(result: WireResult): number | undefined {
  const { outcome } = result;
  if (outcome.kind === 'ok') return 200;
  return outcome.kind === 'failed' ? outcome.httpStatus : undefined;
}

function explain(path: string, status: number | undefined, what: string): string {
  if (status === undefined) return `${path}: no answer.`;
  if (status === 200) return `${path} answered 200 but not with ${what}.`;
  const why = status === 401 || status === 403 ? ': the API key is missing or was rejected' : '';
  return `${path} answered ${status}${why}.`;
}

/** What helps depends on how far the connection came. */
function remedyFor(errorType: string, code: string, origin: string): string {
  switch (errorType) {
    case 'ClientConnectorCertificateError':
      return certificateRemedy(code);
    case 'ClientConnectorSSLError':
      if (WANTS_CERTIFICATE.test(code))
        return 'Write the client certificate that the server wants into server.cert_path and server.key_path.';
      return `Use the scheme the server speaks, http or https, in base_url (${origin}).`;
    case 'ClientResponseError':
      return `Use the scheme the server speaks, http or https, in base_url (${origin}).`;
    case 'ClientConnectorDNSError':
      return `Correct the name in base_url (${origin}).`;
    case 'ClientProxyConnectionError':
      return 'Start the proxy, correct its variable, or exempt the server in NO_PROXY.';
    default:
      return `Start the server, or correct base_url (${origin}).`;
  }
}

function certificateRemedy(code: string): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
    case 'CERT_REVOKED':
      return 'Give the server a new certificate.';
    case 'CERT_NOT_YET_VALID':
      return 'Set the clocks of both machines.';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'Write the name that the certificate is for into base_url, or give the server one for this name.';
    default:
      return 'Name the certificate’s authority with --ca-file.';
  }
}

function modelsOf(body: string): readonly { id: string; tokens: number | undefined }[] | undefined {
  const value = parse(body);
  const data = isObject(value) ? value['data'] : undefined;
  if (!Array.isArray(data)) return undefined;
  return (data as readonly unknown[]).flatMap((each) =>
    isObject(each) && typeof each['id'] === 'string'
      ? [{ id: each['id'], tokens: lengthOf(each['max_model_len']) }]
      : [],
  );
}

function lengthOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

function versionText(body: string): string | undefined {
  const value = parse(body);
  const version = isObject(value) ? value['version'] : value;
  return typeof version === 'string' && version !== '' ? version : undefined;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}
