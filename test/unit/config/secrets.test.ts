// Nothing that opens a door may reach a report, a log or a screen.
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/load';
import { redactConfig, redactText } from '../../../src/config/secrets';

const CONFIG = `server:
  base_url: https://user:hunter2@h:8000
  api_key: sk-abcdefghijkl
tokenizer:
  token: hf_abcdefghijkl
api:
  headers:
    Authorization: Bearer abcdef123456
    X-Api-Key: k3y
    Ocp-Apim-Subscription-Key: subscr1ption
    x-functions-key: fn-0815
    X-Auth: letme1n
    x-slo-ttft-ms: "200"
    x-route: https://u:p4ss@r/x
metrics:
  type: prometheus
  prometheus:
    url: http://prom:s3cret@p:9090
load:
  stages: [{ rate: 1, duration: 2 }]
`;

describe('redactConfig', () => {
  const { config } = readConfig(CONFIG).loaded!;
  const redacted = redactConfig(config);
  it('removes every secret and keeps the rest', () => {
    const text = JSON.stringify(redacted);
    for (const secret of [
      'hunter2',
      'sk-abc',
      'hf_abc',
      'abcdef123456',
      'k3y',
      'p4ss',
      's3cret',
      'subscr1ption',
      'fn-0815',
      'letme1n',
    ])
      expect(text).not.toContain(secret);
    expect(text).toContain('h:8000');
    expect(redacted.api.headers).toMatchObject({ 'x-slo-ttft-ms': '200', Authorization: '<removed>' });
    expect(redacted.load).toEqual(config.load);
  });
  it('leaves the config itself alone, and what is not set unset', () => {
    expect(config.server?.api_key).toBe('sk-abcdefghijkl');
    const { config: bare } = readConfig('server: {base_url: http://h:1}').loaded!;
    expect(redactConfig(bare)).toEqual(bare);
  });
});

describe('redactText', () => {
  it('removes them from a config’s text, line by line', () => {
    const text = redactText(CONFIG);
    for (const secret of ['hunter2', 'sk-abc', 'hf_abc', 'abcdef123456', 'k3y', 'p4ss', 's3cret'])
      expect(text).not.toContain(secret);
    expect(text.split('\n')).toHaveLength(CONFIG.split('\n').length);
    expect(text).toContain('rate: 1');
  });
  it.each([
    ['401 for Authorization: Bearer abcdef123456', '401 for Authorization: Bearer <removed>'],
    ['GET http://a:b@h/x failed', 'GET http://<removed>@h/x failed'],
    ['{"api_key":"zzz"}', '{"api_key":"<removed>"}'],
    ['max_tokens: 30, token_source: client', 'max_tokens: 30, token_source: client'],
    ['api_key: null', 'api_key: null'],
    ['token: ~', 'token: ~'],
    ['token: <removed>', 'token: <removed>'],
    // Keys of well-known services, wherever they stand and whatever is said around them.
    ['no access for hf_AbCdEfGhIjKl, log in again', 'no access for <removed>, log in again'],
    ['(hf_12345678)', '(<removed>)'],
    ['hf_1234567', 'hf_1234567'],
    ['shelf_abcdefghijkl', 'shelf_abcdefghijkl'],
    ['Incorrect API key provided: sk-proj_Ab12-cd.', 'Incorrect API key provided: <removed>.'],
    ['sent nvapi-Ab12_cd-34 twice: nvapi-Ab12_cd-34', 'sent <removed> twice: <removed>'],
    ...['ghp', 'gho', 'ghu', 'ghs', 'ghr'].map((kind) => [`a ${kind}_${'a1'.repeat(10)} b`, 'a <removed> b']),
    [`a github_pat_${'a1'.repeat(10)} b`, 'a <removed> b'],
    [`a glpat-${'a-1b'.repeat(4)} b`, 'a <removed> b'],
    ...['a', 'b', 'p', 'r', 's'].map((kind) => [`a xox${kind}-12345-abcd b`, 'a <removed> b']),
    ...['AKIA', 'ASIA'].map((kind) => [`a ${kind}${'AB12'.repeat(4)} b`, 'a <removed> b']),
    [`a AIza${'a-_1b'.repeat(6)} b`, 'a <removed> b'],
    ['a eyJhbGciOiJI.eyJzdWIiOiIx.s1gn-at_ure b', 'a <removed> b'],
    ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic <removed>'],
    ['Authorization: Bearer abcdef123', 'Authorization: Bearer <removed>'],
    ['authorization: basic abcd', 'authorization: basic abcd'],
    ['postgres://me:a/b@db:5432/x', 'postgres://<removed>@db:5432/x'],
    ['pull registry://h:5000/image@sha256:ab', 'pull registry://h:5000/image@sha256:ab'],
    ['WWW-Authenticate: Basic dXNlcjpwYXNz', 'WWW-Authenticate: Basic <removed>'],
    ['bearer ABCDEF', 'bearer <removed>'],
    ['Bearer of bad news', 'Bearer of bad news'],
    // Named, in YAML, JSON, headers and addresses.
    ...['api_key', 'api-key', 'apikey', 'API_KEY', 'token', 'password', 'secret', 'x-api-key', 'my-token'].flatMap(
      (name) => [
        [`${name}: zzz`, `${name}: <removed>`],
        [`a, '${name}' = 'zzz', b`, `a, '${name}' = '<removed>', b`],
      ],
    ),
    ['Authorization: zzz', 'Authorization: <removed>'],
    ['total-tokens: 30', 'total-tokens: 30'],
  ])('%s', (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });
});
