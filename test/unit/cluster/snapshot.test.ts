// The stack at a moment, what changed between two, and the record that a comparison reads.
import { describe, expect, it } from 'vitest';
import { changesBetween, warningsOf } from '../../../src/cluster/changes';
import { recordOf } from '../../../src/cluster/record';
import { snapshotOf } from '../../../src/cluster/snapshot';
import { stackSnapshotSchema, type StackSnapshot } from '../../../src/cluster/snapshot-schema';
import type { KubeObject } from '../../../src/cluster/types';
import { stackChanges } from '../../../src/comparability/stack-diff';
import { deployment, object, pod, service, VLLM } from './objects';

const A = { kind: 'Deployment', name: 'a', namespace: 'llm' };
const look = (objects: readonly KubeObject[], atSeconds = 0, target = A): StackSnapshot =>
  stackSnapshotSchema.parse(snapshotOf(objects, target, { atSeconds, target: 'svc/a:80' }));

const engine = (args: readonly string[], more: object = {}): object => ({ ...VLLM, args, ...more });
const one = (container: object, more: object = {}): KubeObject[] =>
  deployment('a', 1, { containers: [container], ...more });

describe('a snapshot', () => {
  it('has containers by role, the digest that runs, devices of the node, and no secret', () => {
    const container = engine(['--max-num-seqs', '64', '--api-key', 'zqzqzqzq'], {
      env: [
        { name: 'HF_TOKEN', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
        { name: 'DB', value: 'redis://:zqzqzqzq@h' },
      ],
      resources: { limits: { 'nvidia.com/gpu': 2 } },
    });
    const objects = [
      ...deployment('a', 2, { containers: [{ name: 'istio-proxy', image: 'istio/proxyv2' }, container], node: 'n1' }),
      object('Node', 'n1', {
        labels: {
          'nvidia.com/gpu.product': 'H100',
          'nvidia.com/cuda.driver.major': '550',
          'nvidia.com/gpu.replicas': '4',
          other: 'x',
        },
        status: { nodeInfo: { kubeletVersion: 'v1' } },
      }),
      object('HorizontalPodAutoscaler', 'h', {
        spec: { scaleTargetRef: { kind: 'Deployment', name: 'a' }, minReplicas: 1, maxReplicas: 4 },
      }),
      service('a', { app: 'a' }, { sessionAffinity: 'ClientIP' }),
      ...deployment('unrelated', 1),
    ];
    const found = look(objects);
    expect(found.containers.map(({ role, name, digests }) => [role, name, digests])).toEqual([
      ['sidecar', 'istio-proxy', [{ digest: 'sha256:aaaa', pods: 2 }]],
      ['server', 'vllm', [{ digest: 'sha256:aaaa', pods: 2 }]],
    ]);
    expect(found).toMatchObject({
      workloads: [
        { kind: 'Deployment', name: 'a', wanted: 2, ready: 2, autoscaler: 'HorizontalPodAutoscaler h, 1 to 4' },
      ],
      accelerators: [
        {
          resource: 'nvidia.com/gpu',
          perPod: 2,
          product: 'H100',
          driver: '550',
          shared: 'time slicing, 4 to a device',
          from: 'node',
        },
      ],
      nodes: [{ name: 'n1', facts: { 'nvidia.com/gpu.product': 'H100', kubeletVersion: 'v1' } }],
      routing: { 'Service a': 'ClusterIP, affinity ClientIP, traffic policy Cluster' },
    });
    expect(found.containers[1]!.env['HF_TOKEN']).toBe('(secret s/k)');
    expect(JSON.stringify(found)).not.toContain('zqzq');
    expect(recordOf(found)).toMatchObject({
      engine: 'vllm',
      image: 'vllm/vllm-openai:v1@sha256:aaaa',
      replicas: 2,
      accelerator: '2 x nvidia.com/gpu, H100',
      other: { 'sidecar istio-proxy': 'istio/proxyv2', driver: '550', nodes: 'spread over 1' },
    });
  });

  it('sees what an admission hook put in, and a rollout under way', () => {
    const objects = one(engine([]));
    const hooked = pod('a-h1-0', {
      labels: { app: 'a', 'pod-template-hash': 'h2' },
      owner: ['ReplicaSet', 'a-h1'],
      containers: [VLLM, { name: 'linkerd-proxy', image: 'l' }],
    });
    const found = look([
      ...objects,
      { ...hooked, metadata: { ...(hooked['metadata'] as object), name: 'b', uid: 'b' } },
    ]);
    expect(found.containers.find(({ name }) => name === 'linkerd-proxy')).toMatchObject({ injected: true });
    expect(found.workloads[0]!.rollout).toBe('pods of 2 templates run');
  });

  it('of a pool has all roles, the endpoint picker and its policy', () => {
    const objects = [
      ...deployment('a', 1, { labels: { app: 'ms', 'llm-d.ai/role': 'decode' } }),
      ...deployment('p', 1, { labels: { app: 'ms', 'llm-d.ai/role': 'prefill' } }),
      ...deployment('epp', 1, {
        containers: [{ name: 'epp', image: 'epp:v1', args: ['--v', '4'] }],
        spec: { volumes: [{ configMap: { name: 'plugins' } }] },
      }),
      object('InferencePool', 'pool', {
        spec: { selector: { matchLabels: { app: 'ms' } }, endpointPickerRef: { name: 'epp' } },
      }),
      service('epp', { app: 'epp' }),
      { ...object('ConfigMap', 'plugins', {}), data: { 'c.yaml': 'plugins: [queue]' } },
    ];
    const found = look(objects);
    expect(found.containers.map(({ role }) => role).sort()).toEqual(['decode', 'endpoint-picker', 'prefill']);
    expect(found.routing).toMatchObject({
      'InferencePool pool': 'on its picker’s failure FailClose',
      'ConfigMap plugins, c.yaml': 'plugins: [queue]',
    });
  });
});

it('workers that answer a frontend are part of its stack', () => {
  const labels = { 'app.kubernetes.io/instance': 'r' };
  const start = (module: string, ...more: string[]): object => ({
    name: 'main',
    image: 'd',
    command: ['python3', '-m', module, ...more],
  });
  const objects = (seqs: string): KubeObject[] => [
    ...deployment('a', 1, { labels, containers: [start('dynamo.frontend')] }),
    ...deployment('w', 1, { labels, containers: [start('dynamo.vllm', '--model', 'm', '--max-num-seqs', seqs)] }),
    ...deployment('other', 1, { containers: [start('dynamo.vllm')] }),
  ];
  const found = look(objects('1'));
  expect(found.containers.map(({ role, workload }) => [role, workload])).toEqual([
    ['server', 'Deployment a'],
    ['worker', 'Deployment w'],
  ]);
  const record = (seqs: string): Parameters<typeof stackChanges>[0] => {
    const start = look(objects(seqs));
    return { source: 'k8s', ...recordOf(start), kubernetes: { start, changes: [] } };
  };
  expect(stackChanges(record('1'), record('2')).map(({ words }) => words)).toEqual([
    'worker: flag --max-num-seqs 1 on A, 2 on B',
  ]);
});

describe('what changed', () => {
  const before = look(one(engine(['--max-num-seqs', '64'], { env: [{ name: 'VLLM_X', value: '1' }] })));
  const kinds = (objects: readonly KubeObject[], from = before): string[] =>
    changesBetween(from, look(objects, 9)).map(({ kind, object: what, words, before: left, after: right }) =>
      [kind, what, words, left, right].filter((part) => part !== undefined).join(' | '),
    );
  const same = engine(['--max-num-seqs', '64'], { env: [{ name: 'VLLM_X', value: '1' }] });

  it('nothing is nothing', () => {
    expect(kinds(one(same))).toEqual([]);
  });

  it('a restarted container, with what ended it', () => {
    const [set, replicas, was] = one(same, { restarts: 1, containerId: 'containerd://new' });
    const ended = structuredClone(was) as { status: { containerStatuses: { lastState?: object }[] } };
    ended.status.containerStatuses[0]!.lastState = { terminated: { reason: 'OOMKilled', exitCode: 137 } };
    expect(kinds([set!, replicas!, ended as unknown as KubeObject])).toEqual([
      'restart | Pod a-h1-0 | container vllm restarted: OOMKilled (exit 137) | 0 | 1',
    ]);
  });

  it('a pod replaced under its name, readiness lost, replicas scaled', () => {
    const [set, replicas, was] = one(same);
    const other = { ...was!, metadata: { ...(was!['metadata'] as object), uid: 'other' } };
    expect(kinds([set!, replicas!, other])).toEqual([
      'pod-gone | Pod a-h1-0 | replaced by another pod of its name',
      'pod-new | Pod a-h1-0 | new',
    ]);
    expect(kinds(one(same, { ready: false }))).toEqual(['not-ready | Pod a-h1-0 | no longer ready']);
    expect(kinds(deployment('a', 2, { containers: [same] }))).toEqual([
      'pod-new | Pod a-h1-1 | new',
      'scaled | Deployment a | replicas wanted changed | 1 | 2',
    ]);
  });

  it('flags by name, variables, the digest behind a tag; a local and a pulled digest say nothing against each other', () => {
    expect(kinds(one(engine(['--max_num_seqs=256'], { env: [] })))).toEqual([
      'flags | Deployment a, container vllm | flag --max-num-seqs changed | 64 | 256',
      'environment | Deployment a, container vllm | VLLM_X changed | 1',
    ]);
    expect(kinds(one(same, { digest: 'docker.io/x@sha256:bbbb' }))).toEqual([
      'image | Deployment a, container vllm | the digest behind the same image changed | sha256:aaaa | sha256:bbbb',
    ]);
    expect(kinds(one(same, { digest: 'sha256:cccc' }))).toEqual([]);
  });

  it('warnings of the cluster about these pods, on the run’s clock', () => {
    const event = (name: string, type: string): KubeObject => ({
      kind: 'Event',
      metadata: { namespace: 'llm' },
      type,
      reason: 'Unhealthy',
      message: 'probe failed',
      lastTimestamp: '2025-12-01T00:01:00Z',
      involvedObject: { kind: 'Pod', name },
    });
    const events = [event('a-h1-0', 'Warning'), event('a-h1-0', 'Normal'), event('other', 'Warning')];
    expect(warningsOf(events, before, Date.parse('2025-12-01T00:00:18Z'))).toEqual([
      { atSeconds: 42, kind: 'event', object: 'Pod a-h1-0', words: 'Unhealthy: probe failed' },
    ]);
  });
});

describe('two snapshots as stack records', () => {
  const record = (objects: readonly KubeObject[]): Parameters<typeof stackChanges>[0] => {
    const start = look(objects);
    return { source: 'k8s', ...recordOf(start), kubernetes: { start, changes: [] } };
  };
  const words = (a: readonly KubeObject[], b: readonly KubeObject[]): string[] =>
    stackChanges(record(a), record(b)).map((change) => change.words);

  it('one flag apart is one flag named, in whatever form it is written', () => {
    const script = { ...VLLM, command: ['sh', '-c'], args: ['exec vllm serve m --max-num-seqs=256 --seed 1'] };
    expect(words(one(engine(['--seed', '1', '--max-num-seqs', '64'])), one(script))).toEqual([
      'flag --max-num-seqs 64 on A, 256 on B',
    ]);
  });

  it('names of objects are no differences', () => {
    const named = (name: string): Parameters<typeof stackChanges>[0] => {
      const objects = [
        ...deployment(name, 1),
        service(`${name}-svc`, { app: name }),
        object('HorizontalPodAutoscaler', `${name}-hpa`, {
          spec: { scaleTargetRef: { kind: 'Deployment', name }, maxReplicas: 2 },
        }),
      ];
      const start = look(objects, 0, { ...A, name });
      return { source: name, ...recordOf(start), kubernetes: { start, changes: [] } };
    };
    expect(Object.keys(named('a').other ?? {})).toEqual(Object.keys(named('b').other ?? {}));
    expect(stackChanges(named('a'), named('b'))).toEqual([]);
  });

  it('digests decide before tags', () => {
    const at = (image: string, digest: string): KubeObject[] =>
      one({ ...VLLM, image }, { digest: `docker.io/x@sha256:${digest}` });
    expect(words(at('v:1', 'aa'), at('v:2', 'aa'))).toEqual([]);
    expect(words(at('v:1', 'aa'), at('v:1', 'bb'))).toEqual([
      'engine version (image v) sha256:aa on A, sha256:bb on B',
    ]);
    expect(words(at('v:1', 'aa'), at('v:2', 'bb'))).toEqual([
      'engine version (image v) 1@sha256:aa on A, 2@sha256:bb on B',
    ]);
  });

  it('prefill’s flags are compared with prefill’s', () => {
    const both = (seqs: string): KubeObject[] => [
      ...deployment('a', 1, { labels: { app: 'ms', 'llm-d.ai/role': 'decode' } }),
      ...deployment('p', 1, {
        labels: { app: 'ms', 'llm-d.ai/role': 'prefill' },
        containers: [engine(['--max-num-seqs', seqs])],
      }),
      service('s', { app: 'ms' }),
    ];
    expect(words(both('1'), both('2'))).toEqual(['prefill: flag --max-num-seqs 1 on A, 2 on B']);
  });
});
