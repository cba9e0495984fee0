// What a container really starts: scripts, quoting, here-documents, variables; and that no form of a script hides a flag.
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../../src/cluster/argv';
import { allOf, knownVariables, variablesOf } from '../../../src/cluster/container';
import { flagsOf } from '../../../src/cluster/flags';

const SERVER = ['vllm', 'serve', 'm', '--max-num-seqs', '64'];
const LINE = SERVER.join(' ');

describe('a server in a script', () => {
  it.each<[string, string[]]>([
    ['sh -c', ['sh', '-c', LINE]],
    ['bash -lc with exec', ['/bin/bash', '-lc', `exec ${LINE}`]],
    ['options of the shell', ['/usr/bin/env', 'bash', '-euo', 'pipefail', '-c', '--', LINE]],
    ['an init before it', ['/usr/bin/tini', '-g', '--', 'sh', '-ec', LINE]],
    ['env, nohup and a log', ['sh', '-c', `env A=b nohup ${LINE} > /tmp/log 2>&1 | tee x`]],
    ['background and wait', ['sh', '-c', `${LINE} & wait`]],
    ['a comment and broken lines', ['sh', '-c', '# start\nvllm serve m \\\n  --max-num-seqs \\\n  64\n']],
    ['a condition', ['bash', '-c', `if [ -d /x ]; then echo x; fi; ${LINE} || exit 1`]],
    ['after a download', ['sh', '-c', `pip install vllm && huggingface-cli download m; (${LINE})`]],
    ['a variable of the script', ['sh', '-c', 'N=64; M=m\nvllm serve "$M" --max-num-seqs ${N}']],
    ['flags in a variable', ['sh', '-c', 'FLAGS="--max-num-seqs 64"; vllm serve m $FLAGS']],
    ['flags in an array', ['bash', '-c', 'A=(m)\nA+=(--max-num-seqs\n 64)\nexec vllm serve "${A[@]}"']],
    ['a default', ['sh', '-c', 'vllm serve ${M:-m} --max-num-seqs "${N:-64}"']],
    ['arguments of the script', ['sh', '-c', 'exec vllm serve "$@"', '--', 'm', '--max-num-seqs', '64']],
    ['its first argument', ['sh', '-c', 'vllm serve $1 --max-num-seqs $2', 'sh', 'm', '64']],
    ['a script in a script', ['sh', '-c', `bash -c '${LINE}'`]],
    ['a here-document for a shell', ['sh', '-c', `bash <<'X'\n${LINE}\nX\n`]],
    ['a here-document before it', ['sh', '-c', `cat <<X > /c\nsglang serve: --no\nX\n${LINE}`]],
  ])('%s', (_, argv) => {
    expect(commandLine(argv).args).toEqual(SERVER);
  });

  it('what cannot be read as a script stays as it is', () => {
    expect(commandLine(['sh', '-c', "vllm serve 'm"]).args).toEqual(['sh', '-c', "vllm serve 'm"]);
    expect(commandLine(['sh', '/start.sh', '--max-num-seqs', '64']).args).toEqual([
      'sh',
      '/start.sh',
      '--max-num-seqs',
      '64',
    ]);
  });

  it('JSON, separators in quotes and substitutions are one word', () => {
    const { args } = commandLine([
      'sh',
      '-c',
      `vllm serve m --x '{"a": 1}' --stop ';' --ip $(hostname -i | cut -d' ' -f1)`,
    ]);
    expect(args).toEqual([
      'vllm',
      'serve',
      'm',
      '--x',
      '{"a": 1}',
      '--stop',
      ';',
      '--ip',
      "$(hostname -i | cut -d' ' -f1)",
    ]);
  });

  it('what it does beside is kept, with what it writes, without secrets', () => {
    const { beside, env } = commandLine([
      'sh',
      '-c',
      `export HF_TOKEN=abcd1234 A=b\ncat > /c.yaml <<X\nmax-num-seqs: 9\napi-key: zqzqzqzq\nX\n${LINE} --token $HF_TOKEN`,
    ]);
    expect(env['A']).toBe('b');
    expect(beside).toEqual(['cat > /c.yaml <<X'.replace('<<X', '<< X') + '\nmax-num-seqs: 9\napi-key: <removed>']);
    expect(JSON.stringify({ beside, env })).not.toMatch(/abcd1234|zqzq/);
  });
});

describe('variables', () => {
  const env = [
    { name: 'M', value: 'org/m' },
    { name: 'PATH_OF', value: '/models/$(M)' },
    { name: 'N', valueFrom: { configMapKeyRef: { name: 'c', key: 'n' } } },
    { name: 'HF_TOKEN', value: 'zqzqzqzqzq' },
    { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'KEY', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
  ];

  it('are filled in by Kubernetes where they are known and no secret', () => {
    const argv = ['--model', '$(PATH_OF)', '--n=$(N)', '--k=$(HF_TOKEN)', '--raw=$$(M)', '--other=$(NOBODY)'];
    expect(commandLine(argv, knownVariables(env)).args).toEqual([
      '--model',
      '/models/org/m',
      '--n=$(N)',
      '--k=$(HF_TOKEN)',
      '--raw=$(M)',
      '--other=$(NOBODY)',
    ]);
  });

  it('are filled in by a shell; a default counts only for a name that nobody set', () => {
    const script = `vllm serve $M --a \${N:-1} --b \${X:-1} --c '$M' --d "\\$M" --e \${M:+on} --f $HF_TOKEN`;
    expect(commandLine(['sh', '-c', script], knownVariables(env)).args.slice(2)).toEqual([
      'org/m',
      '--a',
      '${N:-1}',
      '--b',
      '1',
      '--c',
      '$M',
      '--d',
      '$M',
      '--e',
      'on',
      '--f',
      '$HF_TOKEN',
    ]);
  });

  it('that lie elsewhere are named by where', () => {
    expect(Object.fromEntries(variablesOf(env))).toMatchObject({
      N: '(config map c/n)',
      POD: '(field metadata.name)',
      KEY: '(secret s/k)',
    });
    expect(allOf([{ secretRef: { name: 's' } }, { configMapRef: { name: 'c' } }])).toBe('(secret s, config map c)');
  });
});

describe('flags', () => {
  it('with several values keep them all, and the words before the first are told apart', () => {
    const { values, positional } = flagsOf(['vllm', 'serve', 'm', '--lora-modules', 'a=x', 'b=y', '--on', '--n=1']);
    expect(values.get('lora-modules')).toBe('a=x b=y');
    expect(values.get('on')).toBe('on');
    expect(positional).toEqual(['vllm', 'serve', 'm']);
  });
});
