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
  ])('%s', (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });
});
