// How a failed request is named: inference-perf's words where it has one, and one clear sentence each.
//
// Source of the labels: inference-perf main, reportgen/base.py (reference inference-perf.md section 4.6).

/** The parts of a failed outcome. */
export interface Failure {
  readonly errorType: string;
  readonly label: string;
  readonly message: string;
  readonly httpStatus?: number;
}

/** How much of a server's text goes into a message. */
const EXCERPT_LENGTH = 600;

const STATUS_LABELS: Readonly<Record<number, string>> = {
  429: 'Rate Limit',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** Order matters, as upstream's list: the first that matches names the failure. */
const BODY_LABELS: readonly (readonly [RegExp, string])[] = [
  [/context.window|context length|maximum context|max.?tokens|token.?limit/i, 'Context Window'],
  [
    /invalid.?json|json.?parse|malformed.?json|unexpected.?token|expecting value|unterminated string|expecting ',' delimiter/i,
    'Invalid JSON',
  ],
  [/timeout|timed.?out/i, 'Timeout'],
  [/model.?not.?found|no such model/i, 'Model Not Found'],
];

/** An answer whose status is not 200. Like upstream, every other status counts, 201 and 204 too. */
export function httpFailure(status: number, body: string, location?: string): Failure {
  const text = errorText(body) ?? body.trim();
  const fixed = STATUS_LABELS[status];
  const label = fixed ?? BODY_LABELS.find(([pattern]) => pattern.test(text))?.[1] ?? 'other';
  const redirect =
    location === undefined
      ? ''
      : ` It points to ${excerpt(location)}; redirects are not followed, set base_url to the final address.`;
  return {
    errorType: `HTTP Error ${status}`,
    label: `${status} - ${label}`,
    message:
      `The server answered ${status}${text === '' ? ' with an empty body' : `: ${excerpt(text)}`}.${redirect}`.replace(
        /\.\.$/,
        '.',
      ),
    httpStatus: status,
  };
}

/** The total time allowed for the request ran out. */
export function timeoutFailure(timeoutSeconds: number, progress: string): Failure {
  return {
    errorType: 'TimeoutError',
    label: 'Timeout',
    message: `Request timed out: no complete answer within ${timeoutSeconds} s (${progress}).`,
  };
}

/** The server said 200 and then reported an error, inside the stream or as the whole body. */
export function inBandFailure(where: 'stream' | 'answer', description: string): Failure {
  return {
    errorType: where === 'stream' ? 'ErrorInStream' : 'ErrorInAnswer',
    label: `error in ${where}`,
    message: `The server answered 200 and then an error: ${excerpt(description)}`,
    httpStatus: 200,
  };
}

/** 200, well formed, and not one token. */
export function emptyFailure(bodyStart: string): Failure {
  const body = bodyStart.trim() === '' ? 'the body was empty' : `the body starts ${quoted(bodyStart)}`;
  return {
    errorType: 'EmptyAnswer',
    label: 'empty answer',
    message: `The server answered 200 without a single token (${body}).`,
    httpStatus: 200,
  };
}

/** The body ended, by the rules of HTTP, before the answer did. */
export function endedEarlyFailure(chunks: number): Failure {
  return {
    errorType: 'StreamEndedEarly',
    label: 'stream ended early',
    message: `The stream ended after ${chunks} token events without [DONE] and without a finish_reason: the answer is incomplete.`,
    httpStatus: 200,
  };
}

/** 200 and a body that is not what was asked for. */
export function unreadableFailure(reason: string, text: string): Failure {
  return {
    errorType: 'UnreadableAnswer',
    label: 'unreadable answer',
    message: `The answer cannot be read (${reason}): it starts ${quoted(text)}.`,
    httpStatus: 200,
  };
}

const CONNECTION = 'Connection Error';

interface NodeError extends Error {
  readonly code?: string;
  readonly hostname?: string;
  readonly errors?: readonly unknown[];
}

/**
 * Any error of the network, by its code, in a sentence.
 * @param origin where the request went, `http://host:port`
 * @param started how far the answer had come, undefined when no response had begun
 */
export function networkFailure(error: unknown, origin: string, started: string | undefined): Failure {
  const node = firstCause(error);
  const code = node.code ?? '';
  if (started !== undefined) return brokenAnswer(code, node, origin, started);
  const known = connectFailure(code, node, origin) ?? tlsFailure(code, node, origin);
  if (known) return known;
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ECONNABORTED') {
    return failure('ServerDisconnectedError', `Connection reset by ${origin} before it answered.`);
  }
  if (code === 'UND_ERR_SOCKET') {
    return failure('ServerDisconnectedError', `Connection closed by ${origin} before it answered.`);
  }
  if (code.startsWith('HPE_')) {
    const hint = origin.startsWith('http:') ? ' If it speaks TLS, write https:// in base_url.' : '';
    return failure('ClientResponseError', `What ${origin} answered is not HTTP (${node.message}).${hint}`, 'not http');
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return failure('ClientResponseError', `The answer's headers from ${origin} are too large.`, 'not http');
  }
  return failure(node.name, `Connection to ${origin} failed: ${plain(node)}.`);
}

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
  if (code.startsWith('HPE_')) {
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
  return /CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE|UNKNOWN_CA/.test(code)
    ? 'The server may want a client certificate (cert_path, key_path).'
    : '';
}

function failure(errorType: string, message: string, label: string = CONNECTION): Failure {
  return { errorType, label, message: message.trim() };
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

/** The sentence in an error body, whatever the server's dialect; undefined when the text is not a JSON object with one. */
export function errorText(body: string): string | undefined {
  try {
    return describeError(JSON.parse(body));
  } catch {
    return undefined;
  }
}

/**
 * The error that a decoded JSON value reports, or undefined when it reports none. Dialects: OpenAI `{error: {message}}`,
 * `{error: "text"}` (TGI), `{object: "error", message}` (older vLLM), `{detail}` (FastAPI), `{type: "error"}` (Anthropic).
 */
export function describeError(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const error = value['error'];
  if (typeof error === 'string' && error !== '') return error;
  if (isObject(error)) {
    const code = error['code'] ?? error['type'];
    const message = typeof error['message'] === 'string' ? error['message'] : JSON.stringify(error);
    return typeof code === 'number' || typeof code === 'string' ? `${message} (${code})` : message;
  }
  if (error !== undefined && error !== null && error !== false && error !== '') return JSON.stringify(error);
  const bare = value['object'] === 'error' || value['type'] === 'error' || !('choices' in value);
  if (!bare) return undefined;
  if (typeof value['message'] === 'string') return value['message'];
  const detail = value['detail'];
  if (detail !== undefined) return typeof detail === 'string' ? detail : JSON.stringify(detail);
  return value['object'] === 'error' || value['type'] === 'error' ? JSON.stringify(value) : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function excerpt(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > EXCERPT_LENGTH ? `${flat.slice(0, EXCERPT_LENGTH)}…` : flat;
}

function quoted(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return `"${flat.length > 160 ? `${flat.slice(0, 160)}…` : flat}"`;
}
