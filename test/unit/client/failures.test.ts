// What a failure is called: each status, each code of the network once, with its exact class and label.
import { describe, expect, it } from 'vitest';
import { emptyFailure, excerpt, httpFailure, unreadableFailure } from '../../../src/client/failures';
import { networkFailure } from '../../../src/client/network-failures';

describe('a status that is not 200', () => {
  it.each([
    [429, '', '429 - Rate Limit'],
    [500, 'context window', '500 - Internal Server Error'],
    [502, '', '502 - Bad Gateway'],
    [503, '', '503 - Service Unavailable'],
    [504, '', '504 - Gateway Timeout'],
    [400, 'the context_window is full', '400 - Context Window'],
    [400, 'maximum context length', '400 - Context Window'],
    [400, 'Context length exceeded', '400 - Context Window'],
    [400, 'token limit', '400 - Context Window'],
    [400, 'max tokens', '400 - Context Window'],
    [400, 'invalid json', '400 - Invalid JSON'],
    [400, 'JSON parse error', '400 - Invalid JSON'],
    [400, 'malformed JSON', '400 - Invalid JSON'],
    [400, 'unexpected token x', '400 - Invalid JSON'],
    [400, 'Expecting value: line 1', '400 - Invalid JSON'],
    [400, 'Unterminated string', '400 - Invalid JSON'],
    [400, "Expecting ',' delimiter", '400 - Invalid JSON'],
    [408, 'timed out', '408 - Timeout'],
    [408, 'Timeout', '408 - Timeout'],
    [404, 'model not found', '404 - Model Not Found'],
    [404, 'No such model', '404 - Model Not Found'],
    [418, 'teapot', '418 - other'],
  ])('%d with %j is %s', (status, body, label) => {
    expect(httpFailure(status, body)).toMatchObject({ label, errorType: `HTTP Error ${status}`, httpStatus: status });
  });

  it.each([
    [400, 'Unexpected field ignore_eos', 'ignore_eos'],
    [422, 'extra inputs: max_tokens, use max_completion_tokens', 'max_tokens'],
    [400, 'max_completion_tokens is unsupported', 'max_completion_tokens'],
    [400, 'stream_options not allowed', 'stream_options'],
    [400, 'response_format not supported', 'response_format'],
    [400, 'unknown cache_salt', 'cache_salt'],
    [400, 'add_special_tokens not permitted', 'add_special_tokens'],
    [400, 'max_tokens is too large', undefined],
    [400, 'unknown my_max_tokens_field', undefined],
    [403, 'unknown cache_salt', undefined],
  ])('%d with %j refuses the field %s', (status, body, field) => {
    const said = /It refuses the field (\w+):/.exec(httpFailure(status, body).message)?.[1];
    expect(said).toBe(field);
  });

  it('texts of others are cut where they are long', () => {
    expect(excerpt('x'.repeat(600))).toBe('x'.repeat(600));
    expect(excerpt('x'.repeat(601))).toBe(`${'x'.repeat(600)}…`);
    expect(excerpt(' a \n b ')).toBe('a b');
    expect(unreadableFailure('why', 'x'.repeat(160)).message).toContain(`"${'x'.repeat(160)}"`);
    expect(unreadableFailure('why', 'x'.repeat(161)).message).toContain(`"${'x'.repeat(160)}…"`);
    expect(emptyFailure(' ').message).toContain('the body was empty');
    expect(emptyFailure('x').message).toContain('starts "x"');
  });
});

describe('a failure of the network', () => {
  const said = (
    code: string,
    more: { proxy?: string; started?: string; message?: string; name?: string; origin?: string } = {},
  ) => {
    const error = Object.assign(new Error(more.message ?? 'low level'), {
      code,
      ...(more.name ? { name: more.name } : {}),
    });
    const { origin = 'http://h:1', proxy, started } = more;
    const { errorType, label } = networkFailure(error, { origin, proxy }, started);
    return [errorType, label];
  };

  it.each([
    ['ECONNREFUSED', 'ClientConnectorError', 'Connection Error'],
    ['ENOTFOUND', 'ClientConnectorDNSError', 'Connection Error'],
    ['EAI_AGAIN', 'ClientConnectorDNSError', 'Connection Error'],
    ['EAI_FAIL', 'ClientConnectorDNSError', 'Connection Error'],
    ['EHOSTUNREACH', 'ClientConnectorError', 'Connection Error'],
    ['ENETUNREACH', 'ClientConnectorError', 'Connection Error'],
    ['EADDRNOTAVAIL', 'ClientConnectorError', 'Connection Error'],
    ['EMFILE', 'ClientConnectorError', 'Connection Error'],
    ['ENFILE', 'ClientConnectorError', 'Connection Error'],
    ['UND_ERR_CONNECT_TIMEOUT', 'ConnectionTimeoutError', 'Timeout'],
    ['ETIMEDOUT', 'ConnectionTimeoutError', 'Timeout'],
    ['ECONNRESET', 'ServerDisconnectedError', 'Connection Error'],
    ['EPIPE', 'ServerDisconnectedError', 'Connection Error'],
    ['ECONNABORTED', 'ServerDisconnectedError', 'Connection Error'],
    ['UND_ERR_SOCKET', 'ServerDisconnectedError', 'Connection Error'],
    ['HPE_INVALID_CONSTANT', 'ClientResponseError', 'not http'],
    ['UND_ERR_HEADERS_OVERFLOW', 'ClientResponseError', 'not http'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'ClientConnectorCertificateError', 'Connection Error'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'ClientConnectorCertificateError', 'Connection Error'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ClientConnectorCertificateError', 'Connection Error'],
    ['UNABLE_TO_GET_ISSUER_CERT', 'ClientConnectorCertificateError', 'Connection Error'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'ClientConnectorCertificateError', 'Connection Error'],
    ['CERT_HAS_EXPIRED', 'ClientConnectorCertificateError', 'Connection Error'],
    ['CERT_NOT_YET_VALID', 'ClientConnectorCertificateError', 'Connection Error'],
    ['CERT_REVOKED', 'ClientConnectorCertificateError', 'Connection Error'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'ClientConnectorCertificateError', 'Connection Error'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'ClientConnectorSSLError', 'Connection Error'],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'ClientConnectorSSLError', 'Connection Error'],
    ['ERR_SSL_X', 'ClientConnectorSSLError', 'Connection Error'],
    ['ERR_TLS_X', 'ClientConnectorSSLError', 'Connection Error'],
    ['EPROTO', 'ClientConnectorSSLError', 'Connection Error'],
    ['ESOMETHING', 'Error', 'Connection Error'],
  ])('%s is a %s, %s', (code, errorType, label) => {
    expect(said(code)).toEqual([errorType, label]);
  });

  it.each([
    ['ECONNRESET', 'ClientOSError'],
    ['EPIPE', 'ClientOSError'],
    ['ECONNABORTED', 'ClientOSError'],
    ['UND_ERR_SOCKET', 'ClientPayloadError'],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'ClientPayloadError'],
    ['HPE_INVALID_CHUNK_SIZE', 'ClientPayloadError'],
    ['ESOMETHING', 'Error'],
  ])('%s in the middle of an answer is a %s', (code, errorType) => {
    expect(said(code, { started: '3 token events', proxy: 'http://p:1' })).toEqual([errorType, 'Connection Error']);
  });

  it.each([
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EAI_FAIL',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ETIMEDOUT',
    'UND_ERR_CONNECT_TIMEOUT',
  ])('%s through a proxy is the proxy’s', (code) => {
    expect(said(code, { proxy: 'http://p:1' })[0]).toBe('ClientProxyConnectionError');
  });

  it('through a proxy whose tunnel stands is the server’s', () => {
    expect(said('CERT_HAS_EXPIRED', { proxy: 'http://p:1' })[0]).toBe('ClientConnectorCertificateError');
    expect(said('UND_ERR_ABORTED', { proxy: 'http://p:1', message: 'Proxy response (407) !== 200' })[0]).toBe(
      'ClientProxyConnectionError',
    );
  });

  it.each([
    ['EPROTO', false],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', true],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', true],
    ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', true],
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', true],
  ])('%s hints at a client certificate: %s', (code, hints) => {
    const { message } = networkFailure(Object.assign(new Error('x'), { code }), { origin: 'https://h' }, undefined);
    expect(message.includes('cert_path')).toBe(hints);
  });

  it('something that is no HTTP is asked for TLS only where none is spoken', () => {
    const of = (origin: string) =>
      networkFailure(Object.assign(new Error('x'), { name: 'HTTPParserError' }), { origin }, undefined);
    expect(of('http://h').label).toBe('not http');
    expect(of('http://h').message).toContain('https://');
    expect(of('https://h').message).not.toContain('write https://');
  });

  it('is the first cause of an aggregate, and the cause of what has no code', () => {
    const refused = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
    const of = (error: unknown) => networkFailure(error, { origin: 'http://h' }, undefined).errorType;
    expect(of(new AggregateError([refused], 'all'))).toBe('ClientConnectorError');
    expect(of(new Error('outer', { cause: refused }))).toBe('ClientConnectorError');
    expect(of(Object.assign(new Error('outer', { cause: refused }), { code: 'EPIPE' }))).toBe(
      'ServerDisconnectedError',
    );
    expect(of('words')).toBe('Error');
  });
});
