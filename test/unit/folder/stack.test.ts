// The stack record: YAML of any spelling, a Kubernetes manifest, a list of arguments; secrets removed; differences in words.
import { describe, expect, it } from 'vitest';
import { flagsOf } from '../../../src/cluster/flags';
import { isRecorded, stackChanges, unrecorded } from '../../../src/comparability/stack-diff';
import { parseStack, type StackRecord } from '../../../src/folder/stack';

function parsed(text: string, section?: string): StackRecord {
  const result = parseStack(text, 'stack.yaml', section);
  if (!result.ok) throw new Error(result.problems[0]!.message);
  return result.value;
}

describe('reading', () => {
  it('takes the spellings people use, and keeps free keys', () => {
    const record = parsed(`
model: meta-llama/Llama-3.1-8B-Instruct
Engine_Version: v0.11.0
image: vllm/vllm-openai:v0.11.0
flags: --max-num-seqs 128 --enable-prefix-caching
gpu: H100
replicas: 2
parallelism: tensor 2
routing-path: gateway
rack: r7
`);
    expect(record).toEqual({
      source: 'stack.yaml',
      model: 'meta-llama/Llama-3.1-8B-Instruct',
      engineVersion: 'v0.11.0',
      image: 'vllm/vllm-openai:v0.11.0',
      args: ['--max-num-seqs', '128', '--enable-prefix-caching'],
      accelerator: 'H100',
      replicas: 2,
      parallelism: 'tensor 2',
      route: 'gateway',
      other: { rack: 'r7' },
    });
  });

  it('takes a Deployment', () => {
    const record = parsed(`
kind: Deployment
spec:
  replicas: 3
  template:
    spec:
      nodeSelector: { cloud.google.com/gke-accelerator: nvidia-h100-80gb }
      containers:
        - image: vllm/vllm-openai:v0.11.0
          args: ["--model=m", "--quantization bitsandbytes"]
          env: [{ name: VLLM_USE_V1, value: "0" }, { name: HF_TOKEN, value: hf_abcdefghijkl }]
          resources: { limits: { nvidia.com/gpu: 1 } }
`);
    expect(record).toMatchObject({
      image: 'vllm/vllm-openai:v0.11.0',
      args: ['--model=m', '--quantization bitsandbytes'],
      replicas: 3,
      accelerator: '1 x nvidia.com/gpu, nvidia-h100-80gb',
    });
    expect(record.env!['VLLM_USE_V1']).toBe('0');
    expect(JSON.stringify(record)).not.toContain('hf_abcdefghijkl');
  });

  const running = (name: string, seqs: string): object => ({
    metadata: { name, labels: { 'pod-template-hash': 'h' }, ownerReferences: [{ kind: 'ReplicaSet', name: 'v-h' }] },
    spec: {
      containers: [
        { name: 'proxy', image: 'envoy' },
        {
          name: 'v',
          image: 'vllm/vllm-openai:v1',
          command: ['sh', '-c'],
          args: [`exec vllm serve m --max-num-seqs ${seqs}`],
        },
      ],
    },
    status: { containerStatuses: [{ name: 'v', imageID: 'docker.io/x@sha256:ab' }] },
  });

  it.each<[string, (pods: readonly object[]) => string]>([
    ['a List', (pods) => JSON.stringify({ kind: 'List', items: pods.map((one) => ({ kind: 'Pod', ...one })) })],
    ['a PodList whose pods do not say their kind', (pods) => JSON.stringify({ kind: 'PodList', items: pods })],
    ['documents', (pods) => pods.map((one) => JSON.stringify({ kind: 'Pod', ...one })).join('\n---\n')],
    [
      'with its Deployment',
      (pods) =>
        [
          { kind: 'Deployment', metadata: { name: 'v' }, spec: { template: { spec: {} } } },
          ...pods.map((one) => ({ kind: 'Pod', ...one })),
        ]
          .map((one) => JSON.stringify(one))
          .join('\n---\n'),
    ],
  ])('running pods as kubectl prints them, %s: one server, names of pods are no facts', (_, printed) => {
    const record = parsed(printed([running('v-h-x1', '64'), running('v-h-x2', '64')]));
    expect(record).toMatchObject({
      model: 'm',
      engine: 'vllm',
      image: 'vllm/vllm-openai:v1@sha256:ab',
      args: ['vllm', 'serve', 'm', '--max-num-seqs', '64'],
      other: { 'sidecar proxy': 'envoy' },
    });
    expect(JSON.stringify(record)).not.toContain('v-h-x');
    const other = parsed(printed([running('v-h-y1', '256'), running('v-h-y2', '256')]));
    expect(stackChanges(record, other).map((change) => change.words)).toEqual([
      'flag --max-num-seqs 64 on A, 256 on B',
    ]);
    expect(unrecorded(record, other, 'server')).toEqual([]);
  });

  const LIST = `# one
22:        - "--model=$(MODEL)"
23:        - "--no-enable-prefix-caching"
--
44:        image: vllm/vllm-openai:v0.11.0
# two
21:        - "--speculative_config"
22:        - '{"method": "eagle3"}'
--
44:        - name: VLLM_USE_V1
45-          value: "0"
`;

  it('takes a list of arguments, section by section', () => {
    expect(parsed(LIST, 'one')).toEqual({
      source: 'stack.yaml',
      image: 'vllm/vllm-openai:v0.11.0',
      args: ['--model=$(MODEL)', '--no-enable-prefix-caching'],
      env: {},
    });
    expect(parsed(LIST, 'two')).toMatchObject({
      args: ['--speculative_config', '{"method": "eagle3"}'],
      env: { VLLM_USE_V1: '0' },
    });
    expect(parseStack(LIST, 'f', 'three')).toMatchObject({ ok: false, problems: [{ code: 'REP121' }] });
  });

  it('removes secrets from flags, but not counts of tokens', () => {
    const record = parsed('args: ["--api-key=sk-1234567890", "--max-num-batched-tokens=2048"]');
    expect(record.args![1]).toBe('--max-num-batched-tokens=2048');
    expect(record.args![0]).not.toContain('sk-123');
  });

  it.each([
    ['just words', 'REP120'],
    ['', 'REP120'],
    ['{}', 'REP121'],
    ['a: [', 'REP120'],
  ])('%j is none', (text, code) => {
    expect(parseStack(text, 'f')).toMatchObject({ ok: false, problems: [{ code }] });
  });
});

describe('differences in words', () => {
  const words = (a: Partial<StackRecord>, b: Partial<StackRecord>): string[] =>
    stackChanges({ source: 'x', ...a }, { source: 'y', ...b }).map((change) => `${change.of}: ${change.words}`);

  it('a digest on one side of one tag is not known on the other: neither a change nor the same', () => {
    const [a, b] = [
      { source: 'x', image: 'v:1' },
      { source: 'y', image: 'v:1@sha256:aa' },
    ];
    expect(stackChanges(a, b)).toEqual([]);
    expect(unrecorded(a, b, 'server')).toEqual(['image digest']);
    expect([isRecorded(a, 'image digest'), isRecorded(b, 'image digest')]).toEqual([false, true]);
    expect(unrecorded({ ...b, image: 'v:1@sha256:bb' }, b, 'server')).toEqual([]);
    expect(words({ image: 'v:2' }, { image: 'v:1@sha256:aa' })).toHaveLength(1);
  });

  it('flags are read as an engine reads them', () => {
    expect([
      ...flagsOf(['vllm', 'serve', '--a=1', '--b_c', '2', '--on', '--no-x', '-tp', '4', '--neg', '-1']).values,
    ]).toEqual([
      ['a', '1'],
      ['b-c', '2'],
      ['on', 'on'],
      ['x', 'off'],
      ['tp', '4'],
      ['neg', '-1'],
    ]);
    expect(words({ args: ['--max-num-seqs=1'] }, { args: ['--max_num_seqs', '1'] })).toEqual([]);
  });

  it('the model after the command is one, and says nothing against a list without it', () => {
    const pod = (line: string): StackRecord =>
      parsed(
        JSON.stringify({ kind: 'Pod', spec: { containers: [{ command: ['vllm', 'serve', ...line.split(' ')] }] } }),
      );
    const changes = (a: StackRecord, b: StackRecord): string[] => stackChanges(a, b).map((change) => change.words);
    expect(changes(pod('a --x 1'), pod('b --x 1'))).toEqual(['model a on A, b on B']);
    const list = parsed('vllm serve: [a]\nargs: [vllm, serve, a, --x, "1"]\nenv: {}');
    expect(unrecorded(pod('a --x 1'), list, 'server')).not.toContain('model');
    expect(changes({ ...list, engine: 'vLLM' }, { ...list, engine: 'vllm' })).toEqual([]);
  });

  it('tags apart from names, switches on and off, environment, topology, free keys', () => {
    expect(words({ image: 'r:5000/vllm:v1' }, { image: 'r:5000/vllm:v2' })).toEqual([
      'server: engine version (image r:5000/vllm) v1 on A, v2 on B',
    ]);
    expect(words({ image: 'a:v1' }, { image: 'b:v1' })).toEqual(['server: image a:v1 on A, b:v1 on B']);
    expect(words({ args: ['--no-enable-prefix-caching'] }, { args: ['--enable-prefix-caching'] })).toEqual([
      'server: flag --enable-prefix-caching off on A, on on B',
    ]);
    expect(words({ args: [] }, { args: ['--tensor-parallel-size=2'] })).toEqual([
      'topology: flag --tensor-parallel-size not given on A, 2 on B',
    ]);
    expect(words({ replicas: 1, other: { rack: '1' } }, { replicas: 2, other: { rack: '2' } })).toEqual([
      'topology: replicas 1 on A, 2 on B',
      'server: stack record’s rack 1 on A, 2 on B',
    ]);
    expect(words({ args: [] }, { args: ['--quantization bitsandbytes'] })[0]).toMatch(/in one argv element/);
  });
});
