// Where secrets stand: which headers, which keys of a config, which part of an address.
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/load';
import { isSecretPath, redactConfig, redactText, withoutCredentials } from '../../../src/config/secrets';

function headers(given: Readonly<Record<string, string>>): unknown {
  const lines = Object.entries(given).map(([name, value]) => `    ${name}: "${value}"\n`);
  const { config } = readConfig(`server: {base_url: http://h:1}\napi:\n  headers:\n${lines.join('')}`).loaded!;
  return redactConfig(config).api.headers;
}

describe('headers', () => {
  it.each(['X-Auth', 'X-Key', 'x-token', 'X-SECRET', 'X-Password', 'Cookie', 'X-Credential', 'X-Signature'])(
    '%s is a secret by its name',
    (name) => expect(headers({ [name]: 'v' })).toEqual({ [name]: '<removed>' }),
  );

  it('others stay, without what is a secret by its look', () => {
    const given = { 'x-slo-tpot-ms': '20', 'X-Route': 'blue', 'X-Note': 'ask hf_abcdefgh1234' };
    expect(headers(given)).toEqual({ ...given, 'X-Note': 'ask <removed>' });
  });
});

it.each([
  [['api', 'headers', 'X-Route'], true],
  [['api', 'headers'], true],
  [['api', 'type'], false],
  [['server', 'api_key'], true],
  [['server', 'base_url'], false],
  [['server', 'token'], false],
  [['tokenizer', 'token'], true],
  [['tokenizer', 'api_key'], false],
  [['data', 'api_key'], false],
  [['load', 'headers'], false],
] as const)('the value at %j is a secret: %s', (path, is) => {
  expect(isSecretPath([...path])).toBe(is);
});

describe('addresses', () => {
  it.each([
    ['http://user:pw@h:1/x', 'http://h:1/x'],
    ['https://token@h/x', 'https://h/x'],
    ['http://h:1/x', 'http://h:1/x'],
    ['http://h/a@b', 'http://h/a@b'],
  ])('%s is %s without its user', (url, without) => {
    expect(withoutCredentials(url)).toBe(without);
  });

  it('wherever they stand in a config, in lists too; what is no text stays what it is', () => {
    const { config } = readConfig(
      'server: {base_url: "http://u:p@h:1"}\nload: {stages: [{rate: 1, duration: 2}]}',
    ).loaded!;
    const odd = { ...config, extra: ['http://a:b@c/', 7, null, { url: 'redis://:pw@r:1' }] };
    const redacted = redactConfig(odd);
    expect(redacted.extra[0]).toBe('http://c/');
    expect(redacted.extra.slice(1, 3)).toEqual([7, null]);
    expect(JSON.stringify(redacted.extra[3])).not.toContain('pw');
    expect(redacted.load).toEqual(config.load);
  });

  it('a mail address and a decorator are no address with a password', () => {
    expect(redactText('write to a@b.example, @see http://h/x')).toBe('write to a@b.example, @see http://h/x');
  });
});
