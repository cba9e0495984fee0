// Secrets in a stack record: in whatever form an argument is written they go, and what only sounds like one stays.
import fc from 'fast-check';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { stackChanges } from '../../../src/comparability/stack-diff';
import { parseStack, type StackRecord } from '../../../src/folder/stack';

function parsed(text: string): StackRecord {
  const result = parseStack(text, 'stack.yaml');
  if (!result.ok) throw new Error(result.problems[0]!.message);
  return result.value;
}

/** A Deployment with these arguments; JSON is YAML. */
const deployment = (container: object, more: object = {}): string =>
  JSON.stringify({
    kind: 'Deployment',
    spec: { template: { spec: { containers: [{ name: 'vllm', ...container }] } } },
    ...more,
  });

const SECRET_FLAGS = [
  '--api-key',
  '--hf-token',
  '--token',
  '--ssl-key-password',
  '--auth-token',
  '--secret',
  '--access_key',
];
const SECRET_NAMES = [
  'HF_TOKEN',
  'MY_PAT',
  'VLLM_API_KEY',
  'DB_PASSWORD',
  'AWS_SECRET_ACCESS_KEY',
  'HUGGING_FACE_HUB_TOKEN',
  'OPENAI_API_KEYS',
  'apiKey',
];
const OPEN_FLAGS = [
  '--tokenizer',
  '--max-num-batched-tokens',
  '--tokenizer-mode',
  '--num-speculative-tokens',
  '--max-total-tokens',
  '--stop-token',
  '--ssl-keyfile',
  '--kv-cache-dtype',
  '--reasoning-parser',
  '--token-budget',
  '--served-model-name',
  '--bos_token_id',
];
const OPEN_NAMES = [
  'VLLM_USE_V1',
  'TOKENIZERS_PARALLELISM',
  'MAX_TOKENS',
  'HF_HOME',
  'HF_TOKEN_PATH',
  'KEEP_ALIVE',
  'MONKEY',
];

/** Unlike any word of the texts around it, and without the looks of a known kind of token. */
const value = fc.stringMatching(/^zq[a-z0-9]{6,20}zq$/);

/** Every way in which a flag and its value reach a server. */
const FORMS: readonly ((flag: string, text: string) => string)[] = [
  (flag, text) => deployment({ args: ['--model=m', flag, text, '--seed=1'] }),
  (flag, text) => deployment({ args: ['--model=m', `${flag}=${text}`, '--seed=1'] }),
  (flag, text) => deployment({ command: ['sh', '-c'], args: [`export A=b && vllm serve m ${flag} ${text} --seed 1`] }),
  (flag, text) =>
    deployment({ command: ['/bin/bash', '-lc', `exec vllm serve m \\\n  ${flag}='${text}' \\\n  --seed 1`] }),
  (flag, text) => deployment({ args: [`${flag} ${text}`] }),
  (flag, text) => `args: vllm serve m ${flag} "${text}"\n`,
  (flag, text) => `engine: vllm\nargs: {${flag.slice(2)}: ${text}}\n`,
  (flag, text) => `--model=m\n${flag} ${text}\n`,
  (flag, text) => `12:   - "--model=m"\n13:   - "${flag}"\n14:   - "${text}"\n`,
  (flag, text) => deployment({ args: ['--config-json', JSON.stringify({ a: { [flag.slice(2)]: text } })] }),
];

const NAMED: readonly ((name: string, text: string) => string)[] = [
  (name, text) => deployment({ args: ['-m', 'm'], env: [{ name, value: text }] }),
  (name, text) => `engine: vllm\nenv: {${name}: ${text}}\n`,
  (name, text) => `engine: vllm\n${name}: ${text}\n`,
  (name, text) => deployment({ command: ['sh', '-c', `${name}=${text} vllm serve m`] }),
  (name, text) => `- "--model=m"\n- name: ${name}\n  value: "${text}"\n`,
  (name, text) => deployment({ args: ['--model=m', '--extra', JSON.stringify([{ name, value: text }])] }),
];

describe('secrets', () => {
  it('go from every form of an argument and of a variable', () => {
    fc.assert(
      fc.property(fc.constantFrom(...FORMS), fc.constantFrom(...SECRET_FLAGS), value, (form, flag, text) => {
        expect(JSON.stringify(parsed(form(flag, text)))).not.toContain(text);
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...NAMED), fc.constantFrom(...SECRET_NAMES), value, (form, name, text) => {
        expect(JSON.stringify(parsed(form(name, text)))).not.toContain(text);
      }),
    );
  });

  it('what only sounds like a secret stays in every form', () => {
    fc.assert(
      fc.property(fc.constantFrom(...FORMS), fc.constantFrom(...OPEN_FLAGS), value, (form, flag, text) => {
        expect(JSON.stringify(parsed(form(flag, text)))).toContain(text);
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...NAMED), fc.constantFrom(...OPEN_NAMES), value, (form, name, text) => {
        expect(JSON.stringify(parsed(form(name, text)))).toContain(text);
      }),
    );
  });

  it.each([
    ['postgres://u:zqpass@h/db', 'zqpass'],
    ['https://zqpass@github.com/x.git', 'zqpass'],
    ['postgres://u:zq/pa@ss@h/db', 'zq/pa'],
    ['Authorization: Bearer zqpass', 'zqpass'],
    ['https://h/v1?api_key=zqpass&x=1', 'zqpass'],
    ['X-Api-Key: zqpass', 'zqpass'],
    ['ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'ghp_abc'],
    ['AKIAABCDEFGHIJKLMNOP', 'AKIAABC'],
  ])('is seen by its looks: %s', (text, secret) => {
    const record = parsed(
      deployment({ args: ['--model=m', '--header', text], env: [{ name: 'SOME_URL', value: text }] }),
    );
    expect(JSON.stringify(record)).not.toContain(secret);
    expect(record.args![0]).toBe('--model=m');
  });

  it('a reference and a switch are shown: they open no door', () => {
    const record = parsed(
      deployment({ args: ['--api-key', '$(KEY)', '--auth'], env: [{ name: 'KEY', valueFrom: {} }] }),
    );
    expect(record.args).toEqual(['--api-key', '$(KEY)', '--auth']);
    expect(record.env).toEqual({ KEY: '(from elsewhere)' });
  });
});

describe('which container serves', () => {
  it('not the mesh sidecar before it, nor the Service above it; the sidecar is kept beside', () => {
    const service = JSON.stringify({ kind: 'Service', spec: { ports: [{ port: 8000 }] } });
    const pods = (tag: string): string =>
      `${service}\n---\n${JSON.stringify({
        kind: 'StatefulSet',
        metadata: { name: 's' },
        spec: {
          replicas: 3,
          template: {
            spec: {
              containers: [
                { name: 'linkerd-proxy', image: `l/p:${tag}` },
                { name: 'srv', image: 'lmsysorg/sglang:v1', args: ['--model-path', 'm'] },
              ],
            },
          },
        },
      })}`;
    const record = parsed(pods('1'));
    expect(record).toMatchObject({ image: 'lmsysorg/sglang:v1', replicas: 3, args: ['--model-path', 'm'] });
    expect(stackChanges(record, parsed(pods('2'))).map(({ words }) => words)).toEqual([
      'stack record’s container linkerd-proxy l/p:1 on A, l/p:2 on B',
    ]);
    expect(parseStack(service, 'f')).toMatchObject({ ok: false, problems: [{ code: 'REP121' }] });
  });

  it('the server’s command in a script: one flag apart is one flag named', () => {
    const of = (seqs: number): StackRecord =>
      parsed(
        deployment({
          command: ['/bin/sh', '-c'],
          args: [`pip install -q x; HF_HOME=/m vllm serve m --max-num-seqs ${seqs}`],
        }),
      );
    expect(of(64)).toMatchObject({
      args: ['vllm', 'serve', 'm', '--max-num-seqs', '64'],
      env: { HF_HOME: '/m' },
      other: { 'script, command 1': 'pip install -q x' },
    });
    expect(stackChanges(of(64), of(256)).map(({ words }) => words)).toEqual(['flag --max-num-seqs 64 on A, 256 on B']);
  });

  it('names of a user’s own are no names of ours', () => {
    expect(parsed('engine: x\nconstructor: y\n__proto__: z\n').other).toMatchObject({ constructor: 'y' });
  });
});

const CASES = path.resolve(__dirname, '../../../../shared/cases/21-stack-files');
describe.skipIf(!existsSync(CASES))('files as kubectl gives them', () => {
  const file = (name: string): StackRecord => parsed(readFileSync(path.join(CASES, name), 'utf8'));
  it('are read as they serve', () => {
    const records = ['t1', 't2', 'side', 'side2', 'lws', 'a', 'b'].map((name) => file(`${name}.yaml`));
    const text = JSON.stringify(records);
    for (const secret of ['mysecretvalue', 'pa55word', 'ghp_', 'abc.def', 'sk-live'])
      expect(text).not.toContain(secret);
    const words = (a: string, b: string): string[] => stackChanges(file(a), file(b)).map((change) => change.words);
    expect(words('t1.yaml', 't2.yaml')).toEqual(['flag --tokenizer org/tok-a on A, org/tok-b on B']);
    expect(words('a.yaml', 'b.yaml')).toEqual(['flag --max-num-seqs 64 on A, 256 on B']);
    expect(words('side.yaml', 'side2.yaml')).toEqual([]);
    expect(file('side.yaml')).toMatchObject({ image: 'vllm/vllm-openai:v0.11.0', replicas: 3 });
    expect(file('lws.yaml')).toMatchObject({
      image: 'vllm/vllm-openai:v0.11.0',
      args: ['--model=m', '--tensor-parallel-size=8'],
      parallelism: 'groups of 2 pods',
      replicas: 2,
    });
  });
});
