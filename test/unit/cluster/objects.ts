// Objects as `kubectl get -o json` prints them, in short, for tests.
import type { KubeObject } from '../../../src/cluster/types';

interface More {
  readonly labels?: Record<string, string>;
  readonly owner?: readonly [kind: string, name: string];
  readonly spec?: object;
  readonly status?: object;
  readonly namespace?: string;
}

export function object(
  kind: string,
  name: string,
  { labels, owner, spec, status, namespace = 'llm' }: More,
): KubeObject {
  return {
    apiVersion: 'v1',
    kind,
    metadata: {
      name,
      namespace,
      uid: `uid-${name}`,
      ...(labels ? { labels } : {}),
      ...(owner ? { ownerReferences: [{ kind: owner[0], name: owner[1], controller: true }] } : {}),
    },
    ...(spec ? { spec } : {}),
    ...(status ? { status } : {}),
  };
}

export const VLLM = { name: 'vllm', image: 'vllm/vllm-openai:v1', command: ['vllm', 'serve', 'm'] };

interface PodMore extends More {
  readonly containers?: readonly object[];
  readonly ready?: boolean;
  readonly node?: string;
  readonly restarts?: number;
  readonly containerId?: string;
  readonly digest?: string;
}

export function pod(name: string, more: PodMore = {}): KubeObject {
  const { containers = [VLLM], ready = true, node, restarts = 0, containerId = `containerd://${name}` } = more;
  return object('Pod', name, {
    ...more,
    spec: { containers, ...(node === undefined ? {} : { nodeName: node }), ...more.spec },
    status: {
      phase: 'Running',
      podIP: '10.0.0.1',
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      containerStatuses: (containers as { name: string; image?: string }[]).map((container) => ({
        name: container.name,
        restartCount: restarts,
        containerID: containerId,
        imageID: more.digest ?? `docker.io/${container.image ?? 'x'}@sha256:aaaa`,
      })),
      ...more.status,
    },
  });
}

export function service(name: string, selector: Record<string, string>, more: object = {}): KubeObject {
  return object('Service', name, {
    spec: { selector, ports: [{ name: 'http', port: 80, targetPort: 8000 }], ...more },
  });
}

/** A Deployment, its ReplicaSet and its pods. */
export function deployment(name: string, pods: number, more: PodMore = {}): KubeObject[] {
  const labels = { app: name, ...more.labels, 'pod-template-hash': 'h1' };
  return [
    object('Deployment', name, {
      spec: { replicas: pods, template: { metadata: { labels }, spec: { containers: more.containers ?? [VLLM] } } },
      status: { readyReplicas: more.ready === false ? 0 : pods },
    }),
    object('ReplicaSet', `${name}-h1`, { owner: ['Deployment', name], labels }),
    ...Array.from({ length: pods }, (_, i) =>
      pod(`${name}-h1-${i}`, { ...more, labels, owner: ['ReplicaSet', `${name}-h1`] }),
    ),
  ];
}
