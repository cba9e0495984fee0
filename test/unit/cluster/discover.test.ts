// Which workloads of a cluster serve a model and how each is reached, over the shapes that stacks of today have.
import { describe, expect, it } from 'vitest';
import { discover } from '../../../src/cluster/discover';
import type { KubeObject } from '../../../src/cluster/types';
import { deployment, object, pod, service, VLLM } from './objects';

/** A target in one line, its routes below. */
function lines(objects: readonly KubeObject[]): string[] {
  return discover(objects).flatMap((target) => {
    const { ready, wanted, podsEach } = target.replicas;
    return [
      [
        target.kind,
        target.name,
        target.role,
        target.evidence.engine,
        `${ready}/${wanted}x${podsEach}`,
        target.accelerator,
      ]
        .filter((one) => one !== undefined)
        .join(' '),
      ...target.routes.map(
        (route) =>
          `  ${route.spelling} ${route.url ?? '-'} ${route.noForward?.code ?? route.pods.map((one) => one.port).join()} ${route.trace.join('>')}`,
      ),
    ];
  });
}

describe('a Deployment', () => {
  it('behind a Service is one target; a port-forward to several ready pods is refused', () => {
    expect(lines([...deployment('a', 2), service('s', { app: 'a' })])).toEqual([
      'Deployment a vllm 2/2x1',
      '  svc/s:80 http://s.llm.svc:80 several-pods Service s',
      '  pod/a-h1-0:8000 http://10.0.0.1:8000 8000 Pod a-h1-0',
      '  pod/a-h1-1:8000 http://10.0.0.1:8000 8000 Pod a-h1-1',
    ]);
  });

  it('is named by its pods where neither it nor its ReplicaSet may be read; counts only ready ones', () => {
    const [, , ready, other] = deployment('a', 2);
    const starting = pod('a-h1-9', {
      labels: { 'pod-template-hash': 'h1' },
      owner: ['ReplicaSet', 'a-h1'],
      ready: false,
    });
    expect(lines([ready!, other!, starting])[0]).toBe('Deployment a vllm 2/undefinedx1');
  });

  it('scaled to nothing, or in a file without pods, is known by its template', () => {
    const [template] = deployment('a', 0);
    expect(lines([template!, service('s', { app: 'a' })])).toEqual([
      'Deployment a vllm 0/0x1',
      '  svc/s:80 http://s.llm.svc:80 no-selector Service s',
    ]);
  });

  it('lists of kubectl are read through, and what ended is no pod', () => {
    const done = pod('a-job', { status: { phase: 'Succeeded' } });
    expect(lines([{ kind: 'List', items: [pod('p'), done] }])).toEqual([
      'Pod p vllm 1/1x1',
      '  pod/p:8000 http://10.0.0.1:8000 8000 Pod p',
    ]);
    expect(discover([])).toEqual([]);
    expect(
      discover([{}, { kind: 'Pod' }, { kind: 'Service', spec: 7, metadata: [] }, { kind: 'HTTPRoute', spec: null }]),
    ).toEqual([]);
  });
});

describe('Services', () => {
  const named = {
    ...VLLM,
    ports: [
      { name: 'api', containerPort: 8000 },
      { name: 'metrics', containerPort: 9 },
    ],
  };
  it.each<[string, object, string]>([
    [
      'a named target port',
      {
        ports: [
          { port: 81, targetPort: 'api' },
          { port: 9, targetPort: 'metrics' },
        ],
      },
      'svc/s:81 http://s.llm.svc:81 8000',
    ],
    ['without a target port', { ports: [{ port: 8000 }] }, 'svc/s:8000 http://s.llm.svc:8000 8000'],
    [
      'headless: no port is translated',
      { clusterIP: 'None', ports: [{ port: 80, targetPort: 8000 }] },
      'svc/s:80 http://s.llm.svc:8000 8000',
    ],
    ['over TLS', { ports: [{ name: 'https', port: 443, targetPort: 8000 }] }, 'svc/s:443 https://s.llm.svc:443 8000'],
  ])('%s', (_, spec, expected) => {
    const found = lines([pod('p', { labels: { a: 'b' }, containers: [named] }), service('s', { a: 'b' }, spec)]);
    expect(found.slice(1, -1)).toEqual([`  ${expected} Service s`]);
  });

  it('without a selector lead where their EndpointSlices say; of another namespace or label nowhere', () => {
    const slice = {
      ...object('EndpointSlice', 'x', { labels: { 'kubernetes.io/service-name': 's' } }),
      endpoints: [{ targetRef: { name: 'p' } }],
    };
    expect(lines([pod('p'), object('Service', 's', { spec: { ports: [{ port: 8000 }] } }), slice])[1]).toMatch(
      /svc\/s:8000/,
    );
    const far = { ...service('s', { a: 'b' }), metadata: { name: 's', namespace: 'other' } };
    expect(lines([pod('p', { labels: { a: 'b' } }), far, service('t', { a: 'c' })])).toHaveLength(2);
  });
});

describe('stacks', () => {
  it('vLLM production stack: its router before the engines’ Service', () => {
    const router = {
      name: 'router',
      image: 'lmcache/lmstack-router',
      args: ['--k8s-label-selector', 'environment=test,release=r'],
      command: ['vllm-router'],
    };
    const objects = [
      ...deployment('engine', 2, { labels: { environment: 'test', release: 'r' } }),
      ...deployment('router', 1, { containers: [router], labels: { kind: 'router' } }),
      service('engine-service', { release: 'r' }),
      service('router-service', { kind: 'router' }),
    ];
    expect(lines(objects).slice(0, 3)).toEqual([
      'Deployment engine vllm 2/2x1',
      '  svc/router-service:80 http://router-service.llm.svc:80 8000 Service router-service',
      '  svc/engine-service:80 http://engine-service.llm.svc:80 several-pods Service engine-service',
    ]);
    expect(discover(objects)).toHaveLength(1);
  });

  const gateway = (poolApi: string, poolSpec: object): KubeObject[] => [
    object('Gateway', 'g', {
      spec: {
        gatewayClassName: 'istio',
        listeners: [
          { name: 'http', port: 80, protocol: 'HTTP' },
          { name: 'tcp', port: 5, protocol: 'TCP' },
        ],
      },
    }),
    object('HTTPRoute', 'r', {
      spec: {
        parentRefs: [{ name: 'g' }],
        hostnames: ['llm.example'],
        rules: [
          {
            matches: [{ path: { value: '/llama/' } }],
            backendRefs: [{ group: poolApi.split('/')[0], kind: 'InferencePool', name: 'pool' }],
          },
        ],
      },
    }),
    { ...object('InferencePool', 'pool', { spec: poolSpec }), apiVersion: poolApi },
    {
      ...service('g-istio', { gw: 'g' }),
      metadata: { name: 'g-istio', namespace: 'llm', labels: { 'gateway.networking.k8s.io/gateway-name': 'g' } },
    },
    pod('g-istio-0', { labels: { gw: 'g' }, containers: [{ name: 'envoy', image: 'envoy' }] }),
  ];

  it.each<[string, object]>([
    ['inference.networking.k8s.io/v1', { selector: { matchLabels: { app: 'ms' } }, targetPorts: [{ number: 8000 }] }],
    ['inference.networking.x-k8s.io/v1alpha2', { selector: { app: 'ms' }, targetPortNumber: 8000 }],
  ])(
    'llm-d behind a Gateway and a pool of %s: prefill and decode apart, the engine behind its sidecar',
    (api, spec) => {
      const proxy = {
        name: 'routing-proxy',
        image: 'ghcr.io/llm-d/llm-d-routing-sidecar',
        restartPolicy: 'Always',
        ports: [{ containerPort: 8000 }],
      };
      const engine = {
        ...VLLM,
        command: ['vllm', 'serve', 'm', '--port', '8200'],
        resources: { limits: { 'nvidia.com/gpu': '2' } },
      };
      const one = (role: string, initContainers: readonly object[] = []): KubeObject[] =>
        deployment(`ms-${role}`, 1, {
          labels: { app: 'ms', 'llm-d.ai/role': role },
          containers: [{ name: 'log', image: 'busybox' }, engine],
          spec: { initContainers, nodeSelector: { 'nvidia.com/gpu.product': 'H100' } },
        });
      const objects = [...gateway(api, spec), ...one('decode', [proxy]), ...one('prefill')];
      expect(lines(objects)).toEqual([
        'Deployment ms-decode decode vllm 1/1x1 2 x nvidia.com/gpu, H100',
        '  gateway/g:80 http://g-istio.llm.svc:80 8000 Gateway g>HTTPRoute r>InferencePool pool',
        '  pod/ms-decode-h1-0:8200 http://10.0.0.1:8200 8200 Pod ms-decode-h1-0',
        'Deployment ms-prefill prefill vllm 1/1x1 2 x nvidia.com/gpu, H100',
        '  gateway/g:80 http://g-istio.llm.svc:80 8000 Gateway g>HTTPRoute r>InferencePool pool',
        '  pod/ms-prefill-h1-0:8200 http://10.0.0.1:8200 8200 Pod ms-prefill-h1-0',
      ]);
      expect(discover(objects)[0]!.routes[0]).toMatchObject({ host: 'llm.example', pathPrefix: '/llama' });
    },
  );

  it('a group of pods is one replica, and only its leader is sent to', () => {
    const set = object('LeaderWorkerSet', 'big', {
      spec: { replicas: 2, leaderWorkerTemplate: { size: 2, workerTemplate: { spec: { containers: [VLLM] } } } },
      status: { readyReplicas: 1 },
    });
    const member = (index: number): KubeObject =>
      pod(`big-0-${index}`, {
        labels: {
          'leaderworkerset.sigs.k8s.io/name': 'big',
          'leaderworkerset.sigs.k8s.io/worker-index': String(index),
        },
        owner: ['StatefulSet', index === 0 ? 'big' : 'big-0'],
        containers: [{ ...VLLM, resources: { limits: { 'nvidia.com/gpu': 8 } } }],
        node: 'n1',
      });
    const node = object('Node', 'n1', { labels: { 'nvidia.com/gpu.product': 'H200' } });
    expect(
      lines([
        set,
        object('StatefulSet', 'big', { owner: ['LeaderWorkerSet', 'big'], spec: { replicas: 2 } }),
        member(0),
        member(1),
        node,
      ]),
    ).toEqual([
      'LeaderWorkerSet big leader vllm 1/2x2 16 x nvidia.com/gpu, H200',
      '  pod/big-0-0:8000 http://10.0.0.1:8000 8000 Pod big-0-0',
    ]);
  });

  it('KServe: the InferenceService is named, its Deployment counts', () => {
    const labels = { 'serving.kserve.io/inferenceservice': 'iris' };
    const container = {
      name: 'kserve-container',
      image: 'kserve/huggingfaceserver:v1',
      args: ['--model_id=o/m', '--model_name=iris'],
    };
    const isvc = {
      ...object('InferenceService', 'iris', {
        spec: { predictor: { model: { modelFormat: { name: 'huggingface' } } } },
      }),
      apiVersion: 'serving.kserve.io/v1beta1',
    };
    const found = discover([isvc, ...deployment('iris-predictor', 2, { labels, containers: [container] })]);
    expect(found).toMatchObject([
      {
        kind: 'InferenceService',
        name: 'iris',
        replicas: { ready: 2, wanted: 2 },
        evidence: { engine: 'kserve-huggingface', model: 'o/m', servedName: 'iris' },
      },
    ]);
  });

  it('workers that answer a frontend or a leader alone are no targets', () => {
    const worker = (...command: string[]): KubeObject[] => deployment('w', 1, { containers: [{ name: 'w', command }] });
    expect(discover(worker('python3', '-m', 'dynamo.vllm', '--model', 'm'))).toEqual([]);
    expect(discover(worker('vllm', 'serve', 'm', '--headless'))).toEqual([]);
    expect(discover(worker('python3', '-m', 'sglang.launch_server', '--model-path', 'm', '--node-rank', '1'))).toEqual(
      [],
    );
    expect(
      discover(worker('python3', '-m', 'sglang.launch_server', '--model-path', 'm', '--node-rank=0')),
    ).toHaveLength(1);
    expect(discover(worker('python3', '-m', 'dynamo.frontend'))).toHaveLength(1);
  });

  it('Ray: the RayService says what its head serves', () => {
    const config =
      'applications:\n- name: llm\n  import_path: ray.serve.llm:build_openai_app\n  args:\n    llm_configs:\n    - model_loading_config:\n        model_id: q\n';
    const start = { name: 'ray-head', image: 'rayproject/ray-llm', command: ['ray', 'start', '--head'] };
    const objects = [
      object('RayService', 'rs', { spec: { serveConfigV2: config } }),
      object('RayCluster', 'rc', { owner: ['RayService', 'rs'] }),
      pod('head', { labels: { 'ray.io/node-type': 'head' }, owner: ['RayCluster', 'rc'], containers: [start] }),
      pod('worker', { labels: { 'ray.io/node-type': 'worker' }, owner: ['RayCluster', 'rc'], containers: [start] }),
    ];
    expect(discover(objects)).toMatchObject([
      {
        kind: 'RayService',
        role: 'head',
        evidence: {
          engine: 'ray-serve',
          model: 'q',
          reasons: ['RayService’s serveConfigV2 (ray.serve.llm:build_openai_app)'],
        },
      },
    ]);
  });
});
