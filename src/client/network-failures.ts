// What went wrong between the two machines, from Node's and undici's error codes: refused, reset, unknown name, TLS.
import { excerpt, type Failure } from './failures';

const CONNECTION = 'Connection Error';

interface NodeError extends Error {
  readonly code?: string;
  readonly hostname?: string;
  readonly errors?: readonly unknown[];
}

/**
 * Any error of the network, by its code, in a sentence.
 * @param origin where the request went, `http://host:port`; with a proxy only that is ever connected to from here
 * @param started how far the answer had come, undefined when no response had begun
 */
export function networkFailure(
  error: unknown,
  { origin, proxy }: { readonly origin: string; readonly proxy?: string | undefined },
  started: string | undefined,
): Failure {
  const node = firstCause(error);
  const code = node.code ?? '';
  if (started !== undefined) return brokenAnswer(code, node, origin, started);
  const ofProxy = proxy === undefined ? undefined : proxyFailure(code, node, proxy, origin);
  if (ofProxy) return ofProxy;
  const known = connectFailure(code, node, origin) ?? tlsFailure(code, node, origin);
  if (known) return known;
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ECONNABORTED') {
    return failure('ServerDisconnectedError', `Connection reset by ${origin} before it answered.`);
  }
  if (code === 'UND_ERR_SOCKET') {
    return failure('ServerDisconnectedError', `Connection closed by ${origin} before it answered.`);
  }
  if (isProtocolError(node)) {
    const hint = origin.startsWith('http:') ? ' If it speaks TLS, write https:// in base_url.' : '';
    return failure('ClientResponseError', `What ${origin} answered is not HTTP (${node.message}).${hint}`, 'not http');
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return failure('ClientResponseError', `The answer's headers from ${origin} are too large.`, 'not http');
  }
  return failure(node.name, `Connection to ${origin} failed: ${plain(node)}.`);
}

/** The code of what happened first, where it has one. */
export function networkCode(error: unknown): string | undefined {
  return firstCause(error).code;
}

/** Refused, reset, closed, no name or no way: what may have gone by the next attempt. Timeouts and certificates are none of them. */
const PASSING: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'UND_ERR_SOCKET'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL'],
]);

export function isPassing(error: unknown): boolean {
  return PASSING.has(networkCode(error) ?? '');
}

/** The server's answer to a handshake without the certificate that it wants. */
export const WANTS_CERTIFICATE = /CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE|UNKNOWN_CA/;

function plain(node: NodeError): string {
  const code = node.code ?? '';
  return node.message === '' ? code : `${excerpt(node.message)}${code === '' ? '' : ` (${code})`}`;
}

function brokenAnswer(code: string, node: NodeError, origin: string, progress: string): Failure {
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ECONNABORTED') {
    return failure('ClientOSError', `Connection reset by ${origin} in the middle of the answer (${progress}).`);
  }
  if (code === 'UND_ERR_SOCKET') {
    return failure('ClientPayloadError', `Connection closed by ${origin} in the middle of the answer (${progress}).`);
  }
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    return failure(
      'ClientPayloadError',
      `Connection closed by ${origin} before all of the announced body came (${progress}).`,
    );
  }
  if (isProtocolError(node)) {
    return failure(
      'ClientPayloadError',
      `The answer of ${origin} breaks the rules of HTTP: ${node.message} (${progress}).`,
    );
  }
  return failure(node.name, `Connection to ${origin} broke in the middle of the answer: ${plain(node)} (${progress}).`);
}

function connectFailure(code: string, node: NodeError, origin: string): Failure | undefined {
  switch (code) {
    case 'ECONNREFUSED':
      return failure(
        'ClientConnectorError',
        `Connection refused by ${origin}: nothing listens there. Is the server up, is the port right?`,
      );
    case 'ENOTFOUND':
      return failure(
        'ClientConnectorDNSError',
        `Cannot connect: the name ${node.hostname ?? origin} does not exist (DNS).`,
      );
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
      return failure(
        'ClientConnectorDNSError',
        `Cannot connect: the name server did not answer for ${node.hostname ?? origin} (DNS, ${code}).`,
      );
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EADDRNOTAVAIL':
      return failure('ClientConnectorError', `Cannot connect: there is no route to ${origin} (${code}).`);
    case 'EMFILE':
    case 'ENFILE':
      return failure(
        'ClientConnectorError',
        `Cannot connect: this machine ran out of file descriptors (${code}). Raise the limit (ulimit -n) or lower the concurrency.`,
      );
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return failure(
        'ConnectionTimeoutError',
        `Connection timeout: ${origin} did not accept a connection in time.`,
        'Timeout',
      );
    default:
      return undefined;
  }
}

/** Every connection from here is one to the proxy: what fails before a tunnel stands is the proxy's. */
function proxyFailure(code: string, node: NodeError, proxy: string, origin: string): Failure | undefined {
  const failed = (why: string): Failure =>
    failure(
      'ClientProxyConnectionError',
      `Cannot connect to the proxy ${proxy}, which the environment names for ${origin}: ${why}`,
    );
  // undici says the proxy's status in these words only.
  // eslint-disable-next-line house/no-decision-on-prose
  const refused = /Proxy response \((\d+)\)/.exec(node.message)?.[1];
  if (refused !== undefined) return failed(`it answered ${refused} when a tunnel was asked for.`);
  if (code === 'ECONNREFUSED') return failed('nothing listens there.');
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EAI_FAIL')
    return failed('its name is not known (DNS).');
  if (/^(?:EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/.test(code))
    return failed(`there is no way to it (${code}).`);
  return undefined;
}

function tlsFailure(code: string, node: NodeError, origin: string): Failure | undefined {
  const certificate = (why: string): Failure =>
    failure('ClientConnectorCertificateError', `Cannot connect: the TLS certificate of ${origin} ${why}`);
  switch (code) {
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return certificate(`is not signed by an authority known here (${code}). Name its CA file to trust it.`);
    case 'CERT_HAS_EXPIRED':
      return certificate('has expired.');
    case 'CERT_NOT_YET_VALID':
      return certificate('is not valid yet. Check the clocks.');
    case 'CERT_REVOKED':
      return certificate('was revoked.');
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return certificate(`is for another name: ${excerpt(node.message)}`);
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return failure(
        'ClientConnectorSSLError',
        `Cannot connect: ${origin} does not speak TLS. Write http:// in base_url?`,
      );
    default:
      if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_') || code === 'EPROTO') {
        return failure(
          'ClientConnectorSSLError',
          `Cannot connect: the TLS handshake with ${origin} failed (${code}). ${clientCertificateHint(code)}`,
        );
      }
      return undefined;
  }
}

function clientCertificateHint(code: string): string {
  return WANTS_CERTIFICATE.test(code) ? 'The server may want a client certificate (cert_path, key_path).' : '';
}

function failure(errorType: string, message: string, label: string = CONNECTION): Failure {
  return { errorType, label, message: message.trim() };
}

/** undici names a parser's complaint by class; the code is missing in some releases. */
function isProtocolError(node: NodeError): boolean {
  return node.name === 'HTTPParserError' || node.code?.startsWith('HPE_') === true;
}

/** Node tries every address of a name and reports an aggregate; its first member says what happened. */
function firstCause(error: unknown): NodeError {
  if (!(error instanceof Error)) return new Error(String(error));
  const node = error as NodeError;
  const first = node.errors?.[0];
  if (first instanceof Error) return firstCause(first);
  if (node.code === undefined && node.cause instanceof Error) return firstCause(node.cause);
  return node;
}
